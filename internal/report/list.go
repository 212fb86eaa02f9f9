package report

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// list writes a row per server, or a row per item when there is one server, unless a fleet was asked for, or when items were.
func (p *page) list(r *Report) error {
	if len(r.Servers) == 0 {
		p.line(0, span{"no servers", noInk})
		return nil
	}
	if p.Items || len(r.Servers) == 1 && r.Servers[0].listed() && !p.Fleet {
		return p.itemList(r.Servers)
	}
	if err := p.serverList(r.Servers); err != nil {
		return err
	}
	p.failures(r.Servers)
	return nil
}

func (p *page) serverList(servers []Server) error {
	g := grid{columns: []column{{title: "NAME", name: true, least: 10}, {title: "STATUS", least: 8}, {title: "TRANSPORT", drop: 3},
		{title: "PROTOCOL", least: 10, drop: 2}}}
	for i, k := range snapshot.Kinds() {
		g.columns = append(g.columns, column{title: heading(k), right: true, least: 6, drop: []int{0, 5, 6, 8}[i]})
	}
	g.columns = append(g.columns, column{title: "TOKENS", right: true, least: 6, drop: 4})
	g.columns = append(g.columns, column{title: "TIME", right: true, least: 6, drop: 4},
		column{title: "APPLICATION", least: 8, drop: 9}, column{title: "PROBLEM", least: 16, drop: 7})
	for _, s := range servers {
		g.rows = append(g.rows, serverRow(s))
	}
	return p.grid(0, g)
}

func serverRow(s Server) []span {
	row := []span{
		{visible(s.Name), bold},
		{visible(string(s.State)), stateInk(s.State)},
		{transport(s), noInk},
		{visible(s.ProtocolVersion), noInk},
	}
	for _, k := range snapshot.Kinds() {
		row = append(row, countCell(s, k))
	}
	return append(row, span{number(s.Tokens), noInk}, span{elapsed(s.ElapsedMs), noInk},
		span{s.applications(), noInk}, span{problem(s), stateInk(s.State)})
}

// countCell is a number, a dash for a kind that is not offered, or a question mark when listing it failed.
func countCell(s Server, k snapshot.Kind) span {
	if n := s.count(k); n != nil {
		return span{safe(strconv.Itoa(*n)), noInk}
	}
	if s.State == Partial && s.failedAt(stage(k)) {
		return span{"?", yellow}
	}
	if s.State == OK || s.State == Partial {
		return span{"-", dim}
	}
	return span{}
}

// number is a number that may not be known.
func number(n *int) safe {
	if n == nil {
		return ""
	}
	return itoa(*n)
}

// transport is the word that configurations use, which is shorter than the specification's.
func transport(s Server) safe {
	if s.Transport == "streamable-http" {
		return "http"
	}
	return visible(s.Transport)
}

func (s Server) failedAt(stage string) bool {
	for _, f := range s.failures() {
		if f.Stage == stage {
			return true
		}
	}
	return false
}

// problem is the stage and the cause of the first failure, on one line.
func problem(s Server) safe {
	if s.Error == nil {
		return ""
	}
	if s.Error.Stage == "" {
		return firstLine(s.Error.Message)
	}
	return visible(s.Error.Stage) + ": " + firstLine(s.Error.Message)
}

func elapsed(ms int64) safe {
	switch d := time.Duration(ms) * time.Millisecond; {
	case ms <= 0:
		return ""
	case d < time.Second:
		return safe(fmt.Sprintf("%dms", ms))
	case d < time.Minute:
		return safe(fmt.Sprintf("%.1fs", d.Seconds()))
	default:
		return safe(d.Round(time.Second).String())
	}
}

func (p *page) itemList(servers []Server) error {
	g := grid{columns: []column{{title: "SERVER", least: 8}, {title: "KIND", drop: 2}, {title: "NAME", name: true, least: 12},
		{title: "ARGUMENTS", least: 12, drop: 3}, {title: "DESCRIPTION", least: 12, drop: 1}}}
	for _, s := range servers {
		for _, k := range snapshot.Kinds() {
			for _, raw := range s.items(k) {
				g.rows = append(g.rows, itemRow(serverCell(s, servers), k, raw))
			}
		}
	}
	if len(g.rows) == 0 {
		p.line(0, span{"no items", noInk})
	} else if err := p.grid(0, g); err != nil {
		return err
	}
	p.failures(servers)
	return nil
}

// serverCell is empty when there is nothing to tell apart, so that its column is left out.
func serverCell(s Server, servers []Server) safe {
	if len(servers) == 1 {
		return ""
	}
	return visible(s.Name)
}

func itemRow(server safe, k snapshot.Kind, raw json.RawMessage) []span {
	return []span{
		{server, noInk},
		{safe(k.Word()), dim},
		{visible(key(k, raw)), bold},
		{visible(signature(k, raw)), noInk},
		{firstLine(about(raw)), noInk},
	}
}

// about is what an item says of itself: its description, else its title, else its name.
func about(raw json.RawMessage) string {
	item := parse(raw)
	annotations := parse(item["annotations"])
	for _, text := range []string{item.text("description"), item.text("title"), annotations.text("title")} {
		if firstLine(text) != "" {
			return text
		}
	}
	if name := item.text("name"); item["uri"] != nil || item["uriTemplate"] != nil {
		return name
	}
	return ""
}
