package oracle

import (
	"iter"
	"slices"
)

// A place is a point in a value with the schemas of either side that speak of it. With exact set, the wide schema
// accepts a value only if each of ws accepts what stands there.
type place struct {
	ns, ws []node
	exact  bool
	depth  int
	trail  []string // the places above it
	plain  bool     // leave out what combines narrow and wide schemas
	below  bool     // the two sides differ in parts of the value only
}

func (p place) bag() []node {
	all, _ := bag(p.ws)
	return all
}

// hints lists what may name a bound worth trying: every schema of either side that speaks of the place.
func (p place) hints() facts {
	all, _ := bag(p.ns)
	return facts{append(p.bag(), all...)}
}

// below returns the place of a part of the value. It is not worth visiting where both sides say the same.
func (s *search) below(p place, ns, ws []node) (place, bool) {
	s.work -= 1 + len(p.trail)
	_, plain := bag(p.ws)
	sub := place{ns: ns, ws: ws, exact: p.exact && plain, depth: p.depth + 1}
	if sub.exact && s.same(ns, ws) {
		return sub, false
	}
	name := key(ns) + "\n" + key(ws)
	visits := 0
	for _, above := range p.trail {
		if above == name {
			visits++
		}
	}
	sub.trail = append(slices.Clone(p.trail), name)
	return sub, visits < 2
}

// local returns the candidates for a place inside a container. Where the wide side is exact, one that it accepts
// cannot make the difference, and only the first few are kept.
func (s *search) local(p place) iter.Seq[any] {
	return func(yield func(any) bool) {
		harmless := 0
		for v := range s.values(p) {
			if p.exact && s.fits(p.ws, v) {
				if harmless++; harmless > 2 || harmless > 1 && p.depth > 2 {
					continue
				}
			}
			if !yield(v) {
				return
			}
		}
	}
}

// values returns candidates for a place that its narrow schemas accept, simple ones first.
func (s *search) values(p place) iter.Seq[any] {
	return func(yield func(any) bool) {
		if p.depth > s.limit {
			s.cut = true
			if v, ok := s.minimal(p.ns); ok {
				yield(v)
			}
			return
		}
		seen := map[string]bool{}
		for v := range s.raw(p) {
			text := textOf(v)
			if s.work -= 1 + len(text)/bytesPerUnit; s.work <= 0 {
				return
			}
			if seen[text] || !s.fits(p.ns, v) {
				continue
			}
			seen[text] = true
			if !yield(v) {
				return
			}
		}
	}
}

// raw returns candidates that may or may not fit.
func (s *search) raw(p place) iter.Seq[any] {
	p.below = p.exact && s.differBelow(p)
	return func(yield func(any) bool) {
		wide := p.hints()
		for _, alt := range s.alternatives(p.ns) {
			for v := range s.ofAlternative(alt, wide, p) {
				if !yield(v) {
					return
				}
			}
		}
		if p.plain {
			return
		}
		for _, extra := range targets(p.ws) {
			aimed := p
			aimed.plain = true
			for _, alt := range s.alternatives(slices.Concat(p.ns, extra)) {
				for v := range s.ofAlternative(alt, wide, aimed) {
					if !yield(v) {
						return
					}
				}
			}
		}
	}
}

func (s *search) ofAlternative(alt alternative, wide facts, p place) iter.Seq[any] {
	narrow := facts{alt}
	return func(yield func(any) bool) {
		s.work -= workPerAlternative + len(alt) + len(wide.parts)
		if s.work <= 0 {
			return
		}
		list, finite := narrow.finite()
		if !finite && !p.below {
			list = slices.Concat(narrow.known(), wide.known())
		}
		for _, v := range list {
			if !yield(v) {
				return
			}
		}
		if finite {
			return
		}
		for _, kind := range narrow.kinds() {
			for v := range s.ofKind(kind, alt, wide, p) {
				if !yield(v) {
					return
				}
			}
		}
	}
}

func (s *search) ofKind(kind string, alt alternative, wide facts, p place) iter.Seq[any] {
	switch kind {
	case "object":
		return s.objects(alt, p)
	case "array":
		return s.arrays(alt, p)
	case "string":
		return slices.Values(s.strings(facts{alt}, wide))
	case "integer":
		return slices.Values(s.numbers(facts{alt}, wide, true))
	case "number":
		return slices.Values(s.numbers(facts{alt}, wide, false))
	case "boolean":
		return slices.Values([]any{true, false})
	}
	return slices.Values([]any{nil})
}
