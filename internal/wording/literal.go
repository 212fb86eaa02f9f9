package wording

import (
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/internal/kit"
)

// literals are texts, in lower case: each match of an expression has one of them.
type literals []string

// known are the literals by expression.
var known sync.Map // of *regexp.Regexp

// MayMatch reports whether an expression can match a text, which is given in lower case. It is never false
// for one that matches.
func MayMatch(pattern *regexp.Regexp, lower string) bool {
	found, ok := known.Load(pattern)
	if !ok {
		var all []literals
		if tree, err := syntax.Parse(pattern.String(), syntax.Perl); err == nil {
			all = literalsOf(tree)
		}
		found, _ = known.LoadOrStore(pattern, all)
	}
	lacks := func(texts literals) bool {
		return !slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(lower, text) })
	}
	return !slices.ContainsFunc(found.([]literals), lacks) ||
		strings.ContainsRune(lower, 'ſ') // which matches s
}

const (
	mostLiterals    = 40
	mostOfAPart     = 3 // literals that a part has to have
	shortestLiteral = 2 // bytes
)

// literalsOf returns the literals of a part of an expression: each match has one of each.
func literalsOf(part *syntax.Regexp) []literals {
	switch part.Op {
	case syntax.OpLiteral:
		text := strings.ToLower(string(part.Rune))
		if len(text) >= shortestLiteral && utf8.ValidString(text) &&
			!slices.ContainsFunc(part.Rune, severalForms) {
			return []literals{{text}}
		}
	case syntax.OpCapture, syntax.OpPlus:
		return literalsOf(part.Sub[0])
	case syntax.OpRepeat:
		if part.Min > 0 {
			return literalsOf(part.Sub[0])
		}
	case syntax.OpAlternate:
		all := literalsOf(part.Sub[0])
		for _, sub := range part.Sub[1:] {
			all = oneOf(all, literalsOf(sub))
		}
		return all
	case syntax.OpConcat:
		var all []literals
		for _, sub := range part.Sub {
			all = append(all, literalsOf(sub)...)
		}
		slices.SortStableFunc(all, func(a, b literals) int { return b.weight() - a.weight() })
		return all[:min(len(all), mostOfAPart)]
	}
	return nil
}

// oneOf returns the literals of two alternatives: each of the first ones with those of the second that add
// least to them.
func oneOf(first, second []literals) (all []literals) {
	for _, texts := range first {
		var least literals
		for _, others := range second {
			if both := kit.Distinct(slices.Concat(texts, others)); least == nil || len(both) < len(least) {
				least = both
			}
		}
		if least != nil && len(least) <= mostLiterals {
			all = append(all, least)
		}
	}
	return all
}

// weight returns how much the literals exclude: long ones more than short ones, few more than many.
func (l literals) weight() int {
	if len(l) == 0 {
		return 0
	}
	shortest := slices.MinFunc(l, func(a, b string) int { return len(a) - len(b) })
	return 100*min(len(shortest), 6) - len(l)
}

// severalForms reports whether a letter beyond ASCII has more than an upper and a lower case, as sigma has.
func severalForms(r rune) bool {
	return r >= utf8.RuneSelf && unicode.SimpleFold(unicode.SimpleFold(r)) != r
}
