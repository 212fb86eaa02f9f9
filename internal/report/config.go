package report

import (
	"regexp"
	"strings"
)

// config writes a row per configured server: what would be run, and where that is written.
func (p *page) config(r *Report) error {
	g := grid{columns: []column{{title: "NAME", least: 8}, {title: "STATE", least: 8}, {title: "TRANSPORT", drop: 3},
		{title: "APPLICATION", least: 8, drop: 2}, {title: "SOURCE", least: 12, drop: 1}, {title: "RUNS", least: 12}}}
	for _, s := range r.Servers {
		g.rows = append(g.rows, []span{
			{visible(s.Name), bold},
			s.configured(),
			{spoken(s), noInk},
			{s.applications(), noInk},
			{visible(s.Source), dim},
			{visible(s.runs()), noInk},
		})
	}
	if len(g.rows) == 0 {
		p.line(0, span{"no servers are configured", noInk})
		return p.files(r.Files)
	}
	if err := p.grid(0, g); err != nil {
		return err
	}
	p.failures(r.Servers)
	p.places(r.Servers)
	return p.files(r.Files)
}

// spoken is the transport of a server, and the version of the protocol if one is pinned.
func spoken(s Server) safe {
	if s.ProtocolVersion == "" {
		return transport(s)
	}
	return transport(s) + " " + visible(s.ProtocolVersion)
}

// configured words a state for servers that nobody has contacted.
func (s Server) configured() span {
	switch {
	case s.State == Failed || s.State == Partial:
		return span{"invalid", red}
	case s.State == OK && (s.Trust == Untrusted || s.Trust == Changed):
		return span{visible(string(s.Trust)), yellow}
	case s.State == OK:
		return span{"enabled", green}
	}
	return span{visible(string(s.State)), stateInk(s.State)}
}

// runs is the URL, and the command that gives its headers, or the command as one would type it.
func (s Server) runs() string {
	switch {
	case s.URL != "" && s.Helper != "":
		return s.URL + ", headers from: " + s.Helper
	case s.URL != "":
		return s.URL
	}
	var all []string
	for _, word := range s.Command {
		all = append(all, quoted(word))
	}
	return strings.Join(all, " ")
}

// bare are words that a shell takes as they are.
var bare = regexp.MustCompile(`^[A-Za-z0-9_@%+=:,./-]+$`)

func quoted(word string) string {
	if bare.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
