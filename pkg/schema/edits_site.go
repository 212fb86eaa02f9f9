package schema

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"

	"github.com/mcpctl/mcpctl/internal/lists"
	"github.com/mcpctl/mcpctl/internal/rawjson"
)

// A site is a schema in a document.
type site struct {
	doc   *document
	place string
	value any
}

// keywords returns the keywords of a site; a boolean schema has those that say the same.
func (s site) keywords() map[string]any {
	switch v := s.value.(type) {
	case map[string]any:
		return v
	case bool:
		if !v {
			return map[string]any{"not": map[string]any{}}
		}
	}
	return map[string]any{}
}

// raw is a keyword as written; nil for none.
func (s site) raw(keyword string) json.RawMessage {
	if s.doc == nil {
		return nil
	}
	return s.doc.raw(rawjson.Join(s.place, keyword))
}

func (s site) origin() *origin { return &origin{s.doc, s.place} }

func (s site) child(tokens ...string) site {
	place := rawjson.Join(s.place, tokens...)
	v, _ := rawjson.At(s.doc.root, place)
	return site{s.doc, place, v}
}

func (s site) list(keyword string) []site {
	members, _ := s.keywords()[keyword].([]any)
	out := make([]site, len(members))
	for i := range members {
		out[i] = s.child(keyword, strconv.Itoa(i))
	}
	return out
}

func (s site) follow() (site, bool) {
	ref, ok := s.keywords()["$ref"].(string)
	if !ok {
		return s, false
	}
	doc, place, _, ok := s.doc.resolve(ref, s.doc.owner(s.place))
	if !ok {
		return s, false
	}
	v, ok := rawjson.At(doc.root, place)
	return site{doc, place, v}, ok
}

// A view is a site with what only wraps it taken off: references, combinations of one, and alternatives with null.
type view struct {
	site
	o       map[string]any  // its keywords; a union of plain types or constants is written as one
	notes   map[string]site // where annotations are written, those of wrappers first
	null    bool            // a wrapper accepts null
	union   string          // anyOf or oneOf, if that is all there is and it has several members other than null
	members []int           // their indexes
}

// annotations are the keywords that say nothing about which values are accepted.
var annotations = []string{"$comment", "default", "deprecated", "description", "examples", "readOnly", "title",
	"writeOnly"}

// silent are the keywords that only hold or name other schemas.
var silent = []string{"$anchor", "$defs", "$dynamicAnchor", "$id", "$recursiveAnchor", "$schema", "$vocabulary",
	"definitions", "id"}

// maxWrappers bounds the wrappers that are taken off.
const maxWrappers = 32

// settle takes the wrappers off a site, and writes a union of plain types or of constants as one.
func settle(s site) view {
	v := strip(s)
	v.flatten()
	return v
}

// settleBoth unwraps two sites. A union that is written as one only on one side stays one on both.
func settleBoth(old, new site) (x, y view) {
	x, y = settle(old), settle(new)
	switch {
	case x.flat() && len(y.members) > 0:
		x = strip(old)
	case y.flat() && len(x.members) > 0:
		y = strip(new)
	}
	return x, y
}

// flat tells whether flatten wrote the view as one.
func (v view) flat() bool { return v.union != "" && len(v.members) == 0 }

func strip(s site) view {
	v := view{site: s, notes: map[string]site{}}
	for range maxWrappers {
		v.note()
		inner, ok := v.unwrap()
		if !ok {
			break
		}
		v.site = inner
	}
	v.o = v.keywords()
	return v
}

func (v *view) note() {
	o := v.keywords()
	for _, k := range annotations {
		if _, known := v.notes[k]; known {
			continue
		}
		if _, ok := o[k]; ok {
			v.notes[k] = v.site
		}
	}
}

// asserting lists the keywords of a schema object other than annotations.
func asserting(o map[string]any) []string {
	return lists.Filter(sortedKeys(o), func(k string) bool { return !slices.Contains(annotations, k) && !slices.Contains(silent, k) })
}

