package report

import (
	"strings"

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
