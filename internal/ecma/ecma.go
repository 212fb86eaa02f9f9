// Package ecma reads the regular expressions of ECMAScript (ECMA-262 §22.2.1 and annex B.1.2) as trees.
package ecma

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// Mode is how a pattern is read.
type Mode int

const (
	// Plain is without the flag u (annex B.1.2).
	Plain Mode = iota
	// Unicode is with the flag u: what has no meaning is a fault.
	Unicode
	// Tolerant is with the flag u, but punctuation that has no meaning stands for itself.
	Tolerant
)

// Pattern is a regular expression that was read.
type Pattern struct {
	Tree *Node // nil with a Fault, and of what is nested too deep to be looked at
	// why ECMAScript does not read it; newer syntax than an engine knows (modifiers, repeated names of
	// groups) is none
	Fault      string
	References bool // it refers to what a group matched
}

// Node is a part of a pattern.
type Node struct {
	Op          Op
	Parts       []*Node  // of a Sequence, a Choice, a Repetition; of a lookaround what it looks for
	Least, Most int      // of a Repetition; Most < 0 = without end
	Set         []rune   // of a Character: the first and last ones of the ranges that it names, by turns
	Properties  []string // of a Character: what it names besides, as \p{L}
	Inverse     bool     // the Character is one of all others
	// of an Assertion: how it begins, as ^ or (?=; of a Sequence: flags that a group sets
	Text string
}

// Op is what a Node is.
type Op byte

// The kinds of nodes.
const (
	Character  Op = iota
	Sequence      // one part after the other
	Choice        // one of the parts; each group is one
	Repetition    // of one part
	Assertion     // reads nothing, and can fail
	Reference     // to what a group matched
)

// include adds the characters of another one.
func (n *Node) include(other *Node) {
	set := other.Set
	if other.Inverse {
		set = negated(set)
	}
	n.Set, n.Properties = append(n.Set, set...), append(n.Properties, other.Properties...)
}

func one(c rune) *Node { return &Node{Set: []rune{c, c}} }

// Read reads a pattern.
func Read(pattern string, mode Mode) Pattern {
	r := reader{src: []rune(pattern), mode: mode}
	r.named = strings.Contains(pattern, "(?<") &&
		slices.ContainsFunc(strings.Split(pattern, "(?<")[1:], func(rest string) bool {
			return rest != "" && rest[0] != '=' && rest[0] != '!'
		})
	tree := r.disjunction()
	if r.depth > maxGroups {
		return Pattern{}
	}
	if r.pos < len(r.src) {
		r.fail("a ) closes no group")
	}
	if mode != Plain && r.backward > r.groups {
		r.fail("\\%d refers to a group that is not there", r.backward)
	}
	if slices.ContainsFunc(r.refers, func(name string) bool { return !slices.Contains(r.names, name) }) {
		r.fail("\\k refers to no group")
	}
	if r.fault != "" {
		tree = nil
	}
	return Pattern{tree, r.fault, r.references}
}

// reader reads one pattern.
type reader struct {
	src           []rune
	pos           int
	mode          Mode
	named         bool // there is a named group, so that \k is no letter
	groups        int
	depth         int // of groups inside one another
	backward      int // the greatest number that is referred to
	names, refers []string
	references    bool
	fault         string
}

const (
	maxGroups = 1000 // inside one another; what is deeper is not looked at
	endless   = math.MaxInt32

	digits  = "0123456789"
	hex     = digits + "abcdefABCDEF"
	letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
)

func (r *reader) fail(format string, args ...any) {
	if r.fault == "" {
		r.fault = fmt.Sprintf(format, args...)
	}
	r.pos = len(r.src)
}

func (r *reader) peek() rune {
	if r.pos < len(r.src) {
		return r.src[r.pos]
	}
	return 0
}

// take skips a text if it stands here.
func (r *reader) take(text string) bool {
	n := len(text) // ASCII
	if r.pos+n > len(r.src) || string(r.src[r.pos:r.pos+n]) != text {
		return false
	}
	r.pos += n
	return true
}

