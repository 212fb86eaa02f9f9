package report

import (
	"cmp"
	"slices"

	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/login"
	"github.com/mcpctl/mcpctl/internal/packages"
	"github.com/mcpctl/mcpctl/internal/seen"
	"github.com/mcpctl/mcpctl/internal/trust"
	"github.com/mcpctl/mcpctl/pkg/check"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// Server is one server of a document: what was seen of it, and sections that only some commands fill;
// kindsOf says which of them JSON has.
type Server struct {
	seen.Server
	Comparison
	trust.Definition
	FailOn   finding.Threshold  `json:"failOn,omitempty"`   // this server's own; empty = Report.FailOn
	PingMs   float64            `json:"pingMs,omitempty"`   // milliseconds to the response
	Saved    *Saved             `json:"saved,omitempty"`    // what became of the file
	Login    *login.LoginStatus `json:"login,omitempty"`    // of login and logout
	Since    string             `json:"since,omitempty"`    // the day of the decision to trust it
	Replayed []Replayed         `json:"replayed,omitempty"` // by tool or expectation

	Expensive []ToolCost `json:"expensive,omitempty"` // the ten tools with the most tokens

	// the file of the current tree whose lines findings point at; empty = Base, if that is a file
	BaseFile string `json:"-"`
}

// seenOf returns what was seen of servers.
func seenOf(servers []Server) []seen.Server {
	return kit.Map(servers, func(s Server) seen.Server { return s.Server })
}

// Comparison is what a server was compared with.
type Comparison struct {
	Base       string                 `json:"base,omitempty"`       // the old side, such as a snapshot file
	Unsaved    bool                   `json:"unsaved,omitempty"`    // nothing was saved to compare with
	Movable    bool                   `json:"movable,omitempty"`    // accept moves Base
	BaseTokens *int                   `json:"baseTokens,omitempty"` // Answer.Tokens of the old side
	Changed    []seen.SignatureChange `json:"changed,omitempty"`    // items with other signatures than before
	// what changed in the package that the server is in, such as "zod 3.25.76 → 4.1.5"
	Cause string `json:"cause,omitempty"`
}

// ToolCost is about what a tool costs in a prompt.
type ToolCost struct {
	Tool   string `json:"tool"`
	Tokens int    `json:"tokens"`
}

// mostExpensive is how many tools check names by their cost.
const mostExpensive = 10

// ExpensiveTools returns the tools of a snapshot that cost most, the first first.
func ExpensiveTools(s *snapshot.Snapshot) []ToolCost {
	all := kit.Map(s.Tools.Items(),
		func(t snapshot.Item) ToolCost { return ToolCost{t.Key, check.ToolTokens(t)} })
	slices.SortStableFunc(all, func(a, b ToolCost) int { return b.Tokens - a.Tokens })
	return slices.Clip(all[:min(len(all), mostExpensive)])
}

// compared returns both sides of a comparison; of two releases of one package, their versions.
func compared(s Server) string {
	old, isPackage, _ := packages.Parse(s.Base)
	if new, _, _ := packages.Parse(now(s)); isPackage && old.Name == new.Name {
		return cmp.Or(old.Version, "newest") + " → " + cmp.Or(new.Version, "newest")
	}
	return s.Base + " → " + now(s)
}

// published reports whether a SOURCE is a package.
func published(source string) bool {
	_, is, _ := packages.Parse(source)
	return is
}

// now returns what the base was compared with: "now" for a server that was contacted, "absent", or the SOURCE
// of a package or of a snapshot, since these stay as they are.
func now(s Server) string {
	switch {
	case s.Transport != "" && !published(s.Source), // a package stays the same
		s.Source == config.CommandLine:
		return "now"
	case s.State == seen.Absent:
		return "absent"
	}
	return cmp.Or(s.Source, "now")
}

// versionOf returns the version of a package SOURCE, such as npm:NAME@VERSION; empty if it names none.
func versionOf(source string) string {
	ref, _, _ := packages.Parse(source)
	return ref.Version
}

// Saved is what became of one server's snapshot file.
type Saved struct {
	Action  Action `json:"action"`
	File    string `json:"file,omitempty"`    // path as shown to people
	Added   int    `json:"added,omitempty"`   // items that were not in the file before
	Removed int    `json:"removed,omitempty"` // items that were removed from it
	Changed int    `json:"changed,omitempty"` // items that differ
	Reason  string `json:"reason,omitempty"`  // why the file was not touched, or what else changed
}

// Action is what was done to a snapshot file.
type Action string

// The actions on a snapshot file.
const (
	Created     Action = "created"
	Updated     Action = "updated"
	WouldUpdate Action = "would update" // accept --dry-run
	Unchanged   Action = "unchanged"
	Skipped     Action = "skipped" // left as it was, since the server did not answer in full
)

// roster finds the servers of a report, and their findings, by name.
type roster struct {
	all    []Server
	at     map[string]int               // index in all
	found  map[string][]finding.Finding // by server
	strays []finding.Finding            // of no server, such as those about the whole fleet
}

// roster indexes the servers and findings once, so that finding those of a server takes no search.
func (r *Report) roster() roster {
	known := roster{all: r.Servers, at: map[string]int{}, found: map[string][]finding.Finding{}}
	for i := range r.Servers {
		known.at[r.Servers[i].Name] = i
	}
	for _, f := range r.Findings {
		if _, ok := known.at[f.Server]; !ok {
			known.strays = append(known.strays, f)
		}
		known.found[f.Server] = append(known.found[f.Server], f)
	}
	return known
}

// named returns the server of a name, or one without a name.
func (all roster) named(name string) Server {
	if i, ok := all.at[name]; ok {
		return all.all[i]
	}
	return Server{}
}
