package ecma

import (
	"strconv"
	"strings"
	"unicode"
)

// Characters that one sign stands for, in order.
var (
	decimalDigits  = []rune{'0', '9'}
	wordCharacters = []rune{'0', '9', 'A', 'Z', '_', '_', 'a', 'z'}
	whiteSpace     = []rune{'\t', '\r', ' ', ' ', 0xA0, 0xA0, 0x1680, 0x1680, 0x2000, 0x200A, 0x2028, 0x2029,
		0x202F, 0x202F, 0x205F, 0x205F, 0x3000, 0x3000, 0xFEFF, 0xFEFF}
	lineEnds = []rune{'\n', '\n', '\r', '\r', 0x2028, 0x2029}
)

// escape reads an escape from behind its backslash on, and whether it is a single character.
func (r *reader) escape(inClass bool) (atom *Node, single bool) {
	if r.pos >= len(r.src) {
		r.fail("it ends with a backslash")
		return &Node{}, false
	}
	c := r.peek()
	r.pos++
	if i := strings.IndexRune("dDwWsS", c); i >= 0 {
		return &Node{Set: [][]rune{decimalDigits, wordCharacters, whiteSpace}[i/2], Inverse: i%2 == 1}, false
	}
	if i := strings.IndexRune("fnrtv", c); i >= 0 {
		return one([]rune("\f\n\r\t\v")[i]), true
	}
	switch {
	case c == 'b' && inClass:
		c = '\b'
	case c == '-' && inClass, strings.ContainsRune(`^$\.*+?()[]{}|/`, c):
	case (c == 'p' || c == 'P') && r.mode != Plain:
		return r.property(), false
	case c == 'k' && !inClass && (r.mode != Plain || r.named):
		if r.references = true; !r.take("<") {
			r.fail("\\k names no group")
		} else {
			r.refers = append(r.refers, r.name())
		}
		return &Node{Op: Reference}, false
	case c >= '0' && c <= '9':
		return r.decimal(c, inClass)
	case c == 'x' || c == 'u' || c == 'c':
		c = r.coded(c)
	case r.mode == Unicode || r.mode == Tolerant && (unicode.IsLetter(c) || unicode.IsDigit(c)):
		r.fail("\\%c is no escape", c)
	}
	return one(c), true
}

// property reads {Name} or {Name=Value}. Which names there are is left to the engine.
func (r *reader) property() *Node {
	start := r.pos - 2
	if !r.take("{") || r.while(letters+digits+"_=", endless) == "" || !r.take("}") {
		r.fail("\\p names no property in braces")
	}
	return &Node{Properties: []string{string(r.src[start:r.pos])}}
}

// decimal reads \0 or a reference to a group by its number.
func (r *reader) decimal(c rune, inClass bool) (atom *Node, single bool) {
	number := string(c) + r.while(digits, 8)
	switch {
	case number == "0":
		return one(0), true
	case r.mode != Plain && (c == '0' || inClass):
		r.fail("\\%s is no escape", number)
	case len(number) < 8:
		n, _ := strconv.Atoi(number) // of digits alone
		r.backward = max(r.backward, n)
	}
	r.references = true
	return &Node{Op: Reference}, false
}

// coded reads a character that is given by its number or as a control letter; what only looks like one stands
// for itself.
func (r *reader) coded(c rune) rune {
	start, value, ok := r.pos, rune(0), false
	switch {
	case c == 'c':
		if letter := r.while(letters, 1); letter != "" {
			value, ok = rune(letter[0]&31), true
		}
	case c == 'x':
		value, ok = r.unit(2)
	case r.mode != Plain && r.take("{"):
		text := r.while(hex, endless)
		n, err := strconv.ParseUint(text, 16, 64)
		value, ok = rune(n), r.take("}") && (err == nil && n <= unicode.MaxRune)
	default:
		value, ok = r.unit(4)
		// two of them are one character
		if low := r.pos; ok && r.mode != Plain && value >= 0xd800 && value < 0xdc00 && r.take(`\u`) {
			if second, paired := r.unit(4); paired && second >= 0xdc00 && second < 0xe000 {
				return (value-0xd800)<<10 + (second - 0xdc00) + 0x10000
			}
			r.pos = low
		}
	}
	if ok {
		return value
	}
	if r.pos = start; r.mode != Plain {
		r.fail("\\%c is no escape here", c)
	}
	return c
}

func (r *reader) unit(size int) (rune, bool) {
	text := r.while(hex, size)
	n, err := strconv.ParseUint(text, 16, 32)
	return rune(n), err == nil && len(text) == size
}

func (r *reader) class() *Node {
	all := &Node{Inverse: r.take("^")}
	for r.pos < len(r.src) && r.peek() != ']' {
		first, single := r.member()
		if r.peek() == '-' && r.pos+1 < len(r.src) && r.src[r.pos+1] != ']' {
			r.pos++
			last, lastSingle := r.member()
			switch {
			case single && lastSingle && first.Set[0] > last.Set[0]:
				r.fail("the range %c-%c is out of order", first.Set[0], last.Set[0])
			case single && lastSingle:
				first.Set[1] = last.Set[0]
			case r.mode == Unicode:
				r.fail("a range of a class begins or ends with what is no single character")
			default:
				all.include(last)
				all.include(one('-'))
			}
		}
		all.include(first)
	}
	if !r.take("]") {
		r.fail("a class is not closed")
	}
	return all
}

func (r *reader) member() (atom *Node, single bool) {
	if r.take(`\`) {
		return r.escape(true)
	}
	c := r.peek()
	r.pos++
	return one(c), true
}

// negated are the characters that are not in a set, which is in order and has no overlaps.
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
