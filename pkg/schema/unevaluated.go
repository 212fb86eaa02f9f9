package schema

import (
	"slices"
)

// unevaluated reads unevaluatedProperties and unevaluatedItems (2020-12 core §11).
func (w *writer) unevaluated() {
	properties, hasProperties := w.has("unevaluatedProperties")
	items, hasItems := w.has("unevaluatedItems")
	if !hasProperties && !hasItems {
		return
	}
	c := w.evaluated(w.o, w.spot)
	if hasProperties {
		child := w.below(properties, "unevaluatedProperties")
		w.add("unevaluatedProperties", w.unless(c, "unevaluatedProperties", func() *node {
			return w.otherProperties(w.place, c.parts, child)
		}))
	}
	if hasItems {
		child := w.below(items, "unevaluatedItems")
		w.add("unevaluatedItems", w.unless(c, "unevaluatedItems", func() *node {
			return w.otherItems(w.place, c.parts, child)
		}))
	}
}

// unless returns what is made, or an assertion of which nothing is known where too much was collected.
func (w *writer) unless(c *collection, keyword string, make func() *node) *node {
	if c.over {
		return w.opaque(w.place, keyword, "too many parts")
	}
	return make()
}

// otherProperties says that every property that no part evaluates satisfies the child. The names are divided into
// those that the same parts evaluate; for each division, its properties satisfy the child or such a part holds.
func (b *builder) otherProperties(place string, parts []evaluated, child *node) *node {
	var always evaluated
	var sometimes []evaluated
	var names []string
	for _, p := range parts {
		names = append(names, p.names...)
		if len(p.when) > 0 {
			sometimes = append(sometimes, p)
			continue
		}
		always.every = always.every || p.every
		always.names = append(always.names, p.names...)
		always.patterns = append(always.patterns, p.patterns...)
	}
	if always.every {
		return all()
	}
	slices.Sort(names)
	names = slices.Compact(names)
	out := all()
	for _, name := range names {
		if evaluates, known := always.reaches(name); !known {
			return b.opaque(place, "unevaluatedProperties", "pattern "+name)
		} else if !evaluates {
			absent := &node{op: opProperty, text: name, kids: []lit{yes(child)}}
			out.kids = append(out.kids, yes(orHolds(absent, sometimes, func(p evaluated) bool {
				evaluates, _ := p.reaches(name)
				return evaluates
			})))
		}
	}
	return b.otherNames(place, out, names, always.patterns, sometimes, child)
}

// reaches reports whether the set evaluates the property of that name, and whether that is known.
func (e evaluated) reaches(name string) (evaluates, known bool) {
	if e.every || slices.Contains(e.names, name) {
		return true, true
	}
	for _, p := range e.patterns {
		if p.pattern == nil {
			return false, false
		}
		if p.pattern.Match(name) {
			return true, true
		}
	}
	return false, true
}

// otherNames adds what is to be said of the names that are not listed, divided by the patterns they match.
func (b *builder) otherNames(place string, out *node, names []string, never []*node, sometimes []evaluated, child *node) *node {
	var patterns []*node
	for _, p := range sometimes {
		for _, q := range p.patterns {
			if q.pattern == nil {
				return b.opaque(place, "unevaluatedProperties", "pattern "+q.text)
			}
			if !slices.Contains(patterns, q) {
				patterns = append(patterns, q)
			}
		}
	}
	if len(patterns) > maxSplits {
		return b.opaque(place, "unevaluatedProperties", "many patterns")
	}
	for chosen := range 1 << len(patterns) {
		rest := &node{op: opRest, names: names, patterns: slices.Clone(never), kids: []lit{yes(child)}}
		for i, p := range patterns {
			if chosen>>i&1 == 1 {
				rest.within = append(rest.within, p)
			} else {
				rest.patterns = append(rest.patterns, p)
			}
		}
		out.kids = append(out.kids, yes(orHolds(rest, sometimes, func(p evaluated) bool {
			return p.every || slices.ContainsFunc(p.patterns, func(q *node) bool { return slices.Contains(rest.within, q) })
		})))
	}
	return out
}

// orHolds is: n, or the condition of a part that is chosen.
func orHolds(n *node, parts []evaluated, chosen func(evaluated) bool) *node {
	out := some(yes(n))
	for _, p := range parts {
		if chosen(p) {
			out.kids = append(out.kids, conjunction(p.when))
		}
	}
	return out
}

func conjunction(when []lit) lit {
	if len(when) == 1 {
		return when[0]
	}
	return yes(all(when...))
}

// otherItems says that every item that no part evaluates satisfies the child.
func (b *builder) otherItems(place string, parts []evaluated, child *node) *node {
	var sometimes []evaluated
	start, cuts := 0, []int{}
	item := some(yes(child))
	for _, p := range parts {
		switch {
		case len(p.when) > 0:
			sometimes = append(sometimes, p)
			cuts = append(cuts, p.prefix)
		case p.items:
			return all()
		default:
			start = max(start, p.prefix)
			for _, m := range p.matching {
				item.kids = append(item.kids, yes(m))
			}
		}
	}
	out := all()
	slices.Sort(cuts)
	for _, cut := range slices.Compact(cuts) {
		for ; start < cut; start++ {
			out.kids = append(out.kids, yes(b.otherItem(place, start, opItem, item, sometimes)))
		}
	}
	out.kids = append(out.kids, yes(b.otherItem(place, start, opItems, item, sometimes)))
	return out
}

// otherItem is otherItems for the item at an index, or for all from it on.
func (b *builder) otherItem(place string, index int, o op, item *node, parts []evaluated) *node {
	var containing []evaluated
	for _, p := range parts {
		if len(p.matching) > 0 {
			containing = append(containing, p)
		}
	}
	if len(containing) > maxSplits {
		return b.opaque(place, "unevaluatedItems", "many contains")
	}
	out := some()
	for chosen := range 1 << len(containing) {
		child := some(item.kids...)
		var when []lit
		for i, p := range containing {
			if chosen>>i&1 == 1 {
				when = append(when, p.when...)
				for _, m := range p.matching {
					child.kids = append(child.kids, yes(m))
				}
			}
		}
		when = append(when, yes(&node{op: o, count: index, kids: []lit{yes(child)}}))
		out.kids = append(out.kids, conjunction(when))
	}
	return orHolds(out, parts, func(p evaluated) bool { return p.items || p.prefix > index })
}
