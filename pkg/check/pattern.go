package check

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// patternFault is why ECMAScript does not read a regular expression (ECMA-262 §22.2.1), with its flag u or without it
// (annex B.1.2); empty when it does, and when it is too large to be looked at. Newer syntax than an engine knows (modifiers, repeated names of groups) is no fault.
func patternFault(pattern string, u bool) string {
	_, fault := readPattern(pattern, u)
	return fault
}

// readPattern is a pattern as a tree, nil where it is not known, and what is wrong with it.
func readPattern(pattern string, u bool) (*node, string) {
	if len(pattern) > maxPattern {
		return nil, ""
	}
	r := ecma{src: []rune(pattern), u: u}
	r.named = strings.Contains(pattern, "(?<") && slices.ContainsFunc(strings.Split(pattern, "(?<")[1:], func(rest string) bool {
		return rest != "" && rest[0] != '=' && rest[0] != '!'
	})
	tree := r.disjunction()
	if r.depth > maxGroups {
		return nil, ""
	}
	if r.fault == "" && r.pos < len(r.src) {
		r.fail("a ) closes no group")
	}
	if r.fault == "" && u && r.backward > r.groups {
		r.fail("\\%d refers to a group that is not there", r.backward)
	}
	for _, name := range r.refers {
		if r.fault == "" && !slices.Contains(r.names, name) {
			r.fail("\\k refers to no group")
		}
	}
	if r.fault != "" || r.backward > 0 || len(r.refers) > 0 { // what a reference matches is not known
		tree = nil
	}
	return tree, r.fault
}

// node is a part of a pattern.
type node struct {
	op          op
	set         []rune // of a character: the first and last ones that it can be, by turns
	parts       []*node
	least, most int // of a repetition; most < 0 = without end
}

type op byte

const (
	character op = iota
	sequence
	choiceOf
	repetition
	assertion // reads nothing, and can fail
)

func one(c rune) *node { return &node{set: []rune{c, c}} }

// ecma reads a regular expression of ECMAScript.
type ecma struct {
	src           []rune
	pos           int
	u             bool // the flag u is set: what has no meaning is an error
	named         bool // there is a named group, so that \k is no letter
	groups        int
	depth         int // of groups inside one another
	backward      int // the greatest number that is referred to
	names, refers []string
	fault         string
}

func (r *ecma) fail(format string, args ...any) {
	if r.fault == "" {
		r.fault = fmt.Sprintf(format, args...)
	}
	r.pos = len(r.src)
}

func (r *ecma) peek() rune {
	if r.pos < len(r.src) {
		return r.src[r.pos]
	}
	return 0
}

// take skips a text if it stands here.
func (r *ecma) take(text string) bool {
	n := len(text) // ASCII
	if r.pos+n > len(r.src) || string(r.src[r.pos:r.pos+n]) != text {
		return false
	}
	r.pos += n
	return true
}

// while skips characters of a set, at most so many, and is what was skipped.
func (r *ecma) while(set string, most int) string {
	start := r.pos
	for r.pos < len(r.src) && r.pos-start < most && strings.ContainsRune(set, r.src[r.pos]) {
		r.pos++
	}
	return string(r.src[start:r.pos])
}

const (
	maxPattern = 16 << 10 // bytes of a pattern that is looked at
	maxGroups  = 1000     // inside one another; what is deeper is not looked at

	digits  = "0123456789"
	hex     = "0123456789abcdefABCDEF"
	endless = 1 << 30
)

// disjunction reads alternatives up to the end or to a closing parenthesis.
func (r *ecma) disjunction() *node {
	all := &node{op: choiceOf}
	for next := true; next; next = r.take("|") {
		words := &node{op: sequence}
		for r.pos < len(r.src) && r.peek() != ')' && r.peek() != '|' {
			atom, repeatable := r.term()
			if repeatable {
				atom = r.quantifier(atom)
			}
			words.parts = append(words.parts, atom)
		}
		all.parts = append(all.parts, words)
	}
	return all
}

// quantifier reads what may follow an atom.
func (r *ecma) quantifier(atom *node) *node {
	repeated := &node{op: repetition, parts: []*node{atom}, most: -1}
	switch {
	case r.take("*"):
	case r.take("+"):
		repeated.least = 1
	case r.take("?"):
		repeated.most = 1
	default:
		least, most, counted := r.count()
		if !counted {
			return atom
		}
		repeated.least, repeated.most = least, most
	}
	r.take("?")
	return repeated
}

