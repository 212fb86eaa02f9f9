// Package pattern decides questions about the regular expressions of JSON Schema: which strings they accept,
// and whether everything that one accepts another accepts too.
//
// JSON Schema's pattern and patternProperties are ECMA-262 regular expressions with the unicode flag,
// searched for anywhere in the string. The part of them that is regular is translated to RE2 and then, for
// questions about whole languages, to automata over classes of code points. What is not regular
// (backreferences, lookaround anywhere but at an anchored start) or not known with certainty is refused by
// [Parse] with an error that names the construct. Strings are sequences of code points; a lone surrogate is
// none, as in what encoding/json decodes. Every question is bounded; past the bound the answer is [Unknown],
// never a guess.
package pattern

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
	"sync"
)

// Pattern is a regular expression whose meaning is known exactly. It is safe for concurrent use.
type Pattern struct {
	terms []term
}

// A term is one condition of a pattern: a search that must succeed, or with negated set, must fail. A plain
// pattern has one; each lookahead at an anchored start adds one. Most terms are never asked, so they are
// compiled when they are.
type term struct {
	re      func() *regexp.Regexp
	prog    func() *syntax.Prog
	size    int // of the program, in instructions
	negated bool
}

// Parse reads an ECMA-262 pattern. The error names the construct that makes it invalid or undecidable here; a
// caller treats both the same, as a pattern about which nothing is known.
func Parse(ecma string) (*Pattern, error) {
	parts, err := translate(ecma)
	if err != nil {
		return nil, fmt.Errorf("reading pattern %q: %w", ecma, err)
	}
	p := &Pattern{}
	for _, part := range parts {
		t, err := compile(part.re2)
		if err != nil {
			return nil, fmt.Errorf("reading pattern %q: %w", ecma, err)
		}
		t.negated = part.negated
		p.terms = append(p.terms, t)
	}
	return p, nil
}

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
	t, err := compile(re2)
	if err != nil {
		return nil, fmt.Errorf("reading %d names as a pattern: %w", len(names), err)
	}
	return &Pattern{terms: []term{t}}, nil
}

func compile(re2 string) (term, error) {
	if len(re2) > maxRE2Length {
		return term{}, errTooLarge
	}
	tree, err := syntax.Parse(re2, syntax.Perl)
	if err != nil {
		return term{}, err
	}
	if size(tree, 1) > maxProgram {
		return term{}, errTooLarge
	}
	return term{
		re:   sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(re2) }),
		prog: sync.OnceValue(func() *syntax.Prog { return program(re2) }),
		size: size(tree, 0),
	}, nil
}

// program compiles what was parsed before.
func program(re2 string) *syntax.Prog {
	tree, err := syntax.Parse(re2, syntax.Perl)
	if err != nil {
		panic(err)
	}
	prog, err := syntax.Compile(tree.Simplify())
	if err != nil {
		panic(err)
	}
	return prog
}

// maxProgram bounds the instructions of a pattern, which repetitions multiply, and the ends of the ranges
// they read.
const maxProgram = 200_000

var errTooLarge = errors.New("the pattern is too large")

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

// Size is the number of the pattern's instructions: what it costs to be read, and to look at one character.
func (p *Pattern) Size() int {
	n := 0
	for _, t := range p.terms {
		n += t.size
	}
	return n
}

// Cost bounds the work of [Pattern.Match], in units of the package's other work.
func (p *Pattern) Cost(s string) int { return 8 + p.Size()*len(s)/2 }

