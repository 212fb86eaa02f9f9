package report

import "strings"

// wrap breaks a line at spaces so that its first row takes at most first columns and each further row at most rest.
// A word that is longer than a row is broken anywhere. A limit of 0 is none.
func wrap(spans []span, first, rest int) [][]span {
	if first <= 0 {
		return [][]span{spans}
	}
	w := wrapper{limit: first, rest: rest}
	for _, s := range spans {
		for _, word := range strings.SplitAfter(string(s.text), " ") {
			w.add(span{safe(word), s.ink})
		}
	}
	return append(w.rows, w.row)
}

// wrapper is a row being filled, after the rows that are full.
type wrapper struct {
	rows              [][]span
	row               []span
	used, limit, rest int
}

func (w *wrapper) add(word span) {
	bare := width(safe(strings.TrimRight(string(word.text), " ")))
	if w.used > 0 && w.used+bare > w.limit {
		w.next()
	}
	if bare == 0 && w.used == 0 && len(w.rows) > 0 {
		return // a space that the line break stands for
	}
	for bare > w.limit {
		head, tail := split(word.text, w.limit)
		if head == "" {
			break
		}
		w.row = append(w.row, span{head, word.ink})
		w.next()
		word.text, bare = tail, bare-width(head)
	}
	w.put(word)
}

// put adds a word to the row, joined to the piece before it when both look the same.
func (w *wrapper) put(word span) {
	w.used += width(word.text)
	if last := len(w.row) - 1; last >= 0 && w.row[last].ink == word.ink {
		w.row[last].text += word.text
		return
	}
	w.row = append(w.row, word)
}

func (w *wrapper) next() {
	w.rows = append(w.rows, trimEnd(w.row))
	w.row, w.used, w.limit = nil, 0, w.rest
}

// trimEnd takes the spaces off the end of a row.
func trimEnd(row []span) []span {
	for last := len(row) - 1; last >= 0; last-- {
		row[last].text = safe(strings.TrimRight(string(row[last].text), " "))
		if row[last].text != "" {
			break
		}
		row = row[:last]
	}
	return row
}
