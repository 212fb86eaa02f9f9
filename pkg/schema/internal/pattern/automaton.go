package pattern

import (
	"encoding/binary"
	"regexp/syntax"
	"slices"
	"unicode"

	"github.com/mcpctl/mcpctl/internal/kit"
)

// An automaton runs a pattern.
type automaton struct {
	prog     *syntax.Prog
	negated  bool // what is looked for does not match
	anchored bool // the search can only start at the start
	borders  bool // there are word boundaries, so states remember what came before
	work     *int // units left, shared by the automata of one question
}

// A state is the set of instructions that wait for the next code point or for assertions. Without any, no
// match can come any more.
type state struct {
	found   bool // a match lies behind
	start   bool // nothing has been read
	word    bool // the code point before was a word character
	waiting []uint32
}

func newAutomaton(p *Pattern, negated bool, work *int) automaton {
	a := automaton{prog: p.prog(), negated: negated, work: work}
	a.anchored = a.prog.StartCond()&syntax.EmptyBeginText != 0
	a.borders = slices.ContainsFunc(a.prog.Inst, func(in syntax.Inst) bool {
		return in.Op == syntax.InstEmptyWidth &&
			syntax.EmptyOp(in.Arg)&(syntax.EmptyWordBoundary|syntax.EmptyNoWordBoundary) != 0
	})
	return a
}

func (a *automaton) begin() state {
	waiting, found := a.follow([]uint32{uint32(a.prog.Start)}, 0, true)
	return state{found: found, start: true, waiting: waiting}
}

// step returns the state after one code point. A search that is not anchored may begin a match at each
// position.
func (a *automaton) step(s state, c rune) state {
	if s.found || len(s.waiting) == 0 {
		return s
	}
	here, found := a.settle(s, syntax.IsWordChar(c), false)
	if found {
		return state{found: true}
	}
	var after []uint32
	for _, pc := range here {
		if in := &a.prog.Inst[pc]; in.MatchRune(c) {
			after = append(after, in.Out)
		}
	}
	if !a.anchored {
		after = append(after, uint32(a.prog.Start))
	}
	waiting, found := a.follow(after, 0, true)
	if found {
		return state{found: true}
	}
	return state{word: a.borders && syntax.IsWordChar(c), waiting: waiting}
}

func (a *automaton) accepts(s state) bool {
	_, found := a.settle(s, false, true)
	return s.found || found
}

// settle follows the assertions of a state that hold before the next code point or at the end. A line is the
// whole text, as in ECMA-262 without the flag m.
func (a *automaton) settle(s state, nextIsWord, end bool) (waiting []uint32, found bool) {
	holds := syntax.EmptyNoWordBoundary
	if s.word != nextIsWord {
		holds = syntax.EmptyWordBoundary
	}
	if s.start {
		holds |= syntax.EmptyBeginText | syntax.EmptyBeginLine
	}
	if end {
		holds |= syntax.EmptyEndText | syntax.EmptyEndLine
	}
	return a.follow(s.waiting, holds, false)
}

// follow follows the jumps from some instructions to those that wait for a code point, sorted, and reports
// whether a match is among them. Assertions that do not hold are kept if it is not known yet whether they do.
// Once the work is spent, the answer is not complete.
func (a *automaton) follow(from []uint32, holds syntax.EmptyOp, keep bool) (waiting []uint32, found bool) {
	seen := map[uint32]bool{}
	for stack := slices.Clone(from); len(stack) > 0; {
		pc := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		*a.work -= 4
		if seen[pc] || *a.work < 0 {
			continue
		}
		seen[pc] = true
		switch in := &a.prog.Inst[pc]; in.Op {
		case syntax.InstMatch:
			found = true
		case syntax.InstAlt, syntax.InstAltMatch:
			stack = append(stack, in.Out, in.Arg)
		case syntax.InstCapture, syntax.InstNop:
			stack = append(stack, in.Out)
		case syntax.InstEmptyWidth:
			if syntax.EmptyOp(in.Arg)&^holds == 0 {
				stack = append(stack, in.Out)
			} else if keep {
				waiting = append(waiting, pc)
			}
		case syntax.InstRune, syntax.InstRune1, syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
			waiting = append(waiting, pc)
		}
	}
	slices.Sort(waiting)
	return waiting, found
}

