package report

import (
	"fmt"
	"strconv"
	"strings"
)

// Called is what is recorded of the calls of one tool.
type Called struct {
	Server string   `json:"server"`
	Tool   string   `json:"tool"`
	Calls  int      `json:"calls"`            // in the window
	Failed int      `json:"failed"`           // those of them that were answered with an error
	Agents []string `json:"agents"`           // who called
	Last   string   `json:"last"`             // day of the last call
	Days   int      `json:"days"`             // how long the window is
	Trend  []int    `json:"trend"`            // calls in equal parts of the window, the oldest first
	Tokens *int     `json:"tokens,omitempty"` // what the tool costs every conversation; absent = its definition is not at hand
}

// writeUsage writes a row per tool that was called.
func writeUsage(p *page, r *Report) {
	if len(r.Usage) == 0 {
		p.line(0, span{"no calls are recorded", plain})
		p.hint(0, "read them from transcripts: mcpctl usage import")
		return
	}
	g := grid{columns: []column{{title: "SERVER", name: true, least: 8}, {title: "TOOL", name: true, least: 8}, {title: "CALLS", right: true}, {title: "ERRORS", right: true, drop: 2},
		{title: "AGENTS", least: 8, drop: 3}, {title: "LAST CALL", least: 10, drop: 1}, {title: "TOKENS", right: true, drop: 4}, {title: strconv.Itoa(r.Usage[0].Days) + " DAYS", drop: 5}}}
	for _, c := range r.Usage {
		g.rows = append(g.rows, []span{{c.Server, bold}, {c.Tool, plain}, {strconv.Itoa(c.Calls), plain}, c.errors(),
			{strings.Join(c.Agents, ", "), plain}, {c.Last, dim}, {number(c.Tokens), dim}, {sparkline(c.Trend), cyan}})
	}
	p.grid(0, g)
}

func (c Called) errors() span {
	if c.Failed == 0 {
		return span{"–", dim}
	}
	return span{fmt.Sprintf("%d %%", (100*c.Failed+c.Calls/2)/max(c.Calls, 1)), yellow}
}

// sparkline shows numbers as bars.
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
