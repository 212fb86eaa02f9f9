package pattern

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// The limits on what is read.
const (
	maxCount     = 1_000 // as RE2 has it
	maxRE2Length = 1 << 20
	maxSource    = 10_000 // characters
	maxGroups    = 1_000  // inside one another
)

// What RE2 has no shorter form for.
const (
	anything = `[\x{0}-\x{10ffff}]`
	nothing  = `[^\x{0}-\x{10ffff}]`
)

// A part is one condition of a pattern, in RE2's syntax.
type part struct {
	re2     string
	negated bool
}

// A reader reads an ECMAScript pattern (ECMA-262 §22.2.1, with the flag u) and writes it in RE2's syntax.
// Punctuation that has no meaning stands for itself. Grouping, alternation and repetition mean the same in
// both languages.
type reader struct {
	src []rune
	pos int
	out strings.Builder

	depth     int   // of groups inside one another
	err       error // why it is not read
	irregular bool  // no automaton has its language; what is written is close to it
}

// read returns the conditions that a string must fulfil: the pattern, and before it each lookahead behind a
// leading ^.
func (r *reader) read(pattern string) []part {
	r.src = []rune(pattern)
	if len(r.src) > maxSource {
		r.err = errTooLarge
		return nil
	}
	var parts []part
	if r.take("^") {
		for r.looking("(?=") || r.looking("(?!") {
			negated := r.looking("(?!")
			r.pos += len("(?=")
			r.out.WriteString(`\A(?:`)
			r.inside()
			r.out.WriteString(")")
			parts = append(parts, part{r.out.String(), negated})
			r.out.Reset()
		}
		r.out.WriteString(`\A`)
	}
	if alternatives := r.disjunction(); alternatives > 1 && len(parts) > 0 {
		r.irregular, parts = true, nil // lookahead beside an alternative
	}
	if r.pos < len(r.src) {
		r.fail("a ) closes no group")
	}
	return append(parts, part{re2: r.out.String()})
}

// fail records why the pattern is invalid, or not decided here, and ends reading.
func (r *reader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf(format, args...)
	}
	r.pos = len(r.src)
}

func (r *reader) write(re2 string) {
	if r.out.Len()+len(re2) > maxRE2Length {
		r.fail("%w", errTooLarge)
		return
	}
	r.out.WriteString(re2)
}

func (r *reader) peek() rune {
	if r.pos < len(r.src) {
		return r.src[r.pos]
	}
	return 0
}

// looking reports whether an ASCII text is next.
func (r *reader) looking(text string) bool {
	return r.pos+len(text) <= len(r.src) && string(r.src[r.pos:r.pos+len(text)]) == text
}

// take skips a text if it is next.
func (r *reader) take(text string) bool {
	next := r.looking(text)
	if next {
		r.pos += len(text)
	}
	return next
}

// while skips up to limit characters of a set and returns them.
func (r *reader) while(set string, limit int) string {
	start := r.pos
	for r.pos < len(r.src) && r.pos-start < limit && strings.ContainsRune(set, r.src[r.pos]) {
		r.pos++
	}
	return string(r.src[start:r.pos])
}

const (
	digits  = "0123456789"
	hex     = digits + "abcdefABCDEF"
	letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	endless = 1 << 31
)

// disjunction reads alternatives up to the end or to a closing parenthesis and returns their number.
func (r *reader) disjunction() int {
	for n := 1; ; n++ {
		for r.pos < len(r.src) && r.peek() != ')' && r.peek() != '|' {
			if r.term() {
				r.quantifier()
			}
		}
		if !r.take("|") {
			return n
		}
		r.write("|")
	}
}

