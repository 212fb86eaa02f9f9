package report

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpctl/mcpctl/internal/printable"
	"github.com/mcpctl/mcpctl/pkg/finding"
)

func writeReplay(p *page, r *Report) {
	if len(r.Usage) == 0 {
		p.line(0, span{"no tool is known to judge recorded calls by", plain})
		p.hint(0, "save snapshots, or name a SOURCE: mcpctl usage replay SOURCE")
		return
	}
	g := grid{columns: []column{{title: "SERVER", name: true, least: 8}, {title: "TOOL", name: true, least: 8}, {title: "CALLS", right: true}, {title: "REFUSED", right: true},
		{title: "UNDECIDED", right: true, drop: 2}, {title: "TOKENS", right: true, drop: 3}, {title: "MOSTLY", least: 12}, {title: "NEVER USED", least: 12, drop: 1}}}
	for _, c := range r.Usage {
		look, unused := plain, strings.Join(c.Unused, ", ")
		if c.Refused > 0 {
			look = red
		}
		if c.Calls == 0 {
			unused = "the tool"
		}
		g.rows = append(g.rows, []span{{c.Server, bold}, {c.Tool, plain}, {strconv.Itoa(c.Calls), plain}, {strconv.Itoa(c.Refused), look},
			{strconv.Itoa(c.Undecided), plain}, {number(c.Tokens), dim}, {c.Fault, plain}, {unused, dim}})
	}
	p.grid(0, g)
}

func writeUsage(p *page, r *Report) {
	if len(r.Usage) == 0 {
		p.line(0, span{"no calls are recorded", plain})
		p.hint(0, "read them from transcripts with mcpctl usage import, or look further back with --since 90d")
		return
	}
	g := grid{columns: []column{{title: "SERVER", name: true, least: 8}, {title: "TOOL", name: true, least: 8}, {title: "CALLS", right: true}, {title: "ERRORS", right: true, drop: 2},
		{title: "AGENTS", least: 8, drop: 3}, {title: "PROJECTS", least: 8, drop: 6}, {title: "LAST CALL", least: 10, drop: 1}, {title: "TOKENS", right: true, drop: 4}, {title: strconv.Itoa(r.Usage[0].Days) + " DAYS", drop: 5}}}
	for _, c := range r.Usage {
		g.rows = append(g.rows, []span{{c.Server, bold}, {c.Tool, plain}, {strconv.Itoa(c.Calls), plain}, failed(c),
			{strings.Join(c.Agents, ", "), plain}, {strings.Join(c.Projects, ", "), plain}, {c.Last, dim}, {number(c.Tokens), dim}, {sparkline(c.Trend), cyan}})
	}
	p.grid(0, g)
}

func failed(c finding.Called) span {
	if c.Failed == 0 {
		return span{"–", dim}
	}
	return span{fmt.Sprintf("%d %%", (100*c.Failed+c.Calls/2)/max(c.Calls, 1)), yellow}
}

func sparkline(numbers []int) string {
	most := 1
	for _, n := range numbers {
		most = max(most, n)
	}
	bars := []rune("▁▂▃▄▅▆▇█")
	var line strings.Builder
	for _, n := range numbers {
		if n == 0 {
			line.WriteRune('·')
			continue
		}
		line.WriteRune(bars[(n*len(bars)-1)/most])
	}
	return line.String()
}

// writeCalls writes what recorded calls say of one cause, each answer once with its items; a folded page shows the worst.
func writeCalls(p *page, indent int, members []finding.Finding) {
	all := answers(members)
	for i, a := range all {
		if p.fold > 0 && i == mostChanges && i < len(all)-1 {
			p.text(indent, 2, span{fmt.Sprintf("… and %d answers more: --verbose", len(all)-i), dim})
			return
		}
		says := []span{{a.String(), callsStyle(a.Usage)}}
		if len(all) > 1 {
			says = append([]span{{someOf(a.of, mostPlaces) + ": ", plain}}, says...)
		}
		if a.was != finding.Off {
			says = append(says, span{", which lowers it from " + a.was.String(), plain})
		}
		if a.Example != nil {
			says = append(says, span{"; here is one: ", plain}, span{short(printable.Spaced(a.Example)), yellow})
		}
		p.text(indent, 2, says...)
	}
}

// answer is what recorded calls say of some items.
type answer struct {
	*finding.Usage
	was finding.Level
	of  []string
}

// answers are what the records say of findings, the most refused calls first.
func answers(members []finding.Finding) []answer {
	var all []answer
	for _, f := range members {
		if f.Usage == nil {
			continue
		}
		same := func(a answer) bool {
			return a.was == f.Was && a.String() == f.Usage.String() && bytes.Equal(a.Example, f.Usage.Example)
		}
		i := slices.IndexFunc(all, same)
		if i < 0 {
			i, all = len(all), append(all, answer{Usage: f.Usage, was: f.Was})
		}
		all[i].of = appendNew(all[i].of, nameOf(f))
	}
	slices.SortStableFunc(all, func(a, b answer) int { return b.Refused - a.Refused })
	return all
}

func callsStyle(u *finding.Usage) style {
	if u.Refused > 0 {
		return red
	}
	return dim
}
