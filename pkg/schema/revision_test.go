package schema

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A revisionCase is a row of testdata/revisions: two versions of a schema, and what each edit breaks, or "no".
type revisionCase struct {
	Name      string
	Direction string
	Old, New  json.RawMessage
	Want      []string
}

// TestEachEditIsJudgedWithTheOthersUndone holds what is said of an edit against what it does by itself, and its witness
// against all that a witness must show.
func TestEachEditIsJudgedWithTheOthersUndone(t *testing.T) {
	for file, cases := range readTables[revisionCase](t, "testdata/revisions/*.json") {
		for _, c := range cases {
			t.Run(file+"/"+c.Name, func(t *testing.T) {
				r := Compare(t.Context(), mustParse(t, string(c.Old)), mustParse(t, string(c.New)), Budget{})
				direction := Input
				if c.Direction == "output" {
					direction = Output
				}
				_, changes := r.Judge(t.Context(), direction, Budget{})
				var got []string
				for _, ch := range changes {
					got = append(got, r.describe(ch))
					if ch.Breaks.Verdict == Incompatible {
						r.check(t, ch, direction)
					}
				}
				if diff := cmp.Diff(c.Want, got); diff != "" {
					t.Errorf("changes (-want +got):\n%s", diff)
				}
			})
		}
	}
}

// describe writes a change as "FAMILY PATH, FAMILY PATH: WITNESS".
func (r *Revision) describe(ch Change) string {
	text := ""
	for i, e := range ch.Edits {
		if i > 0 {
			text += ", "
		}
		text += string(r.Edits[e].Family) + " " + r.Edits[e].Path
	}
	switch ch.Breaks.Verdict {
	case Compatible:
		return text + ": no"
	case Unknown:
		return text + ": unknown, " + ch.Breaks.Reason
	}
	return fmt.Sprintf("%s: %s", text, ch.Breaks.Witness)
}

// check asks the independent validator about the whole revision, and the schemas with the edit and without it.
func (r *Revision) check(t *testing.T, ch Change, d Direction) {
	t.Helper()
	value, err := decode(ch.Breaks.Witness)
	if err != nil {
		t.Fatalf("%s: %v", ch.Breaks.Witness, err)
	}
	from, to := r.Before, r.After
	alone := r.With(ch.Edits...)
	if d == Output {
		from, to, alone = to, from, r.Without(ch.Edits...)
	}
	if from.judge(value, false) == void || to.judge(value, false) == inhabited || accepts(yes(alone.plain), value, false) != void {
		t.Errorf("%s does not show that edits %v break", ch.Breaks.Witness, ch.Edits)
	}
}
