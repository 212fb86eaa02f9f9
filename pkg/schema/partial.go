package schema

import (
	"encoding/json"
	"math/big"
	"slices"
	"unicode/utf8"
)

// Partial stands in a decoded value for a part of which only some facts are known. [Schema.Accepts] and [Schema.Faults] answer
// what is true whatever the part is, and are not sure where that depends on it.
type Partial struct {
	Kind string // "string", "integer", "fraction" (a number that is no integer), "number" (either of them), "array" or "object"
	// Low and High bound a number, or the code points of a string; both are empty where that is not known.
	Low, High json.Number
	Format    string   // of a string: that of FormatOf; empty = it has none of those
	Except    []string // texts that a string is not
}

// Accepts tells whether the schema accepts a value, decoded with numbers as [json.Number]; formats are remarks. sure is false where
// that cannot be told, as in [Schema.Faults].
func (s *Schema) Accepts(value any) (accepted, sure bool) {
	found := newEvaluator(false).satisfies(s.plain, value)
	return found == inhabited, found != unsure
}

// FormatOf is the format that tells most of a text, of those that are worth telling: empty where it has none.
func FormatOf(text string) string {
	for _, format := range [...]string{"date-time", "date", "time", "uuid", "email", "ipv4", "uri"} {
		if hasFormat(format, text) == inhabited {
			return format
		}
	}
	return ""
}

func (p Partial) kinds() kindSet {
	kinds := map[string]kindSet{"string": kindString, "integer": kindNumber, "fraction": kindNumber, "number": kindNumber, "array": kindArray, "object": kindObject}
	return kinds[p.Kind]
}

// partial evaluates an assertion about the type that the part has.
func (e *evaluator) partial(n *node, p Partial) answer {
	low, known := rational(p.Low)
	high, both := rational(p.High)
	if n.op == opFormat && (!e.formats || n.text == p.Format) {
		return inhabited
	}
	if n.op == opMultiple {
		return p.multiple(n.number)
	}
	if n.op == opScalars {
		return p.oneOf(n.set, low, high, known && both)
	}
	bound, isBound := n.bound()
	if !known || !both || !isBound {
		return unsure
	}
	least, greatest := answerOf(n.passes(low, bound)), answerOf(n.passes(high, bound))
	if least != greatest {
		return unsure
	}
	return least
}

// bound is what a number, or the length of a string, is compared with.
func (n *node) bound() (*big.Rat, bool) {
	switch n.op {
	case opMinimum, opMaximum:
		return n.number, true
	case opMinLength, opMaxLength:
		return new(big.Rat).SetInt64(int64(n.count)), true
	}
	return nil, false
}

func (n *node) passes(v, bound *big.Rat) bool {
	order := v.Cmp(bound)
	if n.op == opMaximum || n.op == opMaxLength {
		order = -order
	}
	return order > 0 || order == 0 && !n.strict
}

// multiple tells whether every number that the part may be is a multiple.
func (p Partial) multiple(of *big.Rat) answer {
	switch {
	case p.Kind == "integer" && of.Num().IsInt64() && of.Num().Int64() == 1: // of a whole, or of a part of it

		return inhabited
	case p.Kind == "fraction" && of.IsInt():
		return void
	}
	return unsure
}

// oneOf tells whether the part is one of some scalars: never, where none of them can be it.
func (p Partial) oneOf(set *scalars, low, high *big.Rat, bounded bool) answer {
	switch p.Kind {
	case "array", "object":
		return void
	case "string":
		for _, text := range set.strings {
			length := new(big.Rat).SetInt64(int64(utf8.RuneCountInString(text)))
			if slices.Contains(p.Except, text) {
				continue
			}
			if !bounded || low.Cmp(length) <= 0 && length.Cmp(high) <= 0 {
				return unsure
			}
		}
		return void
	}
	for _, number := range set.numbers {
		if !bounded || low.Cmp(number) <= 0 && number.Cmp(high) <= 0 {
			return unsure
		}
	}
	return void
}

func partly(v any) bool {
	switch v := v.(type) {
	case Partial:
		return true
	case []any:
		for _, item := range v {
			if partly(item) {
				return true
			}
		}
	case map[string]any:
		for _, member := range v {
			if partly(member) {
				return true
			}
		}
	}
	return false
}
