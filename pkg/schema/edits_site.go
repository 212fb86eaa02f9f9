package schema

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"

	"github.com/mcpctl/mcpctl/internal/kit"
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
	if o, isObject := s.value.(map[string]any); isObject {
		return o
	}
	if s.value == false {
		return map[string]any{"not": map[string]any{}}
	}
	return map[string]any{}
}

// raw returns a keyword as written; nil if there is none.
func (s site) raw(keyword string) json.RawMessage {
	if s.doc == nil {
		return nil
	}
	return s.doc.raw(rawjson.Join(s.place, keyword))
}

// part returns the site as it is put into another schema object.
func (s site) part() *part { return &part{site: s} }

// moved returns the value of a keyword as it is put into another schema object: the schemas in it, and
// references, are read where they are written.
func (s site) moved(keyword string) any {
	value := s.keywords()[keyword]
	switch keyword {
	case "$ref", "$dynamicRef", "$recursiveRef":
		return &part{site: site{s.doc, s.place, value}}
	}
	inner := func(sub Subschema) any {
		if _, isObject := sub.Value.(map[string]any); !isObject {
			return sub.Value
		}
		return s.child(append([]string{keyword}, sub.Steps...)...).part()
	}
	subs := Subschemas(keyword, value)
	_, isList := value.([]any)
	switch {
	case len(subs) == 0:
		return value
	case subs[0].Steps == nil:
		return inner(subs[0])
	case isList:
		return kit.Map(subs, inner)
	}
	table := map[string]any{}
	for _, sub := range subs {
		table[sub.Steps[0]] = inner(sub)
	}
	return table
}

func (s site) child(tokens ...string) site {
	place := rawjson.Join(s.place, tokens...)
	if s.value == false { // it has no members, see keywords
		return site{s.doc, place, s.keywords()[tokens[0]]}
	}
	v, _ := rawjson.At(s.doc.root, place)
	return site{s.doc, place, v}
}

// table returns the members of a keyword that holds an object; nil if its value is anything else.
func (v view) table(keyword string) map[string]any {
	table, _ := v.o[keyword].(map[string]any)
	return table
}

// list returns the members of a keyword that holds a list of schemas; none if its value is anything else.
func (s site) list(keyword string) []site {
	members, _ := listIn(s.keywords(), keyword)
	return kit.Map(indexes(len(members)), func(i int) site { return s.child(keyword, strconv.Itoa(i)) })
}

// follow returns the site that $ref leads to. It reports false where $ref is absent or leads out of the
// document.
func (s site) follow() (site, bool) {
	ref, ok := s.keywords()["$ref"].(string)
	if !ok {
		return s, false
	}
	doc, place, _, ok := s.doc.resolve(ref, s.doc.owner(s.place))
	if !ok || doc != s.doc {
		return s, false
	}
	v, ok := rawjson.At(doc.root, place)
	return site{doc, place, v}, ok
}

// A view is a site with what only wraps it taken off: references, combinations of one, and alternatives with
// null.
type view struct {
	site
	o     map[string]any  // its keywords; a union of plain types or constants is written as one
	notes map[string]site // where annotations are written, those of wrappers first
	null  string          // the keyword of a wrapper that accepts null: anyOf where there are several
	// the places of the wrappers; the first of them that are only references lead to the target
	wrappers   []string
	references int
	target     site
	// anyOf or oneOf, if that is all there is and it has several members other than null
	union   string
	members []int // their indexes
	plain   []int // those of a union that is written as one
}

// annotations are the keywords that do not affect which values are accepted.
var annotations = map[string]Family{"$comment": FamilyUnknown, "default": FamilyDefault,
	"deprecated": FamilyDeprecated, "description": FamilyDescription, "examples": FamilyExamples,
	"readOnly": FamilyAccess, "title": FamilyTitle, "writeOnly": FamilyAccess}

// Annotations returns the keywords that do not affect which values are accepted.
func Annotations() []string { return kit.SortedKeys(annotations) }

// silent are the keywords that only hold or name other schemas.
var silent = []string{"$anchor", "$defs", "$dynamicAnchor", "$id", "$recursiveAnchor", "$schema",
	"$vocabulary", "definitions", "id"}

// maxWrappers bounds the wrappers that are taken off.
const maxWrappers = 32

// settle takes the wrappers off a site, and writes a union of plain types or of constants as one.
func settle(s site) view {
	v := strip(s)
	v.flatten()
	return v
}

// settleBoth unwraps two sites. A union that is written as one only on one side stays one on both, also where
// the other side has its keyword beside others.
func settleBoth(old, new site) (x, y view) {
	x, y = settle(old), settle(new)
	stays := func(v, other view) bool {
		return v.flat() && (len(other.members) > 0 || other.union == "" && hasAny(other.o, v.union))
	}
	switch {
	case stays(x, y):
		x = strip(old)
	case stays(y, x):
		y = strip(new)
	}
	return x, y
}

// flat reports whether flatten wrote the view as one.
func (v view) flat() bool { return len(v.plain) > 0 }

