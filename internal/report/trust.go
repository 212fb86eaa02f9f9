package report

import (
	"strings"
)

// trust writes a block per configured server: what a person agrees to who trusts it.
func (p *page) trust(r *Report) error {
	for _, s := range r.Servers {
		p.gap()
		p.text(0, 2, span{visible(s.Name), bold}, span{"  ", noInk}, span{visible(s.Source), dim}, span{"  ", noInk}, s.standing())
		for _, fact := range s.doings() {
			if fact.text != "" {
				p.text(2, 10, span{safe(pad(fact.what)), dim}, span{visible(fact.text), noInk})
			}
		}
	}
	if len(r.Servers) == 0 && len(r.Problems) == 0 {
		p.line(0, span{"no servers that need trust", noInk})
	}
	p.failures(r.Servers)
	return nil
}

// fact is one thing that a configured server does.
type fact struct{ what, text string }

func (s Server) doings() []fact {
	doings := []fact{
		{"in", s.Dir}, {"sets", strings.Join(s.Env, ", ")}, {"sends", strings.Join(s.Headers, ", ")}, {"asks", s.Helper},
	}
	if s.URL != "" {
		return append([]fact{{"contacts", s.URL}}, doings...)
	}
	return append([]fact{{"starts", s.runs()}}, doings...)
}

// pad makes the words before facts equally long.
func pad(word string) string { return word + strings.Repeat(" ", 10-len(word)) }

// standing is whether somebody agreed to the server.
func (s Server) standing() span {
	switch s.Trust {
	case Trusted:
		if s.Since != "" {
			return span{"trusted since " + visible(s.Since), green}
		}
		return span{"trusted", green}
	case Changed:
		return span{"changed since it was trusted", red}
	case Untrusted:
		return span{"not trusted", yellow}
	}
	return span{"needs no trust", dim}
}
