package check

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/mcpctl/mcpctl/pkg/finding"
)

// budgetRows are about what servers cost every conversation that has them.
func budgetRows() []row {
	return []row{
		{Rule: finding.Rule{
			ID: "budget-tokens", Level: finding.Warning,
			Title:   "The servers cost more tokens than the budget",
			Doc:     "The tools and instructions of all servers together take more tokens (o200k_base) than budgets.tokens of mcpctl.yaml allows. A client without a tool search pays them in every request.",
			Example: `budgets: {tokens: 20000}`,
			Instead: "Leave out servers or toolsets that are not needed, or shorten the longest tools.",
		}, together: tokenBudget},
		{Rule: finding.Rule{
			ID: "budget-tools", Level: finding.Warning,
			Title:   "The servers have more tools than the budget",
			Doc:     "All servers together have more tools than budgets.tools of mcpctl.yaml allows.",
			Example: `budgets: {tools: 40}`,
			Instead: "Leave out servers or toolsets that are not needed.",
		}, together: toolBudget},
		{Rule: finding.Rule{
			ID: "tool-expensive", Level: finding.Info,
			Title:   "The tool alone costs many tokens",
			Doc:     fmt.Sprintf("Name, description and arguments of one tool take more than %d tokens (o200k_base).", maxToolTokens),
			Example: `a tool of 7,000 tokens`,
			Instead: "Shorten its description, or take a part of it as its own tool.",
		}, alone: expensive},
		{Rule: finding.Rule{
			ID: "text-long", Level: finding.Info,
			Title:   "A text is very long",
			Doc:     fmt.Sprintf("A description has more than %d characters. Clients cut long ones, and what comes last is lost.", maxText),
			Example: `a manual as a description`,
			Instead: "Offer the manual as a resource or prompt, and say where it is.",
		}, alone: longTexts},
	}
}

const (
	maxToolTokens = 2000
	maxText       = 8000
)

func tokenBudget(f fleet, report tell) {
	total, most := f.cost(func(s *subject) int { return Tokens(s.Snapshot) })
	f.over(report, total, f.budgets.Tokens, "tokens, more than the budget of %d", most)
}

func toolBudget(f fleet, report tell) {
	total, most := f.cost(func(s *subject) int { return len(s.tools) })
	f.over(report, total, f.budgets.Tools, "tools, more than the budget of %d", most)
}

// cost is what all servers cost together, and each of them. Of a server with variants the dearest one counts.
func (f fleet) cost(of func(*subject) int) (total int, m most) {
	dearest := map[string]*subject{}
	costs := map[*subject]int{}
	for _, s := range f.subjects {
		costs[s] = of(s)
		if other := dearest[s.server()]; other == nil || costs[other] < costs[s] {
			dearest[s.server()] = s
		}
	}
	m.costs = map[string]int{}
	for _, s := range f.subjects {
		if dearest[s.server()] == s {
			total += costs[s]
			m.names, m.costs[s.Name] = append(m.names, s.Name), costs[s]
		}
	}
	return total, m
}

// most are servers by what they cost.
type most struct {
	names []string
	costs map[string]int
}

// String is the servers with the highest costs.
func (m most) String() string {
	slices.SortStableFunc(m.names, func(a, b string) int { return cmp.Compare(m.costs[b], m.costs[a]) })
	var parts []string
	for _, name := range m.names {
		parts = append(parts, fmt.Sprintf("%s %d", name, m.costs[name]))
	}
	return some(parts)
}

// over tells that a limit is not kept; what says of what there is more than the limit. With one server the finding is about that one.
func (f fleet) over(report tell, total, limit int, what string, most most) {
	if limit == 0 || total <= limit {
		return
	}
	says := fmt.Sprintf(what, limit)
	one := finding.Finding{New: encoded(total), Message: fmt.Sprintf("The servers have %d %s: %s.", total, says, most)}
	if len(f.subjects) == 1 {
		one.Server, one.Message = f.subjects[0].Name, fmt.Sprintf("The server has %d %s.", total, says)
	}
	report(one)
}

func expensive(s *subject, report tell) {
	for _, t := range s.tools {
		if n := ToolTokens(t.Item); n > maxToolTokens {
			report(finding.Finding{Item: t.id, Message: fmt.Sprintf("The tool costs %d tokens.", n)})
		}
	}
}

func longTexts(s *subject, report tell) {
	for _, p := range s.texts {
		if p.prose && len(p.text) > maxText {
			report(finding.Finding{Item: p.item, Path: p.path(), Message: fmt.Sprintf("The text has %d characters.", len([]rune(p.text)))})
		}
	}
}
