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
		if len(t.Raw) <= expensiveTool { // a token has at least one byte
			return
		}
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
	"budget-text-characters": func(s *server, report reporter) {
		eachText(func(t text, at location) {
			if t.prose {
				characters := func() int { return utf8.RuneCountInString(t.value) }
				at.overBudget("The text", characters, "characters", s.options.Budgets.TextCharacters)
			}
		})(s, report)
	},
	"budget-server-tokens": func(s *server, report reporter) {
		tokens := func() int { return Tokens(s.Snapshot) }
		location{"", root, report}.overBudget("The server", tokens, "tokens", s.options.Budgets.ServerTokens)
	},
	"budget-server-tools": func(s *server, report reporter) {
		tools := func() int { return len(s.tools) }
		location{"", root, report}.overBudget("The server", tools, "tools", s.options.Budgets.ServerTools)
	},
	"budget-tool-tokens": func(s *server, report reporter) {
		eachItem(func(i *item, at location) {
			if i.kind == snapshot.Tools {
				tokens := func() int { return ToolTokens(i.Item) }
				at.overBudget("The tool", tokens, "tokens", s.options.Budgets.ToolTokens)
			}
		})(s, report)
	},
	"budget-item-bytes": func(s *server, report reporter) {
		eachItem(func(i *item, at location) {
			bytes := func() int { return rawjson.Size(i.Raw) }
			at.overBudget("The "+i.kind.Word(), bytes, "bytes", s.options.Budgets.ItemBytes)
		})(s, report)
	},
}

const (
	expensiveTool = 2000 // tokens
	longText      = 8000 // bytes
)

// overBudget reports a number above a budget; without a budget nothing is counted.
func (l location) overBudget(subject string, count func() int, unit string, budget int) {
	if budget == 0 {
		return
	}
	if n := count(); n > budget {
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
