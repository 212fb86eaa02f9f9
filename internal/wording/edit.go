package wording

import (
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/kit"
)

// Edit is a passage of a text that was kept, removed or added.
type Edit struct {
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

// maxEdits is how many words may differ before two texts count as entirely different.
const maxEdits = 1000

// token matches what is compared: a word, a run of spaces, or one other character.
var token = kit.Pattern(`[\p{L}\p{N}_]+|[ \t]+|(?s:.)`)

// Compare returns what was kept, removed and added, word by word; changes of adjacent words are one.
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

// script returns the shortest list of edits that turns a into b (Myers, "An O(ND) Difference Algorithm",
// 1986), or one replacement when that is too long.
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
	return []Edit{{Removed, strings.Join(a, "")}, {Added, strings.Join(b, "")}}
}

// front is how far each diagonal reaches into a with d edits; diagonal k of -d, -d+2, … d is at (k+d)/2.
type front []int

// step returns where edit number d leads on diagonal k: down (an addition) or right (a removal), whichever
// reaches further.
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

// backtrack returns the edits, which it finds from the end of the texts to their start.
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
			edits = append(edits, Edit{Added, b[y]})
		default:
			x--
			edits = append(edits, Edit{Removed, a[x]})
		}
	}
	slices.Reverse(edits)
	return edits
}

// tidy joins neighbours with one operation, and changes with only space between them.
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

// appendPhrase appends changes, those with removals and additions as one replacement.
func appendPhrase(all, phrase []Edit) []Edit {
	var before, after string
	var ops [Added + 1]bool
	for _, e := range phrase {
		ops[e.Op] = true
		if e.Op != Added {
			before += e.Text
		}
		if e.Op != Removed {
			after += e.Text
		}
	}
	if ops[Removed] && ops[Added] {
		phrase = []Edit{{Removed, before}, {Added, after}}
		if strings.HasSuffix(before, " ") && strings.HasSuffix(after, " ") {
			phrase = []Edit{{Removed, before[:len(before)-1]}, {Added, after[:len(after)-1]}, {Kept, " "}}
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
