package pattern

import (
	"encoding/binary"
	"maps"
	"slices"
	"unicode/utf8"
)

// A step is how a node was reached in a layer: from which node of the layer before, reading which class.
type step struct{ node, from, class int }

// within finds a string whose length lies in the region's interval where the shortest string is too short. It walks
// layer by layer, all strings of one length at once, until a layer repeats.
func (g *graph) within(r Region, whole bool) (string, Answer) {
	live, _ := g.remaining()
	layers := [][]step{{{node: 0, from: -1}}}
	seen := map[string]bool{}
	work := maxWork
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
		if work -= cost; work < 0 {
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
	return next, cost + 1
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

// samples returns strings that take every edge of the graph at least once, shortest first.
func (g *graph) samples(r Region, n int) []string {
	length, first := g.remaining()
	suffix := func(at int) string {
		var runes []rune
		for length[at] > 0 {
			runes = append(runes, g.alpha.runes[first[at].class])
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
		prefix := g.path(i)
		for _, e := range g.nodes[i].edges {
			if length[e.to] >= 0 {
				keep(prefix + string(g.alpha.runes[e.class]) + suffix(e.to))
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
func (g *graph) compare(a, b string) int {
	if d := utf8.RuneCountInString(a) - utf8.RuneCountInString(b); d != 0 {
		return d
	}
	return slices.CompareFunc([]rune(a), []rune(b), func(x, y rune) int { return rank(x) - rank(y) })
}
