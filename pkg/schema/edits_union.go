package schema

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/rawjson"
)

// compareUnions compares the alternatives of two unions. A schema that is not a union counts as a union of
// one.
func compareUnions(p pair) {
	x, y := p.x.alternativesOf(p.y), p.y.alternativesOf(p.x)
	keyword := cmp.Or(p.x.union, p.y.union)
	matchX, matchY := p.matched(x, y)
	for i, m := range x {
		if matchX[i] < 0 {
			p.add(Edit{Family: p.x.memberFamily(m, y), Keyword: p.x.union, Old: p.rawAt(m), OldPath: m.place,
				ofUnion: true},
				func(o *object) {
					o.lists[keyword] = slices.DeleteFunc(o.alternatives(p.x, keyword), func(v any) bool {
						return v.(*part).doc == m.doc && v.(*part).place == m.place
					})
				})
			continue
		}
		t, new := p.trail, y[matchX[i]]
		if len(p.y.members) > 0 {
			t = t.into(p.y.union, strconv.Itoa(p.y.members[matchX[i]]))
		}
		if len(p.x.members) > 0 {
			p.against(new, t, p.x.union, strconv.Itoa(p.x.members[i]))
		} else if only := p.compare(m, new, t); only != nil && !only.leads(p.schemaPair) {
			p.schemaPair.become(only)
		}
	}
	for i, m := range y {
		if matchY[i] < 0 {
			p.add(Edit{Family: p.y.memberFamily(m, x), Keyword: p.y.union, New: p.rawAt(m), NewPath: m.place,
				ofUnion: true},
				func(o *object) { o.lists[keyword] = append(o.alternatives(p.x, keyword), m.part()) })
		}
	}
	if p.x.union != p.y.union && len(p.x.members) > 0 && len(p.y.members) > 0 {
		p.add(Edit{Family: FamilySchema, Keyword: p.y.union, Old: p.rawAt(p.x.site), New: p.rawAt(p.y.site),
			ofUnion: true},
			func(o *object) {
				o.lists[p.y.union] = o.members(p.x.union)
				delete(o.lists, p.x.union)
				o.drop(p.x.union)
			})
	}
	if len(p.x.members) > 0 && len(p.y.members) > 0 {
		p.schemaPair.apart = p.apart(kit.Map(x, settle), kit.Map(y, settle), matchX, matchY)
	}
}

// alternativesOf returns the members of a union, or the view as the only one of another union, with the
// annotations that it keeps.
func (v view) alternativesOf(other view) []site {
	if len(v.members) > 0 {
		return kit.Map(v.members, func(i int) site { return v.child(v.union, strconv.Itoa(i)) })
	}
	o := maps.Clone(v.keywords())
	maps.DeleteFunc(o, func(k string, _ any) bool {
		_, known := annotations[k]
		return known && !v.pairsNote(k, other)
	})
	return []site{{v.doc, v.place, o}}
}

// pairsNote reports whether an annotation of a view that is not a union is compared with that of an
// alternative: the union has none itself.
func (v view) pairsNote(keyword string, union view) bool {
	note, noted := v.notes[keyword]
	if _, around := union.notes[keyword]; !noted || around || note.place != v.place || len(v.members) > 0 ||
		len(union.members) == 0 {
		return false
	}
	return slices.ContainsFunc(union.members, func(i int) bool {
		_, inside := union.member(i).notes[keyword]
		return inside
	})
}

// matched pairs members: first those that are equal, then those that are most alike, unless too many are
// left. What has no match is -1.
func (c *comparison) matched(x, y []site) (forX, forY []int) {
	forX, forY = slices.Repeat([]int{-1}, len(x)), slices.Repeat([]int{-1}, len(y))
	a, b := kit.Map(x, settle), kit.Map(y, settle)
	form := func(v view) string {
		c.spend(16 * weight(v.o, maxNodes))
		return canonical(v.o)
	}
	equal := map[string][]int{}
	for j, v := range b {
		text := form(v)
		equal[text] = append(equal[text], j)
	}
	var left []int // of x
	for i, v := range a {
		text := form(v)
		if same := equal[text]; len(same) > 0 {
			forX[i], forY[same[0]], equal[text] = same[0], i, same[1:]
		} else {
			left = append(left, i)
		}
	}
	if before, after, ok := c.marks(a, b); ok {
		byMark := map[string]int{}
		for j, marks := range after {
			byMark[strings.Join(marks, " ")] = j
		}
		left = kit.Filter(left, func(i int) bool {
			j, found := byMark[strings.Join(before[i], " ")]
			if found = found && forY[j] < 0; found {
				forX[i], forY[j] = j, i
			}
			return !found
		})
	}
	const perPair = 128
	if len(left)*len(b) > c.left/perPair/4 {
		return forX, forY
	}
	c.spend(len(left) * len(b) * perPair)
	type match struct{ i, j, likeness int }
	var all []match
	for _, i := range left {
		for j := range b {
			if forY[j] < 0 && c.left >= 0 {
				c.spend(64 * len(a[i].table("properties")))
				all = append(all, match{i, j, likeness(a[i], b[j])})
			}
		}
	}
	slices.SortStableFunc(all, func(x, y match) int { return y.likeness - x.likeness })
	for _, m := range all {
		if m.likeness > 0 && forX[m.i] < 0 && forY[m.j] < 0 {
			forX[m.i], forY[m.j] = m.j, m.i
		}
	}
	return forX, forY
}

