package pattern

import (
	"encoding/binary"
	"slices"
)

// A machine runs the automata of some patterns side by side.
type machine struct {
	alphabet  []rune
	dfas      []*dfa
	all, none [][]signed // by pattern: its terms
	work      *int       // units left
}

// A signed automaton is a term of a pattern.
type signed struct {
	dfa     int
	negated bool
}

// newMachine returns the machine of strings that match all of some patterns and none of others.
func newMachine(all, none []*Pattern, work *int) *machine {
	m := &machine{work: work}
	take := func(patterns []*Pattern) (out [][]signed) {
		for _, p := range patterns {
			var terms []signed
			for _, t := range p.terms {
				if *work -= t.size; *work < 0 {
					return nil
				}
				terms = append(terms, signed{len(m.dfas), t.negated})
				m.dfas = append(m.dfas, newDFA(t.prog(), work))
			}
			out = append(out, terms)
		}
		return out
	}
	m.all, m.none = take(all), take(none)
	m.alphabet = alphabetOf(m.dfas, work)
	for _, d := range m.dfas {
		d.alphabet = m.alphabet
	}
	return m
}

// accepts reports whether a string that ends in these states is looked for.
func (m *machine) accepts(states []int) bool {
	matches := func(terms []signed) bool {
		return !slices.ContainsFunc(terms, func(t signed) bool {
			return m.dfas[t.dfa].accepts(states[t.dfa]) == t.negated
		})
	}
	for _, terms := range m.all {
		if !matches(terms) {
			return false
		}
	}
	return !slices.ContainsFunc(m.none, matches)
}

// hopeless reports whether no continuation can lead to a string that is looked for.
func (m *machine) hopeless(states []int) bool {
	settled := func(t signed, holds bool) bool {
		s := states[t.dfa]
		return s == found && holds != t.negated || s == lost && holds == t.negated
	}
	for _, terms := range m.all {
		if slices.ContainsFunc(terms, func(t signed) bool { return settled(t, false) }) {
			return true
		}
	}
	return slices.ContainsFunc(m.none, func(terms []signed) bool {
		return !slices.ContainsFunc(terms, func(t signed) bool { return !settled(t, true) })
	})
}

// A node is a string with the states that it leads to.
type node struct {
	states []int // of each automaton
	from   int   // the node before it on a shortest way
	via    rune  // what was read last on that way
}

// shortest looks for a shortest string that is accepted, breadth first.
func (m *machine) shortest() (string, Answer) {
	if *m.work < 0 {
		return "", Unknown
	}
	begin := make([]int, len(m.dfas))
	for i, d := range m.dfas {
		begin[i] = d.begin()
	}
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
		for class, c := range m.alphabet {
			*m.work -= 4*len(m.dfas) + 4
			next := make([]int, len(m.dfas))
			for k, d := range m.dfas {
				next[k] = d.step(at.states[k], class)
			}
			if key := keyOf(next); !seen[key] {
				seen[key] = true
				nodes = append(nodes, node{next, i, c})
			}
		}
	}
	return "", No
}

func keyOf(states []int) string {
	key := make([]byte, 0, 4*len(states))
	for _, s := range states {
		key = binary.LittleEndian.AppendUint32(key, uint32(s))
	}
	return string(key)
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
