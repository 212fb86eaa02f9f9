package oracle

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpctl/mcpctl/pkg/schema"
)

// A revisionCase is a row of testdata/revisions: two versions of a schema, and what each edit breaks, or "no".
type revisionCase struct {
	Name      string
	Direction string
	Strict    bool
	Old, New  json.RawMessage
	Want      []string
}

// TestEachEditIsJudgedWithTheOthersUndone holds what is said of an edit against what it does by itself, and its witness
// against all that a witness must show.
func TestEachEditIsJudgedWithTheOthersUndone(t *testing.T) {
	for file, cases := range readTables[revisionCase](t, "testdata/revisions/*.json") {
		for _, c := range cases {
			t.Run(file+"/"+c.Name, func(t *testing.T) {
				budget, direction := schema.Budget{}, schema.Input
				if c.Strict {
					budget.Semantics = schema.Strict
				}
				r := schema.Compare(t.Context(), mustParse(t, string(c.Old)), mustParse(t, string(c.New)), budget)
				if c.Direction == "output" {
					direction = schema.Output
				}
				_, changes := r.Judge(t.Context(), direction, budget)
				var got []string
				for _, ch := range changes {
					got = append(got, describe(r, ch))
					if ch.Breaks.Verdict == schema.Incompatible {
						checkChange(t, r, ch, direction)
					}
				}
				if diff := cmp.Diff(c.Want, got); diff != "" {
					t.Errorf("changes (-want +got):\n%s", diff)
				}
			})
		}
	}
}

// describe writes a change as "FAMILY PATH, FAMILY PATH: WITNESS beside FAMILY PATH".
func describe(r *schema.Revision, ch schema.Change) string {
	text := namedEdits(r, ch.Edits)
	switch {
	case ch.Within != nil:
		return text + ": within " + namedEdits(r, ch.Within)
	case ch.Breaks.Verdict == schema.Compatible:
		return text + ": no"
	case ch.Breaks.Verdict == schema.Unknown:
		return text + ": unknown, " + ch.Breaks.Reason
	case ch.Beside != nil:
		return fmt.Sprintf("%s: %s beside %s", text, ch.Breaks.Witness, namedEdits(r, ch.Beside))
	}
	return fmt.Sprintf("%s: %s", text, ch.Breaks.Witness)
}

func namedEdits(r *schema.Revision, edits []int) string {
	var names []string
	for _, e := range edits {
		names = append(names, string(r.Edits[e].Family)+" "+r.Edits[e].Path)
	}
	return strings.Join(names, ", ")
}

// checkChange asks the independent validator about the whole revision, and the schemas with the edit and without it.
func checkChange(t *testing.T, r *schema.Revision, ch schema.Change, d schema.Direction) {
	t.Helper()
	value := decode(ch.Breaks.Witness)
	from, to := r.Before, r.After
	needed := slices.Sorted(slices.Values(slices.Concat(ch.Edits, ch.Beside)))
	alone, undone := r.With(ch.Edits...), r.Without(needed...)
	if d == schema.Output {
		from, to, alone, undone = to, from, r.Without(ch.Edits...), r.With(needed...)
	}
	if judged(from, value, false) == no || judged(to, value, false) == yes || read(alone, value) != no {
		t.Errorf("%s does not show that edits %v break", ch.Breaks.Witness, ch.Edits)
	}
	if len(ch.Edits) > 0 && read(undone, value) != yes {
		t.Errorf("%s is rejected still with edits %v and %v undone", ch.Breaks.Witness, ch.Edits, ch.Beside)
	}
}
