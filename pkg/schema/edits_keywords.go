package schema

import (
	"encoding/json"
	"slices"
	"strconv"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/rawjson"
)

// A group is a family with keywords that are compared together: minimum and exclusiveMinimum are one bound.
type group struct {
	family   Family
	keywords []string
}

// groups lists the families that are compared keyword by keyword.
func groups() []group {
	return []group{
		{FamilyRange, []string{"minimum", "exclusiveMinimum"}},
		{FamilyRange, []string{"maximum", "exclusiveMaximum"}},
		{FamilyMultiple, []string{"multipleOf"}},
		{FamilyLength, []string{"minLength"}},
		{FamilyLength, []string{"maxLength"}},
		{FamilyPattern, []string{"pattern"}},
		{FamilyFormat, []string{"format"}},
		{FamilyContent, []string{"contentEncoding", "contentMediaType", "contentSchema"}},
		{FamilyItemCount, []string{"minItems"}},
		{FamilyItemCount, []string{"maxItems"}},
		{FamilyUnique, []string{"uniqueItems"}},
		{FamilyContains, []string{"contains", "minContains", "maxContains"}},
		{FamilyPropertyCount, []string{"minProperties"}},
		{FamilyPropertyCount, []string{"maxProperties"}},
		{FamilyPropertyNames, []string{"propertyNames"}},
		{FamilyDependent, []string{"dependentRequired", "dependencies"}},
		{FamilyConditional, []string{"if", "then", "else", "dependentSchemas"}},
		{FamilyUnevaluated, []string{"unevaluatedProperties", "unevaluatedItems"}},
		{FamilyExclusion, []string{"not"}},
	}
}

// compareKeywords lists the groups that differ. What is equal in text may still differ behind a reference.
func compareKeywords(p pair) {
	for _, g := range groups() {
		if p.text(g.keywords) {
			p.group(g.family, g.keywords)
			continue
		}
		for _, k := range g.keywords {
			compareBehind(p, k)
		}
	}
}

// text reports whether any of the keywords differs as written.
func (p pair) text(keywords []string) bool { return p.firstDifferent(keywords) != "" }

// firstDifferent returns the first keyword that is only on one side or has another value there; empty if
// there is none.
func (p pair) firstDifferent(keywords []string) string {
	for _, k := range keywords {
		old, had := p.x.o[k]
		new, has := p.y.o[k]
		if had != has || !p.same(old, new) {
			return k
		}
	}
	return ""
}

// group adds one edit for all of the keywords together. Its patch replaces them as a whole, so that keywords
// that depend on each other are never mixed from both versions.
func (p pair) group(f Family, keywords []string) {
	p.add(Edit{Family: f, Keyword: p.firstDifferent(keywords), Keywords: keywords,
		Old: p.x.several(keywords), New: p.y.several(keywords)},
		func(o *object) {
			o.drop(keywords...)
			for _, k := range keywords {
				if _, ok := p.y.o[k]; ok {
					o.keywords[k] = p.y.moved(k)
				}
			}
		})
}

// several returns the value of the only keyword that is there, or an object of those that are.
func (v view) several(keywords []string) json.RawMessage {
	var there []rawjson.Member
	for _, k := range keywords {
		if raw := v.raw(k); raw != nil {
			there = append(there, rawjson.Member{Key: k, Value: raw})
		}
	}
	switch len(there) {
	case 0:
		return nil
	case 1:
		return there[0].Value
	}
	return rawjson.Build(there...)
}

// raw returns a keyword as written, or as it is read: a union as one, and false as its equivalent.
func (v view) raw(keyword string) json.RawMessage {
	value, there := v.o[keyword]
	if !there {
		return nil
	}
	if raw := v.site.raw(keyword); raw != nil {
		return raw
	}
	return rawOf(value)
}

// compareBehind compares the schemas in a keyword that is equal as written.
func compareBehind(p pair, keyword string) {
	v, ok := p.x.o[keyword]
	if !ok {
		return
	}
	switch keyword {
	case "if", "then", "else", "not":
		p.inside(p.y.child(keyword), p.trail.into("", keyword), keyword)
	case "contains", "unevaluatedItems":
		p.inside(p.y.child(keyword), p.trail.into("[]", keyword), keyword)
	case "contentSchema", "propertyNames", "unevaluatedProperties":
		p.inside(p.y.child(keyword), p.trail.into("*", keyword), keyword)
	case "dependentSchemas", "dependencies":
		table, _ := v.(map[string]any)
		for _, name := range kit.SortedKeys(table) {
			p.inside(p.y.child(keyword, name), p.trail.into("", keyword, name), keyword, name)
		}
	}
}

// compareInner compares what holds schemas for the values inside the value, and parts that are combined.
func compareInner(p pair) {
	compareProperties(p)
	compareRequired(p)
	comparePatternProperties(p)
	compareAdditional(p)
	compareItems(p)
	compareCombined(p)
}

