package report

import (
	"regexp"
	"slices"
	"strings"
)

// page collects the lines of a table report. Only safe text and its own colours get onto it.
type page struct {
	strings.Builder
	Options
	bare bool     // changes are told by their look alone, without marks
	rows [][]span // each line as it was written, when bare is set
}

// line writes one line, whatever its width.
func (p *page) line(indent int, spans ...span) {
	row := strings.Repeat(" ", indent)
	if p.bare {
		p.rows = append(p.rows, append([]span{{safe(row), noInk}}, spans...))
	}
	for _, s := range trimEnd(slices.Clone(spans)) {
		row += s.render(p.Color)
	}
	p.WriteString(strings.TrimRight(row, " "))
	p.WriteByte('\n')
}

// gap writes one blank line between two blocks.
func (p *page) gap() {
	if p.Len() > 0 && !strings.HasSuffix(p.String(), "\n\n") {
		p.WriteByte('\n')
	}
}

// text writes one logical line, wrapped at spaces to the page's width; further lines are indented by hang more. Of
// nothing it writes nothing.
func (p *page) text(indent, hang int, spans ...span) {
	if !slices.ContainsFunc(spans, func(s span) bool { return s.text != "" }) {
		return
	}
	for i, row := range wrap(spans, p.room(indent), p.room(indent+hang)) {
		if i > 0 {
			p.line(indent+hang, row...)
			continue
		}
		p.line(indent, row...)
	}
}

// paragraph writes text of several lines, each wrapped; what is indented or a list stays so.
func (p *page) paragraph(indent int, text string, look ink) {
	for _, l := range lines(text) {
		if l == "" {
			p.gap()
		}
		p.text(indent, len(bullet.FindString(string(l))), span{l, look})
	}
}

// bullet is what stands before the words of a line.
var bullet = regexp.MustCompile(`^ *([-*] )?`)

// room is the number of columns right of an indent; 0 = unlimited.
func (p *page) room(indent int) int {
	if p.Width <= 0 {
		return 0
	}
	return max(p.Width-indent, minRoom)
}

// minRoom keeps text legible on terminals that are absurdly narrow.
const minRoom = 10
