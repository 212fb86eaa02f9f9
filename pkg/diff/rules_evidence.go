package diff

import "github.com/mcpctl/mcpctl/pkg/finding"

// evidenceRules are about the comparison itself: what could not be compared is never taken for removed.
func evidenceRules() []finding.Rule {
	return []finding.Rule{
		{
			ID: "list-unavailable", Level: finding.Breaking,
			Title:   "A list could not be read now",
			Doc:     "The old side holds the list, the new side declares it and has none. Nothing is known of its items, so none is told as removed, and nothing may pass as unchanged either.",
			Example: `12 tools → error -32603`,
			Instead: "Mend the server or the connection, then compare again.",
		},
		{
			ID: "list-incomplete", Level: finding.Warning,
			Title:   "A list was read in part only",
			Doc:     "Paging ended early, by a repeated cursor or a limit. An item that is missing may stand on a page that was not read, so none is told as removed.",
			Example: `2,000 tools → the first 1,000 of them`,
			Instead: "Make each page's cursor lead to the next one.",
		},
		{
			ID: "comparison-scope-differs", Level: finding.Warning,
			Title:   "The two sides were not recorded in the same way",
			Doc:     "One side holds a part that the other never recorded, as a bare tools/list result has no prompts, or they were recorded with other credentials or over another transport. What only one side can hold is not compared.",
			Example: `a whole snapshot → the result of tools/list`,
			Instead: "Record both sides by mcpctl snapshot, with the same credentials.",
		},
	}
}
