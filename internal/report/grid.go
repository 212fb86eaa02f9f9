package report

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"
)

// column is one column of a grid.
type column struct {
	title safe
	right bool // aligned to the right, as numbers are
	name  bool // cut in the middle when space is short, since names differ at their ends
	least int  // columns it keeps when space is short; 0 = the width of its title
	drop  int  // the column with the highest drop goes first where not even the least widths fit; 0 = never
}

// between is the space between two columns of a grid.
const between = "  "

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
	table.Header(p.header(g.columns)...)
	for _, row := range g.split(limits) {
		if err := table.Append(p.cells(g.columns, row, limits)...); err != nil {
			return fmt.Errorf("adding a row to a table: %w", err)
		}
	}
	if err := table.Render(); err != nil {
		return fmt.Errorf("drawing a table: %w", err)
	}
	for line := range strings.Lines(spareReset.ReplaceAllString(drawn.String(), "$1")) {
		p.WriteString(strings.Repeat(" ", indent) + strings.TrimRight(line, " \n") + "\n")
	}
	return nil
}

// spareReset is the reset that tablewriter adds behind the padding of a coloured cell, which has one of its own.
var spareReset = regexp.MustCompile(`( )\x1b\[0m`)

func (p *page) header(columns []column) []any {
	var cells []any
	for _, c := range columns {
		cells = append(cells, span{c.title, dim}.render(p.Color))
	}
	return cells
}

func (p *page) cells(columns []column, row []span, limits []int) []any {
	var cells []any
	for i, s := range row {
		cut := clip
		if columns[i].name {
			cut = clipMiddle
		}
		text := safe(strings.TrimRight(string(cut(s.text, limits[i])), " "))
		cells = append(cells, span{text, s.ink}.render(p.Color))
	}
	return cells
}

// newTable makes a table that draws no lines, changes no text and does not ask the locale about widths.
func newTable(w *strings.Builder, columns []column) *tablewriter.Table {
	look := tw.Rendition{
		Borders:  tw.BorderNone,
		Settings: tw.Settings{Separators: tw.SeparatorsNone, Lines: tw.LinesNone},
	}
	cells := tw.CellConfig{
		Formatting: tw.CellFormatting{AutoWrap: tw.WrapNone, AutoFormat: tw.Off},
		Padding:    tw.CellPadding{Global: tw.Padding{Right: between, Overwrite: true}},
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
