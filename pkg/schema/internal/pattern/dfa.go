package pattern

import (
	"encoding/binary"
	"regexp/syntax"
	"slices"
)

// The states every automaton has: found means that a match lies behind, lost that none can come any more.
const (
	found = 0
	lost  = 1
)

// A dfa is a deterministic automaton for one search, built as far as it is asked for.
type dfa struct {
	prog    *syntax.Prog
	sets    []int // by instruction: the alphabet's set it tests for
	alpha   *alphabet
	anchors bool // the search can only start at the start
	borders bool // there are word boundaries, so states remember what came before
	states  []dfaState
	index   map[string]int
	work    *int // units left, shared by the automata of one question
}

// A dfaState is the set of instructions that wait for the next code point, without the plain jumps between them.
type dfaState struct {
	waiting []uint32
	start   bool // nothing has been read
	word    bool // the code point before was a word character
	next    []int
}

func newDFA(prog *syntax.Prog, sets []int, work *int) *dfa {
	d := &dfa{prog: prog, sets: sets, index: map[string]int{}, work: work}
	d.anchors = prog.StartCond()&syntax.EmptyBeginText != 0
	for i := range prog.Inst {
		in := &prog.Inst[i]
		if in.Op == syntax.InstEmptyWidth && syntax.EmptyOp(in.Arg)&(syntax.EmptyWordBoundary|syntax.EmptyNoWordBoundary) != 0 {
			d.borders = true
		}
	}
	d.states = make([]dfaState, 2)
	return d
}

// begin returns the state in which nothing has been read.
func (d *dfa) begin() int {
	c := closure{dfa: d, start: true}
	c.add(uint32(d.prog.Start))
	return d.intern(c, false)
}

// step returns the state after a code point of the class.
func (d *dfa) step(state, class int) int {
	if state == found || state == lost {
		return state
	}
	if next := d.states[state].next; next != nil && next[class] >= 0 {
		return next[class]
	}
	from := &d.states[state]
	here := d.settle(from, d.alpha.word[class], false)
	if here.matched {
		return d.remember(state, class, found)
	}
	after := closure{dfa: d}
	for _, pc := range here.list {
		in := &d.prog.Inst[pc]
		if in.Op != syntax.InstEmptyWidth && d.alpha.member[d.sets[pc]][class] {
			after.add(in.Out)
		}
	}
	if !d.anchors {
		after.add(uint32(d.prog.Start))
	}
	return d.remember(state, class, d.intern(after, d.borders && d.alpha.word[class]))
}

func (d *dfa) remember(state, class, next int) int {
	from := &d.states[state]
	if from.next == nil {
		from.next = slices.Repeat([]int{-1}, len(d.alpha.runes))
	}
	from.next[class] = next
	return next
}

// accepts reports whether the string may end in the state.
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

func (c *closure) add(pc uint32) {
	if c.seen == nil {
		c.seen = map[uint32]bool{}
	}
	stack := []uint32{pc}
	for len(stack) > 0 {
		pc = stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		*c.dfa.work--
		if c.seen[pc] || *c.dfa.work < 0 {
			continue
		}
		c.seen[pc] = true
		stack = c.visit(pc, stack)
	}
}

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
