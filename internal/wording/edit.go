package wording

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/internal/kit"
)

// Passage is a passage of a text that was kept, removed or added.
type Passage struct {
	Op   Op
	Text string
}

// Op is what happened to a passage.
type Op int

// The operations.
const (
	Kept Op = iota
	Removed
	Added
)

// Bounds of what is compared word by word: the bytes between the ends that two texts have in common, and the
// pairs of words, of all and for each of these bytes. Of what has more, all that differs is one replacement.
const (
	maxCompared  = 128 << 10
	maxPairs     = 4 << 20
	pairsForByte = 256
)

// Classes of characters. A word and a run of blanks are compared as a whole, any other character by itself.
const (
	inWord = iota
	inBlanks
	byItself
)

func classOf(r rune) int {
	switch {
	case r == '_' || unicode.In(r, unicode.L, unicode.N):
		return inWord
	case r == ' ' || r == '\t':
		return inBlanks
	}
	return byItself
}

// wordsIn returns what is compared of a text: words, runs of blanks and other characters.
func wordsIn(text string) (all []string) {
	start, last := 0, byItself
	for at, r := range text {
		if class := classOf(r); at > 0 && (class != last || class == byItself) {
			all = append(all, text[start:at])
			start = at
		}
		last = classOf(r)
	}
	if text != "" {
		all = append(all, text[start:])
	}
	return all
}

// separates reports whether a word of a text ends at a place and another one begins.
func separates(text string, at int) bool {
	if at == 0 || at == len(text) {
		return true
	}
	before, _ := utf8.DecodeLastRuneInString(text[:at])
	after, _ := utf8.DecodeRuneInString(text[at:])
	return utf8.RuneStart(text[at]) && (classOf(before) == byItself || classOf(before) != classOf(after))
}

// sameEnds returns the sizes of the whole words that two texts have in common at their beginnings, and of
// those that are left in common at their ends.
func sameEnds(a, b string) (head, tail int) {
	both := min(len(a), len(b))
	for head < both && a[head] == b[head] {
		head++
	}
	for !separates(a, head) || !separates(b, head) {
		head--
	}
	for tail < both-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	for !separates(a, len(a)-tail) || !separates(b, len(b)-tail) {
		tail--
	}
	return head, tail
}

// Compare returns what was kept, removed and added, word by word. Changes with only blanks between them are
// one.
func Compare(before, after string) (all []Passage) {
	add := func(op Op, text string) {
		if text != "" {
			all = append(all, Passage{op, text})
		}
	}
	head, tail := sameEnds(before, after)
	kept := 0                         // where what was kept begins before
	fromOld, fromNew := head, head    // where a change begins
	old, new, blanks := head, head, 0 // where it may end, after so many blanks
	flush := func() {
		if removed, added := before[fromOld:old-blanks], after[fromNew:new-blanks]; removed+added != "" {
			add(Kept, before[kept:fromOld])
			add(Removed, removed)
			add(Added, added)
			kept = old - blanks
		}
		fromOld, fromNew, blanks = old, new, 0
	}

	// Both texts are read along their longest common subsequence. A replacement goes on after blanks.
	a, b, common := commonWords(before[head:len(before)-tail], after[head:len(after)-tail])
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0] == b[0]:
			replaced := fromOld < old && fromNew < new
			isBlank := blanks == 0 && strings.Trim(a[0], " \t") == ""
			if !replaced || !isBlank {
				flush()
			}
			old, new = old+len(a[0]), new+len(b[0])
			if replaced && isBlank {
				blanks = len(a[0])
			} else {
				fromOld, fromNew = old, new
			}
			a, b = a[1:], b[1:]
		case common.at(len(a)-1, len(b)) > common.at(len(a), len(b)-1):
			old, blanks = old+len(a[0]), 0
			a = a[1:]
		default:
			new, blanks = new+len(b[0]), 0
			b = b[1:]
		}
	}
	if rest := len(before) - tail - old + len(after) - tail - new; rest > 0 {
		old, new, blanks = len(before)-tail, len(after)-tail, 0
	}
	flush()
	add(Kept, before[kept:])
	return all
}

// lengths are those of the longest common subsequences of the last i words of one text and the last j of
// another, in rows of the same i.
type lengths struct {
	all   []uint16 // no sequence is longer than the square root of maxPairs
	width int
}

func (l lengths) at(i, j int) uint16 { return l.all[i*l.width+j] }

// commonWords returns the words of two texts and what they have in common; none of texts that are too long.
func commonWords(before, after string) (a, b []string, common lengths) {
	bytes := len(before) + len(after)
	if before == "" || after == "" || bytes > maxCompared {
		return nil, nil, lengths{}
	}
	a, b = wordsIn(before), wordsIn(after)
	if len(a)*len(b) > min(maxPairs, pairsForByte*bytes) {
		return nil, nil, lengths{}
	}
	numbers := map[string]int32{} // numbers are faster to compare than words
	number := func(word string) int32 {
		if _, known := numbers[word]; !known {
			numbers[word] = int32(len(numbers))
		}
		return numbers[word]
	}
	numbersOfA, numbersOfB := kit.Map(a, number), kit.Map(b, number)
	slices.Reverse(numbersOfB)
	width := len(b) + 1
	common = lengths{make([]uint16, (len(a)+1)*width), width}
	for i := range a {
		row, next := common.all[i*width:(i+1)*width], common.all[(i+1)*width:(i+2)*width]
		word := numbersOfA[len(a)-1-i]
		for j, other := range numbersOfB {
			if word == other {
				next[j+1] = row[j] + 1
			} else {
				next[j+1] = max(next[j], row[j+1])
			}
		}
	}
	return a, b, common
}
