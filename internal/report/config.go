package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/printable"
)

// writeConfig writes a row per configured server: what would be run, and where that is written.
func writeConfig(p *page, r *Report) {
	if len(r.Servers) == 0 && len(r.Problems) == 0 {
		p.line(0, span{"no servers are configured", plain})
	}
	p.grid(0, []column{{title: "NAME", name: true, least: 8}, {title: "STATE", least: 8},
		{title: "TRANSPORT", drop: 3}, {title: "APPLICATION", least: 8, drop: 2},
		{title: "SOURCE", least: 12, drop: 1}, {title: "RUNS", least: 12}},
		kit.Map(r.Servers, func(s Server) []span {
			return []span{{s.Name, bold}, s.configured(), {join(" ", transport(s), s.ProtocolVersion), plain},
				{s.applications(), plain}, {s.Source, dim}, {s.runs(), plain}}
		}))
	writeFailures(p, r.Servers)
	writeDetails(p, r.Servers)
	writeFiles(p, r.Files)
}

// configured returns the state of a server that was not contacted.
func (s Server) configured() span {
	switch {
	case s.State == Failed || s.State == Partial:
		return span{"invalid", red}
	case s.State == OK && (s.Trust == Untrusted || s.Trust == Changed):
		return span{string(s.Trust), yellow}
	case s.State == OK:
		return span{"enabled", green}
	}
	return span{string(s.State), stateStyle(s.State)}
}

// runs returns the URL, and the command that gives its headers, or the command as one would type it.
func (s Server) runs() string {
	if s.URL != "" {
		return join(", headers from: ", s.URL, s.Helper)
	}
	return strings.Join(kit.Map(s.Command, shellWord), " ")
}

// applications returns the applications that have the server, in one cell: the first in full.
func (s Server) applications() string {
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
func writeDetails(p *page, servers []Server) {
	for _, s := range servers {
		var details []span
		if s.Effects != nil && s.State != Disabled {
			details = kit.Map(EffectLines(*s.Effects)[1:],
				func(line string) span { return span{line, plain} })
		}
		renamed := func(at config.Place) bool { return at.Name != "" }
		if len(s.Places) > 1 || slices.ContainsFunc(s.Places, renamed) {
			for _, at := range s.Places {
				place := join(" ", at.Application, at.Scope, fmt.Sprintf("%s:%d", at.File, at.Line))
				if at.Name != "" {
					place += " as " + at.Name
				}
				details = append(details, span{join(" ", place, at.State), dim})
			}
		}
		if len(details) > 0 {
			p.below(span{s.Name, bold})
		}
		for _, detail := range details {
			p.text(2, 4, detail)
		}
	}
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

// EffectLines returns effects as lines for people, escaped for a terminal: the command line or URL first.
// Nothing is left out. An exclamation mark follows what runtimes obey and addresses of this machine.
func EffectLines(x config.Effects) []string {
	marked := func(name string) string {
		if slices.Contains(x.Notable, name) {
			return " !"
		}
		return ""
	}
	lines := []string{CommandLine(x) + marked("url")}
	list := func(says string, all []string) {
		if len(all) > 0 {
			lines = append(lines, says+strings.Join(all, ", "))
		}
	}
	each := func(says string, all []string) {
		for _, text := range all {
			lines = append(lines, says+text)
		}
	}
	assigned := func(pair string) string {
		name, value, _ := strings.Cut(pair, "=")
		if pair == name {
			return name
		}
		return printable.ShellWord(name) + "=" + shellWord(value) + marked(name)
	}
	each("has an address that is not ASCII: ", kit.Filter(kit.Map(x.Addresses, printable.ASCII),
		func(host string) bool { return !slices.Contains(x.Addresses, host) }))
	list("receives ", kit.Filter(x.Receives,
		func(name string) bool { return name != "the variables of "+x.Reads }))
	list("sets ", kit.Map(x.Sets, assigned))
	each("sends ", x.Sends)
	list("logs in with ", kit.Map(x.Login, assigned))
	if x.Reads != "" {
		lines = append(lines,
			"reads "+x.Reads+": whatever it holds when the server starts, also what changes the program")
	}
	list("gets your settings ", x.Passes)
	if x.Dir != "" {
		lines = append(lines, "in "+x.Dir)
	}
	each("for credentials runs ", x.Runs)
	each("asks for ", x.Asks)
	each("in the sandbox: ", x.Sandbox)
	switch names := kit.And(x.Settings, len(x.Settings)); {
	case len(x.Settings) == 1 && !strings.Contains(names, " "):
		lines = append(lines, "this project's "+names+" decides what runs")
	case len(x.Settings) > 1:
		lines = append(lines, "this project's "+names+" decide what runs")
	case names != "":
		lines = append(lines, names+" decide what runs")
	}
	each("needs ", x.Lacks)
	return kit.Map(lines, Visible)
}

// CommandLine returns what is started as one would type it, or the URL.
func CommandLine(x config.Effects) string {
	if len(x.Starts) > 0 {
		return strings.Join(kit.Map(x.Starts, shellWord), " ")
	}
	return x.Contacts
}

// masked matches how redact.Declared shows a secret.
var masked = kit.Pattern(`^[*]{3} [(][0-9]+ characters[)]$`)

// shellWord returns a value as a shell takes it; a masked one as it is.
func shellWord(value string) string {
	if masked().MatchString(value) {
		return value
	}
	return printable.ShellWord(value)
}

// writeTrust writes a block per configured server: what it would do, and whether it is trusted.
func writeTrust(p *page, r *Report) {
	for _, s := range r.Servers {
		says := map[Trust]span{Trusted: {"trusted", green}, Changed: {"changed since it was trusted", red},
			Untrusted: {"not trusted", yellow}, "": {"needs no trust", dim}}[s.Trust]
		if s.Trust == Trusted && s.Since != "" {
			says.text += " since " + s.Since
		}
		p.below(span{s.Name, bold}, span{"  ", plain}, span{s.Source, dim}, span{"  ", plain}, says)
		if s.Effects != nil {
			for _, line := range EffectLines(*s.Effects) {
				p.text(2, 4, span{line, plain})
			}
		}
	}
	if len(r.Servers) == 0 && len(r.Problems) == 0 {
		p.line(0, span{"no servers that need trust", plain})
	}
	writeFailures(p, r.Servers)
}
