package report

// fit gives each column its width so that the rows take at most limit columns: the widest column is narrowed first, none
// below its least width. A limit of 0 is none. The result is empty when a column has to go.
func (g grid) fit(limit int) []int {
	widths := g.natural()
	if limit <= 0 {
		return widths
	}
	spare := limit - (len(widths)-1)*len(between)
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
		widths[i] = width(c.title)
		for _, row := range g.rows {
			widths[i] = max(widths[i], width(row[i].text))
		}
	}
	return widths
}

// widest is the index of the widest column that can still be narrowed, or -1.
func (g grid) widest(widths []int) int {
	widest := -1
	for i, w := range widths {
		if w > max(g.columns[i].least, width(g.columns[i].title)) && (widest < 0 || w >= widths[widest]) {
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

// split are the rows of g with each cell that may be wrapped spread over as many rows as it takes.
func (g grid) split(limits []int) [][]span {
	if !g.wrapped {
		return g.rows
	}
	var out [][]span
	for _, row := range g.rows {
		first := len(out)
		for i, cell := range row {
			for n, part := range wrap([]span{cell}, limits[i], limits[i]) {
				if first+n == len(out) {
					out = append(out, make([]span, len(row)))
				}
				if len(part) > 0 {
					out[first+n][i] = part[0]
				}
			}
		}
	}
	return out
}
