package compare

import (
	"cmp"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/pkg/check"
)

// mention matches a tool as clients write it in permissions, agents, skills and commands: mcp__SERVER__TOOL,
// or a pattern of such names.
var mention = kit.Pattern(`(?:^|[^A-Za-z0-9_-])(mcp__[A-Za-z0-9_*-]+)`)

// mentionsIn returns the tools that a text names, with their lines.
func mentionsIn(text string) (all []check.DeclaredText) {
	line, at := 1, 0
	for _, m := range mention().FindAllStringSubmatchIndex(text, -1) {
		line, at = line+strings.Count(text[at:m[2]], "\n"), m[2]
		all = append(all, check.DeclaredText{Text: text[m[2]:m[3]], Line: line})
	}
	return all
}

// mentionsOf returns the mentions of the tools of one server: those that begin with its name, and with that
// of no other server whose name is longer.
func mentionsOf(all []check.DeclaredText, server string, servers []string) []check.DeclaredText {
	prefixes := kit.Map(servers, func(name string) string { return "mcp__" + check.ClientName(name) + "__" })
	slices.SortFunc(prefixes, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	own := "mcp__" + check.ClientName(server) + "__"
	return kit.Filter(all, func(m check.DeclaredText) bool {
		i := slices.IndexFunc(prefixes, func(p string) bool { return strings.HasPrefix(m.Text, p) })
		return i >= 0 && prefixes[i] == own
	})
}
