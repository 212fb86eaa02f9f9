// Package pattern decides questions about the regular expressions of JSON Schema: which strings they accept, and
// whether everything that one accepts another accepts too.
//
// JSON Schema's pattern and patternProperties are ECMA-262 regular expressions with the unicode flag, searched for
// anywhere in the string. The part of them that is regular is translated to RE2 and then, for questions about whole
// languages, to automata over classes of code points. What is not regular (backreferences, lookaround anywhere but
// at an anchored start) or not known with certainty is refused by [Parse] with an error that names the construct.
// Strings are sequences of code points; a lone surrogate is none, as in what encoding/json decodes. Every question is
// bounded; past the bound the answer is [Unknown], never a guess.
package pattern

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
)

// Pattern is a regular expression whose meaning is known exactly. It is safe for concurrent use.
type Pattern struct {
	source string
	terms  []term
}

// A term is one condition of a pattern: a search that must succeed, or with negated set, must fail. A plain pattern
// has one; each lookahead at an anchored start adds one.
type term struct {
	re      *regexp.Regexp
	prog    *syntax.Prog
	negated bool
}

// Parse reads an ECMA-262 pattern. The error names the construct that makes it invalid or undecidable here; a caller
// treats both the same, as a pattern about which nothing is known.
func Parse(ecma string) (*Pattern, error) {
	parts, err := translate(ecma)
	if err != nil {
		return nil, fmt.Errorf("reading pattern %q: %w", ecma, err)
	}
	p := &Pattern{source: ecma}
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

// Exactly returns the pattern that accepts the given strings and no others. It lets names stand beside patterns in a
// [Region]. It fails only where the strings together are too large.
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
	return &Pattern{source: re2, terms: []term{t}}, nil
}

func compile(re2 string) (term, error) {
	re, err := regexp.Compile(re2)
	if err != nil {
		return term{}, err
	}
	tree, err := syntax.Parse(re2, syntax.Perl)
	if err != nil {
		return term{}, err
	}
	prog, err := syntax.Compile(tree.Simplify())
	if err != nil {
		return term{}, err
	}
	return term{re: re, prog: prog}, nil
}

// String returns the pattern as it was written.
func (p *Pattern) String() string { return p.source }

// Match reports whether the pattern is found in s.
func (p *Pattern) Match(s string) bool {
	for _, t := range p.terms {
		if t.re.MatchString(s) == t.negated {
			return false
		}
	}
	return true
}

// MatchString is [Pattern.Match] under the name that validators expect.
func (p *Pattern) MatchString(s string) bool { return p.Match(s) }

// Universal reports whether every string matches, as for "" and "^.*". False also where that could not be decided.
func (p *Pattern) Universal() bool {
	_, found := Region{None: []*Pattern{p}}.Find()
	return found == No
}

// Lengths returns the length in code points of the shortest and of the longest string that matches; longest is -1
// without a bound. Where the automaton is too large the answer is the safe one, 0 and -1. A pattern that nothing
// matches has shortest 1 and longest 0.
func (p *Pattern) Lengths() (shortest, longest int) {
	g, whole := Region{All: []*Pattern{p}}.graph(false)
	if !whole {
		return 0, -1
	}
	return g.lengths()
}

// Includes reports whether every string that matches narrow matches wide. With the answer [No] comes a shortest
// string that matches narrow and not wide, made of readable characters where the choice is free.
func Includes(wide, narrow *Pattern) (Answer, string) {
	s, found := Region{All: []*Pattern{narrow}, None: []*Pattern{wide}}.Find()
	switch found {
	case Yes:
		return No, s
	case No:
		return Yes, ""
	}
	return Unknown, ""
}

// Answer is the result of a question that may be left open.
type Answer int

// The answers.
const (
	Unknown Answer = iota // the bound on work was reached
	Yes
	No
)

// String returns unknown, yes or no.
func (a Answer) String() string {
	switch a {
	case Yes:
		return "yes"
	case No:
		return "no"
	}
	return "unknown"
}