// unwrap returns what the site wraps.
func (v *view) unwrap() (site, bool) {
	o := v.keywords()
	said := asserting(o)
	if _, ref := o["$ref"]; ref && (len(said) == 1 || v.doc.owner(v.place).dialect.refAlone()) {
		return v.follow()
	}
	if len(said) != 1 {
		return site{}, false
	}
	switch keyword := said[0]; keyword {
	case "allOf":
		if members := v.list(keyword); len(members) == 1 {
			return members[0], true
		}
	case "anyOf", "oneOf":
		return v.alternatives(keyword)
	}
	return site{}, false
}

// alternatives takes null out of a union, and returns the one member that is left, or records several.
func (v *view) alternatives(keyword string) (site, bool) {
	var members []int
	list := v.list(keyword)
	for i, m := range list {
		if !onlyNull(m) {
			members = append(members, i)
		}
	}
	switch {
	case len(members) == 0:
		return site{}, false
	case len(members) < len(list):
		v.null = true
	}
	if len(members) == 1 {
		return list[members[0]], true
	}
	v.union, v.members = keyword, members
	return site{}, false
}

func onlyNull(s site) bool {
	o := s.keywords()
	said := asserting(o)
	if len(said) != 1 {
		return false
	}
	switch said[0] {
	case "type":
		return jsonText(o["type"]) == `"null"` || jsonText(o["type"]) == `["null"]`
	case "const":
		return o["const"] == nil
	case "enum":
		list, isList := o["enum"].([]any)
		return isList && len(list) == 1 && list[0] == nil
	}
	return false
}

// flatten writes a union of plain types as one type, and a union of constants as one enum.
func (v *view) flatten() {
	if v.union == "" {
		return
	}
	var types, values []any
	for _, i := range v.members {
		m := strip(v.child(v.union, strconv.Itoa(i)))
		said := asserting(m.o)
		switch {
		case m.null || m.union != "":
			return
		case len(said) == 1 && said[0] == "type":
			types = append(types, listed(m.o["type"])...)
		case enumOnly(said):
			members, _ := m.enum()
			values = append(values, members...)
		default:
			return
		}
	}
	switch {
	case len(values) == 0:
		v.o = map[string]any{"type": types}
	case len(types) == 0:
		v.o = map[string]any{"enum": values}
	default:
		return
	}
	v.members = nil
}

func enumOnly(said []string) bool {
	for _, k := range said {
		if k != "enum" && k != "const" && k != "type" {
			return false
		}
	}
	return slices.Contains(said, "enum") || slices.Contains(said, "const")
}

func listed(v any) []any {
	if list, ok := v.([]any); ok {
		return list
	}
	return []any{v}
}

func (v view) enum() ([]any, bool) {
	if value, ok := v.o["const"]; ok {
		return []any{value}, true
	}
	list, ok := v.o["enum"].([]any)
	return list, ok
}

// compareUnions compares the alternatives of two unions. Something that is no union is one of a single member.
func compareUnions(p pair) {
	x, y := p.x.alternativesOf(p.y), p.y.alternativesOf(p.x)
	matchX, matchY := p.matched(x, y)
	for i, m := range x {
		if matchX[i] < 0 {
			p.memberGone(i, m, y)
			continue
		}
		t := p.trail
		if len(p.y.members) > 0 {
			t = t.into("", p.y.union, strconv.Itoa(p.y.members[matchX[i]]))
		}
		p.compare(m, y[matchX[i]], t)
	}
	for i, m := range y {
		if matchY[i] < 0 {
			p.memberNew(m, x)
		}
	}
	if p.x.union != p.y.union && len(p.x.members) > 0 && len(p.y.members) > 0 {
		p.add(Edit{Family: FamilySchema, Keyword: p.y.union, Old: p.rawAt(p.x.site), New: p.rawAt(p.y.site)},
			&patch{instead: p.y.origin()})
	}
}

