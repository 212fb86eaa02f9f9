package oracle

import (
	"encoding/json"
	"maps"
	"slices"
)

// maxReductions bounds the work on one failure.
const maxReductions = 4_000

// minimised removes from both schemas and the value all that the failure does not need.
func minimised(narrow, wide any, value json.RawMessage) (any, any, json.RawMessage) {
	left := maxReductions
	for again := true; again; {
		again = false
		for _, smaller := range []struct {
			of   any
			keep func(any) bool
			set  func(any)
		}{
			{narrow, func(v any) bool { return wrong(v, wide, value) }, func(v any) { narrow = v }},
			{wide, func(v any) bool { return wrong(narrow, v, value) }, func(v any) { wide = v }},
			{decode(orNull(value)), func(v any) bool { return wrong(narrow, wide, encode(v)) }, func(v any) { value = encode(v) }},
		} {
			for _, v := range smallerOnes(smaller.of) {
				if left--; left < 0 {
					return narrow, wide, value
				}
				if smaller.keep(v) {
					smaller.set(v)
					again = true
					break
				}
			}
		}
	}
	return narrow, wide, value
}

func orNull(value json.RawMessage) json.RawMessage {
	if value == nil {
		return json.RawMessage("null")
	}
	return value
}

// smallerOnes lists values with one part less, or with a part made plain.
func smallerOnes(v any) []any {
	var out []any
	switch v := v.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			less := maps.Clone(v)
			delete(less, name)
			out = append(out, less)
		}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			for _, sub := range smallerOnes(v[name]) {
				with := maps.Clone(v)
				with[name] = sub
				out = append(out, with)
			}
			if _, plain := v[name].(map[string]any); plain {
				with := maps.Clone(v)
				with[name] = true
				out = append(out, with)
			}
		}
	case []any:
		for i := range v {
			out = append(out, slices.Delete(slices.Clone(v), i, i+1))
		}
		for i := range v {
			for _, sub := range smallerOnes(v[i]) {
				with := slices.Clone(v)
				with[i] = sub
				out = append(out, with)
			}
		}
	}
	return out
}
