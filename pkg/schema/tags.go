package schema

import (
	"slices"

	"github.com/mcpctl/mcpctl/internal/kit"
)

// A tag is a required property with few possible scalars. It distinguishes the alternatives of a union: two
// schemas with a tag of one name and no value in common exclude each other, and nothing else about them
// needs to be asked.
type tag struct {
	name string
	set  scalars
}

// A shape is what excludes other objects at once: tags, the names that are required, and the names beside
// which no others are allowed.
type shape struct {
	tags     []tag
	required []string
	closed   [][]string
}

// maxShape bounds the names that are required and the closings of a shape; what is beyond excludes nothing.
const maxShape = 64

// and returns the shape of objects that have both.
func (s shape) and(t shape) shape {
	if len(t.tags) > 0 {
		s.tags = append(slices.Clip(s.tags), t.tags...)
	}
	if n := len(t.required); n > 0 && len(s.required)+n <= maxShape {
		s.required = append(slices.Clip(s.required), t.required...)
	}
	if n := len(t.closed); n > 0 && len(s.closed)+n <= maxShape {
		s.closed = append(slices.Clip(s.closed), t.closed...)
	}
	return s
}

// shapeOf returns the shape of a node that holds where all its children do.
func shapeOf(n *node) (s shape) {
	if n.op != opAll {
		return s
	}
	var required map[string]bool
	for _, k := range n.kids {
		switch {
		case k.not:
		case k.op == opAll:
			s = s.and(k.shape)
		case k.op == opRequired:
			if required == nil {
				required = map[string]bool{}
			}
			required[k.text] = true
		case k.op == opRest && k.kids[0].isFalse() && len(k.patterns)+len(k.within) == 0:
			s = s.and(shape{closed: [][]string{k.names}})
		}
	}
	own := shape{required: kit.SortedKeys(required)}
	for _, k := range n.kids {
		if k.op != opProperty || k.not || !required[k.text] || k.kids[0].not {
			continue
		}
		if set := listedScalars(k.kids[0].node); set != nil {
			own.tags = append(own.tags, tag{k.text, set})
		}
	}
	return s.and(own)
}

// listedScalars returns the scalars that a node lists, or that a part of it does; nil where there is no list.
func listedScalars(n *node) scalars {
	switch {
	case n.op == opScalars:
		return n.set
	case n.op != opAll || n.head:
		return nil
	}
	for _, k := range n.kids {
		if !k.not {
			if set := listedScalars(k.node); set != nil {
				return set
			}
		}
	}
	return nil
}

// excluded reports whether a literal contradicts a clause by its shape. False may only mean that the budget
// is spent.
func (e *engine) excluded(c *clause, l literal) bool {
	return c.kind == kindObject && !l.not && e.contradict(c.shape, l.shape)
}

// apart reports whether two literals are seen at once to exclude each other.
func (e *engine) apart(a, b literal) bool {
	common := a.may() & b.may()
	return common == kindNone || common == kindObject && !a.not && !b.not && e.contradict(a.shape, b.shape)
}

// contradict reports whether two shapes have a tag of one name with no value in common, or one requires a
// name that the other one does not allow.
func (e *engine) contradict(a, b shape) bool {
	for _, x := range a.tags {
		for _, y := range b.tags {
			if e.spend(2) {
				return false
			}
			if x.name == y.name && !e.overlap(x.set, y.set) {
				return true
			}
		}
	}
	return e.refuses(a, b) || e.refuses(b, a)
}

// refuses reports whether a shape does not allow a name that another one requires.
func (e *engine) refuses(a, b shape) bool {
	for _, names := range a.closed {
		if e.spend(8 * len(b.required)) {
			return false
		}
		if slices.ContainsFunc(b.required, func(name string) bool {
			_, allowed := slices.BinarySearch(names, name)
			return !allowed
		}) {
			return true
		}
	}
	return false
}

// overlap reports whether two sets of scalars have one in common; true where the budget is spent.
func (e *engine) overlap(a, b scalars) bool {
	if e.spend(2 * (len(a) + len(b))) {
		return true
	}
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0] == b[0]:
			return true
		case a[0] < b[0]:
			a = a[1:]
		default:
			b = b[1:]
		}
	}
	return false
}
