package diff

import (
	"cmp"
	"slices"

	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// Rules are the rules of a comparison, sorted by id.
func Rules() []finding.Rule {
	rules := []finding.Rule{
		{ID: "server-changed", Level: finding.Warning, Title: "What the server says of itself changed"},
		{ID: "capability-removed", Level: finding.Breaking, Title: "A capability is gone"},
		{ID: "list-unavailable", Level: finding.Breaking, Title: "A list could not be read"},
	}
	for _, kind := range snapshot.Kinds() {
		word := kind.Word()
		rules = append(rules,
			finding.Rule{ID: word + "-added", Level: finding.Info, Title: "A " + word + " is new"},
			finding.Rule{ID: word + "-changed", Level: finding.Warning, Title: "A " + word + " changed"},
			finding.Rule{ID: word + "-removed", Level: finding.Breaking, Title: "A " + word + " is gone"},
		)
	}
	slices.SortFunc(rules, func(a, b finding.Rule) int { return cmp.Compare(a.ID, b.ID) })
	return rules
}

// rule is the rule with the id.
func rule(id string) finding.Rule {
	for _, r := range Rules() {
		if r.ID == id {
			return r
		}
	}
	panic("no rule " + id)
}