// A search looks for a string that matches all of some patterns and none of others. It runs their automata
// side by side.
type search struct {
	automata []automaton
	alphabet []rune
	work     *int // units left
}

func newSearch(all, none []*Pattern, work *int) *search {
	m := &search{work: work}
	for i, p := range slices.Concat(all, none) {
		if *work -= p.size; *work < 0 {
			return m
		}
		m.automata = append(m.automata, newAutomaton(p, i >= len(all), work))
	}
	m.alphabet = alphabetOf(m.automata, work)
	return m
}

// accepts reports whether a string that ends in these states is looked for.
func (m *search) accepts(states []state) bool {
	for i, a := range m.automata {
		if a.accepts(states[i]) == a.negated {
			return false
		}
	}
	return true
}

// hopeless reports whether no continuation can lead to a string that is looked for.
func (m *search) hopeless(states []state) bool {
	for i, s := range states {
		if (s.found || len(s.waiting) == 0) && s.found == m.automata[i].negated {
			return true
		}
	}
	return false
}

// A node is a string with the states that it leads to.
type node struct {
	states []state // of each automaton
	from   int     // the node before it on a shortest way
	via    rune    // what was read last on that way
}

// shortest looks for a shortest string, breadth first.
func (m *search) shortest() (string, Answer) {
	if *m.work < 0 {
		return "", Unknown
	}
	begin := kit.Map(m.automata, func(a automaton) state { return a.begin() })
	nodes := []node{{states: begin, from: -1}}
	seen := map[string]bool{keyOf(begin): true}
	for i := 0; i < len(nodes); i++ {
		at := nodes[i]
		accepted := m.accepts(at.states)
		// the last states may lack ways, and then accept too much or too little
		if *m.work < 0 || len(nodes) > maxStates {
			return "", Unknown
		}
		if accepted {
			return spelled(nodes, i), Yes
		}
		if m.hopeless(at.states) {
			continue
		}
		for _, c := range m.alphabet {
			*m.work -= 4*len(m.automata) + 4
			next := make([]state, len(m.automata))
			for k := range m.automata {
				next[k] = m.automata[k].step(at.states[k], c)
			}
			if key := keyOf(next); !seen[key] {
				seen[key] = true
				nodes = append(nodes, node{next, i, c})
			}
		}
	}
	return "", No
}

func keyOf(states []state) string {
	var key []byte
	for _, s := range states {
		key = append(key, bit(s.found), bit(s.start), bit(s.word))
		key = binary.LittleEndian.AppendUint32(key, uint32(len(s.waiting)))
		for _, pc := range s.waiting {
			key = binary.LittleEndian.AppendUint32(key, pc)
		}
	}
	return string(key)
}

func bit(b bool) byte {
	if b {
		return 1
	}
	return 0
}

// spelled returns the string that leads to a node.
func spelled(nodes []node, n int) string {
	var runes []rune
	for ; nodes[n].from >= 0; n = nodes[n].from {
		runes = append(runes, nodes[n].via)
	}
	slices.Reverse(runes)
	return string(runes)
}

// alphabetOf returns a code point of each class of those that automata do not distinguish, the most readable
// first, so that a search that takes the first way finds the most readable string.
func alphabetOf(automata []automaton, work *int) []rune {
	var sets []*syntax.Inst
	known := map[string]bool{}
	cuts := []rune{0, '0', '9' + 1, 'A', 'Z' + 1, '_', '_' + 1, 'a', 'z' + 1, 0xe000}
	for _, a := range automata {
		for i := range a.prog.Inst {
			in := &a.prog.Inst[i]
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
