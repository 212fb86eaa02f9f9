package report_test

import (
	"regexp"
	"slices"
	"testing"

	"github.com/mcpctl/mcpctl/internal/seen"
)

// TestIDsAreFitForConfigurations keeps to the form that rules.KEY of mcpctl.yaml, links of docs/rules.md and SARIF take.
func TestIDsAreFitForConfigurations(t *testing.T) {
	if all := seen.AllRuleIDs(); !slices.IsSorted(all) || len(slices.Compact(slices.Clone(all))) != len(all) {
		t.Error("the ids are not sorted, or one stands for two rules")
	}
	form := regexp.MustCompile(`^[a-z]+(-[a-z0-9]+)+$`)
	for _, rule := range seen.AllRules() {
		if !form.MatchString(rule.ID) || rule.Title == "" || rule.Doc == "" {
			t.Errorf("%q is in another form, or has no title or text", rule.ID)
		}
	}
	if ids := seen.RuleIDs(nil); ids != nil {
		t.Errorf("no rules have the ids %v", ids)
	}
}
