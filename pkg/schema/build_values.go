package schema

import (
	"encoding/json"
	"math/big"
	"strconv"

	"github.com/mcpctl/mcpctl/internal/kit"
)

var one = big.NewRat(1, 1)

// readTypes reads type, enum and const (2020-12 validation §6.1).
func readTypes(w *writer) {
	if v, ok := w.has("type"); ok {
		readType(w, v)
	}
	if v, ok := w.has("const"); ok {
		w.add("const", w.constant(v))
	}
	if v, ok := w.has("enum"); ok {
		if list, isList := v.([]any); isList {
			w.add("enum", w.enum(list))
		} else {
			w.malformed("enum", "is not an array")
		}
	}
}

// readType reads type, a name or a list of names. "integer" is a number that is a multiple of one, unless
// "number" is listed as well.
func readType(w *writer, v any) {
	names, isList := v.([]any)
	if !isList {
		names = []any{v}
	}
	accepted, integer, number := kindNone, false, false
	for _, name := range names {
		switch name {
		case "integer":
			integer, accepted = true, accepted|kindNumber
		case "number":
			number, accepted = true, accepted|kindNumber
		default:
			text, _ := name.(string)
			kind, ok := kindNames()[text]
			if !ok {
				w.malformed("type", "names a type that does not exist")
				return
			}
			accepted |= kind
		}
	}
	w.add("type", &node{op: opKinds, kinds: accepted})
	if integer && !number {
		w.add("type", &node{op: opMultiple, number: one})
	}
}

// enum returns the schema of a set of constants: scalars together, arrays and objects one by one.
func (b *builder) enum(members []any) *node {
	b.spend(16 * len(members))
	out := some()
	var plain []any
	for _, m := range members {
		switch m.(type) {
		case []any, map[string]any:
			out.kids = append(out.kids, yes(b.constant(m)))
		default:
			plain = append(plain, m)
		}
	}
	set, ok := scalarsOf(plain...)
	switch {
	case !ok:
		return &node{op: opOpaque, text: jsonText(members), why: "a number that is too large"}
	case len(out.kids) == 0:
		return &node{op: opScalars, set: set}
	case len(set) > 0:
		out.kids = append(out.kids, yes(&node{op: opScalars, set: set}))
	}
	return out
}

func jsonText(v any) string {
	text, _ := json.Marshal(v)
	return string(text)
}

func (b *builder) constant(v any) *node {
	b.spend(64 * weight(v, maxNodes))
	return constant(v)
}

// constant returns the schema of exactly one value.
func constant(v any) *node {
	switch v := v.(type) {
	case []any:
		out := all(yes(&node{op: opKinds, kinds: kindArray}), yes(&node{op: opMinItems, count: len(v)}),
			yes(&node{op: opMaxItems, count: len(v)}))
		for i, item := range v {
			item := &node{op: opItem, count: i, kids: []literal{yes(constant(item))}}
			out.kids = append(out.kids, yes(item))
		}
		return out
	case map[string]any:
		names := kit.SortedKeys(v)
		out := all(yes(&node{op: opKinds, kinds: kindObject}),
			yes(&node{op: opRest, names: names, kids: []literal{yes(some())}}))
		for _, name := range names {
			out.kids = append(out.kids, yes(&node{op: opRequired, text: name}),
				yes(&node{op: opProperty, text: name, kids: []literal{yes(constant(v[name]))}}))
		}
		return out
	}
	set, ok := scalarsOf(v)
	if !ok {
		return &node{op: opOpaque, text: jsonText(v), why: "a number that is too large"}
	}
	return &node{op: opScalars, set: set}
}

// readNumbers reads the keywords for numbers (2020-12 validation §6.2), with the boolean exclusives of
// draft-04.
func readNumbers(w *writer) {
	booleans := w.in.dialect.draft == Draft04
	w.bound("minimum", opMinimum, booleans && w.o["exclusiveMinimum"] == true)
	w.bound("maximum", opMaximum, booleans && w.o["exclusiveMaximum"] == true)
	if !booleans {
		w.bound("exclusiveMinimum", opMinimum, true)
		w.bound("exclusiveMaximum", opMaximum, true)
	}
	w.bound("multipleOf", opMultiple, false)
}

// bound reads a keyword whose value is a number. One that is too large to compute with leaves only numbers
// undecided: values of other types still satisfy the keyword.
func (w *writer) bound(keyword string, o op, strict bool) {
	v, ok := w.has(keyword)
	if !ok {
		return
	}
	literal, isNumber := v.(json.Number)
	r, readable := rational(literal)
	switch {
	case !isNumber || readable && o == opMultiple && r.Sign() <= 0:
		w.malformed(keyword, "is not a number that can be used here")
		return
	case !readable:
		w.add(keyword, w.unknown(kindNumber, keyword, string(literal), "a number that is too large"))
		return
	}
	w.add(keyword, &node{op: o, number: r, strict: strict})
}

