package diff_test

import (
	"testing"

	"github.com/mcpctl/mcpctl/pkg/diff"
)

// TestAStepIsShownByASmallNumber: of an argument without bounds no value counts beyond ±(2^53−1), which is no
// place to look for one.
func TestAStepIsShownByASmallNumber(t *testing.T) {
	side := func(schema string) string {
		return `{"tools":[{"name":"t","inputSchema":{"type":"object","properties":{"a":` + schema + `}}}]}`
	}
	for step, want := range map[string]string{"5": `{"a":1}`, "0.1": `{"a":0.05}`, "0.01": `{"a":0.005}`, "0.001": `{"a":0.0005}`} {
		found := compared(t, parse(t, side(`{"type":"number"}`)), parse(t, side(`{"type":"number","multipleOf":`+step+`}`)), diff.Options{})
		if len(found) != 1 || string(found[0].Witness) != want {
			t.Errorf("a step of %s is shown by %v, want %s", step, found, want)
		}
	}
}
