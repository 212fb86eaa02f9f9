package schema

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/rawjson"
)

// A group is a family with keywords that are compared together: minimum and exclusiveMinimum are one bound.
type group struct {
	family   Family
	keywords []string
}

// groups are the families that are compared keyword by keyword.
var groups = []group{
	{FamilyReference, []string{"$dynamicRef"}},
	{FamilyReference, []string{"$recursiveRef"}},
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

// known are the keywords to which comparisons give a meaning of their own. One that is neither known nor
// silent counts as a remark.
var known = sync.OnceValue(func() map[string]bool {
	keywords := []string{"$ref", "type", "enum", "const", "properties", "required", "patternProperties",
		"additionalProperties", "items", "prefixItems", "additionalItems", "allOf", "anyOf", "oneOf"}
	for _, g := range groups {
		keywords = append(keywords, g.keywords...)
	}
	return kit.Set(keywords)
})

// compareKeywords lists the groups that differ. What is equal in text may still differ behind a reference.
func compareKeywords(p pair) {
	for _, g := range groups {
		if p.group(g.family, g.keywords...) {
			continue
		}
		for _, k := range g.keywords {
			compareBehind(p, k)
		}
	}
}

// group adds one edit for all of the keywords together, if any of them is only on one side or has another
// value there. Its patch replaces them as a whole, so that keywords that depend on each other are never mixed
// from both versions. Once the budget is spent, no two values are said to differ.
func (p pair) group(f Family, keywords ...string) bool {
	i := slices.IndexFunc(keywords, func(k string) bool {
		old, had := p.x.o[k]
		new, has := p.y.o[k]
		return had != has || had && !p.same(old, new) && p.left >= 0
	})
	if i < 0 {
		return false
	}
	y := p.y // what the patch needs: with all of p, every call would allocate it
	p.add(Edit{Family: f, Keyword: keywords[i], Keywords: keywords,
		Old: p.x.first(keywords), New: y.first(keywords)},
		func(o *object) {
			o.drop(keywords...)
			for _, k := range keywords {
				if _, ok := y.o[k]; ok {
					o.keywords[k] = y.moved(k)
				}
			}
		})
	for _, k := range keywords {
		if had, has := p.x.o[k], p.y.o[k]; had != nil && has != nil {
			p.remarksBelow(k, p.x.site, p.y.site)
		}
	}
	return true
}

// remarksBelow lists the annotations and unknown keywords that differ in the schemas of a keyword that is
// compared as a whole, as they are written: what references lead to has a place of its own.
func (p pair) remarksBelow(keyword string, x, y site) {
	before := Subschemas(keyword, x.keywords()[keyword])
	after := Subschemas(keyword, y.keywords()[keyword])
	if strings.HasSuffix(keyword, "Of") && len(before) != len(after) {
		return // which belong together is not known
	}
	written := map[string]bool{}
	for _, sub := range after {
		written[rawjson.Join("", sub.Steps...)] = true
	}
	for _, sub := range before {
		at := append([]string{keyword}, sub.Steps...)
		if !written[rawjson.Join("", sub.Steps...)] || p.spend(256) {
			continue
		}
		inner := p
		inner.x, inner.y, inner.trail = asIs(x.child(at...)), asIs(y.child(at...)), p.trail.into(at...)
		compareAnnotations(inner, nil)
		for _, k := range kit.SortedKeys(inner.x.o) {
			inner.remarksBelow(k, inner.x.site, inner.y.site)
		}
	}
}

// first returns the value of the first of some keywords that is there; nil if none is.
func (v view) first(keywords []string) json.RawMessage {
	for _, k := range keywords {
		if raw := v.raw(k); raw != nil {
			return raw
		}
	}
	return nil
}

// raw returns a keyword as written, or as it is read: a union as one, and false as its equivalent.
func (v view) raw(keyword string) json.RawMessage {
	raw := v.site.raw(keyword)
	if value, there := v.o[keyword]; there && raw == nil {
		raw = rawOf(value)
	}
	return raw
}

// compareBehind compares the schemas in a keyword that is equal as written.
func compareBehind(p pair, keyword string) {
	v, there := p.x.o[keyword]
	if !there {
		return
	}
	for _, sub := range Subschemas(keyword, v) {
		p.inside(append([]string{keyword}, sub.Steps...)...)
	}
}

// compareReferences compares what references lead to that stand beside other keywords, or lists the reference
// as an edit.
func compareReferences(p pair) {
	x, found := p.x.follow()
	y, also := p.y.follow()
	if found && also {
		p.reach(p.compare(x, y, p.trail), "$ref")
	} else {
		p.group(FamilyReference, "$ref")
	}
}

// compareProperties compares the properties of both by name. One that only one side has is an edit, with
// whether it was or is required; so is any other name that joined or left required.
func compareProperties(p pair) {
	const keyword = "properties"
	x, y := p.x.table(keyword), p.y.table(keyword)
	before, after := p.x.required(), p.y.required()
	was, is, written := kit.Set(before), kit.Set(after), asAny(before)
	for _, name := range sortedNames(kit.SortedKeys(x), kit.SortedKeys(y), before, after) {
		_, had := x[name]
		_, has := y[name]
		old, new, t := p.x.child(keyword, name), p.y.child(keyword, name), p.trail.into(keyword, name)
		switch {
		case had && has:
			p.against(new, t, keyword, name)
		case had && p.y.isMap(): // it is a name like any other now
			has = true
			p.against(p.y.child("additionalProperties"), t, keyword, name)
		}
		e := Edit{Family: FamilyProperty, Keyword: keyword, Name: name, Path: t.path, Instance: t.instance}
		var minus, plus []any
		if was[name] && !is[name] {
			minus = []any{name}
		} else if is[name] && !was[name] {
			plus = []any{name}
		}
		switch {
		case had && !has:
			e.Required, e.Old, e.OldPath = was[name], p.rawAt(old), old.place
		case has && !had:
			e.Required, e.New, e.NewPath = is[name], p.rawAt(new), new.place
		case minus != nil:
			e.Family, e.Keyword, e.Old = FamilyRequired, "required", rawOf(name)
		case plus != nil:
			e.Family, e.Keyword, e.New = FamilyRequired, "required", rawOf(name)
		default:
			continue
		}
		p.add(e, func(o *object) {
			if had && !has {
				delete(o.table(keyword), name)
			} else if has && !had {
				o.table(keyword)[name] = new.part()
			}
			if was[name] != is[name] {
				o.list("required", written, minus, plus)
			}
		})
	}
}

// required returns the names that a view requires.
func (v view) required() []string {
	names, _ := stringList(v.o["required"])
	return names
}

// sortedNames returns the names of all lists, each once.
func sortedNames(lists ...[]string) []string {
	names := slices.Concat(lists...)
	slices.Sort(names)
	return slices.Compact(names)
}

// comparePatternProperties pairs the schemas by the text of their patterns. A pattern that was spelled in
// another way is one edit that removes it and one that adds it.
func comparePatternProperties(p pair) {
	const keyword = "patternProperties"
	x, y := p.x.table(keyword), p.y.table(keyword)
	for _, source := range sortedNames(kit.SortedKeys(x), kit.SortedKeys(y)) {
		_, had := x[source]
		_, has := y[source]
		old, new := p.x.child(keyword, source), p.y.child(keyword, source)
		e := Edit{Family: FamilyPatternProps, Keyword: keyword, Name: source}
		switch {
		case had && has:
			p.inside(keyword, source)
		case had:
			e.Old, e.Instance = p.rawAt(old), p.trail.into(keyword, source).instance
			p.add(e, func(o *object) { delete(o.table(keyword), source) })
		default:
			e.New = p.rawAt(new)
			p.add(e, func(o *object) { o.table(keyword)[source] = new.part() })
		}
	}
}

// compareAdditional compares the schemas of undeclared properties place by place if they have an inside, else
// as one.
func compareAdditional(p pair) {
	const keyword = "additionalProperties"
	x, y := p.x.child(keyword), p.y.child(keyword)
	both := hasAny(p.x.o, keyword) && hasAny(p.y.o, keyword)
	if both && (p.same(x.value, y.value) || structured(x) && structured(y)) {
		p.inside(keyword)
	} else {
		p.group(FamilyAdditional, keyword)
	}
}

// isMap reports whether a view says what values undeclared properties have, or allows any where it names no
// property.
func (v view) isMap() bool {
	values, there := v.o["additionalProperties"]
	_, names := v.o["properties"]
	return there && !refusing(values) && (!names || !unrestricted(values))
}

// plainly reports whether a view says no more than which values an object or an array holds.
func (v view) plainly() bool {
	plain := []string{"type", "properties", "required", "items", "additionalProperties", "format",
		"minProperties", "maxProperties", "minItems", "maxItems"}
	_, tuple := v.o["items"].([]any)
	return !tuple && v.union == "" &&
		!slices.ContainsFunc(asserting(v.o), func(k string) bool { return !slices.Contains(plain, k) })
}

// structured reports whether a schema describes values with values inside.
func structured(s site) bool {
	return hasAny(settle(s).o, "properties", "items", "prefixItems", "additionalProperties")
}

func hasAny(o map[string]any, keywords ...string) bool {
	return slices.ContainsFunc(keywords, func(k string) bool {
		_, there := o[k]
		return there
	})
}

// compareItems compares the three keywords of items by what they mean, since drafts spell tuples in different
// ways. Tuples of different lengths, or only one with a rest, are replaced as a whole.
func compareItems(p pair) {
	xPrefix, xRest := p.x.tuple()
	yPrefix, yRest := p.y.tuple()
	x, y := p.x.list(xPrefix), p.y.list(yPrefix)
	all, family := []string{"prefixItems", "items", "additionalItems"}, FamilyTuple
	plain := xPrefix == "" && yPrefix == ""
	if plain {
		family = FamilyItems
	}
	if len(x) != len(y) || (xRest == "") != (yRest == "") || plain && xRest == "" {
		p.group(family, all...)
		return
	}
	for i := range x {
		number := strconv.Itoa(i)
		p.against(y[i], p.trail.into("prefixItems", number), xPrefix, number)
	}
	_, wasSchema := p.x.o[xRest].(map[string]any)
	_, isSchema := p.y.o[yRest].(map[string]any)
	switch {
	case xRest == "":
	case plain || wasSchema && isSchema:
		p.against(p.y.child(yRest), p.trail.into("items"), xRest)
	case !p.same(p.x.o[xRest], p.y.o[yRest]):
		p.group(family, all...)
	}
}

func (v view) tuple() (prefix, rest string) { return tuple(v.o, v.doc.owner(v.place).dialect) }

// compareCombined compares combined schemas, and unions beside other keywords, one by one if there are as
// many, else as one.
func compareCombined(p pair) {
	if (hasAny(p.x.o, "allOf") || hasAny(p.y.o, "allOf")) && recombined(p.x.o, p.y.o) {
		p.group(FamilySchema, combinators...)
		return
	}
	if x, y := unionBeside(p.x), unionBeside(p.y); p.x.union == "" && p.y.union == "" &&
		x != "" && y != "" && x != y {
		p.unionsBeside(x, y)
		p.x.union, p.y.union = x, y // is compared
	}
	for _, keyword := range [...]string{"allOf", "anyOf", "oneOf"} {
		x, y := len(p.x.list(keyword)), len(p.y.list(keyword))
		switch {
		case p.x.union == keyword, p.y.union == keyword:
		case keyword == "allOf" && x != y:
			p.group(FamilySchema, keyword)
		case x > 0 && y > 0 && keyword != "allOf":
			p.unionsBeside(keyword, keyword)
		case x != y:
			p.group(FamilyUnion, keyword)
		default:
			compareBehind(p, keyword)
		}
	}
}

// unionBeside returns anyOf or oneOf, if a view has one of them and not the other; else nothing.
func unionBeside(v view) string {
	either, one := len(v.list("anyOf")) > 0, len(v.list("oneOf")) > 0
	switch {
	case either && !one:
		return "anyOf"
	case one && !either:
		return "oneOf"
	}
	return ""
}

// unionsBeside compares two unions that stand beside other keywords.
func (p pair) unionsBeside(x, y string) {
	p.x.union, p.x.members = x, indexes(len(p.x.list(x)))
	p.y.union, p.y.members = y, indexes(len(p.y.list(y)))
	compareUnions(p)
}
