package usage

import (
	"maps"
	"slices"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/schema"
)

// Verdict is what a schema does with the calls of a shape. The zero value is Undecided.
type Verdict int

// The verdicts. What rests on a text that is not kept is Undecided, never guessed.
const (
	Undecided Verdict = iota
	Accepted
	Refused
)

// Judge is Refused when each of the schemas refuses the calls of the shape, and Accepted when one accepts them.
func (s Shape) Judge(by ...*schema.Schema) Verdict {
	verdict, value := Refused, s.value()
	for _, one := range by {
		switch accepted, sure := one.Accepts(value); {
		case accepted && sure:
			return Accepted
		case !sure:
			verdict = Undecided
		}
	}
	return verdict
}

// Refused are the calls that the old schema accepts and each of the others refuses. A call that was answered without an error
// was accepted, also where the old schema cannot be judged by what is kept of it.
func (e Evidence) Refused(tool string, old *schema.Schema, by ...*schema.Schema) *finding.Usage {
	listed := Choices(old.Raw())
	for _, s := range by {
		maps.Copy(listed, Choices(s.Raw()))
	}
	choices := slices.Sorted(maps.Keys(listed))
	return e.count(tool, func(u Use) (calls, refused, undecided int) {
		fates, certain := map[Verdict]bool{}, true
		for _, one := range u.Arguments.cases(choices) {
			before := one.Judge(old)
			certain = certain && before == Accepted
			if before != Refused {
				fates[one.Judge(by...)] = true
			}
		}
		switch open := u.Errors; {
		case len(fates) == 0:
			return 0, 0, 0
		case len(fates) > 1 || fates[Undecided]:
			return u.Count, 0, u.Count
		case fates[Accepted]:
			return u.Count, 0, 0
		case certain:
			return u.Count, u.Count, 0
		default:
			return u.Count, u.Count - open, open
		}
	})
}

// mostCases bounds what a shape is taken apart into.
const mostCases = 64

// cases are the shapes with texts that are not kept taken for each of the choices that they may have been, and for none of them:
// one of these the call had. Where there are too many, the shape is the only one.
func (s Shape) cases(choices []string) []Shape {
	var all []Shape
	for n, total := 0, 1; n < total; n++ { // n counts through the alternatives of all texts, as digits
		rest, combined := n, 1
		all = append(all, s.each("", func(_ string, text Shape) Shape {
			if text.Value != nil {
				return text
			}
			may := text.alternatives(choices)
			chosen := may[rest%len(may)]
			rest, combined = rest/len(may), min(combined*len(may), mostCases+1)
			return chosen
		}))
		if total = combined; total > mostCases {
			return []Shape{s}
		}
	}
	return all
}

// alternatives are the choices of the length that a text has, and the text that is none of them.
func (s Shape) alternatives(choices []string) []Shape {
	other := s
	all := []Shape{}
	for _, choice := range choices {
		if low, high := lengthRange(utf8.RuneCountInString(choice)); low == s.Low && high == s.High {
			all = append(all, Shape{Type: "string", Value: rawjson.Quote(choice)})
			other.except = append(other.except, choice)
		}
	}
	return append(all, other)
}
