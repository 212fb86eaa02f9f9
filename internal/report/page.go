package report

import (
	"cmp"
	"slices"
	"strings"

	"github.com/clipperhouse/displaywidth"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/printable"
	"github.com/mcpctl/mcpctl/internal/seen"
)

// page collects the lines of a view for people. It is the only way to a terminal: everything on it is
// escaped.
type page struct {
	strings.Builder
	Options
	tables func(titles []string, rows [][]text) // takes tables with titles, if set
}

// folds reports whether long texts and lists are shown in part: on a terminal, unless everything is asked
// for.
func (o Options) folds() bool { return o.Width > 0 && !o.Verbose && !o.Whole }

// line is one logical line of a view. It wraps at spaces to the width of the page.
type line struct {
	indent int
	hang   int    // how much more rows after the first are indented
	rows   int    // maximum number of rows; an ellipsis ends what is cut. 0 = all
	spans  []span // none = a blank line
	// instead of spans: a row of a table of its own
	columns []column
	cells   [][]span
}

// lineOf returns a line as a list, which is empty if the line is.
func lineOf(spans ...span) []line {
	if !slices.ContainsFunc(spans, func(s span) bool { return s.text != "" }) {
		return nil
	}
	return []line{{hang: 2, spans: spans}}
}

// indented returns lines that begin further to the right.
func indented(by int, all []line) []line {
	return kit.Map(all, func(l line) line {
		l.indent += by
		return l
	})
}

// advice returns the lines of a hint behind a word such as "hint: ".
func advice(word, says string) []line {
	if says == "" {
		return nil
	}
	all := kit.Map(kit.Lines(word+says), func(l string) line {
		return line{indent: 2, hang: 2, spans: []span{{l, cyan}}}
	})
	all[0].indent = 0
	return all
}

// style is how a piece of text looks: the parameter of an SGR sequence. Empty = as the terminal writes.
type style string

const (
	plain  style = ""
	bold   style = "1"
	dim    style = "2"
	red    style = "31"
	green  style = "32"
	yellow style = "33"
	cyan   style = "36"
)

// span is a stretch of a line with one style. Its text may come from anywhere.
type span struct {
	text  string
	style style
}

// piece is a span as it may be printed.
type piece struct {
	text  printable.Text
	style style
}

func pieces(spans []span) (row []piece) {
	for _, s := range spans {
		row = add(row, piece{printable.Visible(s.text), s.style})
	}
	return row
}

// add appends a piece to a row, joined to the last one when both look the same.
func add(row []piece, p piece) []piece {
	if last := len(row) - 1; last >= 0 && row[last].style == p.style {
		row[last].text += p.text
		return row
	}
	return append(row, p)
}

// render returns a row as it is printed, without spaces at its end.
func (p *page) render(row []piece) (text string) {
	for _, s := range trimEnd(slices.Clone(row)) {
		if p.Color && s.style != plain && s.text != "" {
			text += "\x1b[" + string(s.style) + "m" + string(s.text) + "\x1b[0m"
		} else {
			text += string(s.text)
		}
	}
	return text
}

// print writes lines, each wrapped to the width of the page.
func (p *page) print(all ...line) {
	for _, l := range all {
		if l.cells != nil {
			p.write(l.indent, p.table(l.indent, l.columns, [][][]span{l.cells})[0])
			continue
		}
		if !slices.ContainsFunc(l.spans, func(s span) bool { return strings.TrimSpace(s.text) != "" }) {
			p.gap()
			continue
		}
		rest := p.room(l.indent + l.hang)
		rows := wrap(pieces(l.spans), p.room(l.indent), rest)
		if l.rows > 0 && len(rows) > l.rows {
			rows = rows[:l.rows]
			rows[l.rows-1] = cut(rows[l.rows-1], rest)
		}
		for i, row := range rows {
			p.row(l.indent+l.hang*min(i, 1), row)
		}
	}
}

// cut shortens a row so that it takes at most limit columns with an ellipsis behind it.
func cut(row []piece, limit int) (out []piece) {
	left := limit - width(" …")
	for _, one := range row {
		head, tail := split(one.text, left)
		if space := strings.LastIndexByte(string(head), ' '); tail != "" && space > 0 {
			head = head[:space]
		}
		left -= width(head)
		out = append(out, piece{head, one.style})
		if tail != "" {
			break
		}
	}
	return append(trimEnd(out), piece{text: " …"})
}

func (p *page) row(indent int, row []piece) {
	p.WriteString(strings.TrimRight(strings.Repeat(" ", indent)+p.render(row), " ") + "\n")
}

// line writes one line that is never wrapped.
func (p *page) line(indent int, spans ...span) { p.row(indent, pieces(spans)) }

// gap writes a blank line, unless there is one or the page is empty.
func (p *page) gap() {
	if p.Len() > 0 && !strings.HasSuffix(p.String(), "\n\n") {
		p.WriteByte('\n')
	}
}

// below writes one wrapped line below a gap; of nothing it writes nothing.
func (p *page) below(spans ...span) {
	if lines := lineOf(spans...); lines != nil {
		p.gap()
		p.print(lines...)
	}
}

