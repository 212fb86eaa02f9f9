package report

import (
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/internal/printable"
	"github.com/mcpctl/mcpctl/internal/seen"
	"github.com/mcpctl/mcpctl/pkg/finding"
)

// belowTime is the indent of what belongs to a line: two columns more than its time.
const belowTime = len("12:04:10    ")

// EventText returns a line of watch as it is printed, with its line end.
func EventText(l seen.EventLine, o Options) string {
	inks := map[string]style{
		"live": green, "polling": green, "recovered": green, "changed": yellow, "stale": red, "failed": red,
		"degraded": yellow, "reconnecting": yellow, "failed to start": red, "build failed": red,
	}
	p := &page{Options: o}
	if l.Server == "" {
		l.Width = 0
	}
	word := []span{{l.Word, inks[l.Word]}}
	if l.Remark != "" {
		word = append(word, span{"  " + l.Remark, dim})
	}
	p.print(line{hang: belowTime, columns: []column{{name: true}, {name: true, wide: l.Width}, {hang: 2}},
		cells: [][]span{{{l.Time.Format(time.TimeOnly), dim}}, {{l.Server, bold}}, word}})
	if f := l.Error; f != nil { // the server's own error first, the hint last
		own := seen.ErrorLine(f.Stderr)
		p.text(belowTime, 2, span{own, plain})
		writeStderr(p, belowTime, f.Stderr, own)
		if own == "" {
			p.paragraph(belowTime, seen.Says(*f), plain)
		}
		p.print(indented(belowTime, advice("hint: ", f.Hint))...)
	}
	v := view{Options: o}
	for _, g := range p.groups(finding.Groups(l.Findings)) {
		p.print(indented(belowTime, v.groupLines(v.documentGroup(g)))...)
	}
	var out strings.Builder
	_, _ = printable.Guard(&out, printable.SpelledOut).Write([]byte(p.String()))
	return out.String()
}
