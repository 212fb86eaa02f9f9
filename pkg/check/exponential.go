package check

import (
	"github.com/mcpctl/mcpctl/internal/ecma"
	"github.com/mcpctl/mcpctl/pkg/schema"
)

// The bounds of the question whether a pattern can take exponential time.
const (
	maxStates = 400
	maxWork   = 200_000
	workUnits = 8 // of work on a pattern, in a step of a pool
)

const maxPattern = 16 << 10

// readPattern is a pattern as it is read; the zero value of one that is too large.
func readPattern(pattern string, mode ecma.Mode) ecma.Pattern {
	if len(pattern) > maxPattern {
		return ecma.Pattern{}
	}
	return ecma.Read(pattern, mode)
}

// exponential tells whether a backtracking engine can need exponential time for a pattern: a text leads from a state back to
// it in two ways, and what follows may fail (Weideman and others, "Analyzing matching time behavior of backtracking regular
// expression matchers by using ambiguity of NFA", 2016). States are the pattern's characters (Glushkov's automaton),
// unsimplified, as engines have them. False also where it is not known, as with an empty pool.
func exponential(pattern string, pool *schema.Pool) bool {
	if pool.Left <= 0 {
		return false
	}
	read := readPattern(pattern, ecma.Unicode)
	if read.Tree == nil || read.References {
		read = readPattern(pattern, ecma.Plain)
	}
	if read.Tree == nil || read.References { // what a reference matches is not known
		return false
	}
	a := automaton{work: maxWork}
	defer func() { pool.Left -= (maxWork-max(a.work, 0))/workUnits + len(pattern) }()
	whole := a.add(read.Tree)
	ends := make([]bool, len(a.sets)) // the match is found behind the state, whatever follows
	for _, l := range whole.last {
		ends[l.state] = ends[l.state] || l.sure
	}
	for i := range a.sets {
		if a.work > 0 && !ends[i] && a.twofold(i) {
			return true
		}
	}
	return false
}

// automaton is a pattern as states that read a character. A state that follows another in two ways is there twice.
type automaton struct {
	sets [][]rune // what each state reads
	next [][]int
	work int // steps that are left
}

// fragment is a part of a pattern in an automaton.
type fragment struct {
	first        []int  // the states that it can begin with
	last         []exit // and those that it can end with
	empty, clear bool   // it can read nothing; and nothing on that way can fail
}

// exit is a state behind which a fragment can end; sure tells that nothing on the way to the end can fail.
type exit struct {
	state int
	sure  bool
}

// add makes states of a part of a pattern.
func (a *automaton) add(n *ecma.Node) fragment {
	if a.work--; a.work < 0 || len(a.sets) > maxStates {
		a.work = 0
		return fragment{}
	}
	whole := fragment{empty: true, clear: true}
	switch n.Op {
	case ecma.Character:
		a.sets, a.next = append(a.sets, n.Characters()), append(a.next, nil)
		state := len(a.sets) - 1
		return fragment{first: []int{state}, last: []exit{{state, true}}}
	case ecma.Assertion:
		whole.clear = false
	case ecma.Sequence:
		for _, part := range n.Parts {
			whole = a.join(whole, a.add(part))
		}
	case ecma.Choice:
		whole.empty, whole.clear = false, false
		for _, part := range n.Parts {
			one := a.add(part)
			whole.first, whole.last = append(whole.first, one.first...), append(whole.last, one.last...)
			whole.empty, whole.clear = whole.empty || one.empty, whole.clear || one.clear
		}
	case ecma.Repetition:
		return a.repeat(n)
	}
	return whole
}

// repeat writes a repetition out: what must be there, and then a loop, or what may be there inside one another.
func (a *automaton) repeat(n *ecma.Node) fragment {
	whole, rest := fragment{empty: true, clear: true}, fragment{empty: true, clear: true}
	must := n.Least
	if n.Most < 0 {
		must = max(0, n.Least-1)
		rest = a.add(n.Parts[0])
		a.link(rest.last, rest.first)
		rest.empty, rest.clear = rest.empty || n.Least == 0, rest.clear || n.Least == 0
	}
	for i := n.Least; i < n.Most && a.work > 0; i++ {
		rest = a.join(a.add(n.Parts[0]), rest)
		rest.empty, rest.clear = true, true
	}
	for i := 0; i < must && a.work > 0; i++ {
		whole = a.join(whole, a.add(n.Parts[0]))
	}
	return a.join(whole, rest)
}

func (a *automaton) join(x, y fragment) fragment {
	a.link(x.last, y.first)
	whole := fragment{first: x.first, last: y.last, empty: x.empty && y.empty, clear: x.clear && y.clear}
	if x.empty {
		whole.first = append(append([]int{}, x.first...), y.first...)
	}
	if y.empty {
		whole.last = append([]exit{}, y.last...)
		for _, l := range x.last {
			whole.last = append(whole.last, exit{l.state, l.sure && y.clear})
		}
	}
	return whole
}

func (a *automaton) link(from []exit, to []int) {
	for _, l := range from {
		if a.work -= len(to); a.work < 0 {
			return
		}
		a.next[l.state] = append(a.next[l.state], to...)
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
				if seen[n] || !overlap(a.sets[x], a.sets[y]) {
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

func overlap(one, other []rune) bool {
	for i := 0; i+1 < len(one); i += 2 {
		for j := 0; j+1 < len(other); j += 2 {
			if one[i] <= other[j+1] && other[j] <= one[i+1] {
				return true
			}
		}
	}
	return false
}
