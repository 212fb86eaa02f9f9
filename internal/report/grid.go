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

// column is one column of a grid. Where space is short its texts wrap, unless it is brief.
type column struct {
	title string
	right bool // aligned to the right, as numbers are
	brief bool // cut rather than wrapped: the whole text is shown elsewhere
	name  bool // a name or URL that people copy: narrowed only if dropping other columns is not enough
	least int  // minimum width; 0 = the width of the title
	drop  int  // the column with the highest value is dropped first where the table is too wide; 0 = never
}

// between is the space between two columns.
const between = 2

// grid is a table without borders: a header and rows of equal length. tablewriter draws it.
type grid struct {
	columns []column
	rows    [][]span
}

// grid draws g with a dim header. Columns in which no row has a text are left out.
func (p *page) grid(indent int, g grid) {
	kept, widths := g.fit(p.room(indent))
	if len(kept) == 0 {
		return
	}
	var out strings.Builder
	t := newTable(&out, kit.Map(kept, func(i int) column { return g.columns[i] }))
	cells := func(row []span) []string {
		texts := make([]string, len(kept))
		for at, i := range kept {
			texts[at] = p.cell(row[i], g.columns[i], widths[i])
		}
		return texts
	}
	t.Header(cells(kit.Map(g.columns, func(c column) span { return span{c.title, dim} })))
	for _, row := range g.rows {
		_ = t.Append(cells(row)) // strings always convert
	}
	_ = t.Render() // into memory
	for line := range strings.Lines(out.String()) {
		line = strings.ReplaceAll(line, " \x1b[0m", " ") // which the library adds behind padding
		p.WriteString(strings.Repeat(" ", indent) + strings.TrimRight(line, " \n") + "\n")
	}
}

// cell returns the lines of a cell, each coloured by itself, so that padding never has a colour.
func (p *page) cell(s span, c column, limit int) string {
	text := printable.Text(strings.TrimSpace(string(printable.Visible(s.text))))
	if c.brief {
		text = clip(text, limit)
	}
	rows := wrap([]piece{{text, s.style}}, limit, limit)
	return strings.Join(kit.Map(rows, func(row []piece) string {
		return strings.Join(kit.Map(row, func(one piece) string { return one.render(p.Color) }), "")
	}), "\n")
}

// newTable returns a table of plain columns: no borders, texts as given.
func newTable(out *strings.Builder, columns []column) *tablewriter.Table {
	cells := tw.CellConfig{
		Formatting: tw.CellFormatting{AutoWrap: tw.WrapNone, AutoFormat: tw.Off},
		Padding:    tw.CellPadding{Global: tw.Padding{Right: strings.Repeat(" ", between), Overwrite: true}},
		Alignment: tw.CellAlignment{PerColumn: kit.Map(columns, func(c column) tw.Align {
			if c.right {
				return tw.AlignRight
			}
			return tw.AlignLeft
		})},
	}
	return tablewriter.NewTable(out,
		tablewriter.WithRenderer(renderer.NewBlueprint(tw.Rendition{
			Borders:  tw.BorderNone,
			Settings: tw.Settings{Separators: tw.SeparatorsNone, Lines: tw.LinesNone},
		})),
		tablewriter.WithConfig(tablewriter.Config{Header: cells, Row: cells}),
		tablewriter.WithEastAsian(tw.Off))
}

// fit chooses the columns that are shown and the widths of all, so that a row takes at most room columns (0 =
// unlimited). Columns are dropped until the least widths fit; what is left is shared by those that want more.
func (g grid) fit(room int) (kept, widths []int) {
	wanted, least := g.natural()
	for i := range g.columns {
		if slices.ContainsFunc(g.rows, func(row []span) bool { return row[i].text != "" }) {
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
		first := slices.MaxFunc(kept, func(a, b int) int { return g.columns[a].drop - g.columns[b].drop })
		if g.columns[first].drop == 0 {
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
	return kept, least
}

// longWord is the longest word that a column is widened for, in columns.
const longWord = 40

// natural returns the widths that the columns would like to have, and the least that they can do with.
func (g grid) natural() (wanted, least []int) {
	for i, c := range g.columns {
		wide, narrow := len(c.title), max(c.least, len(c.title))
		for _, row := range g.rows {
			text := printable.Visible(row[i].text)
			wide = max(wide, width(text))
			for word := range strings.FieldsSeq(string(text)) {
				if !c.brief {
					narrow = max(narrow, min(width(printable.Text(word)), longWord))
				}
			}
		}
		if c.name {
			narrow = wide
		}
		wanted, least = append(wanted, wide), append(least, min(narrow, wide))
	}
	return wanted, least
}
