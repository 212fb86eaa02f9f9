package seen

import (
	"cmp"
	"slices"
	"sync"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/pkg/check"
	"github.com/mcpctl/mcpctl/pkg/diff"
	"github.com/mcpctl/mcpctl/pkg/finding"
)

// AllRules returns the rules of diff, check, replay and the policy, sorted by id. They are shared.
func AllRules() []finding.Rule { return allRules() }

var allRules = sync.OnceValue(func() []finding.Rule {
	all := slices.Concat(diff.Rules(), check.Rules(), finding.PolicyRules(), finding.CallRules())
	slices.SortFunc(all, func(a, b finding.Rule) int { return cmp.Compare(a.ID, b.ID) })
	return all
})

// AllRuleIDs returns the ids of all rules.
func AllRuleIDs() []string { return RuleIDs(AllRules()) }

// RuleIDs returns the ids of rules, in their order.
func RuleIDs(rules []finding.Rule) []string {
	return kit.Map(rules, func(rule finding.Rule) string { return rule.ID })
}