// count reads {n}, {n,} or {n,m}; what only looks like it is left where it is.
func (r *ecma) count() (least, most int, counted bool) {
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
	if !open && fewer(high, low) {
		r.fail("the numbers of {%s,%s} are out of order", low, high)
	}
	if most = number(high); open {
		most = -1
	}
	return number(low), most, true
}

// number is a decimal number, or one that is too large for every use of it.
func number(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		return maxPattern
	}
	return n
}

// fewer compares two decimal numbers of any length.
func fewer(a, b string) bool {
	a, b = strings.TrimLeft(a, "0"), strings.TrimLeft(b, "0")
	return len(a) < len(b) || len(a) == len(b) && a < b
}

// term reads an assertion or an atom, and tells whether a quantifier may follow.
func (r *ecma) term() (atom *node, repeatable bool) {
	c := r.peek()
	r.pos++
	switch c {
	case '^', '$':
		return &node{op: assertion}, false
	case '(':
		return r.group()
	case '[':
		return &node{set: r.class()}, true
	case '.':
		return &node{set: negated([]rune{'\n', '\n', '\r', '\r', 0x2028, 0x2029})}, true
	case '\\':
		if r.peek() == 'b' || r.peek() == 'B' {
			r.pos++
			return &node{op: assertion}, false
		}
		set, _ := r.escape(false)
		return &node{set: set}, true
	case '*', '+', '?':
		r.fail("there is nothing that %c could repeat", c)
	case '{', '}', ']':
		if r.u {
			r.fail("%c stands alone", c)
			break
		}
		if r.pos--; c == '{' {
			if _, _, counted := r.count(); counted {
				r.fail("there is nothing that { could repeat")
			}
		}
		r.pos++
	}
	return one(c), true
}

// group reads a group from behind its parenthesis on.
func (r *ecma) group() (inside *node, repeatable bool) {
	repeatable, asserts := true, false
	switch {
	case r.take("?="), r.take("?!"):
		repeatable, asserts = !r.u, true
	case r.take("?<="), r.take("?<!"):
		repeatable, asserts = false, true
	case r.take("?:"):
	case r.take("?<"):
		r.groups++
		r.names = append(r.names, r.name())
	case r.take("?"):
		start := r.pos
		r.while("ims", endless)
		if r.take("-") {
			r.while("ims", endless)
		}
		if r.pos == start || !r.take(":") {
			r.fail("(?%s begins no group of ECMAScript", string(r.src[start:min(start+1, len(r.src))]))
		}
	default:
		r.groups++
	}
	if r.depth++; r.depth > maxGroups {
		r.pos = len(r.src)
		return nil, repeatable
	}
	inside = r.disjunction()
	if !r.take(")") {
		if r.depth <= maxGroups {
			r.fail("a group is not closed")
		}
		return inside, repeatable
	}
	if r.depth--; asserts {
		inside = &node{op: assertion}
	}
	return inside, repeatable
}

// name reads the name of a group up to its >.
func (r *ecma) name() string {
	start := r.pos
	for r.pos < len(r.src) && r.peek() != '>' {
		c := r.peek()
		if !(unicode.IsLetter(c) || c == '_' || c == '$' || c == '\\' || r.pos > start && (unicode.IsDigit(c) || unicode.IsMark(c))) {
			r.fail("a group has no usable name")
			return ""
		}
		r.pos++
	}
	name := string(r.src[start:r.pos])
	if name == "" || !r.take(">") {
		r.fail("a group has no usable name")
	}
	return name
}

// Characters that escapes of a class stand for.
var (
	decimalDigits  = []rune{'0', '9'}
	wordCharacters = []rune{'0', '9', 'A', 'Z', '_', '_', 'a', 'z'}
	whiteSpace     = []rune{'\t', '\r', ' ', ' ', 0xA0, 0xA0, 0x1680, 0x1680, 0x2000, 0x200A, 0x2028, 0x2029, 0x202F, 0x202F, 0x205F, 0x205F, 0x3000, 0x3000, 0xFEFF, 0xFEFF}
	anything       = []rune{0, unicode.MaxRune}
)

