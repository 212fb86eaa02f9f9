package finding

import (
	"fmt"
	"slices"

	"github.com/mcpctl/mcpctl/internal/match"
)

// Waiver accepts findings for a while, with a reason. Rule, Server, Item and Path are patterns, in which * stands for any
// characters and ? for one; an empty one matches everything. A finding that is waived stays in reports and fails nothing.
type Waiver struct {
	Rule   string `json:"-"` // id of the rule; never empty
	Server string `json:"-"`
	Item   string `json:"-"` // such as "tool/create_*"
	Path   string `json:"-"` // matches Finding.Path or Finding.Pointer

	Reason  string   `json:"reason"`
	Owner   string   `json:"owner,omitempty"`
	Expires Day      `json:"expires,omitempty"` // the last day on which it holds; empty = it holds for ever
	Source  Location `json:"-"`                 // where it is written
}

// Covers tells whether the waiver is about a finding of a server, expired or not; names are other names of the server.
func (w Waiver) Covers(f Finding, names ...string) bool {
	about := slices.ContainsFunc(append(names, f.Server), func(server string) bool { return w.about(f.Rule, server) })
	return about && (w.Item == "" || match.Glob(w.Item, f.Item)) &&
		(w.Path == "" || match.Glob(w.Path, f.Path) || match.Glob(w.Path, f.Pointer()))
}

func (w Waiver) about(rule, server string) bool {
	return match.Glob(w.Rule, rule) && (w.Server == "" || match.Glob(w.Server, server))
}

// String says in words what the waiver is about.
func (w Waiver) String() string {
	about := "the waiver of " + w.Rule
	if w.Item != "" {
		about += " for " + w.Item
	}
	if w.Path != "" {
		about += " at " + w.Path
	}
	if w.Server != "" {
		about += " of server " + w.Server
	}
	if w.Source.File != "" {
		about += fmt.Sprintf(" (%s)", w.Source)
	}
	return about
}
