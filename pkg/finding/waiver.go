package finding

import (
	"fmt"
	"slices"
	"strings"
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
	return about && (w.Item == "" || Glob(w.Item, f.Item)) &&
		(w.Path == "" || Glob(w.Path, f.Path) || Glob(w.Path, f.Pointer()))
}

func (w Waiver) about(rule, server string) bool {
	return Glob(w.Rule, rule) && (w.Server == "" || Glob(w.Server, server))
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

// Glob tells whether a pattern matches the whole of a text: * stands for any characters, slashes included, and ? for one.
// It takes at most the product of the two lengths.
func Glob(pattern, text string) bool {
	p, t := []rune(pattern), []rune(text)
	star, retry := -1, 0 // the last * and where its match ends so far
	i := 0
	for j := 0; j < len(t); {
		switch {
		case i < len(p) && p[i] == '*':
			star, retry = i, j
			i++
		case i < len(p) && (p[i] == '?' || p[i] == t[j]):
			i, j = i+1, j+1
		case star >= 0:
			retry++
			i, j = star+1, retry
		default:
			return false
		}
	}
	return strings.Trim(string(p[i:]), "*") == ""
}

// IsGlob tells whether a pattern can match more than itself.
func IsGlob(pattern string) bool { return strings.ContainsAny(pattern, "*?") }
