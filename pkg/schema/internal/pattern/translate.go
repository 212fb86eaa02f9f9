package pattern

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// A part is one condition of an ECMA pattern, in RE2's syntax.
type part struct {
	re2     string
	negated bool
}

// The limits on counted repetition: RE2 takes 1,000 at most, more are spelled out.
const (
	maxCount     = 20_000
	maxRE2Count  = 1_000
	maxRE2Length = 1 << 20
)

// A translator rewrites an ECMA pattern token by token. Grouping, alternation and repetition mean the same in both
// languages, so RE2's own parser checks how they nest.
type translator struct {
	src    []rune
	pos    int
	out    strings.Builder
	atom   int   // where in out the last atom starts; -1 where nothing can be repeated
	groups []int // where in out each open group starts
	err    error
}

func translate(ecma string) ([]part, error) {
	t := &translator{src: []rune(ecma)}
	parts, err := t.lookaheads()
	if err != nil {
		return nil, err
	}
	if parts != nil {
		t.out.WriteString(`\A`)
	}
	rest, alternatives, err := t.run(false)
	if err != nil {
		return nil, err
	}
	if parts != nil && alternatives {
		return nil, fmt.Errorf("lookahead beside an alternative is not decided")
	}
	return append(parts, part{re2: rest}), nil
}

// lookaheads reads a leading ^ and the lookaheads that follow it: each is a condition of its own on the same string.
// It consumes nothing where there are none.
func (t *translator) lookaheads() ([]part, error) {
	if !t.sees("^(?=") && !t.sees("^(?!") {
		return nil, nil
	}
	t.pos++
	var parts []part
	for t.sees("(?=") || t.sees("(?!") {
		negated := t.src[t.pos+2] == '!'
		t.pos += 3
		inner := &translator{src: t.src, pos: t.pos}
		inner.out.WriteString(`\A(?:`)
		re2, _, err := inner.run(true)
		if err != nil {
			return nil, err
		}
		parts = append(parts, part{re2: re2 + ")", negated: negated})
		t.pos = inner.pos
	}
	if t.pos < len(t.src) && strings.ContainsRune("*+?{", t.src[t.pos]) {
		return nil, fmt.Errorf("a repeated lookahead is not decided")
	}
	return parts, nil
}

// run translates to the end, or with nested set to the parenthesis that closes an enclosing group. It reports
// whether there was an alternative at the outermost level.
func (t *translator) run(nested bool) (re2 string, alternatives bool, err error) {
	t.atom = -1
	for t.pos < len(t.src) && t.err == nil && t.out.Len() < maxRE2Length {
		if nested && len(t.groups) == 0 && t.src[t.pos] == ')' {
			t.pos++
			return t.out.String(), alternatives, nil
		}
		alternatives = alternatives || t.src[t.pos] == '|' && len(t.groups) == 0
		t.token()
	}
	switch {
	case t.err != nil:
		return "", false, t.err
	case t.pos < len(t.src):
		return "", false, fmt.Errorf("pattern is too large")
	case nested || len(t.groups) > 0:
		return "", false, fmt.Errorf("a group is not closed")
	}
	return t.out.String(), alternatives, nil
}

func (t *translator) token() {
	switch c := t.src[t.pos]; c {
	case '^':
		t.assertion(`\A`)
	case '$':
		t.assertion(`\z`)
	case '|':
		t.assertion(`|`)
	case '(':
		t.open()
	case ')':
		t.close()
	case '.':
		t.pos++
		t.emit(dot)
	case '[':
		t.pos++
		t.class()
	case '\\':
		t.pos++
		t.escape()
	case '*', '+', '?':
		t.pos++
		t.repeat(string(c))
	case '{':
		t.count()
	default:
		t.pos++
		t.emit(literal(c))
	}
}

// emit writes something that a quantifier may follow.
func (t *translator) emit(re2 string) {
	t.atom = t.out.Len()
	t.out.WriteString(re2)
}

// assertion writes something one character long in the source that no quantifier may follow.
func (t *translator) assertion(re2 string) {
	t.pos++
	t.out.WriteString(re2)
	t.atom = -1
}

func (t *translator) fail(format string, args ...any) {
	if t.err == nil {
		t.err = fmt.Errorf(format, args...)
	}
}

func (t *translator) sees(text string) bool {
	for i, c := range []rune(text) {
		if t.pos+i >= len(t.src) || t.src[t.pos+i] != c {
			return false
		}
	}
	return true
}

func (t *translator) open() {
	start := t.out.Len()
	switch {
	case t.sees("(?:"):
		t.pos += 3
	case t.sees("(?=") || t.sees("(?!") || t.sees("(?<=") || t.sees("(?<!"):
		t.fail("lookaround is decided only at an anchored start")
	case t.sees("(?<"):
		for t.pos < len(t.src) && t.src[t.pos] != '>' {
			t.pos++
		}
		t.pos++
	case t.sees("(?"):
		t.fail("group (?%s is not part of ECMA-262", string(t.src[t.pos+2:min(t.pos+3, len(t.src))]))
	default:
		t.pos++
	}
	t.groups = append(t.groups, start)
	t.out.WriteString("(?:")
	t.atom = -1
}

func (t *translator) close() {
	if len(t.groups) == 0 {
		t.fail("a group is closed that was not opened")
		return
	}
	t.pos++
	t.out.WriteString(")")
	last := len(t.groups) - 1
	t.atom, t.groups = t.groups[last], t.groups[:last]
}

// repeat writes a quantifier. Whether it is lazy changes what a match captures, not whether there is one.
func (t *translator) repeat(quantifier string) {
	if t.atom < 0 {
		t.fail("nothing to repeat before %s", quantifier)
		return
	}
	if t.pos < len(t.src) && t.src[t.pos] == '?' {
		t.pos++
	}
	t.out.WriteString(quantifier)
	t.atom = -1
}

// count reads {n}, {n,} or {n,m}; a brace that starts none of these is a literal.
func (t *translator) count() {
	end := t.pos + 1
	for end < len(t.src) && (t.src[end] == ',' || t.src[end] >= '0' && t.src[end] <= '9') {
		end++
	}
	body := string(t.src[t.pos+1 : end])
	low, high, ranged := strings.Cut(body, ",")
	if end == len(t.src) || t.src[end] != '}' || low == "" || strings.Contains(high, ",") {
		t.pos++
		t.emit(`\{`)
		return
	}
	t.pos = end + 1
	least, err1 := strconv.Atoi(low)
	most, err2 := least, error(nil)
	switch {
	case ranged && high == "":
		most = -1
	case ranged:
		most, err2 = strconv.Atoi(high)
	}
	if err1 != nil || err2 != nil || least > maxCount || most > maxCount || most >= 0 && most < least {
		t.fail("repetition {%s} is too large or out of order", body)
		return
	}
	t.repeatCount(least, most)
}

func (t *translator) repeatCount(least, most int) {
	if least <= maxRE2Count && most <= maxRE2Count {
		t.repeat(bounds(least, most))
		return
	}
	if t.atom < 0 {
		t.fail("nothing to repeat before {%d}", least)
		return
	}
	whole := t.out.String()
	atom := whole[t.atom:]
	t.out.Reset()
	t.out.WriteString(whole[:t.atom])
	if len(atom)*(1+max(least, most)/maxRE2Count) > maxRE2Length {
		t.fail("repetition {%d} is too large", max(least, most))
		return
	}
	t.atom = t.out.Len()
	t.out.WriteString("(?:" + spelled(atom, least, most) + ")")
	t.repeat("{1}")
}

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
