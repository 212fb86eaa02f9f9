package check

import (
	"fmt"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
)

// patternFault is why ECMAScript does not read a regular expression (ECMA-262 §22.2.1), with its flag u or without it
// (annex B.1.2); empty when it does, and when it is too large to be looked at. Newer syntax than an engine knows (modifiers, repeated names of groups) is no fault.
func patternFault(pattern string, u bool) string {
	if len(pattern) > maxPattern {
		return ""
	}
	r := ecma{src: []rune(pattern), u: u}
	r.named = strings.Contains(pattern, "(?<") && slices.ContainsFunc(strings.Split(pattern, "(?<")[1:], func(rest string) bool {
		return rest != "" && rest[0] != '=' && rest[0] != '!'
	})
	r.disjunction()
	if r.depth > maxGroups {
		return "" // not known
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
	return r.fault
}

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
func (r *ecma) disjunction() {
	for r.pos < len(r.src) && r.peek() != ')' {
		if r.take("|") {
			continue
		}
		if r.term() {
			r.quantifier()
		}
	}
}

// quantifier reads what may follow an atom.
func (r *ecma) quantifier() {
	switch {
	case r.take("*"), r.take("+"), r.take("?"), r.count():
		r.take("?")
	}
}

// count reads {n}, {n,} or {n,m}; what only looks like it is left where it is.
func (r *ecma) count() bool {
	start := r.pos
	if !r.take("{") {
		return false
	}
	least, most := r.while(digits, endless), ""
	if r.take(",") {
		most = r.while(digits, endless)
	}
	if least == "" || !r.take("}") {
		r.pos = start
		return false
	}
	if most != "" && fewer(most, least) {
		r.fail("the numbers of {%s,%s} are out of order", least, most)
	}
	return true
}

// fewer compares two decimal numbers of any length.
func fewer(a, b string) bool {
	a, b = strings.TrimLeft(a, "0"), strings.TrimLeft(b, "0")
	return len(a) < len(b) || len(a) == len(b) && a < b
}

// term reads an assertion or an atom, and tells whether a quantifier may follow.
func (r *ecma) term() bool {
	c := r.peek()
	r.pos++
	switch c {
	case '^', '$':
		return false
	case '(':
		return r.group()
	case '[':
		r.class()
	case '\\':
		if r.peek() == 'b' || r.peek() == 'B' {
			r.pos++
			return false
		}
		r.escape(false)
	case '*', '+', '?':
		r.fail("there is nothing that %c could repeat", c)
	case '{', '}', ']':
		if r.u {
			r.fail("%c stands alone", c)
		} else if r.pos--; r.count() {
			r.fail("there is nothing that { could repeat")
		} else {
			r.pos++
		}
	}
	return true
}

// group reads a group from behind its parenthesis on.
func (r *ecma) group() (repeatable bool) {
	repeatable = true
	switch {
	case r.take("?="), r.take("?!"):
		repeatable = !r.u
	case r.take("?<="), r.take("?<!"):
		repeatable = false
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
		return repeatable
	}
	r.disjunction()
	if !r.take(")") {
		if r.depth <= maxGroups {
			r.fail("a group is not closed")
		}
		return repeatable
	}
	r.depth--
	return repeatable
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

// escape reads an escape from behind its backslash on. one tells whether it stands for one character that is known.
func (r *ecma) escape(inClass bool) (value rune, one bool) {
	if r.pos >= len(r.src) {
		r.fail("it ends with a backslash")
		return 0, false
	}
	c := r.peek()
	r.pos++
	switch {
	case strings.ContainsRune("dDsSwW", c):
		return 0, false
	case strings.ContainsRune("fnrtv", c):
		return map[rune]rune{'f': '\f', 'n': '\n', 'r': '\r', 't': '\t', 'v': '\v'}[c], true
	case c == 'b' && inClass:
		return '\b', true
	case c == '-' && inClass, strings.ContainsRune(`^$\.*+?()[]{}|/`, c):
		return c, true
	case (c == 'p' || c == 'P') && r.u:
		r.property()
		return 0, false
	case c == 'k' && !inClass && (r.u || r.named):
		if !r.take("<") {
			r.fail("\\k names no group")
		} else {
			r.refers = append(r.refers, r.name())
		}
		return 0, false
	case c >= '0' && c <= '9':
		r.decimal(c, inClass)
		return 0, false
	case c == 'x' || c == 'u' || c == 'c':
		return r.coded(c)
	case r.u:
		r.fail("\\%c is no escape", c)
	}
	return c, true
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
func (r *ecma) class() {
	r.take("^")
	for r.pos < len(r.src) && r.peek() != ']' {
		first, known := r.member()
		if r.peek() != '-' || r.pos+1 >= len(r.src) || r.src[r.pos+1] == ']' {
			continue
		}
		r.pos++
		last, knownLast := r.member()
		switch {
		case known && knownLast && first > last:
			r.fail("the range %c-%c is out of order", first, last)
		case (!known || !knownLast) && r.u && r.fault == "":
			r.fail("a range of a class begins or ends with what is no single character")
		}
	}
	if !r.take("]") {
		r.fail("a class is not closed")
	}
}

func (r *ecma) member() (value rune, one bool) {
	if r.take(`\`) {
		return r.escape(true)
	}
	value = r.peek()
	r.pos++
	return value, true
}

// The bounds of the question whether a pattern can take exponential time.
const (
	maxStates = 400
	maxWork   = 200_000
)

// exponential tells whether a backtracking engine can need exponential time for a pattern: a text leads from a state back
// to it in two ways, and what follows may fail (Weideman and others, "Analyzing matching time behavior of backtracking
// regular expression matchers by using ambiguity of NFA", 2016). False also means that it is not known.
func exponential(pattern string) bool {
	if len(pattern) > maxPattern {
		return false
	}
	tree, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return false
	}
	program, err := syntax.Compile(tree.Simplify())
	if err != nil || len(program.Inst) > maxStates {
		return false
	}
	a := automaton{program: program, next: make([][]int, len(program.Inst)), ends: make([]bool, len(program.Inst)), work: maxWork}
	for i, inst := range program.Inst {
		if consumes(inst) {
			a.follow(int(inst.Out), i, true, map[int]bool{})
		}
	}
	for i, inst := range program.Inst {
		if consumes(inst) && !a.ends[i] && a.twofold(i) {
			return true
		}
	}
	return false
}

// automaton is a pattern as states that read a character. A state that follows another in two ways is there twice.
type automaton struct {
	program *syntax.Prog
	next    [][]int
	ends    []bool // the match is found behind the state, whatever follows
	work    int    // steps that are left
}

func consumes(inst syntax.Inst) bool {
	switch inst.Op {
	case syntax.InstRune, syntax.InstRune1, syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
		return true
	}
	return false
}

// follow notes the states that can come next, from an instruction that reads nothing; on is the way to it, and sure tells
// that nothing on it can fail.
func (a *automaton) follow(pc, from int, sure bool, on map[int]bool) {
	if a.work--; on[pc] || a.work < 0 {
		return
	}
	on[pc] = true
	defer delete(on, pc)
	inst := a.program.Inst[pc]
	switch inst.Op {
	case syntax.InstAlt, syntax.InstAltMatch:
		a.follow(int(inst.Out), from, sure, on)
		a.follow(int(inst.Arg), from, sure, on)
	case syntax.InstCapture, syntax.InstNop:
		a.follow(int(inst.Out), from, sure, on)
	case syntax.InstEmptyWidth:
		a.follow(int(inst.Out), from, false, on)
	case syntax.InstMatch:
		a.ends[from] = a.ends[from] || sure
	case syntax.InstFail:
	default:
		a.next[from] = append(a.next[from], pc)
	}
}

// twofold tells whether one text leads from a state back to itself in two ways: along pairs of states that read a
// character in common, from the pair of the state with itself over a pair of different ones, or over a doubled step.
func (a *automaton) twofold(start int) bool {
	type pair struct {
		x, y  int
		split bool // the two ways have parted
	}
	seen := map[pair]bool{}
	waiting := []pair{{start, start, false}}
	for len(waiting) > 0 {
		p := waiting[len(waiting)-1]
		waiting = waiting[:len(waiting)-1]
		for i, x := range a.next[p.x] {
			for j, y := range a.next[p.y] {
				if a.work--; a.work < 0 {
					return false
				}
				n := pair{x, y, p.split || x != y || p.x == p.y && i != j}
				if seen[n] || !a.common(x, y) {
					continue
				}
				if n.split && x == start && y == start {
					return true
				}
				seen[n] = true
				waiting = append(waiting, n)
			}
		}
	}
	return false
}

// common tells whether two states read a character in common.
func (a *automaton) common(x, y int) bool {
	one, other := ranges(a.program.Inst[x]), ranges(a.program.Inst[y])
	for i := 0; i+1 < len(one); i += 2 {
		for j := 0; j+1 < len(other); j += 2 {
			if one[i] <= other[j+1] && other[j] <= one[i+1] {
				return true
			}
		}
	}
	return false
}

// ranges are the first and last characters that a state reads, by turns.
func ranges(inst syntax.Inst) []rune {
	switch inst.Op {
	case syntax.InstRuneAny:
		return []rune{0, unicode.MaxRune}
	case syntax.InstRuneAnyNotNL:
		return []rune{0, '\n' - 1, '\n' + 1, unicode.MaxRune}
	}
	if len(inst.Rune) == 1 {
		return []rune{inst.Rune[0], inst.Rune[0]}
	}
	return inst.Rune
}
