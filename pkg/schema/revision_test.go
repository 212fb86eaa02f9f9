package schema

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
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
				budget, direction := Budget{}, Input
				if c.Strict {
					budget.Semantics = Strict
				}
				r := Compare(t.Context(), mustParse(t, string(c.Old)), mustParse(t, string(c.New)), budget)
				if c.Direction == "output" {
					direction = Output
				}
				_, changes := r.Judge(t.Context(), direction, budget)
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

// describe writes a change as "FAMILY PATH, FAMILY PATH: WITNESS beside FAMILY PATH".
func (r *Revision) describe(ch Change) string {
	text := r.named(ch.Edits)
	switch {
	case ch.Within != nil:
		return text + ": within " + r.named(ch.Within)
	case ch.Breaks.Verdict == Compatible:
		return text + ": no"
	case ch.Breaks.Verdict == Unknown:
		return text + ": unknown, " + ch.Breaks.Reason
	case ch.Beside != nil:
		return fmt.Sprintf("%s: %s beside %s", text, ch.Breaks.Witness, r.named(ch.Beside))
	}
	return fmt.Sprintf("%s: %s", text, ch.Breaks.Witness)
}

func (r *Revision) named(edits []int) string {
	var names []string
	for _, e := range edits {
		names = append(names, string(r.Edits[e].Family)+" "+r.Edits[e].Path)
	}
	return strings.Join(names, ", ")
}

// check asks the independent validator about the whole revision, and the schemas with the edit and without it.
func (r *Revision) check(t *testing.T, ch Change, d Direction) {
	t.Helper()
	value, err := decode(ch.Breaks.Witness)
	if err != nil {
		t.Fatalf("%s: %v", ch.Breaks.Witness, err)
	}
	from, to := r.Before, r.After
	needed := slices.Sorted(slices.Values(slices.Concat(ch.Edits, ch.Beside)))
	alone, undone := r.With(ch.Edits...), r.Without(needed...)
	if d == Output {
		from, to, alone, undone = to, from, r.Without(ch.Edits...), r.With(needed...)
	}
	if from.judge(value, false) == void || to.judge(value, false) == inhabited || accepts(yes(alone.plain), value, false) != void {
		t.Errorf("%s does not show that edits %v break", ch.Breaks.Witness, ch.Edits)
	}
	if len(ch.Edits) > 0 && accepts(yes(undone.plain), value, false) != inhabited {
		t.Errorf("%s is rejected still with edits %v and %v undone", ch.Breaks.Witness, ch.Edits, ch.Beside)
	}
}
