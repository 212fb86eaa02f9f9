package schema

import (
	"maps"
	"strings"
)

// A scope is the dynamic scope as far as it matters: for each dynamic anchor, the outermost schema that has it
// (2020-12 §7.1, §8.2.3.2).
type scope map[string]string

// enter returns the scope inside a resource.
func (s scope) enter(r *resource) scope {
	out := s
	for name, place := range r.dynamic {
		if _, outer := s[name]; outer {
			continue
		}
		if len(out) == len(s) {
			out = scope{}
			maps.Copy(out, s)
		}
		out[name] = place
	}
	return out
}

func (s scope) key() string {
	if len(s) == 0 {
		return ""
	}
	var b strings.Builder
	for _, name := range sortedKeys(s) {
		b.WriteString(name + "\x00" + s[name] + "\x00")
	}
	return b.String()
}
