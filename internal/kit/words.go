package kit

import (
	"fmt"
	"slices"
	"strings"
)

// Tally counts words: "2 ok, 1 failed". Some words may have an order; the others are in their own.
func Tally(words []string, order ...string) string {
	words = slices.Clone(words)
	place := func(word string) int { return slices.Index(order, word) }
	slices.SortStableFunc(words, func(a, b string) int { return place(a) - place(b) })
	counted := Map(Group(words, func(word string) string { return word }),
		func(same []string) string { return fmt.Sprintf("%d %s", len(same), same[0]) })
	return strings.Join(counted, ", ")
}

// Join joins the parts that are not empty.
func Join(sign string, parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), sign)
}

// Prefixed returns text with a prefix, or nothing if text is empty.
func Prefixed(prefix, text string) string {
	if text == "" {
		return ""
	}
	return prefix + text
}

// Lines returns the lines of s without trailing space. Blank lines at either end are left out, several in
// a row are one.
func Lines(s string) []string {
	var out []string
	for line := range strings.Lines(s) {
		line = strings.ReplaceAll(strings.TrimRight(line, " \t\r\n"), "\t", "    ")
		if line == "" && (len(out) == 0 || out[len(out)-1] == "") {
			continue
		}
		out = append(out, line)
	}
	if last := len(out) - 1; last >= 0 && out[last] == "" {
		out = out[:last]
	}
	return out
}
