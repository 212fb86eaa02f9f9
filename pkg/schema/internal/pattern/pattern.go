// Package pattern decides questions about the regular expressions of JSON Schema: which strings they accept,
// and whether everything that one accepts another accepts too.
//
// JSON Schema's pattern and patternProperties are ECMAScript regular expressions with the unicode flag,
// searched for anywhere in the string. They are read into the syntax of RE2 (read.go) and, for questions
// about whole languages, into automata over classes of code points (automaton.go). Of an irregular pattern,
// with a backreference or with lookaround anywhere but at an anchored start, only single strings can be
// matched. Strings are sequences of code points. Every question is bounded; past the bound the answer is
// [Unknown], never a guess.
package pattern

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/dlclark/regexp2/v2"
)

// Pattern is a regular expression. It is safe for concurrent use.
type Pattern struct {
	terms []term
	// a matcher for a pattern without an automaton; its terms are only close to the language
	irregular *regexp2.Regexp
}

// A term is one condition of a pattern: a search that must succeed, or with negated set, must fail. Each
// lookahead at an anchored start is one. Most terms are never asked, so they are compiled when they are.
type term struct {
	re      func() *regexp.Regexp
	prog    func() *syntax.Prog
	size    int // of the program, in instructions
	negated bool
}

// Parse reads an ECMAScript pattern. The error says why it is invalid or cannot be decided; a caller treats
// both the same, as a pattern about which nothing is known.
func Parse(source string) (*Pattern, error) {
	p, irregular, err := parse(source)
	if err == nil && irregular != nil {
		if p.irregular, err = regexp2.Compile(source, regexp2.ECMAScript); err == nil {
			p.irregular.MatchTimeout = time.Second
		}
	}
	if err != nil {
		return nil, fmt.Errorf("reading pattern %q: %w", source, err)
	}
	return p, nil
}

