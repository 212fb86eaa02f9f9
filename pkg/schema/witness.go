package schema

import (
	"maps"
	"slices"

	"github.com/mcpctl/mcpctl/internal/kit"
)

// Bounds on the values that are tried to shrink a witness, which may take a quarter of what is left of the
// budget, and on the items of an array that are looked into.
const (
	maxShrinks = 400
	maxInner   = 20
)

// shrunk returns a witness without the members and items that it does not need; holds reports whether a value
// is still a witness.
func shrunk(witness any, pool *Pool, holds func(any) bool) any {
	tries, least := maxShrinks, pool.Left-pool.Left/4
	shrink(witness, func(v any) bool {
		if tries--; tries < 0 || pool.Left < least || !holds(v) {
			return false
		}
		witness = v
		return true
	})
	return witness
}

// shrink leaves out what it can of a value inside the witness; put reports whether the witness still holds
// with another value in its place.
func shrink(value any, put func(any) bool) {
	switch v := value.(type) {
	case map[string]any:
		for _, name := range kit.SortedKeys(v) {
			rest := maps.Clone(v)
			delete(rest, name)
			if put(rest) {
				v = rest
			}
		}
		for _, name := range kit.SortedKeys(v) {
			shrink(v[name], func(inner any) bool {
				with := maps.Clone(v)
				with[name] = inner
				taken := put(with)
				if taken {
					v = with
				}
				return taken
			})
		}
	case []any:
		for size := (len(v) + 1) / 2; size > 0; size /= 2 {
			for i := 0; i < len(v); {
				rest := slices.Delete(slices.Clone(v), i, min(i+size, len(v)))
				if put(rest) {
					v = rest
				} else {
					i += size
				}
			}
		}
		for i := range min(len(v), maxInner) {
			shrink(v[i], func(inner any) bool {
				with := slices.Clone(v)
				with[i] = inner
				taken := put(with)
				if taken {
					v = with
				}
				return taken
			})
		}
	}
}
