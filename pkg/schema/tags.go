package schema

import "slices"

// A tag is a required property with few possible scalars. It distinguishes the alternatives of a union: two
// schemas with a tag of one name and no value in common exclude each other, and nothing else about them
// needs to be asked.
type tag struct {
	name string
	set  scalars
}

// tagsOf lists the tags of a node that holds where all its children do.
func tagsOf(n *node) (tags []tag) {
	if n.op != opAll {
		return nil
	}
	var required map[string]bool
	for _, k := range n.kids {
		switch {
		case k.not:
		case k.op == opAll:
			tags = append(tags, k.tags...)
		case k.op == opRequired:
			if required == nil {
				required = map[string]bool{}
			}
			required[k.text] = true
		}
	}
	for _, k := range n.kids {
		if k.op != opProperty || k.not || !required[k.text] || k.kids[0].not {
			continue
		}
		if set := listedScalars(k.kids[0].node); set != nil {
			tags = append(tags, tag{k.text, set})
		}
	}
	return slices.Clip(tags)
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

// excluded reports whether a literal contradicts a clause by a tag. False may only mean that the budget is
// spent.
func (e *engine) excluded(c *clause, l literal) bool {
	return c.kind == kindObject && !l.not && e.contradict(c.tags, l.tags)
}

// apart reports whether two literals are seen at once to exclude each other.
func (e *engine) apart(a, b literal) bool {
	common := a.may() & b.may()
	return common == kindNone || common == kindObject && !a.not && !b.not && e.contradict(a.tags, b.tags)
}

// contradict reports whether two lists have a tag of one name with no value in common.
func (e *engine) contradict(a, b []tag) bool {
	for _, x := range a {
		for _, y := range b {
			if e.spend(2) {
				return false
			}
			if x.name == y.name && !e.overlap(x.set, y.set) {
				return true
			}
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
