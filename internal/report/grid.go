package report

import (
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/lists"
	"github.com/mcpctl/mcpctl/internal/printable"
)

// column is one column of a grid. What does not fit into it goes on in further lines, unless it is brief.
type column struct {
	title string
	right bool // aligned to the right, as numbers are
	brief bool // is cut where space is short, and gives way first: the whole text is elsewhere
	name  bool // gives way last: a name or a URI, which people copy
	least int  // columns it keeps when space is short; 0 = the width of its title
	drop  int  // the column with the highest drop goes first where not even the least widths fit; 0 = never
}

// between is how many columns stand between two columns of a grid.
const between = 2

// grid is a table without lines: a header and rows of equal length.
type grid struct {
	columns []column
	rows    [][]span
	most    int // how many lines it may have; 0 or less = any number
}

// grid writes g with a dim header, and tells how many rows there was room for. Columns in which no row has anything are left out.
func (p *page) grid(indent int, g grid) int {
	if len(g.rows) == 0 {
		return 0
	}
	g = g.without(g.empty)
	limits := g.fit(p.room(indent))
	for len(limits) == 0 {
		g = g.without(g.droppable())
		limits = g.fit(p.room(indent))
	}
	header := lists.Map(g.columns, func(c column) span { return span{c.title, dim} })
	rows := append([][][]piece{g.cells(header, nil)}, lists.Map(g.rows, func(row []span) [][]piece { return g.cells(row, limits) })...)
	widths := make([]int, len(g.columns))
	for _, row := range rows {
		for i, cell := range row {
			for _, line := range cell {
				widths[i] = max(widths[i], width(line.text))
			}
		}
	}
	used := 0
	for i, row := range rows {
		if used += tallest(row); g.most > 0 && used > g.most && i > 1 {
			return i - 1
		}
		p.cellRow(indent, g, row, widths)
	}
	return len(g.rows)
}

// cells are the cells of a row, each as lines that fit, or cut. No limits are none.
func (g grid) cells(row []span, limits []int) [][]piece {
	all := make([][]piece, len(row))
	for i, s := range pieces(row) {
		limit := 0
		if limits != nil {
			limit = limits[i]
		}
		if g.columns[i].brief {
			s.text = clip(s.text, limit)
		}
		s.text = printable.Text(strings.TrimRight(string(s.text), " "))
		for _, line := range wrap([]piece{s}, limit, limit) {
			all[i] = append(all[i], line...)
		}
	}
	return all
}

func tallest(row [][]piece) int {
	return slices.Max(append(lists.Map(row, func(cell []piece) int { return len(cell) }), 0))
}

// cellRow writes the lines of a row, its cells beside each other.
func (p *page) cellRow(indent int, g grid, row [][]piece, widths []int) {
	for l := range tallest(row) {
		var line []piece
		for i, cell := range row {
			one := piece{}
			if l < len(cell) {
				one = cell[l]
			}
			pad := piece{text: printable.Text(strings.Repeat(" ", widths[i]-width(one.text)))}
			if g.columns[i].right {
				line = append(line, pad, one)
			} else {
				line = append(line, one, pad)
			}
			line = append(line, piece{text: printable.Text(strings.Repeat(" ", between))})
		}
		p.row(indent, line)
	}
}

// fit gives each column its width so that the rows take at most limit columns: what is brief is narrowed first, names
// last, of equals the widest, none below its least width. A limit of 0 is none. The result is empty when a column has to go.
func (g grid) fit(limit int) []int {
	widths, least := g.natural()
	if limit <= 0 {
		return widths
	}
	spare := limit - (len(widths)-1)*between
	for _, w := range widths {
		spare -= w
	}
	for broken := false; spare < 0; {
		narrow := g.narrowable(widths, least)
		switch {
		case (narrow < 0 || g.columns[narrow].name) && g.droppable() != nil:
			return nil
		case narrow >= 0:
			widths[narrow]--
			spare++
		case broken:
			return widths
		default: // as a last resort words are broken
			broken = true
			for i, c := range g.columns {
				least[i] = max(c.least, len(c.title))
			}
		}
	}
	return widths
}

// longWord is from how many columns on a word may be broken to make a column narrower.
const longWord = 24

// natural are the widths that the columns would like to have, and the least that they can do with.
func (g grid) natural() (widths, least []int) {
	for i, c := range g.columns {
		widths, least = append(widths, len(c.title)), append(least, max(c.least, len(c.title)))
		for _, row := range g.rows {
			text := printable.Visible(row[i].text)
			widths[i] = max(widths[i], width(text))
			for word := range strings.FieldsSeq(string(text)) {
				if !c.brief && !c.name {
					least[i] = max(least[i], min(width(printable.Text(word)), longWord))
				}
			}
		}
	}
	return widths, least
}

// narrowable is the index of the column that gives way next, or -1.
func (g grid) narrowable(widths, least []int) int {
	next := -1
	for i, w := range widths {
		if w <= least[i] {
			continue
		}
		if next < 0 || g.columns[i].order() < g.columns[next].order() || g.columns[i].order() == g.columns[next].order() && w >= widths[next] {
			next = i
		}
	}
	return next
}

func (c column) order() int {
	switch {
	case c.brief:
		return 0
	case c.name:
		return 2
	}
	return 1
}

// droppable tells which column can be spared most, or is nil when all are needed.
func (g grid) droppable() func(int) bool {
	first := -1
	for i, c := range g.columns {
		if c.drop > 0 && (first < 0 || c.drop > g.columns[first].drop) {
			first = i
		}
	}
	if first < 0 {
		return nil
	}
	return func(i int) bool { return i == first }
}

// empty tells whether no row has anything in column i.
func (g grid) empty(i int) bool {
	return !slices.ContainsFunc(g.rows, func(row []span) bool { return row[i].text != "" })
}

// without is g less the columns for which gone is true.
func (g grid) without(gone func(int) bool) grid {
	out := grid{most: g.most}
	var kept []int
	for i, c := range g.columns {
		if !gone(i) {
			kept, out.columns = append(kept, i), append(out.columns, c)
		}
	}
	out.rows = lists.Map(g.rows, func(row []span) []span { return lists.Map(kept, func(i int) span { return row[i] }) })
	return out
}
