package judge

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// The limits of what is put to the validator. Its own cost grows with the square of the number of schemas.
const (
	MaxValues   = 60_000
	MaxDepth    = 250
	maxExponent = 400
)

// Check says why a decoded value is too large for the validator.
func Check(v any) error {
	var s size
	s.add(v, 1)
	return s.check()
}

// A size is what makes a JSON value costly to judge.
type size struct {
	values, depth int
	exponent      bool // some number has an exponent beyond maxExponent
}

func (s *size) add(v any, depth int) {
	s.values++
	s.depth = max(s.depth, depth)
	if s.values > MaxValues || depth > MaxDepth {
		return
	}
	switch v := v.(type) {
	case map[string]any:
		for _, sub := range v {
			s.add(sub, depth+1)
		}
	case []any:
		for _, sub := range v {
			s.add(sub, depth+1)
		}
	case json.Number:
		s.exponent = s.exponent || !Writable(v)
	}
}

func (s size) check() error {
	switch {
	case s.values > MaxValues:
		return fmt.Errorf("more than %d values are too many to judge", MaxValues)
	case s.depth > MaxDepth:
		return fmt.Errorf("nesting deeper than %d is too deep to judge", MaxDepth)
	case s.exponent:
		return fmt.Errorf("a number with an exponent beyond %d is too large to judge", maxExponent)
	}
	return nil
}

// Writable reports whether a number can be calculated with at reasonable cost.
func Writable(n json.Number) bool {
	mantissa, exponent, found := strings.Cut(strings.ToLower(string(n)), "e")
	if len(mantissa) > 10*maxExponent {
		return false
	}
	if !found {
		return true
	}
	e, err := strconv.Atoi(exponent)
	return err == nil && e <= maxExponent && e >= -maxExponent
}
