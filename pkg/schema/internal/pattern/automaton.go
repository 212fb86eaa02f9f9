package pattern

import (
	"encoding/binary"
	"regexp/syntax"
	"slices"
	"unicode"

	"github.com/mcpctl/mcpctl/internal/kit"
)

// The states every automaton has: found means that a match lies behind, lost that none can come any more.
const (
	found = 0
	lost  = 1
)

// A dfa is a deterministic automaton for one search, built as far as it is asked for.
type dfa struct {
	prog     *syntax.Prog
	alphabet []rune
	anchors  bool // the search can only start at the start
	borders  bool // there are word boundaries, so states remember what came before
	states   []dfaState
	index    map[string]int
	work     *int // units left, shared by the automata of one question
}

// A dfaState is the set of instructions that wait for the next code point, without the plain jumps between
// them.
type dfaState struct {
	waiting []uint32
	start   bool // nothing has been read
	word    bool // the code point before was a word character
	next    []int
}

// newDFA returns an automaton with the two fixed states only. Its alphabet is set later, when those of all
// automata in one question are known.
func newDFA(prog *syntax.Prog, work *int) *dfa {
	d := &dfa{prog: prog, index: map[string]int{}, work: work}
	d.anchors = prog.StartCond()&syntax.EmptyBeginText != 0
	for i := range prog.Inst {
		in := &prog.Inst[i]
		if in.Op == syntax.InstEmptyWidth &&
			syntax.EmptyOp(in.Arg)&(syntax.EmptyWordBoundary|syntax.EmptyNoWordBoundary) != 0 {
			d.borders = true
		}
	}
	d.states = make([]dfaState, 2)
	return d
}

func (d *dfa) begin() int {
	c := closure{dfa: d, start: true}
	c.add(uint32(d.prog.Start))
	return d.intern(c, false)
}

// step returns the state after one code point of a class, and builds it when it is first asked for. A search
// that is not anchored may begin a match at each position.
func (d *dfa) step(state, class int) int {
	if state == found || state == lost {
		return state
	}
	if next := d.states[state].next; next != nil && next[class] >= 0 {
		return next[class]
	}
	from := &d.states[state]
	c := d.alphabet[class]
	here := d.settle(from, syntax.IsWordChar(c), false)
	if here.matched {
		return d.remember(state, class, found)
	}
	after := closure{dfa: d}
	for _, pc := range here.list {
		in := &d.prog.Inst[pc]
		if in.Op != syntax.InstEmptyWidth && in.MatchRune(c) {
			after.add(in.Out)
		}
	}
	if !d.anchors {
		after.add(uint32(d.prog.Start))
	}
	return d.remember(state, class, d.intern(after, d.borders && syntax.IsWordChar(c)))
}

// remember records a transition and returns where it leads. The table of a state is made with its first
// transition, and counts as work.
func (d *dfa) remember(state, class, next int) int {
	from := &d.states[state]
	if from.next == nil {
		*d.work -= len(d.alphabet)
		from.next = slices.Repeat([]int{-1}, len(d.alphabet))
	}
	from.next[class] = next
	return next
}

func (d *dfa) accepts(state int) bool {
	if state == found || state == lost {
		return state == found
	}
	return d.settle(&d.states[state], false, true).matched
}

// settle follows the assertions of a state that hold before the next code point or at the end.
func (d *dfa) settle(from *dfaState, nextIsWord, end bool) closure {
	c := closure{dfa: d, holds: d.conditions(from, nextIsWord, end), settling: true}
	for _, pc := range from.waiting {
		c.add(pc)
	}
	return c
}

// conditions returns the assertions that hold between the last code point and the next one, or at the end. A
// line is the whole text, as in ECMA-262 without the flag m.
func (d *dfa) conditions(from *dfaState, nextIsWord, end bool) syntax.EmptyOp {
	holds := syntax.EmptyNoWordBoundary
	if from.word != nextIsWord {
		holds = syntax.EmptyWordBoundary
	}
	if from.start {
		holds |= syntax.EmptyBeginText | syntax.EmptyBeginLine
	}
	if end {
		holds |= syntax.EmptyEndText | syntax.EmptyEndLine
	}
	return holds
}

