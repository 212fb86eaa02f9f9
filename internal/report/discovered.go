package report

import (
	"fmt"
	"slices"
	"strings"
)

// Place is where an application has a server that was discovered.
type Place struct {
	Application string `json:"application"`     // as people call it
	Scope       string `json:"scope"`           // "user", "project", "managed", …
	File        string `json:"file"`            // as shown to people
	Line        int    `json:"line"`            // 1-based
	Name        string `json:"name,omitempty"`  // what the server is called there, if not as in the report
	State       string `json:"state,omitempty"` // "disabled", or "overridden": the application uses another definition; empty = in use
}

// File is a file of an application that discovery looked at.
type File struct {
	Application string `json:"application"`
	Scope       string `json:"scope"`
	Path        string `json:"path"`
	State       string `json:"state"` // "read", "broken", "overruled" (an administrator's file decides alone) or "absent"
	Servers     int    `json:"servers"`
	Problem     string `json:"problem,omitempty"` // why it could not be read, with its line
}

// applications are those that have the server, in one cell: the first in full.
func (s Server) applications() safe {
	if len(s.Places) == 0 {
		return ""
	}
	text := s.Places[0].Application + " " + s.Places[0].Scope
	if more := len(s.Places) - 1; more > 0 {
		text += fmt.Sprintf(" +%d", more)
	}
	return visible(text)
}

// places tells of each server that has several places where the others are.
func (p *page) places(servers []Server) {
	for _, s := range servers {
		if len(s.Places) < 2 && !slices.ContainsFunc(s.Places, func(at Place) bool { return at.Name != "" }) {
			continue
		}
		p.gap()
		p.line(0, span{visible(s.Name), bold})
		for _, at := range s.Places {
			words := []string{at.Application, at.Scope, fmt.Sprintf("%s:%d", at.File, at.Line)}
			if at.Name != "" {
				words = append(words, "as "+at.Name)
			}
			if at.State != "" {
				words = append(words, at.State)
			}
			p.text(2, 4, span{visible(strings.Join(words, " ")), dim})
		}
	}
}

// files writes a row per file of an application.
func (p *page) files(files []File) error {
	if len(files) == 0 {
		return nil
	}
	p.gap()
	g := grid{columns: []column{{title: "FILE", least: 16, name: true}, {title: "APPLICATION", least: 8, drop: 1}, {title: "SCOPE", least: 6, drop: 2},
		{title: "STATE", least: 6}, {title: "SERVERS", right: true, least: 7, drop: 3}, {title: "PROBLEM", least: 16, drop: 4}}}
	for _, f := range files {
		ink := map[string]ink{"read": green, "broken": red}[f.State]
		count := safe("")
		if f.State == "read" {
			count = itoa(f.Servers)
		}
		g.rows = append(g.rows, []span{{visible(f.Path), noInk}, {visible(f.Application), noInk}, {visible(f.Scope), noInk}, {visible(f.State), ink}, {count, noInk}, {visible(f.Problem), noInk}})
	}
	return p.grid(0, g)
}
