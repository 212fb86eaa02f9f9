package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/pkg/check"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// toolsOn returns how many tools of the server at least one application gives to its model; all, if none is
// known that limits them.
func (s server) toolsOn() int {
	if s.Clients != nil {
		return s.Clients.On
	}
	return s.Counts[snapshot.Tools]
}

// tokensOn returns the cost of the server with the tools that are on.
func (s server) tokensOn() *int {
	if s.Tokens != nil && s.Clients != nil {
		return &s.Clients.Tokens
	}
	return s.Tokens
}

// items returns how many items of each kind there are, such as "1 of 3 tools on, 1 prompt".
func (s server) items() string {
	all := s.Counts.Items()
	if _, rest, more := strings.Cut(all, ", "); s.Clients != nil {
		return limited(s.Clients.On, s.Clients.Of) + strings.Repeat(", ", count(more)) + rest
	}
	return all
}

// limited returns how many of some tools are on.
func limited(on, of int) string {
	if on == of {
		return kit.Counted(of, "tool")
	}
	return fmt.Sprintf("%d of %s on", on, kit.Counted(of, "tool"))
}

// offIn returns the mark of a tool that applications switch off, such as "off in Codex CLI".
func (s server) offIn(k snapshot.Kind, name string) string {
	if s.Clients == nil || k != snapshot.Tools {
		return ""
	}
	off := kit.Filter(s.Clients.Filters, func(f check.ClientFilter) bool { return f.IsOff(name) })
	if len(off) == 0 {
		return ""
	}
	return "off in " + kit.Some(applicationsOf(off))
}

// inBrackets returns a mark as it stands behind a tool; nothing for none.
func inBrackets(mark string) string {
	if mark == "" {
		return ""
	}
	return "[" + mark + "]"
}

func applicationsOf(filters []check.ClientFilter) []string {
	return kit.Distinct(kit.Map(filters, func(f check.ClientFilter) string { return f.Application }))
}

// clientFacts returns for each application that limits the tools of the server how many are on and by which
// keys, with the names that match no tool; with names, those of the tools that are off, too.
func (s server) clientFacts(names bool) (all []string) {
	if s.Clients == nil {
		return nil
	}
	for _, f := range s.Clients.Filters {
		says := fmt.Sprintf("%s in %s", limited(f.On, f.On+len(f.Off)), f.Application)
		if len(f.Keys) > 0 {
			says += " (" + strings.Join(f.Keys, ", ") + ")"
		}
		if off := kit.Map(f.Off, func(o check.ClientOff) string { return o.Tool }); names && len(off) > 0 {
			says += "; off: " + strings.Join(off, ", ")
		}
		if len(f.Unknown) > 0 {
			says += "; no tool of the server: " +
				kit.Some(kit.Map(f.Unknown, func(n check.ClientEntry) string { return n.Text }))
		}
		all = append(all, says)
	}
	return all
}

// writeClientTools writes a line for each application that limits the tools of servers.
func writeClientTools(p *page, servers []server) {
	limits := kit.Filter(servers, func(s server) bool { return s.Clients != nil })
	p.gap()
	for i, s := range limits {
		if p.folds() && i == mostServers {
			more := kit.Counted(len(limits)-i, "more server")
			p.line(0, span{"… " + more + " with tools that are off: --verbose", dim})
			return
		}
		for _, says := range s.clientFacts(p.Verbose) {
			p.text(0, 2, span{s.Name, bold}, span{": " + says, plain})
		}
	}
}

// offLines returns the applications that switch off the tools that a finding is about.
func offLines(f finding.Finding) []line {
	says := kit.Map(f.Off, finding.OffIn.String)
	if len(says) == 0 {
		return nil
	}
	if !slices.ContainsFunc(f.Off, func(o finding.OffIn) bool { return len(o.Tools) > 0 }) {
		names := kit.Map(f.Off, func(o finding.OffIn) string { return o.Application })
		says = []string{"off in " + kit.Some(kit.Distinct(names))}
	}
	return lineOf(span{strings.Join(says, "; "), dim})
}