// intern returns the number of the state for a closure, a new one if no state has the same instructions and
// the same past.
func (d *dfa) intern(c closure, word bool) int {
	switch {
	case c.matched:
		return found
	case len(c.list) == 0:
		return lost
	}
	slices.Sort(c.list)
	key := make([]byte, 0, 4*len(c.list)+2)
	for _, pc := range c.list {
		key = binary.LittleEndian.AppendUint32(key, pc)
	}
	key = append(key, bit(c.start), bit(word))
	if i, ok := d.index[string(key)]; ok {
		return i
	}
	d.states = append(d.states, dfaState{waiting: c.list, start: c.start, word: word})
	d.index[string(key)] = len(d.states) - 1
	return len(d.states) - 1
}

func bit(b bool) byte {
	if b {
		return 1
	}
	return 0
}

// A closure is a set of instructions reached without reading. Assertions wait in it until it is settled.
type closure struct {
	dfa      *dfa
	start    bool
	settling bool
	holds    syntax.EmptyOp
	seen     map[uint32]bool
	list     []uint32
	matched  bool
}

// add follows the jumps from an instruction and adds all that wait for a code point. It has a stack of its
// own, since patterns decide the depth; once the work is spent, the closure is not complete.
func (c *closure) add(pc uint32) {
	if c.seen == nil {
		c.seen = map[uint32]bool{}
	}
	stack := []uint32{pc}
	for len(stack) > 0 {
		pc = stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		*c.dfa.work -= 4
		if c.seen[pc] || *c.dfa.work < 0 {
			continue
		}
		c.seen[pc] = true
		stack = c.visit(pc, stack)
	}
}

// visit looks at one instruction: it records a match or an instruction that waits, and pushes the targets of
// plain jumps.
func (c *closure) visit(pc uint32, stack []uint32) []uint32 {
	in := &c.dfa.prog.Inst[pc]
	switch in.Op {
	case syntax.InstMatch:
		c.matched = true
	case syntax.InstAlt, syntax.InstAltMatch:
		return append(stack, in.Out, in.Arg)
	case syntax.InstCapture, syntax.InstNop:
		return append(stack, in.Out)
	case syntax.InstEmptyWidth:
		return c.assertion(pc, in, stack)
	case syntax.InstRune, syntax.InstRune1, syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
		c.list = append(c.list, pc)
	}
	return stack
}

// assertion keeps an assertion in the closure until what follows is known, and follows it if it holds then.
// One about the start is dropped as soon as something was read: it can never hold again.
func (c *closure) assertion(pc uint32, in *syntax.Inst, stack []uint32) []uint32 {
	needs := syntax.EmptyOp(in.Arg)
	if c.settling {
		if needs&^c.holds == 0 {
			return append(stack, in.Out)
		}
		return stack
	}
	if c.start || needs&syntax.EmptyBeginText == 0 {
		c.list = append(c.list, pc)
	}
	return stack
}

// alphabetOf returns a code point of each class of those that automata do not distinguish, the most readable
// first, so that a search that takes the first way finds the most readable string.
func alphabetOf(dfas []*dfa, work *int) []rune {
	var sets []*syntax.Inst
	known := map[string]bool{}
	cuts := []rune{0, '0', '9' + 1, 'A', 'Z' + 1, '_', '_' + 1, 'a', 'z' + 1, 0xe000}
	for _, d := range dfas {
		for i := range d.prog.Inst {
			in := &d.prog.Inst[i]
			if *work -= len(in.Rune); known[string(in.Rune)] || len(in.Rune) == 0 {
				continue
			}
			known[string(in.Rune)] = true
			sets = append(sets, in)
			for k := 0; k < len(in.Rune); k += 2 { // one rune is a range of itself
				cuts = append(cuts, in.Rune[k], in.Rune[min(k+1, len(in.Rune)-1)]+1)
			}
		}
	}
	if *work -= (len(favourites) + 2*len(cuts)) * (2 + len(sets)); *work < 0 {
		return nil
	}
	slices.Sort(cuts)
	cuts = slices.Compact(cuts)
	printing := kit.Filter(cuts, func(c rune) bool { return c > ' ' && unicode.IsPrint(c) })
	var alphabet []rune
	seen := map[string]bool{}
	for _, c := range slices.Concat(favourites, printing, cuts) {
		if c >= 0xd800 && c < 0xe000 || c > unicode.MaxRune {
			continue
		}
		class := []byte{bit(syntax.IsWordChar(c))}
		for _, in := range sets {
			class = append(class, bit(in.MatchRune(c)))
		}
		if !seen[string(class)] {
			seen[string(class)] = true
			alphabet = append(alphabet, c)
		}
	}
	return alphabet
}

// favourites are the code points that read best.
var favourites = []rune("abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-_. " +
	"/:@,+=!?#%&*()<>[]{};'\"$^|~`\\")
