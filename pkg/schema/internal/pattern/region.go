package pattern

import (
	"regexp/syntax"
)

// The bounds on one question. They are generous for patterns people write and end hostile ones in a fraction of a
// second.
const (
	maxStates  = 10_000
	maxWork    = 2_000_000
	maxClasses = 2_000_000 // sets times cuts of an alphabet
)

// Region is a set of strings: those that match every pattern of All and none of None, and have at least MinLen code
// points and, where Bounded is set, at most MaxLen. The zero Region is all strings.
type Region struct {
	All, None []*Pattern
	MinLen    int
	MaxLen    int
	Bounded   bool
	// Spent, where it is set, is raised by the units of work that a question took.
	Spent *int
}

// Find returns a shortest string of the region with [Yes], or [No] where the region is proved empty.
func (r Region) Find() (string, Answer) {
	if r.Bounded && r.MaxLen < r.MinLen {
		return "", No
	}
	g, whole := r.graph(true)
	if g == nil {
		return "", Unknown
	}
	n := g.shortest()
	switch {
	case n < 0:
		return "", emptyIf(whole)
	case r.Bounded && g.nodes[n].depth > r.MaxLen:
		return "", No
	case g.nodes[n].depth >= r.MinLen:
		return g.path(n), Yes
	}
	if g, whole = r.graph(false); g == nil {
		return "", Unknown
	}
	return g.within(r, whole)
}

// Contains reports whether s lies in the region.
func (r Region) Contains(s string) bool {
	for _, p := range r.All {
		if !p.Match(s) {
			return false
		}
	}
	for _, p := range r.None {
		if p.Match(s) {
			return false
		}
	}
	n := len([]rune(s))
	return n >= r.MinLen && (!r.Bounded || n <= r.MaxLen)
}

// Samples returns up to n different strings of the region, shortest and most readable first. Together they walk
// every part of the automaton that n leaves room for; few or none come back where the automaton is too large.
func (r Region) Samples(n int) []string {
	g, _ := r.graph(false)
	if g == nil || n <= 0 {
		return nil
	}
	return g.samples(r, n)
}

// A machine runs the automata of a region side by side.
type machine struct {
	alpha *alphabet
	dfas  []*dfa
	all   [][]signed // by pattern of All: its terms
	none  [][]signed
	work  int
}

type signed struct {
	dfa     int
	negated bool
}

// graph explores the region's automaton, to the first accepting state where first is set. It returns nil where not
// even a start could be made, and false where a bound cut it short.
func (r Region) graph(first bool) (*graph, bool) {
	m := r.machine()
	if m == nil {
		return nil, false
	}
	g, whole := m.explore(first)
	if r.Spent != nil {
		*r.Spent += maxWork - m.work
	}
	return g, whole
}

func (r Region) machine() *machine {
	m := &machine{work: maxWork}
	c := &collector{index: map[string]int{}}
	c.add([]span{{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}})
	for _, p := range r.All {
		m.all = append(m.all, m.take(p, c))
	}
	for _, p := range r.None {
		m.none = append(m.none, m.take(p, c))
	}
	spans := 0
	for _, set := range c.sets {
		spans += len(set)
	}
	if spans*len(c.sets) > maxClasses {
		return nil
	}
	m.alpha = c.alphabet()
	for _, d := range m.dfas {
		d.alpha = m.alpha
	}
	return m
}

func (m *machine) take(p *Pattern, c *collector) []signed {
	var terms []signed
	for _, t := range p.terms {
		sets := make([]int, len(t.prog.Inst))
		for i := range t.prog.Inst {
			switch in := &t.prog.Inst[i]; in.Op {
			case syntax.InstRune, syntax.InstRune1, syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
				sets[i] = c.add(spansOf(in))
			}
		}
		terms = append(terms, signed{dfa: len(m.dfas), negated: t.negated})
		m.dfas = append(m.dfas, newDFA(t.prog, sets, &m.work))
	}
	return terms
}

// accepts reports whether a string that ends in these states lies in the region, lengths aside.
func (m *machine) accepts(states []int) bool {
	for _, terms := range m.all {
		if !m.matches(terms, states) {
			return false
		}
	}
	for _, terms := range m.none {
		if m.matches(terms, states) {
			return false
		}
	}
	return true
}

func (m *machine) matches(terms []signed, states []int) bool {
	for _, t := range terms {
		if m.dfas[t.dfa].accepts(states[t.dfa]) == t.negated {
			return false
		}
	}
	return true
}

// hopeless reports whether no continuation can lead into the region.
func (m *machine) hopeless(states []int) bool {
	for _, terms := range m.all {
		for _, t := range terms {
			if s := states[t.dfa]; s == lost && !t.negated || s == found && t.negated {
				return true
			}
		}
	}
	for _, terms := range m.none {
		settled := true
		for _, t := range terms {
			s := states[t.dfa]
			settled = settled && (s == found && !t.negated || s == lost && t.negated)
		}
		if settled {
			return true
		}
	}
	return false
}
