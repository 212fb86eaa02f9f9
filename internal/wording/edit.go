package wording

import (
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/match"
)

// Edit is a stretch of a text that was kept, removed or added.
type Edit struct {
	Op   Op
	Text string
}

// Op is what became of a stretch.
type Op int

// What becomes of a stretch.
const (
	Kept Op = iota
	Gone
	Fresh
)

// maxEdits is how many words may differ before two texts are taken as entirely different.
const maxEdits = 1000

// token is what a text is compared by: a word, a run of spaces, or one other character.
var token = match.Pattern(`[\p{L}\p{N}_]+|[ \t]+|(?s:.)`)

// Compare tells what was kept, removed and added, word by word: kept and removed together are before, kept and added
// together are after. Where a change is spread over a phrase, the phrase is told as one.
func Compare(before, after string) []Edit {
	a, b := token().FindAllString(before, -1), token().FindAllString(after, -1)
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	edits := []Edit{{Kept, strings.Join(a[:head], "")}}
	edits = append(edits, script(a[head:len(a)-tail], b[head:len(b)-tail])...)
	edits = append(edits, Edit{Kept, strings.Join(a[len(a)-tail:], "")})
	return tidy(edits)
}

// script is the shortest list of edits that turns a into b (Myers, "An O(ND) difference algorithm", 1986), or one
// replacement when it would be too long.
func script(a, b []string) []Edit {
	var rounds []front
	last := front{0}
	for d := range min(len(a)+len(b), maxEdits) + 1 {
		next := make(front, d+1)
		for k := -d; k <= d; k += 2 {
			x, _ := last.step(d, k)
			for x < len(a) && x-k < len(b) && a[x] == b[x-k] {
				x++
			}
			next[(k+d)/2] = x
			if x >= len(a) && x-k >= len(b) {
				return backtrack(append(rounds, last), a, b)
			}
		}
		rounds, last = append(rounds, last), next
	}
	return []Edit{{Gone, strings.Join(a, "")}, {Fresh, strings.Join(b, "")}}
}

// front is how far into a each diagonal got with d edits; diagonal k of -d, -d+2, … d stands at (k+d)/2.
type front []int

// step is where edit number d leads on diagonal k: down (an addition) or right (a removal), whichever reaches further.
func (f front) step(d, k int) (x int, down bool) {
	right, below := (k+d)/2-1, (k+d)/2
	switch {
	case d == 0:
		return 0, true
	case k == -d || k != d && f[right] < f[below]:
		return f[below], true
	}
	return f[right] + 1, false
}

// backtrack reads the edits off the rounds, from the end of the texts to their start.
func backtrack(rounds []front, a, b []string) []Edit {
	var edits []Edit
	x, y := len(a), len(b)
	for d := len(rounds) - 1; d >= 0; d-- {
		start, down := rounds[d].step(d, x-y)
		for x > start && x > 0 && y > 0 && a[x-1] == b[y-1] {
			x, y = x-1, y-1
			edits = append(edits, Edit{Kept, a[x]})
		}
		switch {
		case d == 0:
		case down:
			y--
			edits = append(edits, Edit{Fresh, b[y]})
		default:
			x--
			edits = append(edits, Edit{Gone, a[x]})
		}
	}
	slices.Reverse(edits)
	return edits
}

// tidy joins neighbours of one kind, and makes one replacement of changes that only space keeps apart.
func tidy(edits []Edit) []Edit {
	var out, phrase []Edit
	for i, e := range edits {
		blank := strings.Trim(e.Text, " \t") == "" && i+1 < len(edits) && edits[i+1].Op != Kept
		if e.Op != Kept || blank && len(phrase) > 0 {
			phrase = append(phrase, e)
			continue
		}
		out = appendEdit(appendPhrase(out, phrase), e)
		phrase = nil
	}
	return appendPhrase(out, phrase)
}

// appendPhrase adds a phrase in which something was removed and something added as one replacement, any other as it is.
func appendPhrase(all, phrase []Edit) []Edit {
	var before, after string
	var ops [Fresh + 1]bool
	for _, e := range phrase {
		ops[e.Op] = true
		if e.Op != Fresh {
			before += e.Text
		}
		if e.Op != Gone {
			after += e.Text
		}
	}
	if ops[Gone] && ops[Fresh] {
		phrase = []Edit{{Gone, before}, {Fresh, after}}
		if strings.HasSuffix(before, " ") && strings.HasSuffix(after, " ") {
			phrase = []Edit{{Gone, before[:len(before)-1]}, {Fresh, after[:len(after)-1]}, {Kept, " "}}
		}
	}
	for _, e := range phrase {
		all = appendEdit(all, e)
	}
	return all
}

func appendEdit(all []Edit, e Edit) []Edit {
	if e.Text == "" {
		return all
	}
	if last := len(all) - 1; last >= 0 && all[last].Op == e.Op {
		all[last].Text += e.Text
		return all
	}
	return append(all, e)
}