// while skips characters of a set, at most so many, and is what was skipped.
func (r *reader) while(set string, most int) string {
	start := r.pos
	for r.pos < len(r.src) && r.pos-start < most && strings.ContainsRune(set, r.src[r.pos]) {
		r.pos++
	}
	return string(r.src[start:r.pos])
}

// disjunction reads alternatives up to the end or to a closing parenthesis.
func (r *reader) disjunction() *Node {
	all := &Node{Op: Choice}
	for next := true; next; next = r.take("|") {
		words := &Node{Op: Sequence}
		for r.pos < len(r.src) && r.peek() != ')' && r.peek() != '|' {
			atom, repeatable := r.term()
			if repeatable {
				atom = r.quantifier(atom)
			}
			words.Parts = append(words.Parts, atom)
		}
		all.Parts = append(all.Parts, words)
	}
	return all
}

// quantifier reads what may follow an atom. Whether it is lazy changes what a match captures, not whether
// there is one.
func (r *reader) quantifier(atom *Node) *Node {
	repeated := &Node{Op: Repetition, Parts: []*Node{atom}, Most: -1}
	switch {
	case r.take("*"):
	case r.take("+"):
		repeated.Least = 1
	case r.take("?"):
		repeated.Most = 1
	default:
		least, most, counted := r.count()
		if !counted {
			return atom
		}
		repeated.Least, repeated.Most = least, most
	}
	r.take("?")
	return repeated
}

// count reads {n}, {n,} or {n,m}; what only looks like it is left where it is.
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
		return endless
	}
	return n
}

// fewer compares two decimal numbers of any length.
func fewer(a, b string) bool {
	a, b = strings.TrimLeft(a, "0"), strings.TrimLeft(b, "0")
	return len(a) < len(b) || len(a) == len(b) && a < b
}

// term reads an assertion or an atom, and tells whether a quantifier may follow.
func (r *reader) term() (atom *Node, repeatable bool) {
	c := r.peek()
	r.pos++
	switch c {
	case '^', '$':
		return &Node{Op: Assertion, Text: string(c)}, false
	case '(':
		return r.group()
	case '[':
		return r.class(), true
	case '.':
		return &Node{Set: lineEnds, Inverse: true}, true
	case '\\':
		if r.take("b") || r.take("B") {
			return &Node{Op: Assertion, Text: string(r.src[r.pos-2 : r.pos])}, false
		}
		atom, _ = r.escape(false)
		return atom, true
	case '*', '+', '?':
		r.fail("there is nothing that %c could repeat", c)
	case '{', '}', ']':
		if r.mode == Unicode {
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
func (r *reader) group() (inside *Node, repeatable bool) {
	start := r.pos - 1
	asserts, flags := "", ""
	switch repeatable = true; {
	case r.take("?="), r.take("?!"):
		repeatable, asserts = r.mode == Plain, string(r.src[start:r.pos])
	case r.take("?<="), r.take("?<!"):
		repeatable, asserts = false, string(r.src[start:r.pos])
	case r.take("?:"):
	case r.take("?<"):
		r.groups++
		r.names = append(r.names, r.name())
	case r.take("?"):
		flags = r.while("ims-", endless)
		if flags == "" || strings.Count(flags, "-") > 1 || !r.take(":") {
			r.fail("(?%s begins no group of ECMAScript", string(r.src[start+2:min(start+3, len(r.src))]))
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
	switch r.depth--; {
	case asserts != "":
		inside = &Node{Op: Assertion, Text: asserts, Parts: []*Node{inside}}
	case flags != "":
		inside = &Node{Op: Sequence, Text: flags, Parts: []*Node{inside}}
	}
	return inside, repeatable
}

// name reads the name of a group up to its >.
func (r *reader) name() string {
	start := r.pos
	for r.pos < len(r.src) && r.peek() != '>' {
		c := r.peek()
		if !(unicode.IsLetter(c) || c == '_' || c == '$' || c == '\\' ||
			r.pos > start && (unicode.IsDigit(c) || unicode.IsMark(c))) {
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
