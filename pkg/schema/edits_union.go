package schema

import "slices"

// unions compares the alternatives of two unions. Something that is no union is one of a single member.
func (p pair) unions() {
	x, y := p.x.alternativesOf(), p.y.alternativesOf()
	matchX, matchY := matched(x, y)
	for i, m := range x {
		if matchX[i] < 0 {
			p.memberGone(i, m, y)
			continue
		}
		t := p.trail
		if len(p.y.members) > 0 {
			t = t.into("", p.y.union, itoa(p.y.members[matchX[i]]))
		}
		p.compare(m, y[matchX[i]], t)
	}
	for i, m := range y {
		if matchY[i] < 0 {
			p.memberNew(m, x)
		}
	}
	if p.x.union != p.y.union && len(p.x.members) > 0 && len(p.y.members) > 0 {
		p.add(Edit{Family: FamilySchema, Keyword: p.y.union, Old: rawOf(p.x.value), New: rawOf(p.y.value)},
			&patch{instead: p.y.origin()})
	}
}

// alternativesOf returns the members of a union, or the view as the only one.
func (v view) alternativesOf() []site {
	if len(v.members) == 0 {
		return []site{v.site}
	}
	var out []site
	for _, i := range v.members {
		out = append(out, v.child(v.union, itoa(i)))
	}
	return out
}

// matched pairs members: first those that are equal, then those that are most alike. What has no match is -1.
func matched(x, y []site) (forX, forY []int) {
	forX, forY = slices.Repeat([]int{-1}, len(x)), slices.Repeat([]int{-1}, len(y))
	alike := likenesses(x, y)
	for least := 100; least > 0; least -= 10 {
		for i := range x {
			for j := range y {
				if forX[i] < 0 && forY[j] < 0 && alike[i][j] >= least {
					forX[i], forY[j] = j, i
				}
			}
		}
	}
	return forX, forY
}

// likenesses says of each pair of alternatives how alike they are.
func likenesses(x, y []site) [][]int {
	forms := map[string]string{}
	views := func(list []site) []view {
		out := make([]view, len(list))
		for i, s := range list {
			out[i] = settle(s)
			forms[s.doc.digest+s.place] = canonical(out[i].o)
		}
		return out
	}
	a, b := views(x), views(y)
	out := make([][]int, len(x))
	for i := range x {
		out[i] = make([]int, len(y))
		for j := range y {
			if out[i][j] = 100; forms[x[i].doc.digest+x[i].place] != forms[y[j].doc.digest+y[j].place] {
				out[i][j] = likeness(a[i], b[j])
			}
		}
	}
	return out
}

// likeness says how alike two different alternatives are, from 0 for nothing in common to 99.
func likeness(a, b view) int {
	types, named := a.types()
	others, also := b.types()
	if named != also || !slices.Equal(types, others) {
		return 0
	}
	p, _ := a.o["properties"].(map[string]any)
	q, _ := b.o["properties"].(map[string]any)
	if len(p) == 0 && len(q) == 0 {
		return 50
	}
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
	if tags > 0 {
		return 90
	}
	return 10 + 60*common/max(len(p), len(q))
}

// sameTag reports whether two properties are constants, and whether the same.
func sameTag(x, y site) (tag, alike bool) {
	a, isTag := settle(x).enum()
	b, also := settle(y).enum()
	if !isTag || !also || len(a) != 1 || len(b) != 1 {
		return false, false
	}
	return true, same(a[0], b[0])
}

// memberGone lists an alternative that left.
func (p pair) memberGone(i int, m site, others []site) {
	e := Edit{Family: memberFamily(m, others), Keyword: p.x.union, Old: rawOf(m.value), OldPath: m.place}
	if len(p.x.members) == 0 {
		p.add(e, &patch{gone: true})
		return
	}
	p.add(e, &patch{leave: map[string]bool{p.x.union + "/" + itoa(p.x.members[i]): true}})
}

// memberNew lists an alternative that joined.
func (p pair) memberNew(m site, others []site) {
	e := Edit{Family: memberFamily(m, others), Keyword: p.y.union, New: rawOf(m.value), NewPath: m.place}
	p.add(e, &patch{also: []origin{*m.origin()}})
}

// memberFamily is type for an alternative of types that no other alternative has.
func memberFamily(m site, others []site) Family {
	types, named := settle(m).types()
	for _, o := range others {
		theirs, also := settle(o).types()
		if !named || !also || slices.ContainsFunc(types, func(t string) bool { return slices.Contains(theirs, t) }) {
			return FamilyUnion
		}
	}
	return FamilyType
}

// keptUnions compares unions that stand beside other keywords.
func (p pair) keptUnions() {
	for _, keyword := range [...]string{"anyOf", "oneOf"} {
		x, y := p.x.list(keyword), p.y.list(keyword)
		if p.x.union == keyword || p.y.union == keyword || len(x) == 0 && len(y) == 0 {
			continue
		}
		if len(x) != len(y) {
			p.group(FamilyUnion, []string{keyword})
			continue
		}
		for i := range x {
			p.compare(x[i], y[i], p.trail.into("", keyword, itoa(i)))
		}
	}
}
