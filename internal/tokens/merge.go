package tokens

import (
	"container/heap"
	"math"
)

// merge is the number of tokens that byte pair encoding makes of a word: it starts with single bytes and joins the
// neighbours whose union has the lowest rank, the leftmost of equals first, until no union is a token.
func merge(word string) int {
	m := merging{word: word, next: make([]int, len(word)+1), before: make([]int, len(word)+1)}
	for i := range m.next {
		m.next[i], m.before[i] = i+1, i-1
	}
	for i := range len(word) {
		m.offer(i)
	}
	left := len(word)
	for m.Len() > 0 {
		p := heap.Pop(&m).(pair)
		if m.next[p.at] != p.middle || m.after(p.middle) != p.end {
			continue // one of the two has been joined with another part
		}
		m.join(p)
		left--
	}
	return left
}

// merging is a word in parts: a part begins at i and ends at next[i], where the next one begins.
type merging struct {
	word         string
	next, before []int
	pairs        []pair // a heap
}

// pair is two neighbours: word[at:middle] and word[middle:end].
type pair struct{ rank, at, middle, end int }

// after is where the part that begins at i ends; none begins at the end of the word.
func (m *merging) after(i int) int {
	if i >= len(m.word) {
		return math.MaxInt
	}
	return m.next[i]
}

// offer puts the part at i and its right neighbour onto the heap, if their union is a token.
func (m *merging) offer(i int) {
	middle := m.after(i)
	end := m.after(middle)
	if end > len(m.word) {
		return
	}
	if rank, ok := rankOf(m.word[i:end]); ok {
		heap.Push(m, pair{rank, i, middle, end})
	}
}

// join makes one part of two and offers it to its neighbours.
func (m *merging) join(p pair) {
	m.next[p.at] = p.end
	m.before[p.end] = p.at
	m.next[p.middle] = math.MaxInt // no part begins here any more
	m.offer(p.at)
	if p.at > 0 {
		m.offer(m.before[p.at])
	}
}

// Len is part of heap.Interface.
func (m *merging) Len() int { return len(m.pairs) }

// Less is part of heap.Interface: the lowest rank first, then the leftmost.
func (m *merging) Less(i, j int) bool {
	if m.pairs[i].rank != m.pairs[j].rank {
		return m.pairs[i].rank < m.pairs[j].rank
	}
	return m.pairs[i].at < m.pairs[j].at
}

// Swap is part of heap.Interface.
func (m *merging) Swap(i, j int) { m.pairs[i], m.pairs[j] = m.pairs[j], m.pairs[i] }

// Push is part of heap.Interface.
func (m *merging) Push(x any) { m.pairs = append(m.pairs, x.(pair)) }

// Pop is part of heap.Interface.
func (m *merging) Pop() any {
	last := m.pairs[len(m.pairs)-1]
	m.pairs = m.pairs[:len(m.pairs)-1]
	return last
}
