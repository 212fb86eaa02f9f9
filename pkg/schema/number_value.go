package schema

import (
	"encoding/json"
	"math/big"
	"strconv"
	"strings"
)

// Numbers are exact rationals. A literal with more digits or a larger exponent than this is not read: its value would
// cost memory without bound, and a schema that holds it is answered with Unknown where it matters.
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