// parse reads a pattern, and returns why it is irregular if it is.
func parse(source string) (p *Pattern, irregular, err error) {
	r := &reader{}
	parts := r.read(source)
	switch {
	case r.fault != "":
		return nil, nil, errors.New(r.fault)
	case r.unsupported != nil:
		return nil, nil, r.unsupported
	}
	p = &Pattern{}
	for _, part := range parts {
		t, err := compile(part.re2)
		if err != nil {
			return nil, nil, err
		}
		t.negated = part.negated
		p.terms = append(p.terms, t)
	}
	return p, r.irregular, nil
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
func (p *Pattern) Size() int {
	n := 0
	for _, t := range p.terms {
		n += t.size
	}
	return n
}

// Cost bounds the work of [Pattern.Match], in units of the package's other work.
func (p *Pattern) Cost(s string) int { return 8 + p.Size()*len(s)/2 }

// maxIrregular is the length in bytes of the longest string that is matched by an irregular pattern, whose
// matcher may take exponential time.
const maxIrregular = 64

// Match reports whether the pattern is found in s; sure is false if that is not decided.
func (p *Pattern) Match(s string) (found, sure bool) {
	if p.irregular != nil {
		if len(s) > maxIrregular {
			return false, false
		}
		found, err := p.irregular.MatchString(s)
		return found, err == nil
	}
	return p.close(s), true
}

// close reports whether s fulfils the conditions of the pattern, which are only close to it if it is
// irregular.
func (p *Pattern) close(s string) bool {
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
// MinLen code points and, if Bounded is set, at most MaxLen. The zero Region is all strings. The patterns are
// regular.
type Region struct {
	All, None []*Pattern
	MinLen    int
	MaxLen    int
	Bounded   bool
	// Beside are further patterns whose characters are distinguished in samples.
	Beside []*Pattern
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

// Samples returns up to n strings of the region, shortest first, that together take many ways through its
// automaton, and a few that repeat a character. It returns fewer or none if the automaton is too large.
// Patterns may be irregular: the strings are only close to those.
func (r Region) Samples(n int) []string {
	work := maxWork
	if r.Limit > 0 {
		work = min(r.Limit, maxWork)
	}
	if r.Spent != nil {
		defer func(limit int) { *r.Spent += limit - work }(work)
	}
	m := r.machine(&work)
	if work < 0 {
		return nil
	}
	m.least = r.MinLen
	g := m.start()
	var edges []edge
	for i := 0; i < len(g.nodes) && len(g.nodes) < maxStates && work >= 0; i++ {
		if m.hopeless(g.nodes[i].states) {
			continue
		}
		reached := map[int]bool{}
		for class := range m.alpha.runes {
			work -= 4*len(m.dfas) + 4
			at := g.nodes[i]
			to := g.visit(m.step(at.states, class), node{from: i, via: class, depth: at.depth + 1})
			if !reached[to] {
				reached[to] = true
				edges = append(edges, edge{i, to, class})
			}
		}
	}
	tails := m.completions(g, edges)
	var found []string
	for _, e := range append(edges, edge{from: -1}) {
		s, class := "", ""
		if e.from >= 0 {
			s, class = m.path(g, e.from), string(m.alpha.runes[e.class])
		}
		tail, accepted := tails[e.to]
		if s += class + tail; accepted && (!r.Bounded || utf8.RuneCountInString(s) <= r.MaxLen) {
			found = append(found, s)
		}
		if work -= len(s); work < 0 || len(found) > 16*n {
			break
		}
	}
	slices.SortFunc(found, func(a, b string) int { return cmp.Or(len(a)-len(b), strings.Compare(a, b)) })
	found = slices.Compact(found)
	found = found[:min(n, len(found))]
	for class := range min(len(m.alpha.runes), maxRepeated) {
		s, ok := m.repeating(g, class, tails)
		if ok && (!r.Bounded || utf8.RuneCountInString(s) <= r.MaxLen) {
			found = append(found, s)
		}
	}
	return found
}

// maxRepeated is the number of characters that are each repeated in a sample.
const maxRepeated = 24

// repeating returns a string of a character in all places where it leads on, once around each loop.
func (m *machine) repeating(g *graph, class int, tails map[int]string) (string, bool) {
	var text []rune
	seen := map[int]bool{}
	at := 0
	for *m.work >= 0 {
		*m.work -= 8 * (1 + len(m.dfas))
		seen[at] = true
		next, known := g.index[g.key(m.step(g.nodes[at].states, class))]
		if _, leads := tails[next]; !known || !leads || seen[next] {
			break
		}
		text, at = append(text, m.alpha.runes[class]), next
	}
	tail, accepted := tails[at]
	return string(text) + tail, accepted
}

// An edge is one step of an automaton.
type edge struct{ from, to, class int }

// completions returns shortest string from each node to acceptance.
func (m *machine) completions(g *graph, edges []edge) map[int]string {
	into := map[int][]edge{}
	for _, e := range edges {
		into[e.to] = append(into[e.to], e)
	}
	tails := map[int]string{}
	var queue []int
	for i, n := range g.nodes {
		if m.accepts(n.states) {
			tails[i] = ""
			queue = append(queue, i)
		}
	}
	for ; len(queue) > 0 && *m.work >= 0; queue = queue[1:] {
		for _, e := range into[queue[0]] {
			if _, known := tails[e.from]; !known {
				tails[e.from] = string(m.alpha.runes[e.class]) + tails[e.to]
				*m.work -= 4 + len(tails[e.from])/4
				queue = append(queue, e.from)
			}
		}
	}
	return tails
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
	for _, p := range r.Beside {
		for _, t := range p.terms {
			m.sets(t, c)
		}
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

// take adds the automata of a pattern.
func (m *machine) take(p *Pattern, c *collector) []signed {
	var terms []signed
	for _, t := range p.terms {
		sets := m.sets(t, c)
		if *m.work < 0 {
			break
		}
		terms = append(terms, signed{dfa: len(m.dfas), negated: t.negated})
		m.dfas = append(m.dfas, newDFA(t.prog(), sets, m.work))
	}
	return terms
}

// sets adds the sets of characters that a term tests for, and returns their numbers by instruction.
func (m *machine) sets(t term, c *collector) []int {
	if *m.work -= t.size; *m.work < 0 {
		return nil
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
	return sets
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
