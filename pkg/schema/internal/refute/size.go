package refute

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// A size is what makes a JSON value costly to judge.
type size struct {
	values, depth int
	exponent      bool // some number has an exponent beyond maxExponent
}

func measure(v any) size {
	var s size
	s.add(v, 1)
	return s
}

func (s *size) add(v any, depth int) {
	s.values++
	s.depth = max(s.depth, depth)
	if s.values > maxValues || depth > maxDepth {
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
		s.exponent = s.exponent || !writable(v)
	}
}

func (s size) check() error {
	switch {
	case s.values > maxValues:
		return fmt.Errorf("more than %d values are too many to judge", maxValues)
	case s.depth > maxDepth:
		return fmt.Errorf("nesting deeper than %d is too deep to judge", maxDepth)
	case s.exponent:
		return fmt.Errorf("a number with an exponent beyond %d is too large to judge", maxExponent)
	}
	return nil
}

// writable reports whether a number can be calculated with at reasonable cost.
func writable(n json.Number) bool {
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
