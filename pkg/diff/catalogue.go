package diff

import (
	"cmp"
	"slices"

	"github.com/mcpctl/mcpctl/pkg/finding"
)

// Rules are all rules of a comparison, sorted by id. A rule whose level is Off speaks only when Options.Enable names it.
func Rules() []finding.Rule {
	rules := slices.Concat(
		serverRules(), toolRules(), textRules(), schemaRules(), promptRules(), resourceRules(), templateRules(), evidenceRules(),
	)
	slices.SortFunc(rules, func(a, b finding.Rule) int { return cmp.Compare(a.ID, b.ID) })
	return rules
}

// catalogue is Rules by id.
func catalogue() map[string]finding.Rule {
	byID := map[string]finding.Rule{}
	for _, rule := range Rules() {
		byID[rule.ID] = rule
	}
	return byID
}
