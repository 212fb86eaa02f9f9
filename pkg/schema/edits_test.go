package schema

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// An editsCase is a row of testdata/edits: two schemas and the edits between them, each with what it does
// alone.
type editsCase struct {
	Name     string
	Old, New json.RawMessage
	Want     []string
}

func TestEdits(t *testing.T) {
	for file, cases := range readTables[editsCase](t, "testdata/edits/*.json") {
		for _, c := range cases {
			t.Run(file+"/"+c.Name, func(t *testing.T) {
				old, new := mustParse(t, string(c.Old)), mustParse(t, string(c.New))
				got := []string{}
				r := Compare(t.Context(), old, new, Budget{})
				all := []int{}
				for i, e := range r.Edits {
					got = append(got, describe(t, r, i))
					if e.asserts() {
						all = append(all, i)
					}
				}
				if !Equivalent(t.Context(), r.With(all...), new, Budget{}) || !Equivalent(t.Context(), r.Without(all...), old, Budget{}) {
					t.Errorf("the edits together do not make the new schema of the old one")
				}
				slices.Sort(got)
				slices.Sort(c.Want)
				if diff := cmp.Diff(c.Want, got); diff != "" {
					t.Errorf("edits (-want +got):\n%s", diff)
				}
			})
		}
	}
}

// describe writes an edit as "FAMILY MEMBERS NAME PATH: EFFECT".
func describe(t *testing.T, r *Revision, i int) string {
	e := r.Edits[i]
	words := []string{string(e.Family)}
	if e.Removed != nil {
		words = append(words, "-"+jsonText(e.Removed))
	}
	if e.Added != nil {
		words = append(words, "+"+jsonText(e.Added))
	}
	if e.Name != "" {
		words = append(words, e.Name)
	}
	words = append(words, e.Path)
	for _, also := range e.Also {
		words = append(words, "also", also)
	}
	h, old, strict := r.With(i), r.Before, Budget{Semantics: Strict}
	var effects []string
	for effect, r := range map[string]Result{"narrows": Contains(t.Context(), h, old, strict),
		"widens": Contains(t.Context(), old, h, strict)} {
		switch r.Verdict {
		case Incompatible:
			effects = append(effects, effect)
		case Unknown:
			effects = append(effects, "perhaps "+effect)
		}
	}
	slices.Sort(effects)
	return strings.Join(words, " ") + ": " + strings.Join(effects, " and ")
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
