package rawjson

import (
	"encoding/json"
	"strconv"
	"strings"
)

// Join is a JSON pointer (RFC 6901) with further steps at its end: keys of objects as they are, or indexes of arrays.
func Join(pointer string, steps ...string) string {
	for _, step := range steps {
		pointer += "/" + strings.ReplaceAll(strings.ReplaceAll(step, "~", "~0"), "/", "~1")
	}
	return pointer
}

// Split is the steps of a JSON pointer, unescaped; none for the whole value, and for what is no pointer.
func Split(pointer string) []string {
	if !strings.HasPrefix(pointer, "/") {
		return nil
	}
	steps := strings.Split(pointer[1:], "/")
	for i, step := range steps {
		steps[i] = strings.ReplaceAll(strings.ReplaceAll(step, "~1", "/"), "~0", "~")
	}
	return steps
}

// Step is one step into a decoded value: a member of an object, or the element of an array that has the index. An index
// is written as RFC 6901 has it, without a sign and without leading zeros.
func Step(value any, step string) (any, bool) {
	switch v := value.(type) {
	case map[string]any:
		inner, ok := v[step]
		return inner, ok
	case []any:
		i, err := strconv.Atoi(step)
		if err != nil || i < 0 || i >= len(v) || strconv.Itoa(i) != step {
			return nil, false
		}
		return v[i], true
	}
	return nil, false
}

// At is what a JSON pointer leads to in a decoded value.
func At(value any, pointer string) (any, bool) {
	ok := true
	for _, step := range Split(pointer) {
		if value, ok = Step(value, step); !ok {
			return nil, false
		}
	}
	return value, true
}

// Find is the value that a JSON pointer leads to, as written; nil when there is none. Of a member that is repeated it is
// the last one, as most readers of JSON take it.
func Find(raw json.RawMessage, pointer string) json.RawMessage {
	for _, step := range Split(pointer) {
		var found json.RawMessage
		for _, m := range Children(raw) {
			if m.Key == step {
				found = m.Value
			}
		}
		if raw = found; raw == nil {
			return nil
		}
	}
	return raw
}