// text writes one wrapped line; of nothing it writes nothing.
func (p *page) text(indent, hang int, spans ...span) {
	for _, l := range lineOf(spans...) {
		l.indent, l.hang = indent, hang
		p.print(l)
	}
}

// paragraph returns a text of several lines; list items and indented lines stay what they are.
func paragraph(text string, look style) []line {
	return kit.Map(kit.Lines(text), func(l string) line {
		return line{hang: bullet(l), spans: []span{{l, look}}}
	})
}

// paragraph writes a text of several lines, each wrapped.
func (p *page) paragraph(indent int, text string, look style) {
	p.print(indented(indent, paragraph(text, look))...)
}

// bullet returns how many columns stand before the words of a line.
func bullet(line string) int {
	words := strings.TrimLeft(line, " ")
	if strings.HasPrefix(words, "- ") || strings.HasPrefix(words, "* ") {
		words = words[2:]
	}
	return len(line) - len(words)
}

// room returns the number of columns right of an indent; 0 = unlimited.
func (p *page) room(indent int) int {
	if p.Width <= 0 {
		return 0
	}
	return max(p.Width-indent, minRoom)
}

// minRoom keeps text legible on terminals that are absurdly narrow.
const minRoom = 10

// wrap breaks a line at spaces so that its first row takes at most first columns and each further row at most
// rest. A word that is longer than a row is broken anywhere. A limit of 0 is none.
func wrap(spans []piece, first, rest int) [][]piece {
	if first <= 0 {
		return [][]piece{spans}
	}
	rows, row, used, limit := [][]piece{}, []piece{}, 0, first
	end := func() {
		if row = trimEnd(row); len(row) > 0 { // more than the spaces before a long word
			rows = append(rows, row)
		}
		row, used, limit = nil, 0, rest
	}
	put := func(text printable.Text, look style) {
		row, used = add(row, piece{text, look}), used+width(text)
	}
	for _, s := range spans {
		for word := range strings.SplitAfterSeq(string(s.text), " ") {
			bare := width(printable.Text(strings.TrimRight(word, " ")))
			if used > 0 && used+bare > limit {
				end()
			}
			if bare == 0 && used == 0 && len(rows) > 0 {
				continue // a space that the line break stands for
			}
			text := printable.Text(word)
			for head := text; bare > limit && head != ""; bare -= width(head) {
				if head, text = split(text, limit); head != "" {
					put(head, s.style)
					end()
				}
			}
			put(text, s.style)
		}
	}
	return append(rows, row)
}

// trimEnd removes the spaces at the end of a row, and the pieces that are empty then. It changes row itself.
func trimEnd(row []piece) []piece {
	for last := len(row) - 1; last >= 0; last-- {
		row[last].text = printable.Text(strings.TrimRight(string(row[last].text), " "))
		if row[last].text != "" {
			break
		}
		row = row[:last]
	}
	return row
}

// width returns the number of columns that s takes, regardless of the locale.
func width(s printable.Text) int { return displaywidth.String(string(s)) }

// split cuts s after the last character that still fits into limit columns.
func split(s printable.Text, limit int) (head, tail printable.Text) {
	head = printable.Text(displaywidth.TruncateString(string(s), limit, ""))
	return head, s[len(head):]
}

func stateStyle(s seen.State) style {
	return cmp.Or(map[seen.State]style{seen.OK: green, seen.Partial: yellow, seen.Failed: red}[s], dim)
}

// levelSpan returns the word of a level, or "waived", in its colour.
func levelSpan(word string) span {
	return span{word, cmp.Or(map[string]style{"breaking": red, "warning": yellow, "info": cyan}[word], dim)}
}

// text is a line from anywhere for formats other than a page: printed in any way, it spells out what cannot
// be seen.
type text string

// String returns the text with what cannot be seen spelled out.
func (t text) String() string { return string(printable.Visible(string(t))) }

// MarshalText returns what JSON and XML hold.
func (t text) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// multiline is such a text whose line breaks stay.
type multiline string

// String returns the lines, each as text has it.
func (m multiline) String() string {
	visible := func(line string) string { return text(line).String() }
	return strings.Join(kit.Map(kit.Lines(string(m)), visible), "\n")
}

// MarshalText returns what JSON and XML hold.
func (m multiline) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// firstLine returns the first line of s that has something on it.
func firstLine(s string) string {
	for line := range strings.Lines(s) {
		if line = strings.TrimSpace(line); line != "" {
			return line
		}
	}
	return ""
}

// oneLine returns all of a text with each run of white space, line breaks included, as one space.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// Message returns a line outside a report as Visible does, broken at spaces for so many columns; 0 = none.
func Message(s string, columns int) string {
	rows := wrap([]piece{{printable.Text(printable.Message(s)), plain}}, columns, max(columns-2, minRoom))
	return strings.Join(kit.Map(rows, func(row []piece) string {
		return strings.Join(kit.Map(row, func(p piece) string { return string(p.text) }), "")
	}), "\n  ")
}
