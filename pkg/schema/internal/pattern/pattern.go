// Package pattern decides questions about the regular expressions of JSON Schema: which strings they accept,
// and whether everything that one accepts another accepts too.
//
// JSON Schema's pattern and patternProperties are ECMAScript regular expressions with the unicode flag,
// searched for anywhere in the string. They are read into the syntax of RE2 (read.go) and, for questions
// about whole languages, into automata over classes of code points (automaton.go). Of an irregular pattern,
// with a backreference or with lookaround, only single strings can be matched. Strings are sequences of code
// points. Every question is bounded; past the bound the answer is [Unknown], never a guess.
package pattern

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/dlclark/regexp2/v2"

	"github.com/mcpctl/mcpctl/internal/kit"
)

// Pattern is a regular expression. It is safe for concurrent use. Most patterns are never asked, so they are
// compiled when they are.
type Pattern struct {
	re   func() *regexp.Regexp
	prog func() *syntax.Prog
	tree *syntax.Regexp
	size int // of the program, in instructions
	// a matcher for a pattern without an automaton; the rest is only close to the language
	irregular *regexp2.Regexp
}

// Parse reads an ECMAScript pattern. The error says why it is invalid or cannot be decided; a caller treats
// both the same, as a pattern about which nothing is known.
func Parse(source string) (*Pattern, error) {
	r := &reader{}
	re2 := r.read(source)
	p, err := &Pattern{}, r.err
	if err == nil {
		p, err = compile(re2)
	}
	if err == nil && r.irregular {
		if p.irregular, err = regexp2.Compile(source, regexp2.ECMAScript); err == nil {
			p.irregular.MatchTimeout = time.Second
		}
	}
	if err != nil {
		return nil, fmt.Errorf("reading pattern %q: %w", source, err)
	}
	return p, nil
}

// Regular reports whether questions about all strings of the pattern can be decided.
func (p *Pattern) Regular() bool { return p.irregular == nil }

// Exactly returns the pattern that accepts the given strings and no others. It lets names stand beside
// patterns in a [Region]. It fails only where the strings together are too large.
func Exactly(names ...string) (*Pattern, error) {
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = regexp.QuoteMeta(strings.ToValidUTF8(name, "\uFFFD"))
	}
	re2 := `\A(?:` + strings.Join(quoted, "|") + `)\z`
	if len(names) == 0 {
		re2 = nothing
	}
	p, err := compile(re2)
	if err != nil {
		return nil, fmt.Errorf("reading %d names as a pattern: %w", len(names), err)
	}
	return p, nil
}

// compile reads a pattern in RE2 syntax and refuses one that is too large before a program is built. The
// matcher and the program are made on first use.
func compile(re2 string) (*Pattern, error) {
	if len(re2) > maxRE2Length {
		return nil, errTooLarge
	}
	tree, err := syntax.Parse(re2, syntax.Perl)
	if err != nil {
		return nil, err
	}
	if size(tree, 1) > maxProgram {
		return nil, errTooLarge
	}
	return &Pattern{
		re: sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(re2) }),
		prog: sync.OnceValue(func() *syntax.Prog {
			prog, _ := syntax.Compile(tree.Simplify()) // never fails
			return prog
		}),
		tree: tree,
		size: size(tree, 0),
	}, nil
}

// maxProgram bounds the instructions of a pattern, which repetitions multiply, and the ends of the ranges
// they read.
const maxProgram = 200_000

// size estimates the instructions that a pattern is compiled to, up to a little more than the bound; each end
// of a range that one reads counts as so many.
func size(tree *syntax.Regexp, end int) int {
	n := 1 + len(tree.Rune)*end
	if tree.Op == syntax.OpLiteral {
		n = len(tree.Rune)
	}
	for _, sub := range tree.Sub {
		if n += size(sub, end); n > maxProgram {
			return n
		}
	}
	if tree.Op == syntax.OpRepeat {
		n *= max(tree.Min, tree.Max, 1)
	}
	return n
}

// Size returns the number of the pattern's instructions, which is the cost of reading it or of looking at one
// character.
func (p *Pattern) Size() int { return p.size }

// Endless is the length of strings that have no longest one.
const Endless = 1 << 40

// Longest returns a length, in characters, that no string of the pattern exceeds, or [Endless].
func (p *Pattern) Longest() int { return longest(p.tree, true) }

// longest returns the length of what a tree matches; outer is true where nothing is around it, so that
// anything may stand before and after what is not anchored.
func longest(tree *syntax.Regexp, outer bool) int {
	n, subs := 0, tree.Sub
	if tree.Op == syntax.OpConcat && outer {
		last := len(subs) - 1
		outer = subs[0].Op != syntax.OpBeginText || subs[last].Op != syntax.OpEndText
	} else if tree.Op == syntax.OpAlternate || tree.Op == syntax.OpCapture {
		for _, sub := range subs {
			n = max(n, longest(sub, outer))
		}
		return n
	}
	switch tree.Op {
	case syntax.OpLiteral:
		n = len(tree.Rune)
	case syntax.OpCharClass, syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		n = 1
	case syntax.OpStar, syntax.OpPlus:
		return Endless
	}
	for _, sub := range subs {
		n = min(n+longest(sub, false), Endless)
	}
	if outer || tree.Op == syntax.OpRepeat && tree.Max < 0 {
		return Endless
	}
	if tree.Op == syntax.OpRepeat {
		n = min(n*tree.Max, Endless)
	}
	return n
}

