package diff

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/printable"
	"github.com/mcpctl/mcpctl/internal/wording"
)

// mostCodePoints is how many code points of a name are named.
const mostCodePoints = 8

// codePoints names the code points in which a new name differs from an old one that looks like it, for the
// end of a sentence; empty if the names look different.
func codePoints(old, new string) string {
	before, after := []rune(old), []rune(new)
	if old == new || !looksLike(before, after) {
		return ""
	}
	for len(before) > 0 && len(after) > 0 && before[0] == after[0] {
		before, after = before[1:], after[1:]
	}
	for len(before) > 0 && len(after) > 0 && before[len(before)-1] == after[len(after)-1] {
		before, after = before[:len(before)-1], after[:len(after)-1]
	}
	return fmt.Sprintf(" (%s instead of %s)", codePointsOf(after), codePointsOf(before))
}

// codePointsOf names the characters of a text that the eye may not distinguish, for messages. A long text is
// cut.
func codePointsOf(text []rune) string {
	if len(text) == 0 {
		return "nothing"
	}
	var names []string
	for _, r := range text[:min(len(text), mostCodePoints)] {
		names = append(names, fmt.Sprintf("U+%04X", r))
	}
	return strings.Join(names, " ") + either(len(text) > mostCodePoints, " …", "")
}

// looksLike reports whether the letters of two names look alike, marks and hidden characters apart. Latin
// letters with and without marks count as alike, since a normal form may write the marks on their own.
func looksLike(a, b []rune) bool {
	a, b = kit.Filter(a, isLetterOfItsOwn), kit.Filter(b, isLetterOfItsOwn)
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		latin := unicode.Is(unicode.Latin, a[i]) && unicode.Is(unicode.Latin, b[i])
		plain := max(a[i], b[i]) <= unicode.MaxASCII
		if shape(a[i]) != shape(b[i]) && (plain || !latin) {
			return false
		}
	}
	return true
}

func isLetterOfItsOwn(r rune) bool { return !unicode.IsMark(r) && !printable.Hidden(r) }

// shape returns one of the characters that look like another.
func shape(r rune) rune {
	switch r = wording.Latin(r); r {
	case '1', 'I':
		return 'l'
	case 'O':
		return '0'
	}
	return r
}
