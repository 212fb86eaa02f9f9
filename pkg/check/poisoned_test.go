package check_test

import (
	"encoding/json"
	"os"
	"slices"
	"testing"

	"github.com/mcpctl/mcpctl/pkg/check"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// TestPoisonedTexts looks for planted texts of the kinds that published attacks use. "unlisted" ones do so in ways that no
// rule lists, "unseen" ones were written without the rules, those "by parts" before the rules read sentences. Of those "in
// other words" an earlier reader found 15 of 80, of those "in the passive" 6 of 24.
// "harmless" ones only sound like attacks, and are not accused.
func TestPoisonedTexts(t *testing.T) {
	data, err := os.ReadFile("testdata/poisoned.json")
	if err != nil {
		t.Fatal(err)
	}
	var planted []struct{ Kind, Text string }
	if err := json.Unmarshal(data, &planted); err != nil {
		t.Fatal(err)
	}
	security := map[string]bool{}
	for _, r := range check.Rules() {
		security[r.ID] = r.Security
	}
	seen := 0
	for _, p := range planted {
		text, _ := json.Marshal(p.Text)
		tool := `{"name":"note","description":` + string(text) + `,"inputSchema":{"type":"object"}}`
		s, err := snapshot.Parse([]byte(`{"tools":[` + tool + `]}`))
		if err != nil {
			t.Fatal(err)
		}
		found := run(t, []check.Subject{{Name: "s", Snapshot: s}}, check.Options{})
		switch isSeen := slices.ContainsFunc(found, func(f finding.Finding) bool { return security[f.Rule] && f.Level != finding.Info }); {
		case isSeen && p.Kind == "harmless":
			t.Errorf("accused: %s: %s", p.Text, found[0].Message)
		case isSeen:
			seen++
		case p.Kind != "harmless":
			t.Logf("not seen: %s: %.200s", p.Kind, p.Text)
		}
	}
	if len(planted) < 879 || seen < 533 {
		t.Errorf("%d planted texts are seen, want 533 of 575", seen)
	}
}