// Cost bounds the work of [Pattern.Match], in units of the package's other work.
func (p *Pattern) Cost(s string) int { return 8 + p.size*len(s)/2 }

// maxIrregular is the length in bytes of the longest string that is matched by an irregular pattern, whose
// matcher may take exponential time.
const maxIrregular = 256

// Match reports whether the pattern is found in s; sure is false if that is not decided.
func (p *Pattern) Match(s string) (found, sure bool) {
	if p.irregular != nil {
		if len(s) > maxIrregular {
			return false, false
		}
		found, err := p.irregular.MatchString(s)
		return found, err == nil
	}
	return p.re().MatchString(s), true
}

// Answer is the result of a question that may be left open.
type Answer int

// The answers.
const (
	Unknown Answer = iota // the bound on work was reached
	Yes
	No
)

// The bounds on one question. They are generous for patterns people write and end hostile ones in a fraction
// of a second.
const (
	maxStates = 10_000
	maxWork   = 2_000_000
)

// Region is a set of strings: those that match every pattern of All and none of None, and have at least
// MinLen code points and, if Bounded is set, at most MaxLen. The zero Region is all strings. The patterns are
// regular.
type Region struct {
	All, None []*Pattern
	MinLen    int
	MaxLen    int
	Bounded   bool
	// Work, where it is set, is the units of work that are left, and is lowered by what a question took. The
	// package bounds each question by itself, too.
	Work *int
}

// Find returns a shortest string of the region with [Yes], or [No] where the region is proved empty.
func (r Region) Find() (string, Answer) {
	if r.Bounded && r.MaxLen < r.MinLen {
		return "", No
	}
	work := maxWork
	if r.Work != nil {
		work = min(*r.Work, maxWork)
		defer func(limit int) { *r.Work -= limit - work }(work)
	}
	s, answer := search(r.All, r.None, &work)
	if answer == Yes && utf8.RuneCountInString(s) < r.MinLen {
		// what is long enough is looked for only where the shortest is not
		long, err := compile(fmt.Sprintf(`\A(?:%s){%d,}\z`, anything, r.MinLen))
		if err != nil {
			return "", Unknown
		}
		all := append(r.All[:len(r.All):len(r.All)], long)
		s, answer = search(all, r.None, &work)
	}
	if answer == Yes && r.Bounded && utf8.RuneCountInString(s) > r.MaxLen {
		return "", No
	}
	return s, answer
}

// Samples returns up to n strings that the pattern matches, or may match: it does not look at what surrounds
// a place, nor at other conditions. They differ from one another in one place.
func (p *Pattern) Samples(n int) []string {
	return spell(p.tree, n)
}

// tried are the characters that samples distinguish, where a class has them.
const tried = "a0A_-. bz9é/@+:"

// spell returns up to n strings for a tree, the plainest first.
func spell(tree *syntax.Regexp, n int) (out []string) {
	switch tree.Op {
	case syntax.OpLiteral:
		return []string{string(tree.Rune)}
	case syntax.OpCharClass:
		for _, c := range tried {
			for i := 0; i < len(tree.Rune); i += 2 {
				if c >= tree.Rune[i] && c <= tree.Rune[i+1] {
					out = append(out, string(c))
				}
			}
		}
		for _, c := range tree.Rune[:min(len(tree.Rune), 8)] {
			out = append(out, string(c))
		}
	case syntax.OpAlternate:
		for _, sub := range tree.Sub {
			out = append(out, spell(sub, n)...)
		}
	case syntax.OpCapture:
		return spell(tree.Sub[0], n)
	case syntax.OpRepeat, syntax.OpStar, syntax.OpPlus, syntax.OpQuest:
		least, most := bounds(tree)
		for _, s := range spell(tree.Sub[0], n) {
			for _, times := range [...]int{max(least, 1), least, least + 1, most} {
				if times <= most && len(s)*times <= maxSample {
					out = append(out, strings.Repeat(s, times))
				}
			}
		}
	case syntax.OpConcat:
		plain, variants := make([]string, len(tree.Sub)), make([][]string, len(tree.Sub))
		for i, sub := range tree.Sub {
			if variants[i] = spell(sub, n); len(variants[i]) > 0 {
				plain[i] = variants[i][0]
			}
		}
		for i := range tree.Sub {
			before, after := strings.Join(plain[:i], ""), strings.Join(plain[i+1:], "")
			for _, s := range variants[i] {
				out = append(out, before+s+after)
			}
			if len(out) > 4*n {
				break
			}
		}
	default:
		return []string{""}
	}
	out = kit.Distinct(out)
	return out[:min(n, len(out))]
}

// maxSample is the greatest length of what is repeated in a sample, in bytes.
const maxSample = 200

// bounds returns how often a repetition may match; a few more times than the least where that has no end.
func bounds(tree *syntax.Regexp) (least, most int) {
	switch tree.Op {
	case syntax.OpStar:
		return 0, 2
	case syntax.OpPlus:
		return 1, 3
	case syntax.OpQuest:
		return 0, 1
	}
	if tree.Max < 0 {
		return tree.Min, tree.Min + 2
	}
	return tree.Min, tree.Max
}
