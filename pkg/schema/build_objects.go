package schema

import (
	"slices"
	"strconv"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/rawjson"
)

// readObjects reads the keywords for objects (2020-12 core §10.3.2, validation §6.5).
func readObjects(w *writer) {
	readProperties(w)
	if v, ok := w.has("required"); ok {
		names, isList := stringList(v)
		if !isList {
			w.malformed("required", "is not an array of names")
		}
		for _, name := range names {
			w.add("required", &node{op: opRequired, text: name})
		}
	}
	if v, ok := w.has("propertyNames"); ok { // properties with names that it refuses are rejected
		w.add("propertyNames", &node{op: opRest, patterns: []*node{w.condition(v, "propertyNames")},
			kids: []literal{yes(some())}})
	}
	w.length("minProperties", opMinProperties)
	w.length("maxProperties", opMaxProperties)
	readDependencies(w, "dependentRequired")
	readDependencies(w, "dependentSchemas")
	readDependencies(w, "dependencies")
}

// readProperties reads properties, patternProperties and additionalProperties together, since the last one
// depends on the other two. It stops at the first that is malformed.
func readProperties(w *writer) {
	table, ok := w.table("properties")
	if !ok {
		return
	}
	names := kit.SortedKeys(table)
	w.n.kids = slices.Grow(w.n.kids, len(names))
	for _, name := range names {
		w.add("properties", &node{op: opProperty, text: name,
			kids: []literal{yes(w.below(table[name], "properties", name))}})
	}
	byPattern, ok := w.table("patternProperties")
	if !ok {
		return
	}
	var patterns []*node
	for _, source := range kit.SortedKeys(byPattern) {
		p := w.pattern(source, w.place)
		patterns = append(patterns, p)
		child := w.below(byPattern[source], "patternProperties", source)
		w.add("patternProperties", &node{op: opRest, within: []*node{p}, kids: []literal{yes(child)}})
	}
	if v, ok := w.has("additionalProperties"); ok {
		child := w.below(v, "additionalProperties")
		w.add("additionalProperties", &node{op: opRest, names: names, patterns: patterns,
			kids: []literal{yes(child)}})
	}
}

// table reads a keyword whose value is an object; it reports false where the keyword is malformed.
func (w *writer) table(keyword string) (map[string]any, bool) {
	v, ok := w.has(keyword)
	if !ok {
		return nil, true
	}
	table, ok := v.(map[string]any)
	if !ok {
		w.malformed(keyword, "is not an object")
	}
	return table, ok
}

// stringList reports false for anything but an array of strings; an empty array is one.
func stringList(v any) ([]string, bool) {
	list, ok := v.([]any)
	if !ok {
		return nil, false
	}
	out := make([]string, len(list))
	for i, item := range list {
		if out[i], ok = item.(string); !ok {
			return nil, false
		}
	}
	return out, true
}

// readDependencies reads dependentRequired, dependentSchemas, or the dependencies of older drafts, which mix
// both forms: the property is absent, or others are present, or the object satisfies a schema.
func readDependencies(w *writer, keyword string) {
	table, _ := w.table(keyword)
	for _, name := range kit.SortedKeys(table) {
		consequence := all()
		switch names, ok := stringList(table[name]); {
		case ok && keyword != "dependentSchemas":
			for _, other := range names {
				consequence.kids = append(consequence.kids, yes(&node{op: opRequired, text: other}))
			}
		case keyword == "dependentRequired":
			w.malformed(keyword, "is not an object of arrays of names")
			return
		default:
			consequence = w.sub(table[name], keyword, name)
		}
		absent := &node{op: opProperty, text: name, kids: []literal{yes(some())}}
		w.add(keyword, some(yes(absent), yes(consequence)))
	}
}

// readLogic reads allOf, anyOf, oneOf, not and if/then/else (2020-12 core §10.2).
func readLogic(w *writer) {
	w.many("allOf", opAll)
	w.many("anyOf", opAny)
	w.many("oneOf", opOne)
	if v, ok := w.has("not"); ok {
		w.add("not", all(not(w.condition(v, "not"))))
	}
	v, ok := w.has("if")
	if !ok {
		return
	}
	condition := w.condition(v, "if")
	if v, ok := w.o["then"]; ok {
		w.add("then", some(not(condition), yes(w.sub(v, "then"))))
	}
	if v, ok := w.o["else"]; ok {
		w.add("else", some(yes(condition), yes(w.sub(v, "else"))))
	}
}

