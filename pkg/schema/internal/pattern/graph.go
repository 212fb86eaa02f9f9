package pattern

import (
	"encoding/binary"
	"slices"
)

// A graph is the explored part of a region's automaton; node 0 is the start, and nearer nodes come first.
type graph struct {
	nodes []node
	index map[string]int // by states
}

type node struct {
	states []int // of each automaton, and how many code points were read, up to the least
	from   int   // the node before it on a shortest way
	via    int   // the class read last on that way
	depth  int   // the length of that way
}

func (m *machine) start() *graph {
	g := &graph{index: map[string]int{}}
	begin := make([]int, len(m.dfas)+1)
	for i, d := range m.dfas {
		begin[i] = d.begin()
	}
	g.visit(begin, node{from: -1})
	return g
}

// explore follows all ways to the nearest node that is accepted, or -1; whole is false where a bound cut that
// short.
func (m *machine) explore() (g *graph, nearest int, whole bool) {
	g = m.start()
	for i := 0; i < len(g.nodes); i++ {
		accepted := m.accepts(g.nodes[i].states)
		if !accepted && !m.hopeless(g.nodes[i].states) {
			m.expand(g, i)
		}
		switch {
		// the last states may lack ways, and then accept too much or too little
		case *m.work < 0 || i%64 == 0 && m.stopped != nil && m.stopped():
			return g, -1, false
		case accepted:
			return g, i, true
		case len(g.nodes) > maxStates+8*m.least: // counted states are distinguished, too
			return g, -1, false
		}
	}
	return g, -1, true
}

func (m *machine) expand(g *graph, i int) {
	at := g.nodes[i]
	for class := range m.alpha.runes {
		*m.work -= 4*len(m.dfas) + 4
		g.visit(m.step(at.states, class), node{from: i, via: class, depth: at.depth + 1})
	}
}

// step returns the states after a class of code points.
func (m *machine) step(states []int, class int) []int {
	next := make([]int, len(states))
	for k, d := range m.dfas {
		next[k] = d.step(states[k], class)
	}
	next[len(m.dfas)] = min(states[len(m.dfas)]+1, m.least)
	return next
}

func (g *graph) key(states []int) string {
	key := make([]byte, 0, 4*len(states))
	for _, s := range states {
		key = binary.LittleEndian.AppendUint32(key, uint32(s))
	}
	return string(key)
}

// visit returns the number of the node of some states, which is n where they are new.
func (g *graph) visit(states []int, n node) int {
	key := g.key(states)
	if i, ok := g.index[key]; ok {
		return i
	}
	n.states = states
	g.index[key] = len(g.nodes)
	g.nodes = append(g.nodes, n)
	return len(g.nodes) - 1
}

// path returns the string that leads to a node.
func (m *machine) path(g *graph, n int) string {
	var runes []rune
	for ; g.nodes[n].from >= 0; n = g.nodes[n].from {
		runes = append(runes, m.alpha.runes[g.nodes[n].via])
	}
	slices.Reverse(runes)
	return string(runes)
}
