package schema

import (
	"slices"

	"github.com/mcpctl/mcpctl/internal/kit"
)

// Alternatives that exclude each other are compared one by one: what one of them lost, no other one accepts.
// They accept no null, and have different types or, where several are objects, a member that is required and
// a constant.

// apart reports whether each alternative excludes, on both sides, all alternatives but the one that it is
// matched with.
func (c *comparison) apart(x, y []view, matchX, matchY []int) bool {
	before, after, ok := c.marks(x, y)
	return ok && marksMatch(before, after, matchX) && marksMatch(after, before, matchY)
}

// marksMatch reports whether a mark of an alternative is, on the other side, one of its match or of none.
func marksMatch(marks, others [][]string, match []int) bool {
	owner := map[string]int{}
	for i, of := range others {
		for _, mark := range of {
			owner[mark] = i
		}
	}
	for i, of := range marks {
		for _, mark := range of {
			if j, there := owner[mark]; there && j != match[i] {
				return false
			}
		}
	}
	return true
}

// marks returns texts that no other alternative of the same side has: the types, and for objects the value
// of the constant. ok is false where there are none.
func (c *comparison) marks(x, y []view) (before, after [][]string, ok bool) {
	isObject := func(v view) bool {
		types, named := v.types()
		return named && slices.Contains(types, "object")
	}
	name := ""
	objects, others := kit.Filter(x, isObject), kit.Filter(y, isObject)
	if max(len(objects), len(others)) > 1 {
		if name, ok = c.tagName(slices.Concat(objects, others)); !ok {
			return nil, nil, false
		}
	}
	before, ok = c.marksOf(x, name)
	after, also := c.marksOf(y, name)
	return before, after, ok && also
}

// tagName returns the name of a member that is required in all of some objects, and a constant.
func (c *comparison) tagName(objects []view) (string, bool) {
	for _, name := range kit.SortedKeys(objects[0].table("properties")) {
		if !slices.ContainsFunc(objects, func(v view) bool { return c.constant(v, name) == "" }) {
			return name, true
		}
	}
	return "", false
}

// constant returns the only value that a required member of an object can have, as a text; empty if it can
// have others, or be absent.
func (c *comparison) constant(v view, name string) string {
	if c.spend(256) || !slices.Contains(v.required(), name) {
		return ""
	}
	member := settle(v.child("properties", name))
	values, listed := member.enum()
	if !listed || len(values) != 1 || member.null != "" {
		return ""
	}
	return canonical(values[0])
}

func (c *comparison) marksOf(views []view, tag string) (all [][]string, ok bool) {
	taken := map[string]bool{}
	for _, v := range views {
		types, named := v.types()
		null, _ := v.acceptsNull()
		if !named || null || c.spend(256) { // null is decided around the union
			return nil, false
		}
		for i, name := range types {
			if name == "object" && tag != "" {
				types = slices.Clone(types)
				types[i] = name + c.constant(v, tag)
			}
			if taken[types[i]] {
				return nil, false
			}
			taken[types[i]] = true
		}
		all = append(all, types)
	}
	return all, true
}