// many reads a keyword with a list of schemas. A list of one is that schema under any keyword. For declared
// values, oneOf is read by declaredOne.
func (w *writer) many(keyword string, o op) {
	v, ok := w.has(keyword)
	if !ok {
		return
	}
	list, ok := v.([]any)
	if !ok || len(list) == 0 {
		w.malformed(keyword, "is not an array of at least one schema")
		return
	}
	n := &node{op: o, kids: make([]literal, 0, len(list))}
	for i, v := range list {
		n.kids = append(n.kids, yes(w.sub(v, keyword, strconv.Itoa(i))))
	}
	if len(n.kids) == 1 {
		n.op = opAll
	}
	if n.op == opOne && w.role != asWritten {
		n = w.declaredOne(list, n)
	}
	w.add(keyword, n)
}

// declaredOne returns oneOf for declared values: one schema as declared, while the others are excluded as
// written.
func (w *writer) declaredOne(list []any, parts *node) *node {
	written := &node{op: opOne, place: w.place, keyword: "oneOf"}
	for i, v := range list {
		written.kids = append(written.kids, yes(w.condition(v, "oneOf", strconv.Itoa(i))))
	}
	if slices.Equal(written.kids, parts.kids) {
		return written
	}
	return all(yes(written), yes(some(parts.kids...)))
}

// referring are the keywords that refer to a schema for the same value.
var referring = [...]string{"$ref", "$dynamicRef", "$recursiveRef"}

// readReferences reads $ref, $dynamicRef and $recursiveRef (2020-12 §8.2.3). A dynamic reference is one like
// the others where only one resource has anchors.
func readReferences(w *writer) {
	for _, keyword := range referring {
		if _, ok := w.has(keyword); !ok {
			continue
		}
		v, target, uri, ok := w.follow(keyword)
		switch {
		case !ok && uri == "":
			w.malformed(keyword, "is not a string")
		case !ok:
			w.problem(rawjson.Join(w.place, keyword), "names nothing in this document")
			w.add(keyword, &node{op: opOpaque, text: "$ref\x00" + uri, why: "names nothing in this document"})
		case keyword != "$ref" && len(target.doc.roots) > 1:
			w.add(keyword, w.opaque(w.place, keyword, "a reference that may depend on the way to it"))
		default:
			w.spend(len(target.place))
			w.n.kids = append(w.n.kids, yes(w.schema(v, target)))
		}
	}
}

// follow returns the schema that a reference leads to, and where it stands. Where it leads nowhere, uri is
// what it names; empty for a reference that is not a string.
func (w *writer) follow(keyword string) (v any, target spot, uri string, ok bool) {
	v = w.o[keyword]
	doc, in := w.spot.doc, w.in
	if p, moved := v.(*part); moved {
		if p.pair != nil {
			return p, w.under(w.role, keyword), "", true
		}
		v, doc, in = p.value, p.doc, p.doc.owner(p.place)
	}
	ref, isText := v.(string)
	if !isText {
		return nil, spot{}, "", false
	}
	doc, place, uri, ok := doc.resolve(ref, in)
	if ok {
		v, _ = rawjson.At(doc.root, place)
	}
	return v, spot{doc: doc, place: place, role: w.role}, uri, ok
}

// markLoops marks one node of each circle of nodes about the same value: a schema that refers to itself
// without going into the value has no meaning (2020-12 §9.4.1).
func markLoops(root *node) {
	open, done, visited := map[*node]bool{}, map[*node]bool{}, map[*node]bool{}
	var inPlace, visit func(n *node)
	inPlace = func(n *node) {
		n.loop = n.loop || open[n]
		if open[n] || done[n] || n.op > opOne {
			return
		}
		open[n] = true
		for _, k := range n.kids {
			inPlace(k.node)
		}
		open[n], done[n] = false, true
	}
	visit = func(n *node) {
		if !visited[n] {
			visited[n] = true
			inPlace(n)
			for _, k := range n.kids {
				visit(k.node)
			}
		}
	}
	visit(root)
}
