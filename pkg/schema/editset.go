package schema

import (
	"math/bits"
	"slices"

	"github.com/mcpctl/mcpctl/internal/kit"
)

// An editSet is a set of edits by their numbers, one bit each.
type editSet []uint64

func setOf(edits []int) editSet {
	var s editSet
	for _, i := range edits {
		s.add(i)
	}
	return s
}

func (s *editSet) add(i int) {
	for len(*s) <= i/64 {
		*s = append(*s, 0)
	}
	(*s)[i/64] |= 1 << (i % 64)
}

func (s editSet) has(i int) bool { return i/64 < len(s) && s[i/64]>>(i%64)&1 == 1 }

// meets reports whether two sets have an edit in common.
func (s editSet) meets(t editSet) bool {
	for i := range min(len(s), len(t)) {
		if s[i]&t[i] != 0 {
			return true
		}
	}
	return false
}

// join adds the edits of another set, and reports whether any is new.
func (s *editSet) join(t editSet) (grown bool) {
	for i, word := range t {
		if i == len(*s) {
			*s = append(*s, 0)
		}
		grown = grown || word&^(*s)[i] != 0
		(*s)[i] |= word
	}
	return grown
}

// list returns the numbers in order.
func (s editSet) list() (edits []int) {
	for i, word := range s {
		for ; word != 0; word &= word - 1 {
			edits = append(edits, 64*i+bits.TrailingZeros64(word))
		}
	}
	return edits
}

// reach finds the edits that are reached from each pair. Most pairs were met before those inside them, so
// that few passes are needed.
func (c *comparison) reach() {
	pairs := make([]*schemaPair, 0, len(c.seen))
	for _, m := range c.seen {
		pairs = append(pairs, m)
	}
	for i, e := range c.edits {
		for _, same := range e.everywhere() {
			if same.at != nil {
				same.at.reached.add(i)
			}
		}
	}
	slices.SortFunc(pairs, func(a, b *schemaPair) int { return b.number - a.number })
	for again := true; again; {
		again = false
		for _, m := range pairs {
			if m.core != nil && m.reached.join(m.core.reached) {
				again = true
			}
			for _, c := range m.children {
				if m.reached.join(c.reached) {
					again = true
				}
			}
		}
	}
}

// reaching returns those of some edits that are reached from the pair, in order, each once.
func (m *schemaPair) reaching(edits []int) []int {
	edits = slices.Compact(slices.Sorted(slices.Values(edits)))
	return kit.Filter(edits, func(i int) bool { return i >= 0 && m.reached.has(i) })
}
