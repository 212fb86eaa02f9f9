// Package rules is every rule that findings come from: those of diff, of check and of the policy.
package rules

import (
	"cmp"
	"slices"
	"sync"

	"github.com/mcpctl/mcpctl/internal/lists"
	"github.com/mcpctl/mcpctl/pkg/check"
	"github.com/mcpctl/mcpctl/pkg/diff"
	"github.com/mcpctl/mcpctl/pkg/finding"
)

// All are the rules of all commands, sorted by id. Whoever may do without them is handed the function: to read them takes as long
// as to start.
func All() []finding.Rule { return slices.Clone(sorted()) }

var sorted = sync.OnceValue(func() []finding.Rule {
	all := slices.Concat(diff.Rules(), check.Rules(), finding.PolicyRules())
	slices.SortFunc(all, func(a, b finding.Rule) int { return cmp.Compare(a.ID, b.ID) })
	return all
})

// AllIDs are the ids of them.
func AllIDs() []string { return IDs(All()) }

// IDs are the ids of rules, in their order.
func IDs(rules []finding.Rule) []string {
	return lists.Map(rules, func(rule finding.Rule) string { return rule.ID })
}
