package oracle

import (
	"math/big"
)

// numbers returns candidates of type number: plain ones, and those around every bound that either side names, moved
// onto the multiples that the narrow side asks for.
func (s *search) numbers(narrow, wide facts, whole bool) []any {
	const bounds = 5
	keywords := [bounds]string{"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"}
	marks := append(narrow.numbers(keywords[:]...), wide.numbers(keywords[:]...)...)
	for _, v := range wide.known() {
		if r, ok := rat(v); ok {
			marks = append(marks, r)
		}
	}
	steps := narrow.numbers("multipleOf")
	if whole {
		steps = append(steps, big.NewRat(1, 1))
	}
	var out []any
	add := func(r *big.Rat) {
		if n, ok := number(r); ok {
			out = append(out, n)
		}
	}
	for _, r := range neighbours(marks) {
		add(r)
		for _, near := range onto(r, common(steps)) {
			add(near)
		}
	}
	return out
}

// neighbours returns plain numbers, then the marks, their neighbours, and the points between them.
func neighbours(marks []*big.Rat) []*big.Rat {
	var out []*big.Rat
	for _, plain := range [...][2]int64{{0, 1}, {1, 1}, {-1, 1}, {1, 2}, {2, 1}, {10, 1}} {
		out = append(out, big.NewRat(plain[0], plain[1]))
	}
	for _, delta := range [...][2]int64{{0, 1}, {1, 1}, {-1, 1}, {1, 2}, {-1, 2}} {
		for _, m := range marks {
			out = append(out, new(big.Rat).Add(m, big.NewRat(delta[0], delta[1])))
		}
	}
	half := big.NewRat(1, 2)
	for i, a := range marks {
		for _, b := range marks[:i] {
			if len(out) < 400 {
				out = append(out, new(big.Rat).Mul(half, new(big.Rat).Add(a, b)))
			}
		}
		for _, factor := range [...]int64{2, 3, 5, -1} {
			out = append(out, new(big.Rat).Mul(a, big.NewRat(factor, 1)))
		}
	}
	tenth := big.NewRat(1, 1000)
	for _, m := range marks {
		out = append(out, new(big.Rat).Add(m, tenth), new(big.Rat).Sub(m, tenth))
	}
	return append(out, big.NewRat(1_000_000_007, 1), big.NewRat(-1_000_000_007, 1))
}

// onto returns the multiples of step next to r, on either side.
func onto(r, step *big.Rat) []*big.Rat {
	if step == nil || step.Sign() <= 0 {
		return nil
	}
	q := new(big.Rat).Quo(r, step)
	floor := new(big.Int).Div(q.Num(), q.Denom())
	var out []*big.Rat
	for _, delta := range [...]int64{0, 1, -1, 2} {
		k := new(big.Int).Add(floor, big.NewInt(delta))
		out = append(out, new(big.Rat).Mul(new(big.Rat).SetInt(k), step))
	}
	return out
}

// common returns the least number that is a multiple of every step, nil for none.
func common(steps []*big.Rat) *big.Rat {
	var all *big.Rat
	for _, s := range steps {
		switch {
		case s.Sign() <= 0:
		case all == nil:
			all = s
		default: // lcm(a/b, c/d) = lcm(a, c) / gcd(b, d) in lowest terms
			gcd := new(big.Int).GCD(nil, nil, all.Num(), s.Num())
			lcm := new(big.Int).Mul(new(big.Int).Quo(all.Num(), gcd), s.Num())
			all = new(big.Rat).SetFrac(lcm, new(big.Int).GCD(nil, nil, all.Denom(), s.Denom()))
		}
	}
	return all
}
