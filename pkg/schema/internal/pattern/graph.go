package pattern

import (
	"encoding/binary"
	"slices"
)

// A graph is the explored part of a region's automaton; node 0 is the start, and nearer nodes come first.
type graph struct {
	alpha *alphabet
	nodes []node
}

type node struct {
	states []int
	edges  []edge
	accept bool
	from   int // the node before it on a shortest way
	via    int // the class read last on that way
	depth  int // the length of that way
}

type edge struct{ to, class int }

func (m *machine) explore(first bool) (*graph, bool) {
	g := &graph{alpha: m.alpha}
	index := map[string]int{}
	begin := make([]int, len(m.dfas))
	for i, d := range m.dfas {
		begin[i] = d.begin()
	}
	g.visit(index, begin, node{from: -1})
	for i := 0; i < len(g.nodes); i++ {
		g.nodes[i].accept = m.accepts(g.nodes[i].states)
		stop := first && g.nodes[i].accept
		if !stop && !m.hopeless(g.nodes[i].states) {
			m.expand(g, index, i)
		}
		switch {
		case *m.work < 0 || i%64 == 0 && m.stopped != nil && m.stopped(): // the last states may lack ways, and then accept too much or too little
			return nil, false
		case stop, len(g.nodes) > maxStates:
			return g, false
		}
	}
	return g, true
}

func (m *machine) expand(g *graph, index map[string]int, i int) {
	next := make([]int, len(m.dfas))
	for class := range m.alpha.runes {
		for k, d := range m.dfas {
			next[k] = d.step(g.nodes[i].states[k], class)
		}
		*m.work -= 4*len(next) + 4 + len(g.nodes[i].edges)/4
		to := g.visit(index, next, node{from: i, via: class, depth: g.nodes[i].depth + 1})
		if !slices.ContainsFunc(g.nodes[i].edges, func(e edge) bool { return e.to == to }) {
			g.nodes[i].edges = append(g.nodes[i].edges, edge{to, class})
		}
	}
}

func (g *graph) visit(index map[string]int, states []int, n node) int {
	key := make([]byte, 0, 4*len(states))
	for _, s := range states {
		key = binary.LittleEndian.AppendUint32(key, uint32(s))
	}
	if i, ok := index[string(key)]; ok {
		return i
	}
	n.states = slices.Clone(states)
	index[string(key)] = len(g.nodes)
	g.nodes = append(g.nodes, n)
	return len(g.nodes) - 1
}

// shortest returns the accepting node nearest to the start, or -1.
func (g *graph) shortest() int {
	return slices.IndexFunc(g.nodes, func(n node) bool { return n.accept })
}

func (g *graph) path(n int) string {
	var runes []rune
	for ; g.nodes[n].from >= 0; n = g.nodes[n].from {
		runes = append(runes, g.alpha.runes[g.nodes[n].via])
	}
	slices.Reverse(runes)
	return string(runes)
}

// remaining returns, by node, the length of the shortest way to acceptance and its first edge; -1 where there is none.
func (g *graph) remaining() (length []int, first []edge) {
	length = slices.Repeat([]int{-1}, len(g.nodes))
	first = make([]edge, len(g.nodes))
	into := make([][]edge, len(g.nodes))
	var queue []int
	for i, n := range g.nodes {
		for _, e := range n.edges {
			into[e.to] = append(into[e.to], edge{i, e.class})
		}
		if n.accept {
			length[i] = 0
			queue = append(queue, i)
		}
	}
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		for _, e := range into[at] {
			if length[e.to] < 0 {
				length[e.to], first[e.to] = length[at]+1, edge{at, e.class}
				queue = append(queue, e.to)
			}
		}
	}
	return length, first
}

// A step is how a node was reached in a layer: from which node of the layer before, reading which class.
type step struct{ node, from, class int }

// within finds a string whose length lies in the region's interval where the shortest string is too short. It walks
// layer by layer, all strings of one length at once, until a layer repeats.
func (g *graph) within(r Region, whole bool, work *int) (string, Answer) {
	live, _ := g.remaining()
	layers := [][]step{{{node: 0, from: -1}}}
	seen := map[string]bool{}
	for n := 0; !r.Bounded || n <= r.MaxLen; n++ {
		layer := layers[n]
		if len(layer) == 0 {
			return "", emptyIf(whole)
		}
		if n >= r.MinLen {
			if s, ok := g.accepted(layers); ok {
				return s, Yes
			}
			key := layerKey(layer)
			if seen[key] {
				return "", emptyIf(whole)
			}
			seen[key] = true
		}
		next, cost := g.layer(layer, live)
		if *work -= cost; *work < 0 || n%64 == 0 && r.Stopped != nil && r.Stopped() {
			return "", Unknown
		}
		layers = append(layers, next)
	}
	return "", emptyIf(whole)
}

func emptyIf(whole bool) Answer {
	if whole {
		return No
	}
	return Unknown
}

func (g *graph) layer(layer []step, live []int) (next []step, cost int) {
	taken := map[int]bool{}
	for i, s := range layer {
		for _, e := range g.nodes[s.node].edges {
			cost++
			if live[e.to] >= 0 && !taken[e.to] {
				taken[e.to] = true
				next = append(next, step{e.to, i, e.class})
			}
		}
	}
	return next, 4*cost + 8
}

func layerKey(layer []step) string {
	nodes := make([]int, len(layer))
	for i, s := range layer {
		nodes[i] = s.node
	}
	slices.Sort(nodes)
	var key []byte
	for _, n := range nodes {
		key = binary.LittleEndian.AppendUint32(key, uint32(n))
	}
	return string(key)
}

// accepted returns the string behind the first accepting node of the last layer.
func (g *graph) accepted(layers [][]step) (string, bool) {
	last := layers[len(layers)-1]
	at := slices.IndexFunc(last, func(s step) bool { return g.nodes[s.node].accept })
	if at < 0 {
		return "", false
	}
	runes := make([]rune, len(layers)-1)
	for n := len(layers) - 1; n > 0; n-- {
		s := layers[n][at]
		runes[n-1] = g.alpha.runes[s.class]
		at = s.from
	}
	return string(runes), true
}
