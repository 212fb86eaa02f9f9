package schema

// A nameIndex finds the atoms of a clause about objects by the one name they speak of.
type nameIndex struct {
	named   map[string][]lit
	general []lit
	size    int // the atoms that are indexed
}

// indexed returns the index of the atoms that a clause adds to its base.
func (c *clause) indexed() *nameIndex {
	if c.index == nil {
		c.index = &nameIndex{named: map[string][]lit{}}
	}
	for _, l := range c.atoms[c.index.size:] {
		if name, fixed := fixedName(l); fixed {
			c.index.named[name] = append(c.index.named[name], l)
		} else if l.op != opMinProperties && l.op != opMaxProperties {
			c.index.general = append(c.index.general, l)
		}
	}
	c.index.size = len(c.atoms)
	return c.index
}

// objectRefuted reports whether a clause that adds to another is seen to be impossible by the properties that it adds
// something about.
func (e *engine) objectRefuted(c *clause) bool {
	for _, l := range c.atoms {
		name, fixed := fixedName(l)
		if !fixed {
			return e.object(c.assertions()).answer == void
		}
		lits, there := e.property(c, name)
		if there && e.inside(lits).answer == void {
			return true
		}
	}
	return false
}

// property returns what a clause says of the property of a name, and whether the property is there.
func (e *engine) property(c *clause, name string) (lits []lit, there bool) {
	for ; c != nil; c = c.base {
		for _, l := range c.indexed().named[name] {
			if isRule(l) {
				lits = append(lits, consequence(l))
			} else {
				lits, there = append(lits, demand(l)...), true
			}
		}
		for _, l := range c.indexed().general {
			if isRule(l) && l.op == opRest && e.covers(l, name) == inhabited {
				lits = append(lits, consequence(l))
			}
		}
	}
	return lits, there
}

// isRule reports whether an atom says something of all properties that it speaks of, and does not ask for one.
func isRule(l lit) bool { return l.not == (l.op == opRequired) }

// A tag is a property that is there with one of few scalars: what tells the alternatives of a union apart.
type tag struct {
	name string
	set  *scalars
}

// learn keeps the tags of a clause up to date.
func (c *clause) learn(l lit) {
	if c.kind != kindObject || l.not {
		return
	}
	if set := finite(l); l.op != opRequired && set == nil {
		return
	}
	var required bool
	var sets []*scalars
	for d := c; d != nil; d = d.base {
		for _, known := range d.indexed().named[l.text] {
			required = required || known.op == opRequired && !known.not
			if set := finite(known); set != nil {
				sets = append(sets, set)
			}
		}
	}
	for _, set := range sets {
		if required {
			c.tags = append(c.tags, tag{l.text, set})
		}
	}
}

// finite returns the scalars that an atom allows the property that it speaks of, or nil.
func finite(l lit) *scalars {
	if l.op != opProperty || l.not || l.kids[0].not {
		return nil
	}
	return l.kids[0].listed()
}

// listed returns the scalars that a node lists at its top, or nil.
func (n *node) listed() *scalars {
	if n.op == opScalars {
		return n.set
	}
	if n.op == opAll && !n.head {
		for _, k := range n.kids {
			if k.op == opScalars && !k.not {
				return k.set
			}
		}
	}
	return nil
}

// topTags lists the tags at the top of a node.
func (n *node) topTags() []tag {
	if n.op != opAll {
		return nil
	}
	var out []tag
	for _, k := range n.kids {
		if set := finite(k); set != nil && n.demands(k.text) {
			out = append(out, tag{k.text, set})
		}
	}
	return out
}

func (n *node) demands(name string) bool {
	for _, k := range n.kids {
		if k.op == opRequired && !k.not && k.text == name {
			return true
		}
	}
	return false
}

// excluded reports whether a literal cannot hold because a tag of it contradicts one of the clause.
func (c *clause) excluded(l lit) bool {
	if l.not || c.kind != kindObject {
		return false
	}
	for ; c != nil; c = c.base {
		if len(c.tags) > 0 && contradict(c.tags, l.node.tags) {
			return true
		}
	}
	return false
}

func contradict(a, b []tag) bool {
	for _, x := range a {
		for _, y := range b {
			if x.name == y.name && x.set.disjoint(y.set) {
				return true
			}
		}
	}
	return false
}

// apart reports whether two literals are seen at once to exclude each other.
func apart(a, b lit) bool {
	common := a.may() & b.may()
	return common == kindNone || common == kindObject && !a.not && !b.not && contradict(a.tags, b.tags)
}
