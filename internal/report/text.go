package report

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// text is a line of text that may come from anywhere, in a format that is no page. Whatever prints it – fmt, html/template,
// the encoders of JSON and XML – gets it with everything spelled out that cannot be seen, line breaks included.
type text string

// String is the text with what cannot be seen spelled out.
func (t text) String() string { return string(visible(string(t))) }

// MarshalText is what JSON and XML hold.
func (t text) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// multiline is such a text whose line breaks stay.
type multiline string

// String is the lines, each as text has it.
func (m multiline) String() string {
	all := lines(string(m))
	for i, line := range all {
		all[i] = string(visible(line))
	}
	return strings.Join(all, "\n")
}

// MarshalText is what JSON and XML hold.
func (m multiline) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// safe is text that can be printed: it has no line break and nothing that cannot be seen. Only visible makes it.
type safe string

// maxMarks is how many combining marks may sit on one character; natural languages need no more.
const maxMarks = 4

// visible spells out what a terminal would obey or hide: control characters as \x1b, the rest as <U+202E>.
// A variation selector after a symbol is dropped, since it only chooses between two looks of the symbol.
func visible(s string) safe {
	if ascii(s) {
		return safe(s)
	}
	var b strings.Builder
	before, marks := rune(0), 0
	for len(s) > 0 {
		r, size := utf8.DecodeRuneInString(s)
		marks = countMarks(marks, r)
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, s[0])
		case chooses(before, r):
		case hidden(r) || marks > maxMarks || marks == 1 && before == 0:
			b.WriteString(spell(r))
		default:
			b.WriteRune(r)
		}
		s, before = s[size:], r
	}
	return safe(b.String())
}

// ascii tells whether s has nothing but the visible characters of ASCII.
func ascii(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

func countMarks(marks int, r rune) int {
	if unicode.IsMark(r) {
		return marks + 1
	}
	return 0
}

// hidden tells whether a character has no look of its own, or changes the look of others.
func hidden(r rune) bool {
	return !unicode.IsGraphic(r) || r == '\u2800' ||
		unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// chooses tells whether r picks the text or the emoji look of the symbol before it.
func chooses(before, r rune) bool {
	return (r == '\ufe0e' || r == '\ufe0f') &&
		(unicode.IsSymbol(before) || unicode.IsPunct(before) || unicode.IsDigit(before))
}

func spell(r rune) string {
	switch {
	case r == '\n':
		return `\n`
	case r == '\t':
		return `\t`
	case r == '\r':
		return `\r`
	case r < ' ' || r == 0x7f:
		return fmt.Sprintf(`\x%02x`, r)
	}
	return fmt.Sprintf("<U+%04X>", r)
}

// firstLine is the first line of s that has something on it.
func firstLine(s string) string {
	for line := range strings.Lines(s) {
		if line = strings.TrimSpace(line); line != "" {
			return line
		}
	}
	return ""
}

// oneLine is all of a text with each run of white space, line breaks included, as one space.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// lines are the lines of s without trailing space. Blank lines at either end are left out, several in a row are one.
func lines(s string) []string {
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

// Visible is s with everything spelled out that a terminal would obey or hide, line breaks included: control characters
// as \x1b, invisible and bidirectional ones as <U+202E>. It is for messages outside a report,
// which no runner obeys either.
func Visible(s string) string { return spelledOut.without(string(visible(s))) }
