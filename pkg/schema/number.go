package schema

import (
	"cmp"
	"encoding/json"
	"iter"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpctl/mcpctl/internal/kit"
)

// maxCandidates bounds the numbers that are tried one by one.
const maxCandidates = 4096

// decideNumber decides a clause about numbers over the rationals: an interval, multiples and excluded
// numbers. Whether the ends of the interval are in it is left to the atoms. An interval that is more than a
// point holds more numbers than can be excluded one by one or as multiples.
func decideNumber(e *engine, atoms []literal) outcome {
	var low, high, step *big.Rat
	for _, l := range atoms {
		switch {
		case l.op == opMinimum && !l.not || l.op == opMaximum && l.not:
			if low == nil || l.number.Cmp(low) > 0 {
				low = l.number
			}
		case l.op == opMaximum || l.op == opMinimum:
			if high == nil || l.number.Cmp(high) < 0 {
				high = l.number
			}
		case l.op == opMultiple && !l.not:
			if step = leastCommon(step, l.number); e.spend(16) || step.Num().BitLen() > maxStepBits {
				return undecided(reason{what: "a common multiple that is too large"})
			}
		}
	}
	bounded := low != nil && high != nil
	switch {
	case bounded && low.Cmp(high) > 0:
		return outcome{answer: empty}
	case step != nil:
		return decideMultiples(e, atoms, low, high, step)
	case bounded && low.Cmp(high) == 0:
		return e.tryEach(atoms, decimal(low))
	}
	if out := e.tryAll(atoms, candidates(low, high)); out.answer != empty {
		return out
	}
	return undecided(reason{what: "no number found that is left over"})
}

// exactRange are the bounds of the integers that all programs agree on (RFC 7493 §2.2).
var exactRange = []literal{
	yes(&node{op: opMinimum, number: big.NewRat(1-1<<53, 1)}),
	yes(&node{op: opMaximum, number: big.NewRat(1<<53-1, 1)}),
}

// number decides an assertion about numbers. It computes with rationals, so 0.1 is exact; the work grows with
// the square of the digits.
func (m *meter) number(n *node, number json.Number) answer {
	v, ok := rational(number)
	if !ok {
		return unsure
	}
	words := (v.Num().BitLen() + v.Denom().BitLen()) / 64
	m.spend(8 + words*words/4)
	switch n.op {
	case opMinimum:
		return answerOf(v.Cmp(n.number) > 0 || !n.strict && v.Cmp(n.number) == 0)
	case opMaximum:
		return answerOf(v.Cmp(n.number) < 0 || !n.strict && v.Cmp(n.number) == 0)
	case opMultiple:
		return answerOf(new(big.Rat).Quo(v, n.number).IsInt())
	}
	return answerOf(n.set.has(number))
}

// maxStepBits bounds the common multiple of several numbers.
const maxStepBits = 4 * maxDigits

// leastCommon returns the least common multiple of two positive fractions; a may be nil.
func leastCommon(a, b *big.Rat) *big.Rat {
	if a == nil {
		return b
	}
	gcd := new(big.Int).GCD(nil, nil, a.Num(), b.Num())
	num := new(big.Int).Mul(new(big.Int).Quo(a.Num(), gcd), b.Num())
	return new(big.Rat).SetFrac(num, new(big.Int).GCD(nil, nil, a.Denom(), b.Denom()))
}

// decideMultiples decides a clause whose numbers are the multiples of step in an interval: small ones are
// tried, and then all from an end of the interval on.
func decideMultiples(e *engine, atoms []literal, low, high, step *big.Rat) outcome {
	for _, l := range atoms {
		if l.op == opMultiple && l.not && new(big.Rat).Quo(step, l.number).IsInt() {
			return outcome{answer: empty}
		}
	}
	for _, k := range [...]int64{0, 1, -1, 2, 3} {
		v := new(big.Rat).Mul(big.NewRat(k, 1), step)
		if out := e.tryEach(atoms, decimal(v)); out.answer == inhabited {
			return out
		}
	}
	v := new(big.Rat)
	if end := cmp.Or(low, high); end != nil {
		steps := new(big.Rat).Quo(end, step)
		v.SetInt(new(big.Int).Div(steps.Num(), steps.Denom())).Mul(v, step)
	}
	if low == nil && high != nil {
		step = new(big.Rat).Neg(step)
	}
	for range maxCandidates {
		if high != nil && v.Cmp(high) > 0 {
			return outcome{answer: empty}
		}
		if out := e.tryEach(atoms, decimal(v)); out.answer != empty {
			return out
		}
		v.Add(v, step)
	}
	return undecided(reason{what: "too many multiples to try"})
}

// candidates lists plain numbers, the ends of an interval and plain distances from them, and numbers between
// the ends or beside the only one. One of the first is nearly always taken.
func candidates(low, high *big.Rat) iter.Seq[any] {
	ends := kit.Filter([]*big.Rat{new(big.Rat), low, high}, func(r *big.Rat) bool { return r != nil })
	slices.SortStableFunc(ends, func(a, b *big.Rat) int {
		return new(big.Rat).Abs(a).Cmp(new(big.Rat).Abs(b)) // a small number shows most
	})
	distances := [...]int64{0, 10000, -10000, 20000, 30000, 100000, 5000, 15000, 1000, 500, 50, 5}
	from, width := cmp.Or(low, high, new(big.Rat)), big.NewRat(1, 1)
	switch {
	case low != nil && high != nil:
		width.Sub(high, low)
	case high != nil:
		width.Neg(width)
	}
	return func(yield func(any) bool) {
		for _, from := range ends {
			for _, n := range distances {
				if !yield(decimal(new(big.Rat).Add(from, big.NewRat(n, 10000)))) {
					return
				}
			}
		}
		for n := range int64(64) {
			part := big.NewRat(n, 64)
			if !yield(decimal(part.Add(from, part.Mul(part, width)))) {
				return
			}
		}
	}
}

// Numbers are exact rationals. A literal with more digits or a larger exponent than this is not read: its
// value would cost memory without bound, and a schema that holds it is answered with Unknown where it
// matters.
const (
	maxDigits   = 1024
	maxExponent = 1024
)

// rational reads a JSON number exactly. It reports false past the limits.
func rational(n json.Number) (*big.Rat, bool) {
	s := string(n)
	if len(s) > maxDigits {
		return nil, false
	}
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		exponent, err := strconv.Atoi(s[i+1:])
		if err != nil || exponent > maxExponent || exponent < -maxExponent {
			return nil, false
		}
	}
	if n, err := strconv.ParseInt(s, 10, 64); err == nil { // many times as fast
		return new(big.Rat).SetInt64(n), true
	}
	return new(big.Rat).SetString(s)
}

// decimal writes a rational as a JSON number. All that are read and computed here have a finite decimal form.
func decimal(r *big.Rat) json.Number {
	digits, _ := r.FloatPrec()
	return json.Number(r.FloatString(digits))
}

// maxCountBits bounds the counts that are computed with, so that their sums are below what stands for no
// bound.
const maxCountBits = 60

// natural reads a count: a JSON number that is a non-negative integer, as 2 or 2.0. tooLarge reports one that
// is not computed with.
func natural(v any) (n int, tooLarge, ok bool) {
	number, isNumber := v.(json.Number)
	r, readable := rational(number)
	switch {
	case !isNumber, readable && (!r.IsInt() || r.Sign() < 0):
		return 0, false, false
	case !readable || r.Num().BitLen() > maxCountBits:
		return 0, true, !strings.HasPrefix(string(number), "-")
	}
	return int(r.Num().Int64()), false, true
}