// Match reports whether the pattern is found in s.
func (p *Pattern) Match(s string) bool {
	for _, t := range p.terms {
		if t.re().MatchString(s) == t.negated {
			return false
		}
	}
	return true
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
// MinLen code points and, where Bounded is set, at most MaxLen. The zero Region is all strings.
type Region struct {
	All, None []*Pattern
	MinLen    int
	MaxLen    int
	Bounded   bool
	// Spent, where it is set, is raised by the units of work that a question took.
	Spent *int
	// Limit bounds the units of work of a question more tightly than the package does; 0 does not.
	Limit int
	// Stopped, where it is set, is asked now and then whether to give up.
	Stopped func() bool
}

// Find returns a shortest string of the region with [Yes], or [No] where the region is proved empty.
func (r Region) Find() (string, Answer) {
	if r.Bounded && r.MaxLen < r.MinLen {
		return "", No
	}
	work := maxWork
	if r.Limit > 0 {
		work = min(r.Limit, maxWork)
	}
	if r.Spent != nil {
		defer func(limit int) { *r.Spent += limit - work }(work)
	}
	// what is long enough is looked for only where the shortest is not
	for _, least := range [...]int{0, r.MinLen} {
		m := r.machine(&work)
		if work < 0 {
			return "", Unknown
		}
		m.least = least
		switch g, n, whole := m.explore(); {
		case !whole:
			return "", Unknown
		case n < 0 || r.Bounded && g.nodes[n].depth > r.MaxLen:
			return "", No
		case g.nodes[n].depth >= r.MinLen:
			return m.path(g, n), Yes
		}
	}
	return "", Unknown
}

// A machine runs the automata of a region side by side.
type machine struct {
	alpha *alphabet
	dfas  []*dfa
	all   [][]signed // by pattern of All: its terms
	none  [][]signed
	work  *int // units left
	least int  // how many code points are accepted

	stopped func() bool
}

type signed struct {
	dfa     int
	negated bool
}

func (r Region) machine(work *int) *machine {
	m := &machine{work: work, stopped: r.Stopped}
	c := &collector{index: map[string]int{}}
	c.add([]span{{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}})
	for _, p := range r.All {
		m.all = append(m.all, m.take(p, c))
	}
	for _, p := range r.None {
		m.none = append(m.none, m.take(p, c))
	}
	spans := 0
	for _, set := range c.sets {
		spans += len(set)
	}
	if *m.work -= spans * (2 + len(c.sets)/4); *m.work < 0 {
		return m
	}
	m.alpha = c.alphabet()
	for _, d := range m.dfas {
		d.alpha = m.alpha
	}
	return m
}

func (m *machine) take(p *Pattern, c *collector) []signed {
	var terms []signed
	for _, t := range p.terms {
		if *m.work -= t.size; *m.work < 0 {
			break
		}
		prog := t.prog()
		sets := make([]int, len(prog.Inst))
		for i := range prog.Inst {
			*m.work -= len(prog.Inst[i].Rune)
			switch in := &prog.Inst[i]; in.Op {
			case syntax.InstRune, syntax.InstRune1, syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
				sets[i] = c.add(spansOf(in))
			}
		}
		terms = append(terms, signed{dfa: len(m.dfas), negated: t.negated})
		m.dfas = append(m.dfas, newDFA(prog, sets, m.work))
	}
	return terms
}

// accepts reports whether a string that ends in these states lies in the region, but for the greatest length.
func (m *machine) accepts(states []int) bool {
	if states[len(m.dfas)] < m.least {
		return false
	}
	for _, terms := range m.all {
		if !m.matches(terms, states) {
			return false
		}
	}
	for _, terms := range m.none {
		if m.matches(terms, states) {
			return false
		}
	}
	return true
}

func (m *machine) matches(terms []signed, states []int) bool {
	for _, t := range terms {
		if m.dfas[t.dfa].accepts(states[t.dfa]) == t.negated {
			return false
		}
	}
	return true
}

// hopeless reports whether no continuation can lead into the region.
func (m *machine) hopeless(states []int) bool {
	for _, terms := range m.all {
		for _, t := range terms {
			if s := states[t.dfa]; s == lost && !t.negated || s == found && t.negated {
				return true
			}
		}
	}
	for _, terms := range m.none {
		settled := true
		for _, t := range terms {
			s := states[t.dfa]
			settled = settled && (s == found && !t.negated || s == lost && t.negated)
		}
		if settled {
			return true
		}
	}
	return false
}

// bounds writes a repetition with counts that RE2 takes.
func bounds(least, most int) string {
	switch {
	case most < 0:
		return fmt.Sprintf("{%d,}", least)
	case most == least:
		return fmt.Sprintf("{%d}", least)
	}
	return fmt.Sprintf("{%d,%d}", least, most)
}

// spelled writes a repetition with counts that RE2 takes, so that few ways to match run side by side.
func spelled(atom string, least, most int) string {
	if least > maxRE2Count {
		rest := most
		if most >= 0 {
			rest = most - maxRE2Count
		}
		return fmt.Sprintf("%s{%d}", atom, maxRE2Count) + spelled(atom, least-maxRE2Count, rest)
	}
	if most <= maxRE2Count {
		return atom + bounds(least, most)
	}
	return fmt.Sprintf("(?:%s{%d,%d}|%s{%d}%s)", atom, least, maxRE2Count-1, atom, maxRE2Count,
		spelled(atom, 0, most-maxRE2Count))
}
