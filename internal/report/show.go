package report

import (
	"encoding/json"
	"strings"

	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// show writes everything about each server and each of its items.
func (p *page) show(r *Report) error {
	for _, s := range r.Servers {
		p.gap()
		p.about(s)
		for _, k := range snapshot.Kinds() {
			if err := p.itemsOf(s, k); err != nil {
				return err
			}
		}
	}
	p.failures(r.Servers)
	return nil
}

// about writes what there is to say of a server as a whole.
func (p *page) about(s Server) {
	p.text(0, 2, span{visible(s.Name), bold}, span{"  ", noInk}, span{visible(string(s.State)), stateInk(s.State)})
	info := parse(s.ServerInfo)
	p.fact("server", serverName(info))
	p.fact("website", info.text("websiteUrl"))
	p.fact("protocol", s.ProtocolVersion)
	p.fact("transport", s.Transport)
	p.fact("source", s.Source)
	p.fact("time", string(elapsed(s.ElapsedMs)))
	p.fact("capabilities", capabilities(s.Capabilities))
	for _, n := range s.Notices {
		p.fact("notice", strings.TrimPrefix(n.Stage+": ", ": ")+n.Message+" ("+n.Code+")")
	}
	if s.Noise != nil && *s.Noise > 0 {
		p.fact("noise", string(quantity(*s.Noise, "piece"))+" on stdout outside the protocol")
		for _, text := range s.NoiseText {
			p.text(factWidth+4, 0, span{visible(strings.TrimRight(text, "\r\n")), dim})
		}
	}
	if s.Instructions != "" {
		p.line(2, span{"instructions", dim})
		p.paragraph(4, s.Instructions, noInk)
	}
}

// factWidth is the width of a fact's label.
const factWidth = 14

// fact writes one labelled line, or nothing when there is nothing to say.
func (p *page) fact(label safe, text string) {
	if text == "" {
		return
	}
	pad := safe(strings.Repeat(" ", factWidth-len(label)))
	p.text(2, factWidth, span{label + pad, dim}, span{visible(text), noInk})
}

// serverName is how a server calls itself, with its version.
func serverName(info object) string {
	name := info.text("name")
	if title := info.text("title"); title != "" && title != name {
		name = title + " (" + name + ")"
	}
	return strings.TrimSpace(name + " " + info.text("version"))
}

// capabilities are the declared capabilities, each with the flags that are on: "tools (listChanged)".
func capabilities(raw json.RawMessage) string {
	var all []string
	for _, m := range members(raw) {
		var flags []string
		for _, flag := range members(m.Value) {
			if string(flag.Value) != "false" {
				flags = append(flags, flag.Key)
			}
		}
		name := m.Key
		if len(flags) > 0 {
			name += " (" + strings.Join(flags, ", ") + ")"
		}
		all = append(all, name)
	}
	return strings.Join(all, ", ")
}

func (p *page) itemsOf(s Server, k snapshot.Kind) error {
	items := s.items(k)
	if items == nil {
		return nil
	}
	p.gap()
	p.line(0, span{heading(k) + " (" + itoa(len(items)) + ")", bold})
	for _, raw := range items {
		p.gap()
		if err := p.item(k, raw); err != nil {
			return err
		}
	}
	return nil
}