// likeness returns how alike two different alternatives are, from 0 for nothing in common to 9. The same name
// or tag makes them the same alternative, two tags make them different ones.
func likeness(a, b view) int {
	types, named := a.types()
	others, also := b.types()
	p, q := a.table("properties"), b.table("properties")
	common, tags := 0, 0
	for name := range p {
		if _, shared := q[name]; !shared {
			continue
		}
		common++
		switch tag, same := sameTag(a.child("properties", name), b.child("properties", name)); {
		case tag && same:
			tags++
		case tag:
			return 0
		}
	}
	switch {
	case tags > 0, a.called() != "" && a.called() == b.called():
		return 9
	case named != also || !slices.Equal(types, others):
		return 0
	case a.called() != "" && b.called() != "" && (common == 0 || common < max(len(p), len(q))):
		return 0 // of other names, it is the same alternative only with the same properties
	case len(p) == 0 && len(q) == 0:
		return 5
	}
	return 6 * common / max(len(p), len(q))
}

// called returns the name of an alternative: that of its definition, or its title.
func (v view) called() string {
	if len(v.wrappers) > 0 {
		steps := rawjson.Split(v.place)
		if n := len(steps); n > 1 && (steps[n-2] == "$defs" || steps[n-2] == "definitions") {
			return steps[n-1]
		}
	}
	title, _ := v.notes["title"].keywords()["title"].(string)
	return title
}

// sameTag reports whether two properties are constants, and whether the same.
func sameTag(x, y site) (tag, alike bool) {
	a, isTag := settle(x).enum()
	b, also := settle(y).enum()
	if !isTag || !also || len(a) != 1 || len(b) != 1 {
		return false, false
	}
	return true, rawjson.Same(a[0], b[0])
}

// compareFlattened compares the annotations in the members of a union that is written as one. A member that
// is gone has no findings.
func compareFlattened(p pair) {
	after := map[string]int{}
	for _, i := range p.y.plain {
		after[p.y.member(i).meaning()] = i
	}
	for _, i := range p.x.plain {
		x, y, t := p.x.member(i), view{site: p.y.site}, p.trail.into(p.x.union, strconv.Itoa(i))
		if p.spend(64 * (1 + len(x.notes))) {
			return
		}
		if p.y.flat() {
			j, kept := after[x.meaning()]
			if !kept {
				continue
			}
			y, t = p.y.member(j), p.trail.into(p.y.union, strconv.Itoa(j))
		}
		compareAnnotations(pair{comparison: p.comparison, x: x, y: y, trail: t,
			schemaPair: p.schemaPair}, nil)
	}
}

func (v view) member(i int) view { return strip(v.child(v.union, strconv.Itoa(i))) }

// meaning returns a text that is different for each type and constant in a union.
func (v view) meaning() string {
	if values, ok := v.enum(); ok {
		return canonical(values)
	}
	types, _ := v.types()
	return strings.Join(types, " ")
}

// memberFamily returns type for an alternative of types that no other alternative has, else union, or schema
// where it is not an alternative but all of a view.
func (v view) memberFamily(m site, others []site) Family {
	types, named := settle(m).types()
	for _, o := range others {
		theirs, also := settle(o).types()
		if !named || !also || slices.ContainsFunc(types,
			func(t string) bool { return slices.Contains(theirs, t) }) {
			if len(v.members) == 0 {
				return FamilySchema
			}
			return FamilyUnion
		}
	}
	return FamilyType
}
