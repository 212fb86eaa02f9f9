package report

import "github.com/mcpctl/mcpctl/pkg/finding"

// rules writes a row per rule, or everything about a single one.
func (p *page) rules(r *Report) error {
	if len(r.Rules) == 1 {
		p.rule(r.Rules[0])
		return nil
	}
	g := grid{columns: []column{{title: "RULE", least: 16}, {title: "LEVEL", least: 8}, {title: "TITLE", least: 8}}}
	for _, rule := range r.Rules {
		g.rows = append(g.rows, []span{{visible(rule.ID), bold}, levelSpan(rule.Level), {visible(rule.Title), noInk}})
	}
	return p.grid(0, g)
}

// rule explains one rule.
func (p *page) rule(rule finding.Rule) {
	p.line(0, span{visible(rule.ID), bold}, span{"  ", noInk}, levelSpan(rule.Level))
	p.paragraph(2, rule.Title, noInk)
	p.gap()
	p.paragraph(2, rule.Doc, noInk)
	if rule.Example != "" {
		p.gap()
		p.text(2, 2, span{"example  ", dim}, span{visible(rule.Example), noInk})
	}
	if rule.Instead != "" {
		p.gap()
		p.text(2, 2, span{"instead  ", dim}, span{visible(rule.Instead), noInk})
	}
}

func levelSpan(l finding.Level) span {
	if l == finding.Off {
		return span{"off", dim}
	}
	return span{visible(l.String()), levelInk(l)}
}