// readStrings reads the keywords for strings (2020-12 validation §6.3 and §7); contentEncoding and its kin
// have no effect.
func readStrings(w *writer) {
	w.length("minLength", opMinLength)
	w.length("maxLength", opMaxLength)
	if v, ok := w.has("pattern"); ok {
		if source, isString := v.(string); isString {
			w.n.kids = append(w.n.kids, yes(w.pattern(source, w.place)))
		} else {
			w.malformed("pattern", "is not a string")
		}
	}
	if name, ok := w.o["format"].(string); ok {
		w.add("format", &node{op: opFormat, text: name})
	}
}

// length reads a keyword whose value is a count. A minimum of 0 adds nothing, so that a schema with it equals
// one without it.
func (w *writer) length(keyword string, o op) {
	v, ok := w.has(keyword)
	if !ok {
		return
	}
	n, tooLarge, ok := natural(v)
	switch {
	case !ok:
		w.malformed(keyword, "is not a count")
	case tooLarge:
		w.add(keyword, w.unknown(o.guard(), keyword, jsonText(v), "a count that is too large"))
	case n == 0 && (o == opMinLength || o == opMinItems || o == opMinProperties):
	default:
		w.add(keyword, &node{op: o, count: n})
	}
}

// readArrays reads the keywords for arrays (2020-12 core §10.3.1, validation §6.4).
func readArrays(w *writer) {
	readItems(w)
	readContains(w)
	w.length("minItems", opMinItems)
	w.length("maxItems", opMaxItems)
	if v, ok := w.has("uniqueItems"); ok {
		switch v {
		case true:
			w.add("uniqueItems", &node{op: opUnique})
		case false:
		default:
			w.malformed("uniqueItems", "is not a boolean")
		}
	}
}

// readItems reads the schemas by position and the one for the rest, in the spelling of either draft.
func readItems(w *writer) {
	prefix, rest := tuple(w.o, w.in.dialect)
	if prefix == "" && rest == "" {
		return
	}
	list, isList := listIn(w.o, prefix)
	if prefix != "" && !isList {
		w.malformed(prefix, "is not an array of schemas")
		return
	}
	for i, v := range list {
		w.add(prefix, &node{op: opItem, count: i, kids: []literal{yes(w.below(v, prefix, strconv.Itoa(i)))}})
	}
	if rest != "" {
		w.add(rest, &node{op: opItems, count: len(list), kids: []literal{yes(w.below(w.o[rest], rest))}})
	}
}

// tuple returns the keywords that hold the schemas by position and the schema of the rest; empty where there
// is none.
func tuple(o map[string]any, d dialect) (prefix, rest string) {
	items, hasItems := o["items"]
	if _, isList := items.([]any); isList && (d.draft <= Draft201909 || d.unnamed) {
		if _, ok := o["additionalItems"]; ok {
			rest = "additionalItems"
		}
		return "items", rest
	}
	if _, ok := o["prefixItems"]; ok && d.reads("prefixItems") {
		prefix = "prefixItems"
	}
	if hasItems {
		rest = "items"
	}
	return prefix, rest
}

// readContains reads contains with its bounds (2020-12 core §10.3.1.3, validation §6.4.4 and §6.4.5).
func readContains(w *writer) {
	v, ok := w.has("contains")
	if !ok {
		return
	}
	least, most := 1, -1
	for keyword, n := range map[string]*int{"minContains": &least, "maxContains": &most} {
		bound, ok := w.has(keyword)
		if !ok {
			continue
		}
		var tooLarge bool
		if *n, tooLarge, ok = natural(bound); !ok || tooLarge {
			w.malformed(keyword, "is not a count that can be used here")
			return
		}
	}
	child := w.condition(v, "contains")
	if least > 0 {
		w.add("contains", &node{op: opContains, count: least, kids: []literal{yes(child)}})
	}
	if most >= 0 {
		tooMany := &node{op: opContains, count: most + 1, kids: []literal{yes(child)}, place: w.place,
			keyword: "maxContains"}
		arrays := &node{op: opKinds, kinds: kindArray}
		w.add("maxContains", some(not(arrays), not(tooMany)))
	}
}

// listIn returns the list that a keyword holds. It reports false where there is none, or no keyword: empty is
// a name like any other in a schema.
func listIn(o map[string]any, keyword string) (list []any, ok bool) {
	list, ok = o[keyword].([]any)
	if keyword == "" {
		return nil, false
	}
	return list, ok
}
