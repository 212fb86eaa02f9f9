package pattern

import (
	"maps"
	"slices"
	"unicode/utf8"
)

// Universal reports whether every string matches, as for "" and "^.*". False also where that could not be decided.
func (p *Pattern) Universal() bool {
	_, found := Region{None: []*Pattern{p}}.Find()
	return found == No
}

// Lengths returns the length in code points of the shortest and of the longest string that matches; longest is -1
// without a bound. Where the automaton is too large the answer is the safe one, 0 and -1. A pattern that nothing
// matches has shortest 1 and longest 0.
func (p *Pattern) Lengths() (shortest, longest int) {
	g, whole := Region{All: []*Pattern{p}}.everything()
	if !whole {
		return 0, -1
	}
	return g.lengths()
}

// Includes reports whether every string that matches narrow matches wide. With the answer [No] comes a shortest
// string that matches narrow and not wide, made of readable characters where the choice is free.
func Includes(wide, narrow *Pattern) (Answer, string) {
	s, found := Region{All: []*Pattern{narrow}, None: []*Pattern{wide}}.Find()
	switch found {
	case Yes:
		return No, s
	case No:
		return Yes, ""
	}
	return Unknown, ""
}

// String returns unknown, yes or no.
func (a Answer) String() string {
	switch a {
	case Yes:
		return "yes"
	case No:
		return "no"
	}
	return "unknown"
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
	g, _ := r.everything()
	if g == nil || n <= 0 {
		return nil
	}
	return g.samples(r, n)
}

// everything is a graph with all its edges.
type everything struct {
	*graph
	m      *machine
	accept []bool
	edges  [][]edge
}

type edge struct{ to, class int }

// everything explores the region's automaton; false where a bound cut that short.
func (r Region) everything() (*everything, bool) {
	work := maxWork
	m := r.machine(&work)
	if work < 0 {
		return nil, false
	}
	g := &everything{graph: m.start(), m: m}
	for i := 0; i < len(g.nodes) && len(g.nodes) <= maxStates; i++ {
		states := g.nodes[i].states
		g.accept, g.edges = append(g.accept, m.accepts(states)), append(g.edges, nil)
		if m.hopeless(states) {
			continue
		}
		m.expand(g.graph, i)
		for class := range m.alpha.runes {
			to := g.visit(m.step(states, class), node{})
			if !slices.ContainsFunc(g.edges[i], func(e edge) bool { return e.to == to }) {
				g.edges[i] = append(g.edges[i], edge{to, class})
			}
		}
		if work < 0 {
			return nil, false
		}
	}
	missing := len(g.nodes) - len(g.edges)
	g.accept, g.edges = append(g.accept, make([]bool, missing)...), append(g.edges, make([][]edge, missing)...)
	return g, missing == 0
}

// lengths returns the shortest and longest length accepted; see [Pattern.Lengths].
func (g *everything) lengths() (shortest, longest int) {
	nearest := slices.Index(g.accept, true)
	if nearest < 0 {
		return 1, 0
	}
	live, _ := g.remaining()
	pending := make([]int, len(g.nodes)) // edges from live nodes not yet walked
	for i := range g.nodes {
		for _, e := range g.edges[i] {
			if live[i] >= 0 && live[e.to] >= 0 {
				pending[e.to]++
			}
		}
	}
	return g.nodes[nearest].depth, g.longest(live, pending)
}

// longest walks the live nodes in topological order; those left over lie on a cycle, and then there is no bound.
func (g *everything) longest(live, pending []int) int {
	if pending[0] > 0 {
		return -1
	}
	far := make([]int, len(g.nodes))
	queue, walked, longest := []int{0}, 0, 0
	for ; len(queue) > 0; queue = queue[1:] {
		at := queue[0]
		walked++
		if g.accept[at] {
			longest = max(longest, far[at])
		}
		for _, e := range g.edges[at] {
			if live[e.to] < 0 {
				continue
			}
			far[e.to] = max(far[e.to], far[at]+1)
			if pending[e.to]--; pending[e.to] == 0 {
				queue = append(queue, e.to)
			}
		}
	}
	for _, n := range live {
		if n >= 0 {
			walked--
		}
	}
	if walked < 0 {
		return -1
	}
	return longest
}

// samples returns strings that take every edge of the graph at least once, shortest first.
func (g *everything) samples(r Region, n int) []string {
	length, first := g.remaining()
	suffix := func(at int) string {
		var runes []rune
		for length[at] > 0 {
			runes = append(runes, g.m.alpha.runes[first[at].class])
			at = first[at].to
		}
		return string(runes)
	}
	found := map[string]bool{}
	written := 0
	keep := func(s string) {
		written += len(s) + 1
		if size := utf8.RuneCountInString(s); size >= r.MinLen && (!r.Bounded || size <= r.MaxLen) {
			found[s] = true
		}
	}
	for i := 0; i < len(g.nodes) && len(found) < 4*n && written < maxWork; i++ {
		if length[i] < 0 {
			continue
		}
		prefix := g.m.path(g.graph, i)
		for _, e := range g.edges[i] {
			if length[e.to] >= 0 {
				keep(prefix + string(g.m.alpha.runes[e.class]) + suffix(e.to))
			}
		}
		keep(prefix + suffix(i))
	}
	if s, ok := r.Find(); ok == Yes {
		keep(s)
	}
	kept := slices.SortedFunc(maps.Keys(found), g.compare)
	return kept[:min(n, len(kept))]
}

// compare orders strings by length, then by how well they read.
func (g *everything) compare(a, b string) int {
	if d := utf8.RuneCountInString(a) - utf8.RuneCountInString(b); d != 0 {
		return d
	}
	return slices.CompareFunc([]rune(a), []rune(b), func(x, y rune) int { return rank(x) - rank(y) })
}

// remaining returns, by node, the length of the shortest way to acceptance and its first edge; -1 where there is none.
func (g *everything) remaining() (length []int, first []edge) {
	length = slices.Repeat([]int{-1}, len(g.nodes))
	first = make([]edge, len(g.nodes))
	into := make([][]edge, len(g.nodes))
	var queue []int
	for i := range g.nodes {
		for _, e := range g.edges[i] {
			into[e.to] = append(into[e.to], edge{i, e.class})
		}
		if g.accept[i] {
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
