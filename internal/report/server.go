package report

import (
	"cmp"

	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/packages"
	"github.com/mcpctl/mcpctl/internal/seen"
	"github.com/mcpctl/mcpctl/pkg/finding"
)

// server is a server as every format takes it: what was seen of it, and what its findings need.
type server struct {
	seen.Server
	seen.Comparison                   // zero = it was not compared
	FailOn          finding.Threshold // its own; empty = that of the report
	BaseFile        string            // as of DiffServer
}

// seenOf returns what was seen of servers.
func seenOf(servers []server) []seen.Server {
	return kit.Map(servers, func(s server) seen.Server { return s.Server })
}

// compared returns both sides of a comparison; of two releases of one package, their versions.
func compared(s server) string {
	old, isPackage, _ := packages.Parse(s.Base)
	if new, _, _ := packages.Parse(now(s)); isPackage && old.Name == new.Name {
		return cmp.Or(old.Version, "newest") + " → " + cmp.Or(new.Version, "newest")
	}
	return s.Base + " → " + now(s)
}

// saved reports whether a server was read from a file or from a commit.
func saved(s seen.Server) bool {
	return s.State == seen.OK && s.Transport == "" && s.Source != config.CommandLine && s.Source != "-"
}

// published reports whether a SOURCE is a package.
func published(source string) bool {
	_, is, _ := packages.Parse(source)
	return is
}

// now returns what the base was compared with: "now" for a server that was contacted, "absent", or the SOURCE
// of a package or of a snapshot, since these stay as they are.
func now(s server) string {
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

// roster finds the servers of a report, and their findings, by name.
type roster struct {
	all    []server
	at     map[string]int               // index in all
	found  map[string][]finding.Finding // by server
	strays []finding.Finding            // of no server, such as those about the whole fleet
}

// roster indexes the servers and findings once, so that finding those of a server takes no search.
func (r *reported) roster() roster {
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
func (all roster) named(name string) server {
	if i, ok := all.at[name]; ok {
		return all.all[i]
	}
	return server{}
}