// strip takes the wrappers off a site and collects the annotations on the way. It stops at maxWrappers, which
// also ends a cycle of references.
func strip(s site) view {
	v := view{site: s, target: s, notes: map[string]site{}}
	for range maxWrappers {
		v.annotate()
		inner, ok := v.unwrap()
		if !ok {
			break
		}
		if _, refers := v.keywords()["$ref"]; refers && v.references == len(v.wrappers) {
			v.target = inner
			v.references++
		}
		v.wrappers = append(v.wrappers, v.place)
		v.site = inner
	}
	v.o = v.keywords()
	return v
}

// asIs returns a view of a site with nothing taken off.
func asIs(s site) view {
	v := view{site: s, target: s, notes: map[string]site{}, o: s.keywords()}
	v.annotate()
	return v
}

// annotate collects the annotations of a view's schema object, and keywords that mean nothing in its dialect.
func (v *view) annotate() {
	dialect := v.doc.owner(v.place).dialect
	for k := range v.keywords() {
		_, noted := v.notes[k]
		if !noted && !slices.Contains(silent, k) && (!known()[k] || !dialect.reads(k)) {
			v.notes[k] = v.site
		}
	}
}

// asserting lists the keywords of a schema object that say which values are accepted.
func asserting(o map[string]any) []string {
	return kit.Filter(kit.SortedKeys(o), func(k string) bool { return known()[k] })
}

// unwrap returns what the site wraps.
func (v *view) unwrap() (site, bool) {
	o := v.keywords()
	asserted := asserting(o)
	if _, ref := o["$ref"]; ref && (len(asserted) == 1 || v.doc.owner(v.place).dialect.refAlone()) {
		return v.follow()
	}
	if len(asserted) != 1 {
		return site{}, false
	}
	switch keyword := asserted[0]; keyword {
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
	list := v.list(keyword)
	members := kit.Filter(indexes(len(list)), func(i int) bool { return !onlyNull(list[i]) })
	switch {
	case len(members) == 0 && len(list) > 0 && (len(list) == 1 || keyword == "anyOf"):
		return list[0], true
	case len(members) == 0:
		return site{}, false
	case len(members) < len(list) && keyword == "oneOf" &&
		slices.ContainsFunc(members, func(i int) bool {
			null, typed := strip(list[i]).acceptsNull()
			return null || !typed
		}):
		members = indexes(len(list)) // null satisfies two of them
	case len(members) < len(list):
		v.null = min(keyword, cmp.Or(v.null, keyword))
	}
	if len(members) == 1 {
		return list[members[0]], true
	}
	v.union, v.members = keyword, members
	return site{}, false
}

func indexes(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// onlyNull reports whether a schema is written in one of the usual ways to accept null alone. False is not a
// proof that it accepts more.
func onlyNull(s site) bool {
	v := view{o: s.keywords()}
	values, _ := v.enum()
	types := listed(v.o["type"])
	return len(asserting(v.o)) == 1 &&
		(len(values) == 1 && values[0] == nil || len(types) == 1 && types[0] == "null")
}

// flatten writes a union of plain types as one type, and a union of constants as one enum.
func (v *view) flatten() {
	if v.union == "" {
		return
	}
	var types, values []any
	for _, i := range v.members {
		m := v.member(i)
		asserted := asserting(m.o)
		switch {
		case m.null != "" || m.union != "":
			return
		case len(asserted) == 1 && asserted[0] == "type":
			types = append(types, listed(m.o["type"])...)
		case enumOnly(asserted):
			values = append(values, valuesOf(m)...)
		default:
			return
		}
	}
	switch {
	case v.union == "oneOf" &&
		(overlapping(types) || len(kit.Distinct(kit.Map(values, canonical))) < len(values)):
		return // what two of them accept is refused
	case len(values) == 0:
		v.o = map[string]any{"type": types}
	case len(types) == 0:
		v.o = map[string]any{"enum": values}
	default:
		return
	}
	v.plain, v.members = v.members, nil
}

// valuesOf returns the values that a view lists, of the types that stand beside them.
func valuesOf(v view) []any {
	members, _ := v.enum()
	types, named := v.types()
	null, _ := v.acceptsNull()
	return kit.Filter(members, func(member any) bool {
		if member == nil {
			return null
		}
		return !named || slices.Contains(types, typesOf([]any{member})[0])
	})
}

// overlapping reports whether a type is listed twice, also as a part of number.
func overlapping(types []any) bool {
	return len(kit.Distinct(types)) < len(types) ||
		slices.Contains(types, any("number")) && slices.Contains(types, any("integer"))
}

// enumOnly reports whether a schema with these keywords lists its values; a type may stand beside the list.
func enumOnly(asserted []string) bool {
	lists := func(k string) bool { return k == "enum" || k == "const" }
	return slices.ContainsFunc(asserted, lists) &&
		!slices.ContainsFunc(asserted, func(k string) bool { return k != "type" && !lists(k) })
}

func listed(v any) []any {
	if list, ok := v.([]any); ok {
		return list
	}
	return []any{v}
}

// enum returns the values that a view lists: those of enum and const together, where both are there.
func (v view) enum() ([]any, bool) {
	list, listed := v.o["enum"].([]any)
	value, constant := v.o["const"]
	switch {
	case constant && listed && !slices.ContainsFunc(list, func(v any) bool { return rawjson.Same(v, value) }):
		return []any{}, true
	case constant:
		return []any{value}, true
	}
	return list, listed
}
