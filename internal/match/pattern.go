package match

import (
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// Expression is a regular expression that knows which texts it need not be tried on: trying takes thirty times as long.
type Expression struct {
	*regexp.Regexp
	least int // the length of the shortest match
	need  need
}

// Pattern is a regular expression that is compiled when it is first used: no start of the program pays for those that its run does
// not need. A faulty one panics then.
func Pattern(expression string) func() *Expression {
	return sync.OnceValue(func() *Expression {
		e := &Expression{Regexp: regexp.MustCompile(expression)}
		if read, err := syntax.Parse(expression, syntax.Perl); err == nil { // MustCompile has read it, too
			e.least, e.need = shortest(read), needOf(read)
		}
		return e
	})
}

// Grams are the runs of one to three letters that a text has, as a filter that may take some for there which are not.
type Grams struct {
	length int
	bits   [32]uint64
}

// GramsOf is made once for a text that many expressions are tried on.
func GramsOf(text string) *Grams {
	g := &Grams{length: len(text)}
	var run uint32
	for i, c := range []byte(folded(text)) {
		run = run<<8 | uint32(c)
		g.set(run & 0xFF)
		if i > 0 {
			g.set(run & 0xFFFF)
		}
		if i > 1 {
			g.set(run & 0xFFFFFF)
		}
	}
	return g
}

func (g *Grams) set(run uint32) { at := place(run); g.bits[at>>6] |= 1 << (at & 63) }

func (g *Grams) has(run uint32) bool { at := place(run); return g.bits[at>>6]&(1<<(at&63)) != 0 }

// place spreads runs over the bits (Fibonacci hashing).
func place(run uint32) uint32 { return run * 2654435769 >> 21 }

// May tells whether a text of these grams may match. No match is passed over.
func (e *Expression) May(g *Grams) bool {
	return g.length >= e.least && e.need.met(g)
}

func (g *Grams) mayHold(part string) bool {
	run := uint32(0)
	for i := range len(part) {
		run = run<<8 | uint32(part[i])
		if i >= min(len(part), 3)-1 && !g.has(run&(1<<(8*min(len(part), 3))-1)) {
			return false
		}
	}
	return true
}

// folded is a text in small letters, as far as they are of ASCII. Two signs beyond it are other cases of such letters to a regular
// expression.
func folded(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case 'A' <= r && r <= 'Z':
			return r + 'a' - 'A'
		case r == 'ſ':
			return 's'
		case r == '\u212a':
			return 'k'
		}
		return r
	}, text)
}

// shortest is how many characters a match has at least.
func shortest(re *syntax.Regexp) int {
	switch re.Op {
	case syntax.OpLiteral:
		return len(re.Rune)
	case syntax.OpCharClass, syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return 1
	case syntax.OpCapture, syntax.OpPlus:
		return shortest(re.Sub[0])
	case syntax.OpRepeat:
		return re.Min * shortest(re.Sub[0])
	case syntax.OpConcat:
		sum := 0
		for _, sub := range re.Sub {
			sum += shortest(sub)
		}
		return sum
	case syntax.OpAlternate:
		least := shortest(re.Sub[0])
		for _, sub := range re.Sub[1:] {
			least = min(least, shortest(sub))
		}
		return least
	}
	return 0
}

// need is what each match holds, whatever its case: a part, and all of some needs, and one of others.
type need struct {
	part     string
	all, any []need
}

func (n need) none() bool { return n.part == "" && n.all == nil && n.any == nil }

func (n need) met(g *Grams) bool {
	for _, each := range n.all {
		if !each.met(g) {
			return false
		}
	}
	return g.mayHold(n.part) && (n.any == nil || slices.ContainsFunc(n.any, func(one need) bool { return one.met(g) }))
}

// mostLetters is how many letters of a class are looked for.
const mostLetters = 8

// needOf is what a match holds, as far as it is of ASCII.
func needOf(re *syntax.Regexp) need {
	switch re.Op {
	case syntax.OpLiteral:
		if part := folded(string(re.Rune)); !strings.ContainsFunc(part, func(r rune) bool { return r >= utf8.RuneSelf }) {
			return need{part: part}
		}
	case syntax.OpCharClass:
		return oneOf(re.Rune)
	case syntax.OpCapture, syntax.OpPlus:
		return needOf(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return needOf(re.Sub[0])
		}
	case syntax.OpConcat:
		var n need
		for _, sub := range re.Sub {
			if one := needOf(sub); !one.none() {
				n.all = append(n.all, one)
			}
		}
		return n
	case syntax.OpAlternate:
		var n need
		for _, sub := range re.Sub {
			one := needOf(sub)
			if one.none() {
				return need{}
			}
			n.any = append(n.any, one)
		}
		return n
	}
	return need{}
}

// oneOf is one of the letters of a small class, which is pairs of a first and a last one.
func oneOf(class []rune) need {
	var n need
	for i := 0; i < len(class); i += 2 {
		for r := class[i]; r <= class[i+1]; r++ {
			if len(n.any) == mostLetters || r >= utf8.RuneSelf && folded(string(r)) == string(r) {
				return need{}
			}
			n.any = append(n.any, need{part: folded(string(r))})
		}
	}
	return n
}
