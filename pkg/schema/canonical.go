package schema

import (
	"encoding/json"
	"maps"
	"slices"
)

// canonical writes a value so that equal values have equal text: 1.0 is 1, and the order of keys does not matter.
func canonical(v any) string {
	text, _ := json.Marshal(plainNumbers(v))
	return string(text)
}

// same tells whether two decoded values have the same canonical text, and writes none.
func same(a, b any) bool {
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		return ok && maps.EqualFunc(a, b, same)
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, same)
	case json.Number:
		b, ok := b.(json.Number)
		return ok && (a == b || canonical(a) == canonical(b))
	}
	return a == b
}

func plainNumbers(v any) any {
	switch v := v.(type) {
	case json.Number:
		if r, ok := rational(v); ok {
			if n, ok := decimal(r); ok {
				return n
			}
		}
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			out[i] = plainNumbers(item)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, item := range v {
			out[name] = plainNumbers(item)
		}
		return out
	}
	return v
}
