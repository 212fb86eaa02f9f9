package report_test

import (
	"regexp"
	"slices"
	"testing"

	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/pkg/check"
	"github.com/mcpctl/mcpctl/pkg/diff"
	"github.com/mcpctl/mcpctl/pkg/finding"
)

// TestAllHoldsEveryRuleOnce is what waivers, overrides and docs/rules.md rest on: an id means one rule, the one who speaks.
func TestAllHoldsEveryRuleOnce(t *testing.T) {
	all := report.RuleIDs(report.AllRules())
	if !slices.IsSorted(all) || len(slices.Compact(slices.Clone(all))) != len(all) {
		t.Error("the ids are not sorted, or one stands for two rules")
	}
	for name, some := range map[string][]finding.Rule{"diff": diff.Rules(), "check": check.Rules(), "policy": finding.PolicyRules(), "replay": finding.CallRules()} {
		if len(some) == 0 {
			t.Errorf("%s has no rules", name)
		}
		for _, id := range report.RuleIDs(some) {
			if !slices.Contains(all, id) {
				t.Errorf("%s of %s is missing", id, name)
			}
		}
	}
	if want := len(diff.Rules()) + len(check.Rules()) + len(finding.PolicyRules()) + len(finding.CallRules()); len(all) != want {
		t.Errorf("%d rules, want %d", len(all), want)
	}
}

// TestIDsAreFitForConfigurations keeps to the form that rules.KEY of mcpctl.yaml, links of docs/rules.md and SARIF take.
func TestIDsAreFitForConfigurations(t *testing.T) {
	form := regexp.MustCompile(`^[a-z]+(-[a-z0-9]+)+$`)
	for _, rule := range report.AllRules() {
		if !form.MatchString(rule.ID) || rule.Title == "" || rule.Doc == "" {
			t.Errorf("%q is in another form, or has no title or text", rule.ID)
		}
	}
	if ids := report.RuleIDs(nil); ids != nil {
		t.Errorf("no rules have the ids %v", ids)
	}
}
