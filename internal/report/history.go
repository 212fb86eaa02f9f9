package report

import (
	"strconv"

	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// writeHistory writes a row for each release of a package: what it offers, and what it changed.
func writeHistory(p *page, r *Report) {
	g := grid{columns: []column{{title: "RELEASE", name: true, least: 10}, {title: "TOOLS", right: true}, {title: "TOKENS", right: true},
		{title: "BREAKING", right: true}, {title: "WARNING", right: true}, {title: "INFO", right: true}, {title: "MOST IMPORTANT", least: 20, brief: true, drop: 1}}}
	for i, s := range r.Servers {
		found := of(s.Name, r.Findings)
		sum, most := Summarize(found, nil), problem(s)
		if causes := p.causes(finding.Groups(found)); len(causes) > 0 {
			most = causes[0].title()
		}
		row := []span{{s.Name, bold}, countCell(s, snapshot.Tools), {number(s.Tokens), plain}}
		for _, level := range []struct {
			n     int
			style style
		}{{sum.Breaking, red}, {sum.Warning, yellow}, {sum.Info, cyan}} {
			cell := span{"-", dim}
			if level.n > 0 {
				cell = span{strconv.Itoa(level.n), level.style}
			}
			if i == 0 {
				cell = span{}
			}
			row = append(row, cell)
		}
		g.rows = append(g.rows, append(row, span{most, plain}))
	}
	p.grid(0, g)
	writeFailures(p, r.Servers)
	if r.Summary.Breaking+r.Summary.Warning+r.Summary.Info > 0 {
		p.gap()
		p.text(0, 2, span{"each release against the one before it; --verbose shows every change", dim})
	}
	writeTotals(p, r, nil)
}
