package schema

import (
	"encoding/json"
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// decideNull decides a clause about null: only finite sets can speak of it.
func decideNull(e *engine, atoms []lit) outcome {
	for _, l := range atoms {
		if l.op == opScalars && l.set.null == l.not {
			return outcome{answer: void}
		}
	}
	return found(nil)
}

// decideBoolean tries both values, so its answer is always decided.
func decideBoolean(e *engine, atoms []lit) outcome {
next:
	for _, v := range [...]bool{true, false} {
		for _, l := range atoms {
			if l.op == opScalars && l.set.hasBool(v) == l.not {
				continue next
			}
		}
		return found(v)
	}
	return outcome{answer: void}
}

// maxCandidates bounds the numbers that are tried one by one.
const maxCandidates = 4096

// decideNumber decides a clause about numbers: an interval, multiples, and finite sets, over the rationals.
func decideNumber(e *engine, atoms []lit) outcome {
	for _, l := range atoms {
		if l.op == opScalars && !l.not {
			for _, v := range l.set.numbers {
				if e.step() {
					return undecided(outOfSteps)
				}
				if (!e.exact || isExact(v)) && e.numberSatisfies(atoms, v) {
					return foundNumber(v)
				}
			}
			return outcome{answer: void}
		}
	}
	span := intervalOf(atoms)
	if e.exact {
		span.raise(new(big.Rat).Neg(maxExact), false)
		span.lower(maxExact, false)
	}
	if span.empty() {
		return outcome{answer: void}
	}
	if step := commonMultiple(atoms); step != nil {
		if e.spend(16*len(atoms)) || step.Num().BitLen() > maxStepBits {
			return undecided(reason{what: "a common multiple that is too large"})
		}
		return decideMultiples(e, atoms, span, step)
	}
	return decideReals(e, atoms, span)
}

// maxExact is the largest integer up to which doubles represent every integer (RFC 7493 §2.2).
var maxExact = big.NewRat(1<<53-1, 1)

func isExact(r *big.Rat) bool { return new(big.Rat).Abs(r).Cmp(maxExact) <= 0 }

// isDouble reports whether a number is what a double reads and writes.
func isDouble(r *big.Rat) bool {
	f, exact := r.Float64()
	if exact {
		return true
	}
	back, ok := new(big.Rat).SetString(strconv.FormatFloat(f, 'g', -1, 64))
	return ok && back.Cmp(r) == 0
}

func foundNumber(r *big.Rat) outcome {
	n, ok := decimal(r)
	if !ok {
		return undecided(reason{what: "a number without a decimal form"})
	}
	return found(n)
}

// numberSatisfies reports whether a number satisfies all atoms. It computes with rationals, so 0.1 is exact;
// the work grows with the square of the digits.
func (m *meter) numberSatisfies(atoms []lit, v *big.Rat) bool {
	words := (v.Num().BitLen() + v.Denom().BitLen()) / 64
	m.spend(len(atoms) * (8 + words*words/4))
	for _, l := range atoms {
		var ok bool
		switch l.op {
		case opScalars:
			ok = l.set.hasNumber(v)
		case opMinimum:
			ok = v.Cmp(l.number) > 0 || !l.strict && v.Cmp(l.number) == 0
		case opMaximum:
			ok = v.Cmp(l.number) < 0 || !l.strict && v.Cmp(l.number) == 0
		case opMultiple:
			ok = new(big.Rat).Quo(v, l.number).IsInt()
		}
		if ok == l.not {
			return false
		}
	}
	return true
}

// An interval of rationals; a nil end is open to infinity.
type interval struct {
	low, high             *big.Rat
	lowStrict, highStrict bool
}

// intervalOf returns the range that the bounds among the atoms leave. A negated bound is one on the other
// side; multiples and finite sets are left to the caller.
func intervalOf(atoms []lit) interval {
	var s interval
	for _, l := range atoms {
		switch {
		case l.op == opMinimum && !l.not || l.op == opMaximum && l.not:
			s.raise(l.number, l.strict != l.not)
		case l.op == opMaximum || l.op == opMinimum:
			s.lower(l.number, l.strict != l.not)
		}
	}
	return s
}

func (s *interval) raise(r *big.Rat, strict bool) {
	if s.low == nil || r.Cmp(s.low) > 0 || r.Cmp(s.low) == 0 && strict {
		s.low, s.lowStrict = r, strict
	}
}

func (s *interval) lower(r *big.Rat, strict bool) {
	if s.high == nil || r.Cmp(s.high) < 0 || r.Cmp(s.high) == 0 && strict {
		s.high, s.highStrict = r, strict
	}
}

func (s *interval) empty() bool {
	if s.low == nil || s.high == nil {
		return false
	}
	order := s.low.Cmp(s.high)
	return order > 0 || order == 0 && (s.lowStrict || s.highStrict)
}

// maxStepBits bounds the common multiple of several numbers.
const maxStepBits = 4 * maxDigits

// commonMultiple returns the smallest number whose multiples satisfy all multipleOf, nil if there
// are none, or one that is too large.
func commonMultiple(atoms []lit) *big.Rat {
	var step *big.Rat
	for _, l := range atoms {
		if l.op == opMultiple && !l.not {
			if step = leastCommon(step, l.number); step.Num().BitLen() > maxStepBits {
				break
			}
		}
	}
	return step
}

// leastCommon returns the least common multiple of two positive fractions.
func leastCommon(a, b *big.Rat) *big.Rat {
	if a == nil {
		return b
	}
	gcd := new(big.Int).GCD(nil, nil, a.Num(), b.Num())
	num := new(big.Int).Mul(new(big.Int).Quo(a.Num(), gcd), b.Num())
	return new(big.Rat).SetFrac(num, new(big.Int).GCD(nil, nil, a.Denom(), b.Denom()))
}

// decideMultiples decides a clause whose numbers are the multiples of step in an interval.
func decideMultiples(e *engine, atoms []lit, s interval, step *big.Rat) outcome {
	for _, l := range atoms {
		if l.op == opMultiple && l.not && new(big.Rat).Quo(step, l.number).IsInt() {
			return outcome{answer: void}
		}
	}
	for _, k := range [...]int64{0, 1, -1, 2, 3} {
		if v := new(big.Rat).Mul(big.NewRat(k, 1), step); (!e.exact || isExact(v)) &&
			e.numberSatisfies(atoms, v) {
			return foundNumber(v)
		}
	}
	from, direction := s.start(step)
	k := new(big.Int).Set(from)
	for range maxCandidates {
		if e.step() {
			return undecided(outOfSteps)
		}
		v := new(big.Rat).Mul(new(big.Rat).SetInt(k), step)
		if s.past(v, direction) {
			return outcome{answer: void}
		}
		if e.numberSatisfies(atoms, v) {
			return foundNumber(v)
		}
		k.Add(k, big.NewInt(int64(direction)))
	}
	return undecided(reason{what: "too many multiples to try"})
}

// start returns the factor of the first multiple of step to try, and whether to count up or down: from an end
// of the interval, or from zero.
func (s *interval) start(step *big.Rat) (*big.Int, int) {
	switch {
	case s.low != nil:
		return ceil(new(big.Rat).Quo(s.low, step)), 1
	case s.high != nil:
		return floor(new(big.Rat).Quo(s.high, step)), -1
	}
	return new(big.Int), 1
}

func (s *interval) past(v *big.Rat, direction int) bool {
	if direction > 0 {
		return s.high != nil && (v.Cmp(s.high) > 0 || v.Cmp(s.high) == 0 && s.highStrict)
	}
	return s.low != nil && v.Cmp(s.low) < 0
}

func floor(r *big.Rat) *big.Int { return new(big.Int).Div(r.Num(), r.Denom()) }

func ceil(r *big.Rat) *big.Int {
	q := floor(new(big.Rat).Neg(r))
	return q.Neg(q)
}

// decideReals decides a clause whose numbers are all those in an interval but finitely many and but
// multiples. If the interval is more than a point, infinitely many are left.
func decideReals(e *engine, atoms []lit, s interval) outcome {
	if s.low != nil && s.high != nil && s.low.Cmp(s.high) == 0 {
		if e.numberSatisfies(atoms, s.low) {
			return foundNumber(s.low)
		}
		return outcome{answer: void}
	}
	var other *big.Rat
	for _, v := range s.candidates() {
		if e.step() {
			break
		}
		switch ok := e.numberSatisfies(atoms, v); {
		case ok && isDouble(v):
			return foundNumber(v)
		case ok && other == nil:
			other = v
		}
	}
	switch {
	case other != nil:
		return foundNumber(other)
	case e.left < 0:
		return undecided(outOfSteps)
	}
	return undecided(reason{what: "no number found that is left over"})
}

// candidates lists plain numbers, the ends of an interval and the numbers beside them, and numbers between
// them or beside the only one.
func (s *interval) candidates() []*big.Rat {
	var out []*big.Rat
	for _, n := range []int64{0, 10000, -10000, 20000, 30000, 100000, 5000, 15000, -5000, 1000, 500, 50, 5} {
		out = append(out, big.NewRat(n, 10000))
	}
	from, width := new(big.Rat), big.NewRat(1, 1)
	switch {
	case s.low != nil && s.high != nil:
		from, width = s.low, new(big.Rat).Sub(s.high, s.low)
		one := big.NewRat(1, 1)
		ends := []*big.Rat{s.low, s.high, new(big.Rat).Add(s.low, one), new(big.Rat).Sub(s.high, one)}
		slices.SortStableFunc(ends, func(a, b *big.Rat) int {
			return new(big.Rat).Abs(a).Cmp(new(big.Rat).Abs(b)) // a small number shows most
		})
		out = append(out, ends...)
	case s.low != nil:
		from = s.low
		out = append(out, s.low)
	case s.high != nil:
		from, width = s.high, big.NewRat(-1, 1)
		out = append(out, s.high)
	}
	for n := int64(1); n < 64; n++ {
		for _, f := range [...]*big.Rat{big.NewRat(n, 2), big.NewRat(n*157+1, 100000)} {
			out = append(out, new(big.Rat).Add(from, f.Mul(f, width)))
		}
	}
	return out
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

// decimal writes a rational as a JSON number. It reports false for one without a finite decimal form.
func decimal(r *big.Rat) (json.Number, bool) {
	if r.IsInt() {
		return json.Number(r.Num().String()), true
	}
	digits, exact := r.FloatPrec()
	if !exact {
		return "", false
	}
	return json.Number(r.FloatString(digits)), true
}

// natural reads a count: a JSON number that is a non-negative integer, as 2 or 2.0.
func natural(v any) (int, bool) {
	n, isNumber := v.(json.Number)
	if !isNumber {
		return 0, false
	}
	r, ok := rational(n)
	if !ok || !r.IsInt() || r.Sign() < 0 || r.Num().BitLen() > 50 {
		return 0, false
	}
	return int(r.Num().Int64()), true
}
