package oracle

import (
	"reflect"
	"slices"
)

// same reports whether both sides of a place read the same, references followed.
func (s *search) same(ns, ws []node) bool {
	return len(ws) == 0 || len(ns) == 1 && len(ws) == 1 && s.twin(ns[0], ws[0])
}

// twin compares two schemas keyword by keyword. A pair met again on the way is taken to be the same: a difference
// would show elsewhere.
func (s *search) twin(n, w node) bool {
	a, isObject := n.value.(map[string]any)
	b, ok := w.value.(map[string]any)
	if !isObject || !ok {
		return reflect.DeepEqual(n.value, w.value)
	}
	pair := [2]string{n.at, w.at}
	if known, ok := s.twins[pair]; ok {
		return known
	}
	s.work--
	s.twins[pair] = true
	same := s.twinKeywords(n, w, a, b)
	if !same {
		s.twins[pair] = false
	}
	return same
}

func (s *search) twinKeywords(n, w node, a, b map[string]any) bool {
	for _, k := range keys(a) {
		if _, ok := b[k]; !ok && !annotation(k) {
			return false
		}
	}
	for _, k := range keys(b) {
		_, ok := a[k]
		if annotation(k) {
			continue
		}
		if !ok || !s.twinKeyword(n, w, k) {
			return false
		}
	}
	return true
}

func (s *search) twinKeyword(n, w node, keyword string) bool {
	x, _ := n.child(keyword)
	y, _ := w.child(keyword)
	switch keyword {
	case "$dynamicRef", "$recursiveRef":
		return false
	case "$ref":
		from, to := n.references(), w.references()
		return len(from) > 0 && len(from) == len(to) && s.twin(from[0], to[0])
	case "const", "enum", "dependentRequired", "dependencies":
		return reflect.DeepEqual(x.value, y.value)
	case "properties", "patternProperties", "dependentSchemas":
		return s.twinTable(x, y)
	}
	if _, ok := x.value.([]any); !ok {
		return s.twin(x, y)
	}
	xs, ys := n.list(keyword), w.list(keyword)
	if len(xs) != len(ys) {
		return false
	}
	for i := range xs {
		if !s.twin(xs[i], ys[i]) {
			return false
		}
	}
	return true
}

func (s *search) twinTable(x, y node) bool {
	names := keys(x.object())
	if !slices.Equal(names, keys(y.object())) {
		return false
	}
	for _, name := range names {
		a, _ := x.child(name)
		b, _ := y.child(name)
		if !s.twin(a, b) {
			return false
		}
	}
	return true
}

func annotation(keyword string) bool {
	switch keyword {
	case "description", "title", "default", "examples", "$comment", "$defs", "definitions", "deprecated", "readOnly",
		"writeOnly":
		return true
	}
	return false
}

// differBelow reports whether the two sides of a place say the same of the value itself, and differ at most in what
// they say of its parts.
func (s *search) differBelow(p place) bool {
	ways := s.alternatives(p.ns)
	all, plain := bag(p.ws)
	if !plain || len(ways) != 1 || len(ways[0]) != len(all) || len(all) == 0 {
		return false
	}
	for i, n := range ways[0] {
		if !sameShell(n.object(), all[i].object()) {
			return false
		}
	}
	return true
}

func sameShell(a, b map[string]any) bool {
	for _, k := range append(keys(a), keys(b)...) {
		x, inA := a[k]
		y, inB := b[k]
		switch {
		case annotation(k) || k == "$ref" || k == "allOf":
		case !inA || !inB:
			return false
		case k == "properties" || k == "patternProperties":
			if !reflect.DeepEqual(keys(Copied(x)), keys(Copied(y))) {
				return false
			}
		case k == "items" || k == "additionalProperties":
			if !sameKind(x, y) {
				return false
			}
		case !reflect.DeepEqual(x, y):
			return false
		}
	}
	return true
}

// sameKind reports whether two schemas are both objects, or the same boolean.
func sameKind(x, y any) bool {
	_, a := x.(map[string]any)
	_, b := y.(map[string]any)
	return a && b || reflect.DeepEqual(x, y)
}
