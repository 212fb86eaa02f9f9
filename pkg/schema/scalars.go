package schema

import (
	"encoding/json"
	"math/big"
	"slices"
)

// scalars is a finite set of nulls, booleans, numbers and strings.
type scalars struct {
	null, yes, no bool
	numbers       []*big.Rat // sorted, distinct
	strings       []string   // sorted, distinct
}

// add puts a scalar into the set. It reports false for a number that cannot be read, and for anything but a scalar.
func (s *scalars) add(v any) bool {
	switch v := v.(type) {
	case nil:
		s.null = true
	case bool:
		s.yes, s.no = s.yes || v, s.no || !v
	case string:
		s.strings = append(s.strings, v)
	case json.Number:
		r, ok := rational(v)
		if !ok {
			return false
		}
		s.numbers = append(s.numbers, r)
	default:
		return false
	}
	return true
}

// tidy sorts the set and drops duplicates.
func (s *scalars) tidy() {
	slices.Sort(s.strings)
	s.strings = slices.Compact(s.strings)
	slices.SortFunc(s.numbers, (*big.Rat).Cmp)
	s.numbers = slices.CompactFunc(s.numbers, func(a, b *big.Rat) bool { return a.Cmp(b) == 0 })
}

func (s *scalars) hasString(v string) bool {
	_, ok := slices.BinarySearch(s.strings, v)
	return ok
}

func (s *scalars) hasNumber(v *big.Rat) bool {
	_, ok := slices.BinarySearchFunc(s.numbers, v, (*big.Rat).Cmp)
	return ok
}

func (s *scalars) hasBool(v bool) bool { return v && s.yes || !v && s.no }

// disjoint reports whether two sets have no member in common.
func (s *scalars) disjoint(t *scalars) bool {
	if s.null && t.null || s.yes && t.yes || s.no && t.no {
		return false
	}
	return !slices.ContainsFunc(s.strings, t.hasString) && !slices.ContainsFunc(s.numbers, t.hasNumber)
}

func (s *scalars) empty() bool { return s.kinds() == kindNone }

// kinds returns the types that the set has members of.
func (s *scalars) kinds() kindSet {
	k := kindNone
	if s.null {
		k |= kindNull
	}
	if s.yes || s.no {
		k |= kindBoolean
	}
	if len(s.numbers) > 0 {
		k |= kindNumber
	}
	if len(s.strings) > 0 {
		k |= kindString
	}
	return k
}

func (s *scalars) append(b []byte) []byte {
	flags := byte(s.kinds())
	if s.yes {
		flags |= 1 << 6
	}
	if s.no {
		flags |= 1 << 7
	}
	b = append(b, flags)
	for _, r := range s.numbers {
		b = appendText(b, r.RatString())
	}
	b = append(b, 0)
	for _, v := range s.strings {
		b = appendText(b, v)
	}
	return b
}
