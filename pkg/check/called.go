package check

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/pkg/finding"
)

// Called are the recorded calls of a server.
type Called struct {
	Total int            // calls of all its tools
	Tools map[string]int // calls of each tool
}

// neverCalled reports the tools of a server without a recorded call, the most expensive first.
func neverCalled(s *server, report tell) {
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
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(tokens[b], tokens[a]) })
	places := kit.Map(names,
		func(name string) string { return fmt.Sprintf("%s (~%d tokens)", name, tokens[name]) })
	title := fmt.Sprintf("%d of %d tools not called in %s (~%d tokens)", len(names), len(s.tools),
		kit.Counted(s.Called.Total, "recorded call"), total)
	report(finding.Finding{Path: "/tools", New: encoded(tokens), Cause: title, Places: places,
		Message: title + ": " + kit.Some(places) + "."})
}
