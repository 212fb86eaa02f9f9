package oracle

import (
	"encoding/json"
	"fmt"
	"slices"
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

// TestEachEditIsJudged holds what is said of each edit, and its witness against all that a witness must show.
func TestEachEditIsJudged(t *testing.T) {
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
				judged := r.Judge(t.Context(), direction, budget)
				var got []string
				for _, ch := range append(judged.Changes, judged.Rest...) {
					got = append(got, describe(r, ch))
					checkChange(t, r, ch, direction)
				}
				if diff := cmp.Diff(c.Want, got); diff != "" {
					t.Errorf("changes (-want +got):\n%s", diff)
				}
			})
		}
	}
}

// describe writes a change as "FAMILY PATH: WITNESS".
func describe(r *schema.Revision, ch schema.Change) string {
	text := "rest"
	if ch.Edit >= 0 {
		text = string(r.Edits[ch.Edit].Family) + " " + r.Edits[ch.Edit].Path
	}
	switch {
	case ch.Breaks.Verdict == schema.Compatible:
		return text + ": no"
	case ch.Breaks.Verdict == schema.Unknown:
		return text + ": unknown, " + ch.Breaks.Reason
	case ch.Breaks.Witness == nil:
		return text + ": " + ch.Breaks.Reason
	}
	return fmt.Sprintf("%s: %s", text, ch.Breaks.Witness)
}

// checkChange asks the independent validator about the whole revision, and the schemas with the edit alone and without
// it. Members that go where the object closes are judged with others of the object undone.
func checkChange(t *testing.T, r *schema.Revision, ch schema.Change, d schema.Direction) {
	t.Helper()
	if ch.Breaks.Witness == nil {
		return
	}
	value := decode(ch.Breaks.Witness)
	from, to := r.Before, r.After
	if d == schema.Output {
		from, to = to, from
	}
	if judged(from, value) == no || judged(to, value) == yes {
		t.Errorf("%s does not show that edit %d breaks", ch.Breaks.Witness, ch.Edit)
	}
	if ch.Edit < 0 || slices.Contains([]schema.Family{schema.FamilyProperty, schema.FamilyAdditional, schema.FamilyUnevaluated},
		r.Edits[ch.Edit].Family) {
		return
	}
	alone, undone := r.With(ch.Edit), r.Without(ch.Edit)
	if d == schema.Output {
		alone, undone = undone, alone
	}
	if read(alone, value) == yes && read(undone, value) == no {
		t.Errorf("%s is right with edit %d alone, and wrong still with it undone", ch.Breaks.Witness, ch.Edit)
	}
}