// compareReferences lists a reference that came, left or changed beside other keywords; behind two of them it
// goes on.
func compareReferences(p pair) {
	for _, k := range [...]string{"$ref", "$dynamicRef", "$recursiveRef"} {
		_, had := p.x.o[k]
		_, has := p.y.o[k]
		x, found := p.x.follow()
		y, also := p.y.follow()
		switch {
		case had && has && k == "$ref" && found && also:
			p.reach(p.compare(x, y, p.trail), k)
		case p.text([]string{k}):
			p.group(FamilyReference, []string{k})
		}
	}
}

// compareProperties compares the properties of both; one that only one of them has is an edit, with its being
// required.
func compareProperties(p pair) {
	was, is := p.x.requires(), p.y.requires()
	x, _ := p.x.o["properties"].(map[string]any)
	y, _ := p.y.o["properties"].(map[string]any)
	for _, name := range kit.SortedKeys(x) {
		t := p.trail.into(name, "properties", name)
		if _, kept := y[name]; kept {
			p.inside(p.y.child("properties", name), t, "properties", name)
			continue
		}
		if p.y.isMap() { // it is a name like any other now
			p.inside(p.y.child("additionalProperties"), t, "properties", name)
			continue
		}
		old := p.rawAt(p.x.child("properties", name))
		p.add(Edit{Family: FamilyProperty, Keyword: "properties", Name: name, Required: was.has[name],
			Path: t.path, Instance: t.instance,
			Old: old, OldSchema: old, OldPath: rawjson.Join(p.x.place, "properties", name),
			NewPath: p.y.place},
			func(o *object) {
				delete(o.table("properties"), name)
				if was.has[name] && !is.has[name] {
					o.list("required", was.asAny, []any{name}, nil)
				}
			})
	}
	for _, name := range kit.SortedKeys(y) {
		if _, kept := x[name]; !kept {
			p.newProperty(name, was, is)
		}
	}
}

// newProperty adds the edit for a property that only the new version declares. That it is required as well is
// a part of the same edit.
func (p pair) newProperty(name string, was, is nameList) {
	t := p.trail.into(name, "properties", name)
	added := p.y.child("properties", name)
	new := p.rawAt(added)
	p.add(Edit{Family: FamilyProperty, Keyword: "properties", Name: name, Required: is.has[name],
		Path: t.path, Instance: t.instance, New: new, NewSchema: new, NewPath: added.place,
		OldPath: p.x.place},
		func(o *object) {
			o.table("properties")[name] = added.part()
			if is.has[name] && !was.has[name] {
				o.list("required", was.asAny, nil, []any{name})
			}
		})
}

type nameList struct {
	list  []string
	has   map[string]bool
	asAny []any
}

func (v view) requires() nameList {
	names, _ := stringList(v.o["required"])
	return nameList{names, kit.Set(names), kit.Map(names, func(name string) any { return name })}
}

// compareRequired lists the names that joined or left required, one by one, but for properties that came or
// left with it.
func compareRequired(p pair) {
	was, is := p.x.requires(), p.y.requires()
	x, _ := p.x.o["properties"].(map[string]any)
	y, _ := p.y.o["properties"].(map[string]any)
	for _, name := range append(slices.Clone(was.list), is.list...) {
		_, had := x[name]
		_, kept := y[name]
		kept = kept || had && p.y.isMap()
		if was.has[name] == is.has[name] || had != kept {
			continue
		}
		t := p.trail.into(name, "properties", name)
		e := Edit{Family: FamilyRequired, Keyword: "required", Name: name, Path: t.path, Instance: t.instance}
		if was.has[name] {
			e.Old = rawOf(name)
			p.add(e, func(o *object) { o.list("required", was.asAny, []any{name}, nil) })
		} else {
			e.New = rawOf(name)
			p.add(e, func(o *object) { o.list("required", was.asAny, nil, []any{name}) })
		}
	}
}

// comparePatternProperties pairs the schemas by the text of their patterns. A pattern that was spelled in
// another way is one edit that removes it and one that adds it.
func comparePatternProperties(p pair) {
	const keyword = "patternProperties"
	x, _ := p.x.o[keyword].(map[string]any)
	y, _ := p.y.o[keyword].(map[string]any)
	for _, source := range kit.SortedKeys(x) {
		t := p.trail.into("*", keyword, source)
		if _, kept := y[source]; kept {
			p.inside(p.y.child(keyword, source), t, keyword, source)
			continue
		}
		p.add(Edit{Family: FamilyPatternProps, Keyword: keyword, Name: source, Instance: t.instance,
			Old: p.rawAt(p.x.child(keyword, source))},
			func(o *object) { delete(o.table(keyword), source) })
	}
	for _, source := range kit.SortedKeys(y) {
		if _, kept := x[source]; !kept {
			p.add(Edit{Family: FamilyPatternProps, Keyword: keyword, Name: source,
				New: p.rawAt(p.y.child(keyword, source))},
				func(o *object) { o.table(keyword)[source] = p.y.child(keyword, source).part() })
		}
	}
}

