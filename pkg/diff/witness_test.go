package diff_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// witnesses checks by an independent validator that each witness was right before and is wrong now; for an
// output schema the other way round.
func witnesses(t *testing.T, old, new *snapshot.Snapshot, findings []finding.Finding) {
	t.Helper()
	checked := 0
	for _, f := range findings {
		keyword := strings.Split(f.Path+"//", "/")[1]
		if f.Witness == nil || keyword != "inputSchema" && keyword != "outputSchema" {
			continue
		}
		checked++
		before, after := accepts(t, old, f.Item, keyword, f.Witness), accepts(t, new, f.Item, keyword, f.Witness)
		if want := keyword == "inputSchema"; before != want || after == want {
			t.Errorf("%s %s%s: the witness %s is right before: %v, now: %v", f.Rule, f.Item, f.Pointer(), f.Witness, before, after)
		}
	}
	if checked == 0 {
		t.Error("no finding has a witness")
	}
}

// accepts asks the validator whether a tool's schema accepts a value.
func accepts(t *testing.T, s *snapshot.Snapshot, item, keyword string, value json.RawMessage) bool {
	t.Helper()
	for _, tool := range s.Tools.Items() {
		if snapshot.Tools.ID(tool.Key) != item {
			continue
		}
		document, err := jsonschema.UnmarshalJSON(bytes.NewReader(tool.Field(keyword)))
		if err != nil {
			t.Fatal(err)
		}
		compiler := jsonschema.NewCompiler()
		if err := compiler.AddResource("tool.json", document); err != nil {
			t.Fatal(err)
		}
		schema, err := compiler.Compile("tool.json")
		if err != nil {
			t.Fatal(err)
		}
		instance, err := jsonschema.UnmarshalJSON(bytes.NewReader(value))
		if err != nil {
			t.Fatal(err)
		}
		return schema.Validate(instance) == nil
	}
	t.Fatalf("there is no %s", item)
	return false
}
