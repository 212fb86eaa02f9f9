package oracle

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/mcpctl/mcpctl/pkg/schema"
)

// A pairCase is a row of testdata/pairs: two schemas with the verdict there (narrow into wide) and back.
type pairCase struct {
	Name         string
	Narrow, Wide json.RawMessage
	There, Back  string
	Declared     bool
	Structure    bool // the validator cannot read the schemas
}

func TestContains(t *testing.T) {
	for file, cases := range readTables[pairCase](t, "testdata/pairs/*.json") {
		for _, c := range cases {
			t.Run(file+"/"+c.Name, func(t *testing.T) {
				narrow, wide := mustParse(t, string(c.Narrow)), mustParse(t, string(c.Wide))
				b := schema.Budget{Semantics: schema.Strict}
				if c.Declared {
					b.Semantics = schema.Declared
				}
				c.check(t, schema.Contains(t.Context(), wide, narrow, b), c.There, narrow, wide)
				c.check(t, schema.Contains(t.Context(), narrow, wide, b), c.Back, wide, narrow)
			})
		}
	}
}

// check holds a verdict, and the evidence that must come with it.
func (c pairCase) check(t *testing.T, r schema.Result, want string, narrow, wide *schema.Schema) {
	t.Helper()
	if got := r.Verdict.String(); got != want {
		t.Errorf("narrow %s\nwide %s\nverdict %s, want %s (%s, witness %s)", narrow.Raw(), wide.Raw(), got, want, r.Reason, r.Witness)
	}
	switch r.Verdict {
	case schema.Incompatible:
		if c.Structure {
			return
		}
		v := decode(r.Witness)
		if judged(narrow, v) != yes || judged(wide, v) != no {
			t.Errorf("witness %s does not show it", r.Witness)
		}
	case schema.Unknown:
		if r.Reason == "" {
			t.Error("unknown without a reason")
		}
	}
}

// readTables reads all tables of cases that a pattern names, by file.
func readTables[T any](t *testing.T, pattern string) map[string][]T {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("no tables at %s", pattern)
	}
	tables := map[string][]T{}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var cases []T
		if err := json.Unmarshal(raw, &cases); err != nil || len(cases) == 0 {
			t.Fatalf("reading %s: %d cases, %v", file, len(cases), err)
		}
		tables[filepath.Base(file)] = cases
	}
	return tables
}