// compareAdditional compares the schemas of undeclared properties place by place if they have an inside, else
// as one.
func compareAdditional(p pair) {
	const keyword = "additionalProperties"
	_, had := p.x.o[keyword]
	_, has := p.y.o[keyword]
	if had && has {
		x, y := p.x.child(keyword), p.y.child(keyword)
		if p.same(x.value, y.value) || structured(x) && structured(y) {
			p.inside(y, p.trail.into("*", keyword), keyword)
			return
		}
	}
	if p.text([]string{keyword}) {
		p.group(FamilyAdditional, []string{keyword})
	}
}

// isMap reports whether a view says what values undeclared properties have.
func (v view) isMap() bool {
	o, ok := v.o["additionalProperties"].(map[string]any)
	return ok && len(asserting(o)) > 0
}

// plainly reports whether a view says no more than which values an object or an array holds.
func (v view) plainly() bool {
	_, tuple := v.o["items"].([]any)
	return !tuple && v.union == "" &&
		!slices.ContainsFunc(asserting(v.o), func(k string) bool {
			switch k {
			case "type", "properties", "required", "items", "additionalProperties", "format",
				"minProperties", "maxProperties", "minItems", "maxItems":
				return false
			}
			return known(k)
		})
}

// structured reports whether a schema describes values with values inside.
func structured(s site) bool {
	o := settle(s).o
	for _, k := range [...]string{"properties", "items", "prefixItems", "additionalProperties"} {
		if _, ok := o[k]; ok {
			return true
		}
	}
	return false
}

// compareItems compares the three keywords of items by what they mean, since drafts spell tuples in different
// ways. Tuples of different lengths, or only one with a rest, are replaced as a whole.
func compareItems(p pair) {
	xPrefix, xRest := p.x.tuple()
	yPrefix, yRest := p.y.tuple()
	all := []string{"prefixItems", "items", "additionalItems"}
	if xPrefix == "" && yPrefix == "" {
		switch {
		case xRest != "" && yRest != "":
			p.inside(p.y.child(yRest), p.trail.into("[]", "items"), xRest)
		case p.text(all):
			p.group(FamilyItems, all)
		}
		return
	}
	x, y := p.x.list(xPrefix), p.y.list(yPrefix)
	if len(x) != len(y) || (xRest == "") != (yRest == "") {
		p.group(FamilyTuple, all)
		return
	}
	for i := range x {
		number := strconv.Itoa(i)
		p.inside(y[i], p.trail.into(number, "prefixItems", number), xPrefix, number)
	}
	if xRest == "" {
		return
	}
	_, wasSchema := p.x.o[xRest].(map[string]any)
	if _, isSchema := p.y.o[yRest].(map[string]any); wasSchema && isSchema {
		p.inside(p.y.child(yRest), p.trail.into("[]", "items"), xRest)
	} else if !p.same(p.x.o[xRest], p.y.o[yRest]) {
		p.group(FamilyTuple, all)
	}
}

func (v view) tuple() (prefix, rest string) { return tuple(v.o, v.doc.owner(v.place).dialect) }

// compareCombined compares combined schemas, and unions beside other keywords, one by one if there are as
// many, else as one.
func compareCombined(p pair) {
	for _, of := range []group{{FamilySchema, []string{"allOf"}}, {FamilyUnion, []string{"anyOf"}},
		{FamilyUnion, []string{"oneOf"}}} {
		keyword := of.keywords[0]
		x, y := p.x.list(keyword), p.y.list(keyword)
		switch {
		case p.x.union == keyword, p.y.union == keyword:
		case len(x) > 0 && len(y) > 0 && of.family == FamilyUnion:
			p.beside(keyword, x, y)
		case len(x) != len(y):
			p.group(of.family, of.keywords)
		default:
			for i := range x {
				number := strconv.Itoa(i)
				p.inside(y[i], p.trail.into("", keyword, number), keyword, number)
			}
		}
	}
}

// beside compares the members of two unions that stand beside other keywords.
func (p pair) beside(keyword string, x, y []site) {
	all := func(list []site) (indexes []int) {
		for i := range list {
			indexes = append(indexes, i)
		}
		return indexes
	}
	p.x.union, p.y.union, p.x.members, p.y.members = keyword, keyword, all(x), all(y)
	p.members(x, y, p.x.members, p.y.members)
}

// known reports whether comparisons give a keyword a meaning of its own. One that is neither known nor silent
// counts as a remark.
func known(keyword string) bool {
	for _, g := range groups() {
		if slices.Contains(g.keywords, keyword) {
			return true
		}
	}
	return slices.Contains([]string{"$ref", "$dynamicRef", "$recursiveRef", "type", "enum", "const",
		"properties", "required",
		"patternProperties", "additionalProperties", "items", "prefixItems", "additionalItems", "allOf",
		"anyOf", "oneOf"}, keyword)
}
