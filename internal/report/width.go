package report

import (
	"strings"
	"unicode/utf8"

	"github.com/olekukonko/tablewriter/pkg/twwidth"
)

// ellipsis stands for what did not fit.
const ellipsis = "…"

// width is the number of columns that s takes, whatever the locale says about East Asian widths.
func width(s safe) int { return twwidth.WidthWithOptions(string(s), twwidth.Options{}) }

// clip shortens s to at most limit columns, an ellipsis included. A limit of 0 or less is none.
func clip(s safe, limit int) safe {
	if limit <= 0 || width(s) <= limit {
		return s
	}
	head, _ := split(s, limit-1)
	return safe(strings.TrimRight(string(head), " ")) + ellipsis
}

// clipMiddle cuts s to limit columns and keeps its end, which is what tells names with a common beginning apart.
func clipMiddle(s safe, limit int) safe {
	if limit < minMiddle || width(s) <= limit {
		return clip(s, limit)
	}
	tail := s
	for width(tail) > (limit-1)/2 {
		_, size := utf8.DecodeRuneInString(string(tail))
		tail = tail[size:]
	}
	return clip(s, limit-width(tail)) + tail
}

// minMiddle is the width from which a name is cut in its middle rather than at its end.
const minMiddle = 8

// split cuts s after the last character that still fits into limit columns.
func split(s safe, limit int) (head, tail safe) {
	used := 0
	for i, r := range s {
		used += width(safe(r))
		if used > limit {
			return s[:i], s[i:]
		}
	}
	return s, ""
}
