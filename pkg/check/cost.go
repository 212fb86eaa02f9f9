package check

import (
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// costRules are on what a server costs in every conversation; budgets are set by the project.
var costRules = map[string]rule{
	"tool-expensive": eachTool(func(t *item, at location) {
		if n := ToolTokens(t.Item); n > expensiveTool {
			at.add("", nil, "The tool costs ~%d tokens.", n)
		}
	}),
	"tool-never-called": neverCalled,
	"text-long": eachText(func(t text, at location) {
		if t.prose && len(t.value) > longText {
			at.add("", nil, "The text has %d characters.", utf8.RuneCountInString(t.value))
		}
	}),
	"budget-text-characters": eachText(func(t text, at location) {
		if limit := at.server.options.Budgets.TextCharacters; limit > 0 && t.prose {
			at.overBudget("The text", utf8.RuneCountInString(t.value), "characters", limit)
		}
	}),
	"budget-server-tokens": func(s *server, report reporter) {
		if limit := s.options.Budgets.ServerTokens; limit > 0 {
			n, unit := Tokens(s.Snapshot), "tokens"
			if c := s.Clients; c != nil {
				unit += fmt.Sprintf(" (%d for the tools that are on)", c.Tokens)
			}
			location{s, "", root, report}.overBudget("The server", n, unit, limit)
		}
	},
	"budget-server-tools": func(s *server, report reporter) {
		if limit := s.options.Budgets.ServerTools; limit > 0 {
			unit := "tools"
			if c := s.Clients; c != nil {
				unit += fmt.Sprintf(" (%d of them on)", c.On)
			}
			location{s, "", root, report}.overBudget("The server", len(s.tools), unit, limit)
		}
	},
	"budget-tool-tokens": eachItem(func(i *item, at location) {
		if limit := at.server.options.Budgets.ToolTokens; limit > 0 && i.kind == snapshot.Tools {
			at.overBudget("The tool", ToolTokens(i.Item), "tokens", limit)
		}
	}),
	"budget-item-bytes": eachItem(func(i *item, at location) {
		if limit := at.server.options.Budgets.ItemBytes; limit > 0 {
			at.overBudget("The "+i.kind.Word(), rawjson.Size(i.Raw), "bytes", limit)
		}
	}),
}

const (
	expensiveTool = 2000 // tokens
	longText      = 8000 // bytes
)

// overBudget reports a number above a budget.
func (l location) overBudget(subject string, n int, unit string, budget int) {
	if n > budget {
		l.add("", encoded(n), "%s has %d %s; the budget is %d.", subject, n, unit, budget)
	}
}

// Called are the recorded calls of a server.
type Called struct {
	Total int            // calls of all tools
	Tools map[string]int // calls of each tool
}

// neverCalled reports the tools without a recorded call, the most expensive first.
func neverCalled(s *server, report reporter) {
	if s.Called == nil || s.Called.Total == 0 {
		return
	}
	tokens, total := map[string]int{}, 0
	for _, t := range s.tools {
		if s.Called.Tools[t.Key] == 0 {
			tokens[t.Key] = ToolTokens(t.Item)
			total += tokens[t.Key]
		}
	}
	if len(tokens) == 0 {
		return
	}
	names := kit.SortedKeys(tokens)
	slices.SortStableFunc(names, func(a, b string) int { return tokens[b] - tokens[a] })
	places := kit.Map(names, func(name string) string {
		return fmt.Sprintf("%s (~%d tokens)", name, tokens[name])
	})
	title := fmt.Sprintf("%d of %d tools not called in %s (~%d tokens)", len(names), len(s.tools),
		kit.Counted(s.Called.Total, "recorded call"), total)
	report(finding.Finding{Path: "/tools", New: encoded(tokens), Cause: title, Places: places,
		Message: title + ": " + kit.Some(places) + "."})
}
