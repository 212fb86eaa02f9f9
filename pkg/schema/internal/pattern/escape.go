package pattern

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// What ECMA-262 means by its named sets, in RE2's class syntax without the brackets.
const (
	digits = `0-9`
	words  = `0-9A-Z_a-z`
	spaces = `\t\n\x{b}\f\r \x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}`

	noDigits = `\x{0}-\x{2f}\x{3a}-\x{10ffff}`
	noWords  = `\x{0}-\x{2f}\x{3a}-\x{40}\x{5b}-\x{5e}\x{60}\x{7b}-\x{10ffff}`
	noSpaces = `\x{0}-\x{8}\x{e}-\x{1f}\x{21}-\x{9f}\x{a1}-\x{167f}\x{1681}-\x{1fff}\x{200b}-\x{2027}` +
		`\x{202a}-\x{202e}\x{2030}-\x{205e}\x{2060}-\x{2fff}\x{3001}-\x{fefe}\x{ff00}-\x{10ffff}`

	anything = `[\x{0}-\x{10ffff}]`
	nothing  = `[^\x{0}-\x{10ffff}]`
	dot      = `[^\n\r\x{2028}\x{2029}]`
)

func literal(c rune) string { return fmt.Sprintf(`\x{%x}`, c) }

// escape translates what follows a backslash outside a class.
func (t *translator) escape() {
	switch {
	case t.sees("b"):
		t.assertion(`\b`)
	case t.sees("B"):
		t.assertion(`\B`)
	case t.sees("k"), t.pos < len(t.src) && t.src[t.pos] >= '1' && t.src[t.pos] <= '9':
		t.fail("a backreference is not regular")
	default:
		c, set := t.escaped()
		if set != "" {
			t.emit("[" + set + "]")
			return
		}
		t.emit(literal(c))
	}
}

// class translates a bracketed class from after its opening bracket.
func (t *translator) class() {
	negated := t.sees("^")
	if negated {
		t.pos++
	}
	var items strings.Builder
	for t.pos < len(t.src) && t.src[t.pos] != ']' && t.err == nil {
		items.WriteString(t.classItem())
	}
	if t.pos >= len(t.src) {
		t.fail("a class is not closed")
	}
	t.pos++
	switch {
	case items.Len() == 0 && negated:
		t.emit(anything)
	case items.Len() == 0:
		t.emit(nothing)
	case negated:
		t.emit("[^" + items.String() + "]")
	default:
		t.emit("[" + items.String() + "]")
	}
}

// classItem translates a character, a set, or a range. A hyphen beside a set or a bracket is itself.
func (t *translator) classItem() string {
	low, set := t.classAtom()
	ranged := t.sees("-") && t.pos+1 < len(t.src) && t.src[t.pos+1] != ']'
	if !ranged {
		return itemOf(low, set)
	}
	t.pos++
	high, highSet := t.classAtom()
	if set != "" || highSet != "" {
		return itemOf(low, set) + literal('-') + itemOf(high, highSet)
	}
	if high < low {
		t.fail("range %c-%c is out of order", low, high)
	}
	return literal(low) + "-" + literal(high)
}

func itemOf(c rune, set string) string {
	if set != "" {
		return set
	}
	return literal(c)
}

func (t *translator) classAtom() (rune, string) {
	c := t.src[t.pos]
	t.pos++
	if c != '\\' {
		return c, ""
	}
	if t.sees("b") {
		t.pos++
		return '\b', ""
	}
	return t.escaped()
}

// escaped reads an escape that means a character or a set in any place.
func (t *translator) escaped() (c rune, set string) {
	if t.pos >= len(t.src) {
		t.fail("a backslash ends the pattern")
		return 0, ""
	}
	c = t.src[t.pos]
	t.pos++
	if set, ok := sets()[c]; ok {
		return 0, set
	}
	if control := strings.IndexRune("tnvfr", c); control >= 0 {
		return rune("\t\n\v\f\r"[control]), ""
	}
	switch c {
	case 'p', 'P':
		return 0, t.property(c)
	case 'c':
		return t.controlLetter(), ""
	case 'x':
		return t.hex(2), ""
	case 'u':
		return t.unicodeEscape(), ""
	case '0':
		if t.pos < len(t.src) && unicode.IsDigit(t.src[t.pos]) {
			t.fail("octal escapes are not part of ECMA-262 with the unicode flag")
		}
		return 0, ""
	}
	if unicode.IsLetter(c) || unicode.IsDigit(c) {
		t.fail(`\%c is not part of ECMA-262`, c)
	}
	return c, ""
}

func sets() map[rune]string {
	return map[rune]string{'d': digits, 'D': noDigits, 'w': words, 'W': noWords, 's': spaces, 'S': noSpaces}
}

func (t *translator) controlLetter() rune {
	if t.pos >= len(t.src) || t.src[t.pos] >= unicode.MaxASCII || !unicode.IsLetter(t.src[t.pos]) {
		t.fail(`\c is not followed by a letter`)
		return 0
	}
	t.pos++
	return t.src[t.pos-1] % 32
}

func (t *translator) hex(digits int) rune {
	end := min(t.pos+digits, len(t.src))
	n, err := strconv.ParseUint(string(t.src[t.pos:end]), 16, 32)
	if err != nil || end-t.pos != digits {
		t.fail("an escape needs %d hexadecimal digits", digits)
		return 0
	}
	t.pos = end
	return rune(n)
}

// unicodeEscape reads \uXXXX, a surrogate pair of two of them, or \u{X}, from after the u.
func (t *translator) unicodeEscape() rune {
	if t.sees("{") {
		end := t.pos + 1
		for end < len(t.src) && t.src[end] != '}' {
			end++
		}
		n, err := strconv.ParseUint(string(t.src[t.pos+1:end]), 16, 32)
		if err != nil || end == len(t.src) || n > unicode.MaxRune {
			t.fail(`\u{} needs a code point in hexadecimal digits`)
			return 0
		}
		t.pos = end + 1
		return t.scalar(rune(n))
	}
	c := t.hex(4)
	if c >= 0xd800 && c < 0xdc00 && t.sees(`\u`) {
		t.pos += 2
		if low := t.hex(4); low >= 0xdc00 && low < 0xe000 {
			return (c-0xd800)<<10 + (low - 0xdc00) + 0x10000
		}
	}
	return t.scalar(c)
}

func (t *translator) scalar(c rune) rune {
	if c >= 0xd800 && c < 0xe000 {
		t.fail("a lone surrogate is not decided")
	}
	return c
}

// property translates \p{…} for general categories and scripts, which RE2 names the same way.
func (t *translator) property(kind rune) string {
	end := t.pos
	for end < len(t.src) && t.src[end] != '}' {
		end++
	}
	if !t.sees("{") || end == len(t.src) {
		t.fail(`\%c is not followed by a property in braces`, kind)
		return digits
	}
	name := string(t.src[t.pos+1 : end])
	t.pos = end + 1
	key, value, keyed := strings.Cut(name, "=")
	if !keyed {
		key, value = "gc", name
	}
	known := false
	switch key {
	case "gc", "General_Category":
		known = unicode.Categories[value] != nil || unicode.CategoryAliases[value] != ""
	case "sc", "Script":
		known = unicode.Scripts[value] != nil
	}
	if !known {
		t.fail(`property %s is not decided`, name)
		return digits
	}
	return fmt.Sprintf(`\%c{%s}`, kind, value)
}
