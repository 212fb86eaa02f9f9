package pattern

import (
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
)

// An alphabet divides all code points into classes whose members no automaton of a question can tell apart.
type alphabet struct {
	runes  []rune   // the most readable member of each class
	member [][]bool // by set, then by class: whether the set contains the class
	word   []bool   // by class: whether its members are word characters
}

type span struct{ low, high rune }

// A collector gathers the distinct sets of code points that automata test for.
type collector struct {
	sets  [][]span
	index map[string]int
}

func (c *collector) add(spans []span) int {
	var key strings.Builder
	for _, s := range spans {
		key.WriteString(string(s.low))
		key.WriteByte('-')
		key.WriteString(string(s.high))
	}
	if i, ok := c.index[key.String()]; ok {
		return i
	}
	c.index[key.String()] = len(c.sets)
	c.sets = append(c.sets, spans)
	return len(c.sets) - 1
}

// spansOf returns what one instruction of a program tests for.
func spansOf(in *syntax.Inst) []span {
	switch in.Op {
	case syntax.InstRuneAny:
		return []span{{0, unicode.MaxRune}}
	case syntax.InstRuneAnyNotNL:
		return []span{{0, '\n' - 1}, {'\n' + 1, unicode.MaxRune}}
	}
	if len(in.Rune) == 1 {
		return []span{{in.Rune[0], in.Rune[0]}}
	}
	spans := make([]span, 0, len(in.Rune)/2)
	for i := 0; i+1 < len(in.Rune); i += 2 {
		spans = append(spans, span{in.Rune[i], in.Rune[i+1]})
	}
	return spans
}

// alphabet divides the code points, surrogates excepted. The word characters are always a set of their own, number 0.
func (c *collector) alphabet() *alphabet {
	cuts := c.cuts()
	signatures := make([][]byte, len(cuts)-1)
	for i := range signatures {
		signatures[i] = make([]byte, (len(c.sets)+7)/8)
	}
	for n, set := range c.sets {
		for _, s := range set {
			first, _ := slices.BinarySearch(cuts, s.low)
			for i := first; i < len(signatures) && cuts[i] <= s.high; i++ {
				signatures[i][n/8] |= 1 << (n % 8)
			}
		}
	}
	return c.classes(cuts, signatures)
}

// cuts returns, sorted, every code point at which some set starts or has just ended.
func (c *collector) cuts() []rune {
	cuts := []rune{0, 0xd800, 0xe000, unicode.MaxRune + 1}
	for _, set := range c.sets {
		for _, s := range set {
			cuts = append(cuts, s.low, s.high+1)
		}
	}
	slices.Sort(cuts)
	return slices.Compact(cuts)
}

func (c *collector) classes(cuts []rune, signatures [][]byte) *alphabet {
	a := &alphabet{member: make([][]bool, len(c.sets))}
	seen := map[string]int{}
	for i, signature := range signatures {
		if cuts[i] >= 0xd800 && cuts[i] < 0xe000 {
			continue
		}
		best := readable(cuts[i], cuts[i+1]-1)
		class, ok := seen[string(signature)]
		if ok {
			if rank(best) < rank(a.runes[class]) {
				a.runes[class] = best
			}
			continue
		}
		seen[string(signature)] = len(a.runes)
		a.runes = append(a.runes, best)
		for n := range c.sets {
			a.member[n] = append(a.member[n], signature[n/8]&(1<<(n%8)) != 0)
		}
	}
	return a.byReadability()
}

// byReadability orders the classes so that a search that takes the first way finds the most readable string.
func (a *alphabet) byReadability() *alphabet {
	order := make([]int, len(a.runes))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(x, y int) int { return rank(a.runes[x]) - rank(a.runes[y]) })
	sorted := &alphabet{member: make([][]bool, len(a.member))}
	for _, class := range order {
		sorted.runes = append(sorted.runes, a.runes[class])
		for n := range a.member {
			sorted.member[n] = append(sorted.member[n], a.member[n][class])
		}
	}
	sorted.word = sorted.member[0]
	return sorted
}

const favourites = "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-_. /:@,+=!?#%&*()<>[]{};'\"$^|~`\\"

// rank orders code points by how well they read: favourites, then other printing ones, then the rest.
func rank(c rune) int {
	if i := strings.IndexRune(favourites, c); i >= 0 {
		return i
	}
	switch {
	case c > ' ' && unicode.IsPrint(c):
		return 1<<21 + int(c)
	case c == '\n' || c == '\t':
		return 1<<22 + int(c)
	}
	return 1<<23 + int(c)
}

// readable returns the member of a range of code points that reads best, looking at no more than a few.
func readable(low, high rune) rune {
	best := low
	for c := low; c <= high && c < low+unicode.MaxASCII; c++ {
		if rank(c) < rank(best) {
			best = c
		}
	}
	return best
}
