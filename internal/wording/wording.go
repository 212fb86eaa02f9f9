// Package wording reads in texts for a model what changes how it behaves, by phrases that mean one thing
// only, and tells the words in which two texts differ.
package wording

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"unicode"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/internal/kit"
)

// Default is a default that a text speaks of.
type Default struct {
	Word   string // the value as it is written, without its quotes
	Number bool   // it is a number
	// of a number, with the white space in front of it; empty when what stands behind it is no unit
	Unit string
	Bare bool // it is a word without quotes, perhaps one of the sentence
}

// value is what a text may write for a value: something in quotes, a number, true or false, or a word.
const value = "(?:\"([^\"\\n]{0,80})\"|'([^'\\n]{0,80})'|`([^`\\n]{0,80})`|(-?\\d[\\d_]*(?:,\\d{3})*(?:\\.\\d+)?)(\\s*[%\\p{L}]\\w*)?|\\b(true|false)\\b|([A-Za-z][\\w-]*))"

var defaults = kit.Pattern(`(?i)\bdefaults?(?:\s+value)?(?:\s*[:=]\s*|\s+(?:is|to|of|as)\s+|\s+)` + value)

// unit behind a number makes it another one.
var unit = kit.Pattern(
	`(?i)^\s*(?:%|[kmg]i?b\b|ms\b|s\b|secs?\b|seconds?\b|m\b|mins?\b|minutes?\b|h\b|hours?\b|d\b|days?\b|weeks?\b|months?\b|years?\b|k\b|million|thousand|bytes?\b|x\b|px\b|tokens?\b|π)`)

// IsUnit tells whether what stands behind a number is a unit of measure.
func IsUnit(behind string) bool { return unit().MatchString(behind) }

// Same tells whether two texts speak of one default: as when only one of them names the unit.
func (d Default) Same(other Default) bool {
	plain := strings.NewReplacer(",", "", "_", "")
	if d.Number && other.Number {
		d.Word, other.Word = plain.Replace(d.Word), plain.Replace(other.Word)
	}
	return strings.EqualFold(d.Word, other.Word) &&
		(d.Unit == "" || other.Unit == "" || strings.EqualFold(d.Unit, other.Unit))
}

// Defaults are those that a text speaks of, in their order. A mention without a value has no Word.
func Defaults(text string) []Default {
	var all []Default
	for _, m := range defaults().FindAllStringSubmatch(text, -1) {
		one := Default{Number: m[4] != "", Unit: unit().FindString(m[5]), Bare: m[7] != ""}
		for _, group := range []int{1, 2, 3, 4, 6, 7} {
			one.Word += m[group]
		}
		all = append(all, one)
	}
	return all
}

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
var token = kit.Pattern(`[\p{L}\p{N}_]+|[ \t]+|(?s:.)`)

// Compare tells what was kept, removed and added, word by word; a change that is spread over a phrase is told
// as one.
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

// script is the shortest list of edits that turns a into b (Myers, "An O(ND) difference algorithm", 1986), or
// one replacement when it would be too long.
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

// step is where edit number d leads on diagonal k: down (an addition) or right (a removal), whichever reaches
// further.
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

// appendPhrase adds a phrase in which something was removed and something added as one replacement, any other
// as it is.
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

// Sign stands before what is concealed, BlankLines at the end of a line whose next one is.
const (
	Sign       = "⚠ "
	orderSign  = Sign + "order: "
	BlankLines = " blank lines:"
)

// hideouts are what people do not see in a rendered text and models read: comments, markup, images, behind
// white space.
var hideouts = kit.Pattern(
	`(?is)<!--.*?(?:-->|$)|<script\b.*?(?:</script\s*>|$)|!\[[^\]]*\]\([^)]*\)|<(?:img|iframe|object|embed|svg|style|link|meta)\b[^>]*>|[^\s][ \t]{16,}[^\s]|\n(?:[ \t\r]*\n){6,}`)

// seen has texts as they are marked, of at most mostSeen bytes and the last one: a page shows a text in
// several places.
var (
	seen     sync.Map
	seenSize atomic.Int64
)

const mostSeen = 8 << 20

// Marked is a text in which what hideouts are is marked, and what gives the model orders that the user did
// not.
func Marked(text string) string {
	if !strings.ContainsFunc(text, unicode.IsSpace) && !strings.ContainsAny(text, "<!") &&
		!strings.Contains(text, ".env") && !strings.ContainsFunc(text, isTag) {
		return text // a name, or a number: each order has a blank, but one to read a file of secrets
	}
	if marked, known := seen.Load(text); known {
		return marked.(string)
	}
	marked := mark(text)
	if size := int64(len(text) + len(marked)); seenSize.Add(size) > mostSeen {
		seen.Clear()
		seenSize.Store(size)
	}
	seen.Store(text, marked)
	return marked
}

// isTag tells the characters in which a text can be written that nobody sees.
func isTag(r rune) bool { return unicode.Is(unicode.Cf, r) && Latin(r) > 0 }

func mark(text string) string {
	text = signed(text)
	if !strings.ContainsAny(text, "<!\t") && !strings.Contains(text, "        ") &&
		!strings.Contains(text, "\n\n\n") && !strings.Contains(text, "\n ") {
		return text // which most are, and the search takes its time
	}
	return hideouts().ReplaceAllStringFunc(text, func(m string) string {
		switch lower := strings.ToLower(m); {
		case strings.HasPrefix(m, "<!--"):
			return Sign + "hidden comment: " + m
		case strings.HasPrefix(lower, "<script"):
			return Sign + "script: " + m
		case m[0] == '!' || strings.HasPrefix(lower, "<img"):
			return Sign + "image: " + m
		case m[0] == '<':
			return Sign + "markup: " + m
		case m[0] == '\n':
			return "\n" + Sign + fmt.Sprintf("after %d%s\n", strings.Count(m, "\n")-1, BlankLines)
		}
		first, last := firstRune(m), lastRune(m)
		return first + " " + Sign + fmt.Sprintf("after %d spaces: ", len(m)-len(first)-len(last)) + last
	})
}

func firstRune(s string) string { _, n := utf8.DecodeRuneInString(s); return s[:n] }

func lastRune(s string) string { _, n := utf8.DecodeLastRuneInString(s); return s[len(s)-n:] }
