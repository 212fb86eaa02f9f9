// Package printable makes text that may come from anywhere safe to print: nothing in it is obeyed by a terminal or by a runner of
// CI, and nothing in it goes unseen. JSON keeps its values and has such characters escaped.
package printable

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/internal/match"
)

// Text is text that can be printed: it has no line break and nothing that cannot be seen. Only Visible makes it, and pieces of it.
type Text string

// maxMarks is how many combining marks may sit on one character; natural languages need no more.
const maxMarks = 4

// Visible spells out what a terminal would obey or hide: control characters as \x1b, the rest as <U+202E>.
// A variation selector after a symbol is dropped, since it only chooses between two looks of the symbol.
func Visible(s string) Text {
	if ascii(s) {
		return Text(s)
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
		case Hidden(r) || marks > maxMarks || marks == 1 && before == 0:
			b.WriteString(spell(r))
		default:
			b.WriteRune(r)
		}
		s, before = s[size:], r
	}
	return Text(b.String())
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

// Hidden tells whether a character has no look of its own, or changes the look of others.
func Hidden(r rune) bool {
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

// Message is s with everything spelled out that a terminal would obey or hide, line breaks included: control characters
// as \x1b, invisible and bidirectional ones as <U+202E>. No runner of CI obeys it either.
func Message(s string) string { return SpelledOut.Without(string(Visible(s))) }

// Size is a number of bytes for people: 512 bytes, 12 KB, 1.5 MB.
func Size(n int) string {
	const kilo = 1000
	switch {
	case n < kilo:
		return fmt.Sprintf("%d bytes", n)
	case n < 10*kilo:
		return fmt.Sprintf("%.1f KB", float64(n)/kilo)
	case n < kilo*kilo:
		return fmt.Sprintf("%d KB", n/kilo)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/kilo/kilo)
}

// bare are words that a shell takes as they are.
var bare = match.Pattern(`^[A-Za-z0-9_@%+=:,./-]+$`)

// ShellWord is a word as a shell takes it.
func ShellWord(word string) string {
	if bare().MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
