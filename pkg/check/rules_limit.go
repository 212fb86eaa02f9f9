package check

import (
	"fmt"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// limitRows are about what one server, tool or text may cost in a project that has set a limit.
func limitRows() []row {
	return []row{
		{Rule: finding.Rule{
			ID: "budget-server-tokens", Level: finding.Warning,
			Title:   "A server costs more tokens than the budget",
			Doc:     "The tools and instructions of one server take more tokens (o200k_base) than budgets.server-tokens of mcpctl.yaml allows.",
			Example: `budgets: {server-tokens: 8000}`,
			Instead: "Leave out its toolsets that are not needed, or shorten its longest tools.",
		}, together: eachServer("tokens", func(b Budgets) int { return b.ServerTokens }, func(s *subject) int { return Tokens(s.Snapshot) })},
		{Rule: finding.Rule{
			ID: "budget-server-tools", Level: finding.Warning,
			Title:   "A server has more tools than the budget",
			Doc:     "One server has more tools than budgets.server-tools of mcpctl.yaml allows.",
			Example: `budgets: {server-tools: 30}`,
			Instead: "Leave out its toolsets that are not needed.",
		}, together: eachServer("tools", func(b Budgets) int { return b.ServerTools }, func(s *subject) int { return len(s.tools) })},
		{Rule: finding.Rule{
			ID: "budget-tool-tokens", Level: finding.Warning,
			Title:   "A tool costs more tokens than the budget",
			Doc:     "Name, description and arguments of one tool take more tokens (o200k_base) than budgets.tool-tokens of mcpctl.yaml allows.",
			Example: `budgets: {tool-tokens: 800}`,
			Instead: "Shorten its description, or take a part of it as its own tool.",
		}, together: expensiveTools},
		{Rule: finding.Rule{
			ID: "budget-item-bytes", Level: finding.Warning,
			Title:   "An item is larger than the budget",
			Doc:     "A tool, prompt, resource or template takes more bytes, as JSON without blanks, than budgets.item-bytes of mcpctl.yaml allows.",
			Example: `budgets: {item-bytes: 4000}`,
			Instead: "Shorten its texts and schemas.",
		}, together: largeItems},
		{Rule: finding.Rule{
			ID: "budget-text-characters", Level: finding.Warning,
			Title:   "A text is longer than the budget",
			Doc:     "A description, a title or the instructions have more characters than budgets.text-characters of mcpctl.yaml allows.",
			Example: `budgets: {text-characters: 1024}`,
			Instead: "Shorten it, or offer the rest as a resource or prompt and say where it is.",
		}, together: textsOverBudget},
	}
}

// eachServer looks for servers that have more of something than a limit.
func eachServer(what string, limit func(Budgets) int, cost func(*subject) int) func(fleet, tell) {
	return func(f fleet, report tell) {
		for _, s := range f.subjects {
			over(report, finding.Finding{Server: s.Name}, "The server has", cost(s), limit(f.budgets), what)
		}
	}
}

func expensiveTools(f fleet, report tell) {
	for _, s := range f.subjects {
		for _, t := range s.tools {
			over(report, finding.Finding{Server: s.Name, Item: t.id}, "The tool costs", ToolTokens(t.Item), f.budgets.ToolTokens, "tokens")
		}
	}
}

func largeItems(f fleet, report tell) {
	for _, s := range f.subjects {
		for _, kind := range snapshot.Kinds() {
			for _, i := range itemsOf(s.Snapshot, kind) {
				over(report, finding.Finding{Server: s.Name, Item: i.id}, "The item takes", rawjson.Size(i.Raw), f.budgets.ItemBytes, "bytes")
			}
		}
	}
}

func textsOverBudget(f fleet, report tell) {
	for _, s := range f.subjects {
		for _, p := range s.texts {
			if p.prose {
				over(report, finding.Finding{Server: s.Name, Item: p.item, Path: p.path()}, "The text has", utf8.RuneCountInString(p.text), f.budgets.TextCharacters, "characters")
			}
		}
	}
}

// over reports one finding if a cost is above its limit; no limit is 0.
func over(report tell, place finding.Finding, has string, cost, limit int, what string) {
	if limit == 0 || cost <= limit {
		return
	}
	place.New, place.Message = encoded(cost), fmt.Sprintf("%s %d %s, more than the budget of %d.", has, cost, what, limit)
	report(place)
}
