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
	prog    *syntax.Prog
	negated bool // what is looked for does not match
	borders bool // there are word boundaries, so states remember what came before
	work    *int // units left, shared by the automata of one question
}

// A state is the set of instructions that wait for the next code point or for assertions.
type state struct {
	found   bool // a match lies behind
	before  rune // one like the code point before, as far as assertions distinguish them; or noRune
	waiting []uint32
}

// noRune stands for the code point before the beginning or behind the end, as in [syntax.EmptyOpContext].
const noRune rune = -1

// The assertions that are open until the next code point is known: inside the text, and at its beginning.
const (
	border     = syntax.EmptyWordBoundary | syntax.EmptyNoWordBoundary
	openInside = border | syntax.EmptyEndText
	openFirst  = openInside | syntax.EmptyBeginText
)

func isBorder(in syntax.Inst) bool {
	return in.Op == syntax.InstEmptyWidth && syntax.EmptyOp(in.Arg)&border != 0
}

// decided reports whether no continuation changes whether there is a match.
func (s state) decided() bool { return s.found || len(s.waiting) == 0 }

func (a *automaton) begin() state {
	waiting, found := a.follow([]uint32{uint32(a.prog.Start)}, 0, openFirst)
	return state{found: found, before: noRune, waiting: waiting}
}

// step returns the state after one code point. A match may begin at each position.
func (a *automaton) step(s state, c rune) state {
	if s.decided() {
		return s
	}
	here, found := a.follow(s.waiting, syntax.EmptyOpContext(s.before, c), 0)
	if found {
		return state{found: true}
	}
	after := []uint32{uint32(a.prog.Start)}
	for _, pc := range here {
		if in := &a.prog.Inst[pc]; in.MatchRune(c) {
			after = append(after, in.Out)
		}
	}
	waiting, found := a.follow(after, 0, openInside)
	if found || len(waiting) == 0 {
		return state{found: found}
	}
	before := ' '
	if a.borders && syntax.IsWordChar(c) {
		before = 'a'
	}
	return state{before: before, waiting: waiting}
}

// accepts reports whether the pattern matches a text that ends here.
func (a *automaton) accepts(s state) bool {
	_, found := a.follow(s.waiting, syntax.EmptyOpContext(s.before, noRune), 0)
	return s.found || found
}

// follow follows the jumps from some instructions to those that wait for a code point, sorted, and reports
// whether a match is among them. Assertions that do not hold wait as well if they are open. Once the work is
// spent, the answer is not complete.
func (a *automaton) follow(from []uint32, holds, open syntax.EmptyOp) (waiting []uint32, found bool) {
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
			switch needed := syntax.EmptyOp(in.Arg); {
			case needed&^holds == 0:
				stack = append(stack, in.Out)
			case needed&^open == 0:
				waiting = append(waiting, pc)
			}
		case syntax.InstRune, syntax.InstRune1, syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
			waiting = append(waiting, pc)
		}
	}
	slices.Sort(waiting)
	return waiting, found
}

// A node is a string with the states that it leads to.
type node struct {
	states []state // of each automaton
	from   int     // the node before it on a shortest way
	via    rune    // what was read last on that way
}

// search looks for a shortest string that matches all of some patterns and none of others. It runs their
// automata side by side, breadth first.
func search(all, none []*Pattern, work *int) (string, Answer) {
	var automata []*automaton
	for i, p := range slices.Concat(all, none) {
		if *work -= p.size; *work < 0 {
			return "", Unknown
		}
		borders := slices.ContainsFunc(p.prog().Inst, isBorder)
		automata = append(automata, &automaton{p.prog(), i >= len(all), borders, work})
	}
	alphabet := alphabetOf(automata, work)
	begin := kit.Map(automata, (*automaton).begin)
	nodes := []node{{states: begin, from: -1}}
	seen := map[string]bool{keyOf(begin): true}
	for i := 0; i < len(nodes); i++ {
		states := nodes[i].states
		accepted, hopeless := true, false
		for k, a := range automata {
			accepted = accepted && a.accepts(states[k]) != a.negated
			hopeless = hopeless || states[k].decided() && states[k].found == a.negated
		}
		// the last states may lack ways, and then accept too much or too little
		if *work < 0 || len(nodes) > maxStates {
			return "", Unknown
		}
		if accepted {
			return spelled(nodes, i), Yes
		}
		if hopeless {
			continue
		}
		for _, c := range alphabet {
			*work -= 4*len(automata) + 4
			next := make([]state, len(automata))
			for k, a := range automata {
				next[k] = a.step(states[k], c)
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
		key = append(key, bit(s.found), byte(s.before))
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
func alphabetOf(automata []*automaton, work *int) []rune {
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
