package schema

import (
	"maps"
	"slices"

	"github.com/mcpctl/mcpctl/internal/kit"
)

// A shrinker leaves out members and items of a witness that it does not need.
type shrinker struct {
	holds func(value any) bool // reports whether a value is still a witness
	pool  *Pool
	left  int // values to try
	floor int // what is to be left in the pool
}

// Bounds on the values that are tried to shrink one, which may take a quarter of what is left of the budget,
// and on the items of an array that are looked into.
const (
	maxShrinks = 400
	maxInner   = 20
)

// shrunk returns the value without what it does not need.
func (s *shrinker) shrunk(value any) any {
	s.left, s.floor = maxShrinks, s.pool.Left-s.pool.Left/4
	smallest := value
	s.shrink(value, func(v any) bool {
		if s.left--; s.left < 0 || s.pool.Left < s.floor || !s.holds(v) {
			return false
		}
		smallest = v
		return true
	})
	return smallest
}

// shrink leaves out what it can of a value; put tries the whole witness with another value in its place.
func (s *shrinker) shrink(value any, put func(any) bool) {
	switch v := value.(type) {
	case map[string]any:
		put := keeping(&v, put)
		for _, name := range kit.SortedKeys(v) {
			rest := maps.Clone(v)
			delete(rest, name)
			put(rest)
		}
		for _, name := range kit.SortedKeys(v) {
			s.shrink(v[name], func(inner any) bool {
				with := maps.Clone(v)
				with[name] = inner
				return put(with)
			})
		}
	case []any:
		put := keeping(&v, put)
		for size := (len(v) + 1) / 2; size > 0; size /= 2 {
			for i := 0; i < len(v); {
				if !put(slices.Delete(slices.Clone(v), i, min(i+size, len(v)))) {
					i += size
				}
			}
		}
		for i := range min(len(v), maxInner) {
			s.shrink(v[i], func(inner any) bool {
				with := slices.Clone(v)
				with[i] = inner
				return put(with)
			})
		}
	}
}

// keeping returns put with a memory: what it takes is the value from then on.
func keeping[T any](value *T, put func(any) bool) func(T) bool {
	return func(next T) bool {
		taken := put(next)
		if taken {
			*value = next
		}
		return taken
	}
}
