package report

import (
	"slices"
	"strings"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/printable"
)

// column is one column of a table. Where space is short its texts wrap.
type column struct {
	title string
	right bool // aligned to the right, as numbers are
	name  bool // a name or URL that people copy: narrowed only if dropping other columns is not enough
	fill  bool // takes the space that no column needs
	hang  int  // how much the rows of a wrapped text are indented after the first
	wide  int  // width that it has even if no text needs it
	least int  // width that it can be narrowed to; 0 = the width of the title
	drop  int  // the column with the highest value is dropped first where the table is too wide; 0 = never
}

// between is the space between two columns.
const between = 2

// grid writes a table without borders: rows below a dim header, if columns have titles. Columns without texts
// are left out.
func (p *page) grid(indent int, columns []column, rows [][]span) {
	header := kit.Map(columns, func(c column) span { return span{c.title, dim} })
	all := kit.Map(append([][]span{header}, rows...), func(row []span) [][]span {
		return kit.Map(row, func(s span) []span { return []span{s} })
	})
	if p.tables != nil {
		kept, _ := fit(columns, all, 0)
		p.tables(kit.Map(kept, func(i int) string { return columns[i].title }),
			kit.Map(rows, func(row []span) []text {
				return kit.Map(kept, func(i int) text { return text(row[i].text) })
			}))
		return
	}
	for _, row := range p.table(indent, columns, all) {
		p.write(indent, row)
	}
}

// write writes lines that are laid out; blank ones are left out.
func (p *page) write(indent int, rows []string) {
	for _, row := range rows {
		if row = strings.TrimRight(row, " "); row != "" {
			p.WriteString(strings.Repeat(" ", indent) + row + "\n")
		}
	}
}

// table returns the lines of each row of a table that stands at an indent. tablewriter aligns them.
func (p *page) table(indent int, columns []column, rows [][][]span) [][]string {
	kept, widths := fit(columns, rows, p.room(indent))
	if len(kept) == 0 {
		return nil
	}
	var out strings.Builder
	t := newTable(&out, kept, columns, widths)
	heights := make([]int, len(rows))
	for at, row := range rows {
		cells := kit.Map(kept, func(i int) string { return p.cell(row[i], columns[i], widths[i]) })
		lines := kit.Map(cells, func(cell string) int { return 1 + strings.Count(cell, "\n") })
		heights[at] = slices.Max(lines)
		_ = t.Append(cells) // strings always convert
	}
	_ = t.Render() // into memory
	// the library adds a reset behind padding
	lines := strings.Split(strings.NewReplacer(" \x1b[0m", " ", noBreak, " ").Replace(out.String()), "\n")
	return kit.Map(heights, func(height int) (row []string) {
		row, lines = lines[:height], lines[height:]
		return row
	})
}

// cell returns the lines of a cell, each coloured by itself, so that padding never has a colour.
func (p *page) cell(spans []span, c column, limit int) string {
	var lines []string
	for i, row := range wrap(pieces(spans), limit, limit-c.hang) {
		lines = append(lines, strings.Repeat(" ", c.hang*min(i, 1))+p.render(row))
	}
	return strings.Join(lines, "\n")
}

// noBreak is a space at which no line breaks.
const noBreak = "\u00a0"

// newTable returns a table of the columns that are kept: no borders, texts as given. Columns that fill or are
// wide have these widths.
func newTable(out *strings.Builder, kept []int, columns []column, widths []int) *tablewriter.Table {
	fixed := tw.NewMapper[int, int]()
	var aligned []tw.Align
	for at, i := range kept {
		align := tw.AlignLeft
		if columns[i].right {
			align = tw.AlignRight
		}
		if aligned = append(aligned, align); columns[i].fill || columns[i].wide > 0 {
			fixed.Set(at, widths[i]+between)
		}
	}
	return tablewriter.NewTable(out,
		tablewriter.WithRenderer(renderer.NewBlueprint(tw.Rendition{
			Borders:  tw.BorderNone,
			Settings: tw.Settings{Separators: tw.SeparatorsNone, Lines: tw.LinesNone},
		})),
		tablewriter.WithConfig(tablewriter.Config{Widths: tw.CellWidth{PerColumn: fixed}, Row: tw.CellConfig{
			Formatting: tw.CellFormatting{AutoWrap: tw.WrapNone, AutoFormat: tw.Off},
			Padding: tw.CellPadding{
				Global: tw.Padding{Right: strings.Repeat(" ", between), Overwrite: true}},
			Alignment: tw.CellAlignment{PerColumn: aligned},
		}}),
		tablewriter.WithEastAsian(tw.Off))
}

// fit chooses the columns that are shown and the widths of all, so that a row takes at most room columns (0 =
// unlimited). Columns are dropped until the least widths fit; what is left is shared by those that want more.
func fit(columns []column, rows [][][]span, room int) (kept, widths []int) {
	var wanted, least []int
	for i, c := range columns {
		wide, narrow, used := c.natural(i, rows)
		if wanted, least = append(wanted, wide), append(least, narrow); used {
			kept = append(kept, i)
		}
	}
	if room <= 0 || len(kept) == 0 {
		return kept, wanted
	}
	spare := func() int {
		left := room - between*(len(kept)-1)
		for _, i := range kept {
			left -= least[i]
		}
		return left
	}
	for spare() < 0 {
		first := slices.MaxFunc(kept, func(a, b int) int { return columns[a].drop - columns[b].drop })
		if columns[first].drop == 0 {
			break
		}
		kept = slices.DeleteFunc(kept, func(i int) bool { return i == first })
	}
	for spare() < 0 { // names and words are broken as a last resort
		least[slices.MaxFunc(kept, func(a, b int) int { return least[a] - least[b] })]--
	}
	need := func(i int) int { return wanted[i] - least[i] }
	modest := slices.SortedStableFunc(slices.Values(kept), func(a, b int) int { return need(a) - need(b) })
	for at, i := range modest {
		least[i] += min(need(i), spare()/(len(modest)-at))
	}
	for _, i := range kept {
		if columns[i].fill {
			least[i] += spare()
		}
	}
	return kept, least
}

// longWord is the longest word that a column is widened for, in columns.
const longWord = 40

// natural returns the width that a column would like to have, the least that it can do with, and whether it
// has any text besides its title.
func (c column) natural(i int, rows [][][]span) (wide, narrow int, used bool) {
	wide, narrow = max(len(c.title), c.wide), max(c.least, len(c.title), c.wide)
	for _, row := range rows {
		columns := 0
		for _, s := range row[i] {
			text := printable.Visible(s.text)
			columns += width(text)
			used = used || s.text != "" && s.text != c.title
			for word := range strings.FieldsSeq(string(text)) {
				narrow = max(narrow, min(width(printable.Text(word)), longWord))
			}
		}
		wide = max(wide, columns)
	}
	if c.name {
		narrow = wide
	}
	return wide, min(narrow, wide), used
}
