package fleet

import (
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/clients"
	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/seen"
	"github.com/mcpctl/mcpctl/pkg/check"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// limitTools adds to the report which tools the applications that load the server give to their models.
func (s *Surface) limitTools(filters []clients.ToolFilter) {
	if s.Snapshot == nil || !slices.ContainsFunc(filters, clients.ToolFilter.Limits) {
		return
	}
	c := &check.ClientTools{Of: len(s.Snapshot.Tools.Items()), Filters: []check.ClientFilter{}}
	c.On, c.Tokens = check.ClientToolsOf(s.Snapshot, func(tool string) bool {
		return slices.ContainsFunc(filters, func(f clients.ToolFilter) bool {
			on, _ := f.On(tool)
			return on
		})
	})
	for _, f := range filters {
		if f.Limits() {
			c.Filters = append(c.Filters, limitOf(f, s.Snapshot))
		}
	}
	s.Clients = c
}

// limitOf returns how an application limits the tools of a server.
func limitOf(f clients.ToolFilter, s *snapshot.Snapshot) check.ClientFilter {
	out := check.ClientFilter{Application: f.Application, File: f.File, Line: f.Line,
		Off: []check.ClientOff{}}
	out.On, out.Tokens = check.ClientToolsOf(s, func(tool string) bool {
		on, _ := f.On(tool)
		return on
	})
	if f.Only != "" {
		out.Keys = []string{f.Only}
	}
	tools := kit.Map(s.Tools.Items(), func(t snapshot.Item) string { return t.Key })
	for _, tool := range tools {
		if on, key := f.On(tool); !on {
			out.Off = append(out.Off, check.ClientOff{Tool: tool, Key: key})
		}
	}
	for _, r := range f.Rules {
		if out.Line == 0 {
			out.Line = r.Line
		}
		out.Keys = kit.Distinct(append(out.Keys, r.Key))
		matches := func(tool string) bool { return f.Matches(r, tool) }
		if r.Names && s.Tools.Whole() && !slices.ContainsFunc(tools, matches) {
			out.Unknown = append(out.Unknown,
				check.ClientEntry{Key: r.Key, Text: r.Text, Line: r.Line, Glob: r.Glob, Tool: f.Name(r)})
		}
	}
	return out
}

// addOff adds to findings about the server in which applications the tools are off that they are about.
func (s *Surface) addOff(found []finding.Finding) {
	filters := s.entry().ToolFilters()
	for i, f := range found {
		tool, one := strings.CutPrefix(f.Item, snapshot.Tools.ID(""))
		for _, filter := range filters {
			if on, _ := filter.On(tool); one && !on {
				found[i].Off = append(found[i].Off, finding.OffIn{Application: filter.Application})
			}
		}
	}
}

// AddOff adds to findings about servers in which applications the tools are off that they are about, where
// that is not known yet.
func AddOff(servers []seen.Server, found []finding.Finding) {
	known := map[string]*check.ClientTools{}
	for _, s := range servers {
		known[s.Name] = s.Clients
	}
	for i, f := range found {
		if known[f.Server] == nil || f.Off != nil {
			continue
		}
		for _, filter := range known[f.Server].Filters {
			off := finding.OffIn{Application: filter.Application}
			tool, one := strings.CutPrefix(f.Item, snapshot.Tools.ID(""))
			if !one {
				off.Tools = placesOf(f.Places, filter.Off)
			}
			if off.Tools != nil || one && filter.IsOff(tool) {
				found[i].Off = append(found[i].Off, off)
			}
		}
	}
}

// placesOf returns the tools that are off and among some places, such as "read_file(path)".
func placesOf(places []string, off []check.ClientOff) (tools []string) {
	for _, o := range off {
		of := func(place string) bool {
			rest, ok := strings.CutPrefix(place, o.Tool)
			return ok && (rest == "" || strings.HasPrefix(strings.TrimSpace(rest), "("))
		}
		if slices.ContainsFunc(places, of) {
			tools = append(tools, o.Tool)
		}
	}
	return tools
}
