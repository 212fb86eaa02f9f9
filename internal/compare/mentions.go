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

// mentionsOf returns the mentions of the tools of one server: those that begin with its name, or with a
// misspelling of it, and with that of no other configured server whose name is longer.
func mentionsOf(all []check.DeclaredText, server string, servers []string) []check.DeclaredText {
	prefixes := kit.Map(servers, func(name string) string { return "mcp__" + check.ClientName(name) + "__" })
	slices.SortFunc(prefixes, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	own := "mcp__" + check.ClientName(server) + "__"
	return kit.Filter(all, func(m check.DeclaredText) bool {
		i := slices.IndexFunc(prefixes, func(p string) bool { return strings.HasPrefix(m.Text, p) })
		if i >= 0 {
			return prefixes[i] == own
		}
		name, _, isTool := strings.Cut(strings.TrimPrefix(m.Text, "mcp__"), "__")
		return isTool && misspells(name, check.ClientName(server))
	})
}

// shortestMisspelt is how many characters a server's name has whose misspelling is recognized: shorter names
// differ by one of them as a rule.
const shortestMisspelt = 5

// misspells reports whether a name is one letter off, or has two in each other's place. Other servers differ
// by a number, or by more, as github and gitlab do.
func misspells(name, server string) bool {
	letters := func(s string) string {
		return strings.Map(func(r rune) rune {
			if r >= '0' && r <= '9' {
				return -1
			}
			return r
		}, s)
	}
	if len(server) < shortestMisspelt || letters(name) == letters(server) {
		return false
	}
	for i := 1; i < len(name) && len(name) == len(server); i++ {
		if name[:i-1]+string(name[i])+string(name[i-1])+name[i+1:] == server {
			return true
		}
	}
	return kit.OneEdit(name, server)
}
