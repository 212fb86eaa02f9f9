package report

import (
	"fmt"
	"strings"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"
)

// column is one column of a grid.
type column struct {
	title string
	right bool // aligned to the right, as numbers are
	name  bool // cut in the middle when space is short, since names differ at their ends
	least int  // columns it keeps when space is short; 0 = the width of its title
	drop  int  // the column with the highest drop goes first where not even the least widths fit; 0 = never
}

// between is how many columns stand between two columns of a grid.
const between = 2

// grid is a table without lines: a header and rows of equal length.
type grid struct {
	columns []column
	rows    [][]span
	wrapped bool // cells that do not fit go on in further lines instead of being clipped
}

// grid writes g with a dim header. Columns in which no row has anything are left out; what does not fit is clipped, the
// widest column first.
func (p *page) grid(indent int, g grid) error {
	g = g.without(g.empty)
	limits := g.fit(p.room(indent))
	for len(limits) == 0 {
		g = g.without(g.droppable())
		limits = g.fit(p.room(indent))
	}
	var drawn strings.Builder
	table := newTable(&drawn, g.columns)
	var header []any
	for _, c := range g.columns {
		header = append(header, piece{visible(c.title), dim}.render(p.Color))
	}
	table.Header(header...)
	for _, row := range g.rows {
		if err := table.Append(p.cells(g, row, limits)...); err != nil {
			return fmt.Errorf("adding a row to a table: %w", err)
		}
	}
	if err := table.Render(); err != nil {
		return fmt.Errorf("drawing a table: %w", err)
	}
	for line := range strings.Lines(drawn.String()) {
		p.WriteString(strings.Repeat(" ", indent) + strings.TrimRight(line, " \n") + "\n")
	}
	return nil
}

// cells are the cells of a row, each cut to its limit, or broken into lines that fit.
func (p *page) cells(g grid, row []span, limits []int) []any {
	var cells []any
	for i, s := range pieces(row) {
		if !g.wrapped {
			cut := clip
			if g.columns[i].name {
				cut = clipMiddle
			}
			s.text = safe(strings.TrimRight(string(cut(s.text, limits[i])), " "))
			cells = append(cells, s.render(p.Color))
			continue
		}
		var all []string
		for _, part := range wrap([]piece{s}, limits[i], limits[i]) {
			for _, line := range part {
				all = append(all, line.render(p.Color))
			}
		}
		cells = append(cells, strings.Join(all, "\n"))
	}
	return cells
}

// newTable makes a table that draws no lines, changes no text and does not ask the locale about widths. Its columns are
// kept apart by a space of padding and a space as the separator: a wider padding would be cut again, and colours with it.
func newTable(w *strings.Builder, columns []column) *tablewriter.Table {
	look := tw.Rendition{
		Borders:  tw.BorderNone,
		Symbols:  tw.NewSymbolCustom("space").WithColumn(" "),
		Settings: tw.Settings{Separators: tw.Separators{BetweenColumns: tw.On, ShowHeader: tw.Off, ShowFooter: tw.Off, BetweenRows: tw.Off}, Lines: tw.LinesNone},
	}
	cells := tw.CellConfig{
		Formatting: tw.CellFormatting{AutoWrap: tw.WrapNone, AutoFormat: tw.Off},
		Padding:    tw.CellPadding{Global: tw.Padding{Right: " ", Overwrite: true}},
		Alignment:  tw.CellAlignment{PerColumn: aligns(columns)},
	}
	return tablewriter.NewTable(w,
		tablewriter.WithRenderer(renderer.NewBlueprint(look)),
		tablewriter.WithConfig(tablewriter.Config{
			Header:   cells,
			Row:      cells,
			Behavior: tw.Behavior{TrimSpace: tw.Off},
		}),
		tablewriter.WithEastAsian(tw.Off))
}

func aligns(columns []column) []tw.Align {
	var all []tw.Align
	for _, c := range columns {
		if c.right {
			all = append(all, tw.AlignRight)
			continue
		}
		all = append(all, tw.AlignLeft)
	}
	return all
}

// fit gives each column its width so that the rows take at most limit columns: the widest column is narrowed first, none
// below its least width. A limit of 0 is none. The result is empty when a column has to go.
func (g grid) fit(limit int) []int {
	widths := g.natural()
	if limit <= 0 {
		return widths
	}
	spare := limit - (len(widths)-1)*between
	for _, w := range widths {
		spare -= w
	}
	for ; spare < 0; spare++ {
		widest := g.widest(widths)
		if widest < 0 {
			if g.droppable() == nil {
				return widths
			}
			return nil
		}
		widths[widest]--
	}
	return widths
}

// natural are the widths that the columns would like to have.
func (g grid) natural() []int {
	widths := make([]int, len(g.columns))
	for i, c := range g.columns {
		widths[i] = width(visible(c.title))
		for _, row := range g.rows {
			widths[i] = max(widths[i], width(visible(row[i].text)))
		}
	}
	return widths
}

// widest is the index of the widest column that can still be narrowed, or -1.
func (g grid) widest(widths []int) int {
	widest := -1
	for i, w := range widths {
		if w > max(g.columns[i].least, len(g.columns[i].title)) && (widest < 0 || w >= widths[widest]) {
			widest = i
		}
	}
	return widest
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
	for _, row := range g.rows {
		if row[i].text != "" {
			return false
		}
	}
	return true
}

// without is g less the columns for which gone is true.
func (g grid) without(gone func(int) bool) grid {
	out := grid{wrapped: g.wrapped}
	for i, c := range g.columns {
		if !gone(i) {
			out.columns = append(out.columns, c)
		}
	}
	for _, row := range g.rows {
		var kept []span
		for i, s := range row {
			if !gone(i) {
				kept = append(kept, s)
			}
		}
		out.rows = append(out.rows, kept)
	}
	return out
}
