package wording

import (
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// literals are texts, in lower case: each match of an expression has one of them. None are known where there
// are no such texts, or very many.
type literals []string

// known are the literals by expression.
var known sync.Map // of *regexp.Regexp

// MayMatch reports whether an expression can match a text, which is given in lower case. It is never false
// for one that matches.
func MayMatch(pattern *regexp.Regexp, lower string) bool {
	found, ok := known.Load(pattern)
	if !ok {
		var texts literals
		if tree, err := syntax.Parse(pattern.String(), syntax.Perl); err == nil {
			texts = literalsOf(tree)
		}
		found, _ = known.LoadOrStore(pattern, texts)
	}
	texts := found.(literals)
	return len(texts) == 0 || strings.ContainsRune(lower, 'ſ') || // which matches s
		slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(lower, text) })
}

const (
	mostLiterals    = 40
	shortestLiteral = 2 // bytes
)

// literalsOf returns the literals of a part of an expression.
func literalsOf(part *syntax.Regexp) literals {
	switch part.Op {
	case syntax.OpLiteral:
		text := strings.ToLower(string(part.Rune))
		if len(text) >= shortestLiteral && utf8.ValidString(text) &&
			!slices.ContainsFunc(part.Rune, severalForms) {
			return literals{text}
		}
	case syntax.OpCapture, syntax.OpPlus:
		return literalsOf(part.Sub[0])
	case syntax.OpRepeat:
		if part.Min > 0 {
			return literalsOf(part.Sub[0])
		}
	case syntax.OpAlternate:
		var all literals
		for _, sub := range part.Sub {
			some := literalsOf(sub)
			if len(some) == 0 || len(all)+len(some) > mostLiterals {
				return nil
			}
			all = append(all, some...)
		}
		return all
	case syntax.OpConcat:
		var best literals
		for _, sub := range part.Sub {
			if some := literalsOf(sub); some.weight() > best.weight() {
				best = some
			}
		}
		return best
	}
	return nil
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
