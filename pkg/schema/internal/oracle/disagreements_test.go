package oracle

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/mcpctl/mcpctl/pkg/schema"
)

// A disagreement is a label that the engine contradicts for a reason that was looked into.
type disagreement struct {
	ID      string          `json:"id"` // of the direction: the pair's id and forward or backward
	Reason  string          `json:"reason"`
	Witness json.RawMessage `json:"witness"` // shows that the label is wrong, where it says that all is accepted
	used    bool
}

type disagreements map[string]*disagreement

func loadDisagreements(t *testing.T) disagreements {
	t.Helper()
	raw, err := os.ReadFile(corpusFolder + "disagreements.json")
	if err != nil {
		t.Fatal(err)
	}
	var list []*disagreement
	if err := json.Unmarshal(raw, &list); err != nil {
		t.Fatal(err)
	}
	all := disagreements{}
	for _, d := range list {
		if d.Reason == "" {
			t.Errorf("%s: the disagreement gives no reason", d.ID)
		}
		all[d.ID] = d
	}
	return all
}

// cover reports whether a direction is listed, and checks that the disagreement still exists and is shown.
func (all disagreements) cover(t *testing.T, d direction, r schema.Result) bool {
	t.Helper()
	e := all[d.id]
	if e == nil || d.semantics != schema.Strict {
		return e != nil
	}
	e.used = true
	if r.Verdict == schema.Unknown || (r.Verdict == schema.Compatible) == d.truth {
		t.Errorf("%s: listed as a disagreement, but the verdict is %v: remove the entry", d.id, r.Verdict)
	}
	if d.truth {
		if err := confirms(d.narrowText, d.wideText, e.Witness); err != nil {
			t.Errorf("%s: the witness %s of the disagreement: %v", d.id, e.Witness, err)
		}
	}
	return true
}

func (all disagreements) checkAllUsed(t *testing.T) {
	t.Helper()
	for id, d := range all {
		if !d.used {
			t.Errorf("%s: listed as a disagreement, but no such direction was judged", id)
		}
	}
}
