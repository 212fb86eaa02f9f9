package oracle

import (
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"
)

// objects returns candidates of type object: the smallest, each optional property added and left out, others under
// fresh names, as many as either side's counts name, and every candidate for every property.
func (s *search) objects(alt alternative, p place) iter.Seq[any] {
	narrow, wide := facts{alt}, facts{p.bag()}
	return func(yield func(any) bool) {
		base, ok := s.object(narrow, narrow.strings("required"))
		if !ok {
			return
		}
		names := unique(slices.Concat(narrow.names(), wide.names()))
		strangers := s.strangers(narrow, wide)
		varied := s.varyProperties(narrow, wide, p, base, append(names, strangers...))
		if p.below {
			varied(yield)
			return
		}
		for _, seq := range []iter.Seq[any]{
			s.selections(narrow, p.hints(), base, names, strangers),
			varied,
			s.varyPairs(narrow, wide, p, base, names),
		} {
			for v := range seq {
				if !yield(v) {
					return
				}
			}
		}
	}
}

// object builds the smallest object with the named properties that the narrow side accepts.
func (s *search) object(narrow facts, names []string) (map[string]any, bool) {
	o := map[string]any{}
	names = slices.Clone(names)
	for i := 0; i < len(names); i++ {
		v, ok := s.minimal(s.property(narrow, names[i]))
		if !ok {
			return nil, false
		}
		o[names[i]] = v
		names = append(names, narrow.needed(names[i], o)...)
	}
	return s.fill(narrow, o, narrow.least("minProperties")), true
}

// needed lists the properties that the presence of one asks for.
func (f facts) needed(name string, o map[string]any) []string {
	var out []string
	for _, n := range f.parts {
		for _, k := range [...]string{"dependentRequired", "dependencies"} {
			list, _ := step(n.object()[k], name)
			items, _ := list.([]any)
			for _, item := range items {
				if other, ok := item.(string); ok && !has(o, other) {
					out = append(out, other)
				}
			}
		}
	}
	return out
}

// fill adds properties until there are n: declared ones first, then strangers.
func (s *search) fill(narrow facts, o map[string]any, n int) map[string]any {
	if len(o) >= n || n > maxItems {
		return o
	}
	o = maps.Clone(o)
	candidates := append(narrow.names(), s.strangers(narrow, facts{})...)
	for i := 0; len(o) < n && i < n+len(candidates)+8; i++ {
		name := "p" + strconv.Itoa(i-len(candidates))
		if i < len(candidates) {
			name = candidates[i]
		}
		if v, ok := s.minimal(s.property(narrow, name)); ok && !has(o, name) {
			o[name] = v
		}
	}
	return o
}

// selections returns objects that differ in which properties they have.
func (s *search) selections(narrow, wide facts, base map[string]any, names, strangers []string) iter.Seq[any] {
	return func(yield func(any) bool) {
		full, ok := maps.Clone(base), true
		ok = yield(base)
		for _, name := range slices.Concat(names, strangers) {
			v, possible := s.minimal(s.property(narrow, name))
			if !possible || has(base, name) {
				continue
			}
			if narrow.declares(name) {
				full[name] = v
			}
			ok = ok && yield(s.with(narrow, base, name, v))
		}
		ok = ok && yield(full)
		for _, name := range keys(full) {
			if !slices.Contains(narrow.strings("required"), name) {
				less := maps.Clone(full)
				delete(less, name)
				ok = ok && yield(less)
			}
		}
		for _, n := range wide.counts("minProperties", "maxProperties") {
			ok = ok && yield(s.fill(narrow, base, n+1)) && yield(s.fill(narrow, full, n+1))
			if n > 0 {
				ok = ok && yield(s.fill(narrow, base, n-1))
			}
		}
	}
}

// with returns the object with one property more, and what that one asks for.
func (s *search) with(narrow facts, o map[string]any, name string, v any) map[string]any {
	o = maps.Clone(o)
	o[name] = v
	for _, other := range narrow.needed(name, o) {
		if v, ok := s.minimal(s.property(narrow, other)); ok && !has(o, other) {
			o[other] = v
		}
	}
	return o
}

// varyProperties puts every candidate for every property into the smallest object that holds it.
func (s *search) varyProperties(narrow, wide facts, p place, base map[string]any, names []string) iter.Seq[any] {
	return func(yield func(any) bool) {
		for _, name := range names {
			sub, ok := s.below(p, s.property(narrow, name), s.property(wide, name))
			if !ok {
				continue
			}
			for v := range s.local(sub) {
				if !yield(s.with(narrow, base, name, v)) {
					return
				}
			}
		}
	}
}

// varyPairs varies two properties at once: a discriminator and what depends on it.
func (s *search) varyPairs(narrow, wide facts, p place, base map[string]any, names []string) iter.Seq[any] {
	const few = 5
	return func(yield func(any) bool) {
		if _, plain := bag(p.ws); plain {
			return
		}
		options := map[string][]any{}
		names = names[:min(len(names), 2*few)]
		for _, name := range names {
			sub := place{ns: s.property(narrow, name), ws: s.property(wide, name), depth: max(p.depth+1, s.limit), plain: true}
			options[name] = assorted(s.values(sub), few)
		}
		for i, a := range names {
			for _, b := range names[:i] {
				for _, x := range options[a] {
					for _, y := range options[b] {
						if !yield(s.with(narrow, s.with(narrow, base, a, x), b, y)) {
							return
						}
					}
				}
			}
		}
	}
}

// assorted returns a few values, no more than two of a type.
func assorted(values iter.Seq[any], few int) []any {
	var out []any
	ofKind := map[string]int{}
	for v := range values {
		kind := fmt.Sprintf("%T", v)
		if ofKind[kind]++; ofKind[kind] > 2 {
			continue
		}
		if out = append(out, v); len(out) == few {
			break
		}
	}
	return out
}

func has(o map[string]any, name string) bool {
	_, ok := o[name]
	return ok
}
