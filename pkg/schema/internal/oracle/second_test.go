package oracle

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/mcpctl/mcpctl/pkg/schema"
)

// secondPairs is the number of random pairs whose witnesses a second validator is asked about.
const secondPairs = 1000

// TestSecondOpinion asks another validator about witnesses, so that the truth does not rest on one program alone.
func TestSecondOpinion(t *testing.T) {
	real := realSchemas(t)
	agreed, silent := 0, 0
	for i := range uint64(secondPairs) {
		g := newGrammar(i + 1_000_000)
		narrow, wide := g.pair(real)
		r, _, err := contains(narrow, wide, schema.Strict)
		if err != nil || r.Witness == nil {
			continue
		}
		accepted, err1 := secondly(narrow, r.Witness)
		allowed, err2 := secondly(wide, r.Witness)
		switch {
		case err1 != nil || err2 != nil:
			silent++
		case accepted && !allowed:
			agreed++
		default:
			t.Errorf("witness %s: narrow accepts is %v, wide accepts is %v\nnarrow %s\nwide   %s", r.Witness, accepted, allowed,
				encode(narrow), encode(wide))
		}
	}
	t.Logf("%d witnesses agreed on, %d about schemas that the second validator cannot read", agreed, silent)
	if agreed == 0 {
		t.Error("no witness was judged")
	}
}

// secondDialects are the values of "$schema" that the second validator reads.
func secondDialects() []any {
	return []any{nil, "http://json-schema.org/draft-07/schema#", "https://json-schema.org/draft/2020-12/schema"}
}

// secondly asks the second validator. The error says that it cannot read the schema.
func secondly(s any, value json.RawMessage) (accepted bool, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the second validator gave up: %v", r)
		}
	}()
	if o, ok := s.(map[string]any); ok && !slices.Contains(secondDialects(), o["$schema"]) {
		return false, fmt.Errorf("%v is not a dialect it reads", o["$schema"])
	}
	text := encode(s)
	if bytes.Contains(text, []byte(`"multipleOf":0.1`)) {
		return false, fmt.Errorf("it divides by 0.1 in floating point")
	}
	var parsed jsonschema.Schema
	if err := json.Unmarshal(text, &parsed); err != nil {
		return false, err
	}
	resolved, err := parsed.Resolve(nil)
	if err != nil {
		return false, err
	}
	var v any
	if err := json.Unmarshal(value, &v); err != nil {
		return false, err
	}
	err = resolved.Validate(v)
	if err != nil && strings.Contains(err.Error(), "missing dynamic anchor") {
		return false, err // it does not look where the reference first leads (2020-12 §8.2.3.2)
	}
	return err == nil, nil
}
