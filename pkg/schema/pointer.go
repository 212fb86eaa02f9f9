package schema

import (
	"strconv"
	"strings"
)

var pointerEscapes = strings.NewReplacer("~", "~0", "/", "~1")

// join appends reference tokens to a JSON pointer (RFC 6901).
func join(pointer string, tokens ...string) string {
	for _, t := range tokens {
		pointer += "/" + pointerEscapes.Replace(t)
	}
	return pointer
}

// tokens splits a JSON pointer into its unescaped reference tokens.
func tokens(pointer string) []string {
	if pointer == "" {
		return nil
	}
	parts := strings.Split(pointer[1:], "/")
	for i, p := range parts {
		parts[i] = strings.ReplaceAll(strings.ReplaceAll(p, "~1", "/"), "~0", "~")
	}
	return parts
}

// at follows a JSON pointer into a decoded JSON value.
func at(v any, pointer string) (any, bool) {
	for _, t := range tokens(pointer) {
		switch parent := v.(type) {
		case map[string]any:
			child, ok := parent[t]
			if !ok {
				return nil, false
			}
			v = child
		case []any:
			i, err := strconv.Atoi(t)
			if err != nil || i < 0 || i >= len(parent) {
				return nil, false
			}
			v = parent[i]
		default:
			return nil, false
		}
	}
	return v, true
}
