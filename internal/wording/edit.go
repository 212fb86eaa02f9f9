package wording

import (
	"strings"

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

// maxPairs bounds the pairs of words that are compared; of longer texts all that differs is one replacement.
const maxPairs = 4 << 20

// token matches what is compared: a word, a run of blanks, or one other character.
var token = kit.Pattern(`[\p{L}\p{N}_]+|[ \t]+|(?s:.)`)

// Compare returns what was kept, removed and added, word by word. Changes with only blanks between them are
// one.
func Compare(before, after string) []Passage {
	a, b := token().FindAllString(before, -1), token().FindAllString(after, -1)
	head, tail := 0, 0
	for head < min(len(a), len(b)) && a[head] == b[head] {
		head++
	}
	for tail < min(len(a), len(b))-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	end := strings.Join(a[len(a)-tail:], "")
	var edits []Passage
	add := func(op Op, text string) {
		if last := len(edits) - 1; last >= 0 && edits[last].Op == op {
			edits[last].Text += text
		} else if text != "" {
			edits = append(edits, Passage{op, text})
		}
	}
	add(Kept, strings.Join(a[:head], ""))
	a, b = a[head:len(a)-tail], b[head:len(b)-tail]
	if len(a)*len(b) > maxPairs {
		add(Removed, strings.Join(a, ""))
		add(Added, strings.Join(b, ""))
		a, b = nil, nil
	}

	// Both texts are read along their longest common subsequence. A replacement goes on after blanks.
	common := commonLengths(a, b)
	var removed, added, blanks string // since the last word that was kept, and the blanks after them
	flush := func() {
		add(Removed, removed)
		add(Added, added)
		add(Kept, blanks)
		removed, added, blanks = "", "", ""
	}
	for len(a) > 0 || len(b) > 0 {
		switch same := len(a) > 0 && len(b) > 0 && a[0] == b[0]; {
		case same && blanks == "" && removed != "" && added != "" && strings.Trim(a[0], " \t") == "":
			blanks = a[0]
			a, b = a[1:], b[1:]
		case same:
			flush()
			add(Kept, a[0])
			a, b = a[1:], b[1:]
		case len(b) == 0 || len(a) > 0 && common[len(a)-1][len(b)] > common[len(a)][len(b)-1]:
			removed, added, blanks = removed+blanks+a[0], added+blanks, ""
			a = a[1:]
		default:
			removed, added, blanks = removed+blanks, added+blanks+b[0], ""
			b = b[1:]
		}
	}
	flush()
	add(Kept, end)
	return edits
}

// commonLengths returns the lengths of the longest common subsequences of the last i words of a and the last
// j of b, at [i][j].
func commonLengths(a, b []string) [][]int32 {
	lengths := make([][]int32, len(a)+1)
	for i := range lengths {
		lengths[i] = make([]int32, len(b)+1)
	}
	for i := range a {
		for j := range b {
			if a[len(a)-1-i] == b[len(b)-1-j] {
				lengths[i+1][j+1] = lengths[i][j] + 1
			} else {
				lengths[i+1][j+1] = max(lengths[i+1][j], lengths[i][j+1])
			}
		}
	}
	return lengths
}