// alternativesOf returns the members of a union, or the view as the only one of another union, with the annotations that it hands on.
func (v view) alternativesOf(other view) []site {
	if len(v.members) > 0 {
		return lists.Map(v.members, func(i int) site { return v.child(v.union, strconv.Itoa(i)) })
	}
	only := v.site
	if o, ok := v.value.(map[string]any); ok {
		o = maps.Clone(o)
		maps.DeleteFunc(o, func(k string, _ any) bool { return slices.Contains(annotations, k) && !v.hands(k, other) })
		only.value = o
	}
	return []site{only}
}

// hands tells whether an annotation of a view that is no union is compared with that of an alternative: the union has none itself.
func (v view) hands(keyword string, union view) bool {
	note, noted := v.notes[keyword]
	if _, around := union.notes[keyword]; !noted || around || note.place != v.place || len(v.members) > 0 || len(union.members) == 0 {
		return false
	}
	return slices.ContainsFunc(union.alternativesOf(v), func(m site) bool {
		_, inside := strip(m).notes[keyword]
		return inside
	})
}

// matched pairs members: first those that are equal, then those that are most alike. What has no match is -1.
func (c *comparison) matched(x, y []site) (forX, forY []int) {
	forX, forY = slices.Repeat([]int{-1}, len(x)), slices.Repeat([]int{-1}, len(y))
	a, formsX := c.forms(x)
	b, formsY := c.forms(y)
	equal := map[string][]int{}
	for j, form := range formsY {
		equal[form] = append(equal[form], j)
	}
	var left []int // of x
	for i, form := range formsX {
		if same := equal[form]; len(same) > 0 {
			forX[i], forY[same[0]], equal[form] = same[0], i, same[1:]
		} else {
			left = append(left, i)
		}
	}
	c.pairAlike(a, b, left, forX, forY)
	return forX, forY
}

// forms are the members of a union as views, and what tells equal ones.
func (c *comparison) forms(list []site) (views []view, forms []string) {
	for _, s := range list {
		v := settle(s)
		c.spend(16 * weight(v.o, maxNodes))
		views, forms = append(views, v), append(forms, canonical(v.o))
	}
	return views, forms
}

// pairAlike pairs those members of a that are left with the ones of b that are most like them, unless there are too many.
func (c *comparison) pairAlike(a, b []view, left, forX, forY []int) {
	const perPair = 128
	if len(left)*len(b) > c.left/perPair/4 {
		return
	}
	c.spend(len(left) * len(b) * perPair)
	alike := make([][]int, len(left))
	for k, i := range left {
		alike[k] = make([]int, len(b))
		for j := range b {
			if forY[j] < 0 && c.left >= 0 {
				p, _ := a[i].o["properties"].(map[string]any)
				c.spend(64 * len(p))
				alike[k][j] = likeness(a[i], b[j])
			}
		}
	}
	for least := 90; least > 0; least -= 10 {
		for k, i := range left {
			for j := range b {
				if forX[i] < 0 && forY[j] < 0 && alike[k][j] >= least {
					forX[i], forY[j] = j, i
				}
			}
		}
	}
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

func (p pair) memberGone(i int, m site, others []site) {
	e := Edit{Family: memberFamily(m, others), Keyword: p.x.union, Old: p.rawAt(m), OldPath: m.place}
	if len(p.x.members) == 0 {
		p.add(e, &patch{gone: true})
		return
	}
	p.add(e, &patch{leave: map[string]bool{p.x.union + "/" + strconv.Itoa(p.x.members[i]): true}})
}

func (p pair) memberNew(m site, others []site) {
	e := Edit{Family: memberFamily(m, others), Keyword: p.y.union, New: p.rawAt(m), NewPath: m.place}
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

// compareKeptUnions compares unions that stand beside other keywords.
func compareKeptUnions(p pair) {
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
			p.compare(x[i], y[i], p.trail.into("", keyword, strconv.Itoa(i)))
		}
	}
}