// negated are the characters that are not in a set, which is sorted and has no overlaps.
func negated(set []rune) []rune {
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

// escape reads an escape from behind its backslash on: the characters that it can be, and whether it is a single one.
func (r *ecma) escape(inClass bool) (set []rune, single bool) {
	if r.pos >= len(r.src) {
		r.fail("it ends with a backslash")
		return nil, false
	}
	c := r.peek()
	r.pos++
	if i := strings.IndexRune("dDwWsS", c); i >= 0 {
		set = [][]rune{decimalDigits, wordCharacters, whiteSpace}[i/2]
		if i%2 == 1 {
			set = negated(set)
		}
		return set, false
	}
	if i := strings.IndexRune("fnrtv", c); i >= 0 {
		c = []rune("\f\n\r\t\v")[i]
		return []rune{c, c}, true
	}
	switch {
	case c == 'b' && inClass:
		c = '\b'
	case c == '-' && inClass, strings.ContainsRune(`^$\.*+?()[]{}|/`, c):
	case (c == 'p' || c == 'P') && r.u:
		r.property()
		return anything, false
	case c == 'k' && !inClass && (r.u || r.named):
		if !r.take("<") {
			r.fail("\\k names no group")
		} else {
			r.refers = append(r.refers, r.name())
		}
		return nil, false
	case c >= '0' && c <= '9':
		r.decimal(c, inClass)
		return anything, false
	case c == 'x' || c == 'u' || c == 'c':
		var coded bool
		if c, coded = r.coded(c); !coded {
			return []rune{c, c}, false
		}
	case r.u:
		r.fail("\\%c is no escape", c)
	}
	return []rune{c, c}, true
}

// property reads {Name} or {Name=Value}. Which names there are is left to the engine.
func (r *ecma) property() {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"
	if !r.take("{") || r.while(letters+"=", endless) == "" || !r.take("}") {
		r.fail("\\p names no property in braces")
	}
}

// decimal reads \0 or a reference to a group by its number.
func (r *ecma) decimal(c rune, inClass bool) {
	number := string(c) + r.while(digits, 8)
	switch {
	case number == "0":
	case r.u && (c == '0' || inClass):
		r.fail("\\%s is no escape", number)
	case len(number) < 8:
		n := 0
		for _, d := range number {
			n = 10*n + int(d-'0')
		}
		r.backward = max(r.backward, n)
	}
}

// coded reads a character that is given by its number or as a control letter.
func (r *ecma) coded(c rune) (value rune, one bool) {
	start, found := r.pos, ""
	switch {
	case c == 'c':
		found = r.while("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", 1)
		one = found != ""
	case c == 'x':
		found = r.while(hex, 2)
		one = len(found) == 2
	case r.u && r.take("{"):
		found = strings.TrimLeft(r.while(hex, endless), "0")
		one = r.pos > start+1 && r.take("}") && (len(found) < 6 || len(found) == 6 && found[:2] == "10")
	default:
		found = r.while(hex, 4)
		one = len(found) == 4
	}
	switch {
	case one && c != 'c':
		_, _ = fmt.Sscanf("0"+found, "%x", &value)
		return value, true
	case one:
		return rune(found[0] & 31), true
	case r.u:
		r.fail("\\%c is no escape here", c)
	default:
		r.pos = start
	}
	return c, true
}

// class reads a class from behind its bracket on.
func (r *ecma) class() []rune {
	inverse := r.take("^")
	var set []rune
	for r.pos < len(r.src) && r.peek() != ']' {
		first, known := r.member()
		set = append(set, first...)
		if r.peek() != '-' || r.pos+1 >= len(r.src) || r.src[r.pos+1] == ']' {
			continue
		}
		r.pos++
		last, knownLast := r.member()
		switch {
		case known && knownLast && first[0] > last[0]:
			r.fail("the range %c-%c is out of order", first[0], last[0])
		case known && knownLast:
			set[len(set)-1] = last[0]
		case r.u && r.fault == "":
			r.fail("a range of a class begins or ends with what is no single character")
		default:
			set = append(append(set, last...), '-', '-')
		}
	}
	if !r.take("]") {
		r.fail("a class is not closed")
	}
	if inverse {
		return negated(joinedRanges(set))
	}
	return set
}

// joinedRanges is a set in order, without overlaps.
func joinedRanges(set []rune) []rune {
	var pairs [][2]rune
	for i := 0; i+1 < len(set); i += 2 {
		pairs = append(pairs, [2]rune{set[i], set[i+1]})
	}
	slices.SortFunc(pairs, func(a, b [2]rune) int { return int(a[0] - b[0]) })
	var joined []rune
	for _, p := range pairs {
		if n := len(joined); n > 0 && p[0] <= joined[n-1]+1 {
			joined[n-1] = max(joined[n-1], p[1])
		} else {
			joined = append(joined, p[0], p[1])
		}
	}
	return joined
}

func (r *ecma) member() (set []rune, single bool) {
	if r.take(`\`) {
		return r.escape(true)
	}
	c := r.peek()
	r.pos++
	return []rune{c, c}, true
}
