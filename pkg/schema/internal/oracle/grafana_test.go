package oracle

import (
	"context"
	"testing"

	"github.com/mcpctl/mcpctl/pkg/schema"
)

// TestRealEvolution judges the input schemas that mcp-grafana changed between releases: each direction with a known
// counterexample must be incompatible, and a verdict of incompatible must come with a witness.
func TestRealEvolution(t *testing.T) {
	for _, p := range load(t, "mcp_grafana.json") {
		before, err := schema.Parse(p.Old)
		if err != nil {
			t.Fatal(err)
		}
		after, err := schema.Parse(p.New)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range []struct {
			direction
			refuted bool
		}{
			{direction{p.ID + " forward", before, after, p.Old, p.New, schema.Strict, false}, p.CounterForward != nil},
			{direction{p.ID + " backward", after, before, p.New, p.Old, schema.Strict, false}, p.CounterBackward != nil},
		} {
			r := schema.Contains(context.Background(), d.wide, d.narrow, schema.Budget{Semantics: schema.Strict})
			want := schema.Compatible
			if d.refuted {
				want = schema.Incompatible
			}
			if r.Verdict != want || d.refuted && r.Witness == nil {
				t.Errorf("%s: %v with witness %s, want %v", d.id, r.Verdict, r.Witness, want)
			}
			checkWitness(t, d.direction, r)
		}
	}
}
