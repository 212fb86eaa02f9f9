package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpctl/mcpctl/internal/clients"
	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/seen"
)

// table writes a row per configured server: what would be run, and where that is written.
func (b *Configuration) table(p *page, r *reported) {
	if len(r.Servers) == 0 && len(r.Problems) == 0 {
		p.line(0, span{"no servers are configured", plain})
	}
	p.grid(0, []column{{title: "NAME", name: true, least: 8}, {title: "STATE", least: 8},
		{title: "TRANSPORT", drop: 3}, {title: "APPLICATION", least: 8, drop: 2},
		{title: "SOURCE", least: 12, drop: 1}, {title: "RUNS", least: 12}},
		kit.Map(b.Servers, func(s ConfigServer) []span {
			return []span{{s.Name, bold}, s.configured(),
				{kit.Join(" ", transport(s.shown()), s.ProtocolVersion), plain},
				{s.shown().applications(), plain}, {s.Source, dim}, {s.runs(), plain}}
		}))
	writeFailures(p, r.Servers)
	writeDetails(p, b.Servers)
	writeFiles(p, b.Files)
}

// configured returns the state of a server that was not contacted.
func (s ConfigServer) configured() span {
	switch {
	case s.State == seen.Failed || s.State == seen.Partial:
		return span{"invalid", red}
	case s.State == seen.OK && (s.Trust == config.Untrusted || s.Trust == config.Changed):
		return span{string(s.Trust), yellow}
	case s.State == seen.OK:
		return span{"enabled", green}
	}
	return span{string(s.State), stateStyle(s.State)}
}

// runs returns the URL, and the command that gives its headers, or the command as one would type it.
func (s ConfigServer) runs() string {
	if s.URL != "" {
		return kit.Join(", headers from: ", s.URL, s.Helper)
	}
	return strings.Join(kit.Map(s.Command, config.ShellWord), " ")
}

// applications returns the applications that have the server, in one cell: the first in full.
func (s server) applications() string {
	if len(s.Places) == 0 {
		return ""
	}
	text := s.Places[0].Application + " " + s.Places[0].Scope
	if more := len(s.Places) - 1; more > 0 {
		text += fmt.Sprintf(" +%d", more)
	}
	return text
}

// writeDetails writes what each server receives and may do, and where applications have it.
func writeDetails(p *page, servers []ConfigServer) {
	for _, s := range servers {
		var details []span
		if s.Effects != nil && s.State != seen.Disabled {
			details = kit.Map(s.Effects.Lines()[1:],
				func(line string) span { return span{line, plain} })
		}
		renamed := func(at clients.Place) bool { return at.Name != "" }
		if len(s.Places) > 1 || slices.ContainsFunc(s.Places, renamed) {
			for _, at := range s.Places {
				place := kit.Join(" ", at.Application, at.Scope, fmt.Sprintf("%s:%d", at.File, at.Line))
				if at.Name != "" {
					place += " as " + at.Name
				}
				details = append(details, span{kit.Join(" ", place, at.State), dim})
			}
		}
		if len(details) > 0 {
			p.below(span{s.Name, bold})
		}
		for _, detail := range details {
			p.text(2, 4, detail)
		}
	}
	inDetails := func(s ConfigServer) bool {
		return s.Effects != nil && slices.ContainsFunc(s.Effects.Lines()[1:], isNotable)
	}
	if slices.ContainsFunc(servers, inDetails) {
		p.below(span{config.NotableMeans, dim})
	}
}

// isNotable reports whether a line of effects has the mark that config.NotableMeans explains.
func isNotable(line string) bool {
	return strings.HasSuffix(line, " !") || strings.Contains(line, " !, ")
}

// writeFiles writes the table of the configuration files that were looked at, nothing when there are none.
// Servers are counted only in a file that was read.
func writeFiles(p *page, files []config.File) {
	p.gap()
	p.grid(0, []column{{title: "FILE", least: 16, name: true},
		{title: "APPLICATION", least: 8, drop: 1}, {title: "SCOPE", least: 6, drop: 2},
		{title: "STATE", least: 6}, {title: "SERVERS", right: true, least: 7, drop: 3},
		{title: "PROBLEM", least: 16, drop: 4}}, kit.Map(files, func(f config.File) []span {
		style, count := map[string]style{config.FileRead: green, config.FileBroken: red}[f.State], ""
		if f.State == config.FileRead {
			count = strconv.Itoa(f.Servers)
		}
		return []span{{f.Path, plain}, {f.Application, plain}, {f.Scope, plain}, {f.State, style},
			{count, plain}, {f.Problem, plain}}
	}))
}

// table writes a block per configured server: what it would do, and whether it is trusted.
func (b *Trust) table(p *page, r *reported) {
	for _, s := range b.Servers {
		says := map[config.Standing]span{config.Trusted: {"trusted", green},
			config.Changed:   {"changed since it was trusted", red},
			config.Untrusted: {"not trusted", yellow}, "": {"needs no trust", dim}}[s.Trust]
		if s.Trust == config.Trusted && s.Since != "" {
			says.text += " since " + s.Since
		}
		p.below(span{s.Name, bold}, span{"  ", plain}, span{s.Source, dim}, span{"  ", plain}, says)
		if s.Effects != nil {
			for _, line := range s.Effects.Lines() {
				p.text(2, 4, span{line, plain})
			}
		}
	}
	if slices.ContainsFunc(b.Servers, func(s TrustServer) bool {
		return s.Effects != nil && len(s.Effects.Notable) > 0
	}) {
		p.below(span{config.NotableMeans, dim})
	}
	if len(r.Servers) == 0 && len(r.Problems) == 0 {
		p.line(0, span{cmp.Or(b.Nothing, "no servers that need trust"), plain})
	}
	writeFailures(p, r.Servers)
}