// term reads an assertion or an atom, and reports whether a quantifier may follow.
func (r *reader) term() bool {
	c := r.peek()
	r.pos++
	switch c {
	case '^':
		r.write(`\A`)
		return false
	case '$':
		r.write(`\z`)
		return false
	case '(':
		return r.group()
	case '[':
		r.class()
	case '.':
		r.write(spelledSet(lineEnds, nil, true))
	case '\\':
		if r.looking("b") || r.looking("B") {
			r.write(`\` + string(r.peek()))
			r.pos++
			return false
		}
		r.escape()
	case '*', '+', '?':
		r.fail("there is nothing that %c could repeat", c)
	case '{':
		r.pos--
		if _, _, counted := r.count(); counted {
			r.fail("there is nothing that { could repeat")
		}
		r.pos++
		r.write(spelledSet([]rune{c, c}, nil, false))
	default:
		r.write(spelledSet([]rune{c, c}, nil, false))
	}
	return true
}

// quantifier reads what may follow an atom. Whether it is lazy changes what a match captures, not whether
// there is one.
func (r *reader) quantifier() {
	least, most := 0, -1
	switch {
	case r.take("*"):
	case r.take("+"):
		least = 1
	case r.take("?"):
		most = 1
	default:
		var counted bool
		if least, most, counted = r.count(); !counted {
			return
		}
	}
	r.take("?")
	switch {
	case max(least, most) > maxCount:
		r.fail("a repetition is too large")
	case most < 0:
		r.write(fmt.Sprintf("{%d,}", least))
	default:
		r.write(fmt.Sprintf("{%d,%d}", least, most))
	}
}

// count reads {n}, {n,} or {n,m}, and leaves what only looks like it.
func (r *reader) count() (least, most int, counted bool) {
	start := r.pos
	if !r.take("{") {
		return 0, 0, false
	}
	low := r.while(digits, endless)
	high, open := low, false
	if r.take(",") {
		high = r.while(digits, endless)
		open = high == ""
	}
	if low == "" || !r.take("}") {
		r.pos = start
		return 0, 0, false
	}
	least, most = number(low), number(high)
	low, high = strings.TrimLeft(low, "0"), strings.TrimLeft(high, "0")
	if !open && (len(low) > len(high) || len(low) == len(high) && low > high) {
		r.fail("the numbers of {%s,%s} are out of order", low, high)
	}
	if open {
		most = -1
	}
	return least, most, true
}

// number reads a decimal number; one that is too large for every use of it is endless.
func number(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		return endless
	}
	return n
}

// group reads a group after its parenthesis, and reports whether a quantifier may follow.
func (r *reader) group() bool {
	outer := r.out.String()
	switch {
	case r.take("?="), r.take("?!"), r.take("?<="), r.take("?<!"):
		r.irregular = true // lookaround is decided only at an anchored start
		r.inside()
		r.out.Reset()
		r.out.WriteString(outer)
		return false
	case r.take("?:"):
	case r.take("?<"):
		r.name()
	case r.looking("?"):
		r.fail("(%s begins no group of ECMAScript, or one with flags",
			string(r.src[r.pos:min(r.pos+2, len(r.src))]))
	}
	r.write("(?:")
	r.inside()
	r.write(")")
	return true
}

// inside reads the alternatives of a group and its closing parenthesis.
func (r *reader) inside() {
	if r.depth++; r.depth > maxGroups {
		r.fail("%w", errTooLarge)
		return
	}
	r.disjunction()
	if r.depth--; !r.take(")") {
		r.fail("a group is not closed")
	}
}

// name reads the name of a group up to its >.
func (r *reader) name() {
	first := r.while(letters+"_$", 1)
	r.while(letters+digits+"_$", endless)
	if first == "" || !r.take(">") {
		r.fail("a group has no usable name")
	}
}

// Characters that one sign stands for: the first and the last ones of ranges, by turns.
var (
	decimalDigits  = []rune{'0', '9'}
	wordCharacters = []rune{'0', '9', 'A', 'Z', '_', '_', 'a', 'z'}
	whiteSpace     = []rune{'\t', '\r', ' ', ' ', 0xA0, 0xA0, 0x1680, 0x1680, 0x2000, 0x200A, 0x2028, 0x2029,
		0x202F, 0x202F, 0x205F, 0x205F, 0x3000, 0x3000, 0xFEFF, 0xFEFF}
	lineEnds = []rune{'\n', '\n', '\r', '\r', 0x2028, 0x2029}
)

// escape reads an escape after its backslash, outside of a class.
func (r *reader) escape() {
	switch c := r.peek(); {
	case c == 'k':
		if r.pos++; !r.take("<") {
			r.fail("\\k names no group")
		}
		r.name()
		r.irregular = true
	case c >= '1' && c <= '9':
		r.while(digits, endless)
		r.irregular = true
	default:
		set, property, inverse, _ := r.character(false)
		r.write(spelledSet(set, property, inverse))
	}
}

var errTooLarge = errors.New("the pattern is too large")

// character reads an escape after its backslash that stands for a character or a set of characters.
func (r *reader) character(inClass bool) (set []rune, property []string, inverse, single bool) {
	if r.pos >= len(r.src) {
		r.fail("it ends with a backslash")
		return nil, nil, false, false
	}
	c := r.peek()
	r.pos++
	if i := strings.IndexRune("dDwWsS", c); i >= 0 {
		return [][]rune{decimalDigits, wordCharacters, whiteSpace}[i/2], nil, i%2 == 1, false
	}
	if i := strings.IndexRune("fnrtv", c); i >= 0 {
		c = []rune("\f\n\r\t\v")[i]
		return []rune{c, c}, nil, false, true
	}
	switch {
	case c == 'b' && inClass:
		c = '\b'
	case c == '-' && inClass, strings.ContainsRune(`^$\.*+?()[]{}|/`, c):
	case c == 'p' || c == 'P':
		return nil, []string{r.property(c)}, false, false
	case c == '0' && !strings.ContainsRune(digits, r.peek()):
		c = 0
	case c == 'x' || c == 'u' || c == 'c':
		c = r.coded(c)
	case unicode.IsLetter(c) || unicode.IsDigit(c):
		r.fail("\\%c is not an escape", c)
	}
	return []rune{c, c}, nil, false, true
}

// property translates \p{…} for general categories, which RE2 names the same way.
func (r *reader) property(kind rune) string {
	name := ""
	if r.take("{") {
		name = r.while(letters+digits+"_=", endless)
	}
	_, alias := unicode.CategoryAliases[name]
	if !r.take("}") || unicode.Categories[name] == nil && !alias {
		r.fail("property %q is not decided", name)
	}
	return `\` + string(kind) + "{" + name + "}"
}

// coded reads a character that is given by its number or as a control letter.
func (r *reader) coded(c rune) rune {
	value, ok := rune(0), false
	switch {
	case c == 'c':
		if letter := r.while(letters, 1); letter != "" {
			value, ok = rune(letter[0]&31), true
		}
	case c == 'x':
		value, ok = r.unit(2)
	case r.take("{"):
		n, err := strconv.ParseUint(r.while(hex, endless), 16, 64)
		value, ok = rune(n), r.take("}") && err == nil && n <= unicode.MaxRune
	default:
		value, ok = r.unit(4)
	}
	if !ok {
		r.fail("\\%c is not an escape here", c)
	}
	if value >= 0xd800 && value < 0xe000 {
		r.fail("half of a surrogate pair is not decided")
	}
	return value
}

func (r *reader) unit(size int) (rune, bool) {
	text := r.while(hex, size)
	n, err := strconv.ParseUint(text, 16, 32)
	return rune(n), err == nil && len(text) == size
}

// class reads a class of characters after its bracket.
func (r *reader) class() {
	inverse := r.take("^")
	var set []rune
	var properties []string
	member := func() (first rune, single bool) {
		if !r.take(`\`) {
			c := r.peek()
			r.pos++
			set = append(set, c, c)
			return c, true
		}
		ranges, property, others, single := r.character(true)
		if others {
			ranges = complement(ranges)
		}
		set, properties = append(set, ranges...), append(properties, property...)
		if !single {
			return 0, false
		}
		return ranges[0], true
	}
	for r.pos < len(r.src) && r.peek() != ']' {
		first, single := member()
		if r.peek() != '-' || r.pos+1 >= len(r.src) || r.src[r.pos+1] == ']' {
			continue
		}
		r.pos++
		switch last, also := member(); {
		case single && also && first > last:
			r.fail("the range %c-%c is out of order", first, last)
		case single && also:
			set = append(set[:len(set)-4], first, last)
		default:
			set = append(set, '-', '-')
		}
	}
	if !r.take("]") {
		r.fail("a class is not closed")
	}
	r.write(spelledSet(set, properties, inverse))
}

// spelledSet writes a set of characters in RE2's syntax.
func spelledSet(set []rune, properties []string, inverse bool) string {
	var items strings.Builder
	for i := 0; i+1 < len(set); i += 2 {
		if fmt.Fprintf(&items, `\x{%x}`, set[i]); set[i] != set[i+1] {
			fmt.Fprintf(&items, `-\x{%x}`, set[i+1])
		}
	}
	items.WriteString(strings.Join(properties, ""))
	switch {
	case items.Len() == 0 && inverse:
		return anything
	case items.Len() == 0:
		return nothing
	case inverse:
		return "[^" + items.String() + "]"
	case len(set) == 2 && set[0] == set[1] && len(properties) == 0:
		return items.String()
	}
	return "[" + items.String() + "]"
}

// complement returns the characters that are not in a set, which is in order and has no overlaps.
func complement(set []rune) []rune {
	var rest []rune
	from := rune(0)
	for i := 0; i+1 < len(set); i += 2 {
		if from < set[i] {
			rest = append(rest, from, set[i]-1)
		}
		from = set[i+1] + 1
	}
	return append(rest, from, unicode.MaxRune)
}
