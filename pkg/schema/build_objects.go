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
	readRequired(w)
	readPropertyNames(w)
	w.length("minProperties", opMinProperties)
	w.length("maxProperties", opMaxProperties)
	readDependencies(w, "dependentRequired")
	readDependencies(w, "dependentSchemas")
	if w.in.dialect.dependencies() {
		readDependencies(w, "dependencies")
	}
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
			kids: []lit{yes(w.below(table[name], "properties", name))}})
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
		w.add("patternProperties", &node{op: opRest, within: []*node{p}, kids: []lit{yes(child)}})
	}
	if v, ok := w.has("additionalProperties"); ok {
		child := w.below(v, "additionalProperties")
		w.add("additionalProperties", &node{op: opRest, names: names, patterns: patterns,
			kids: []lit{yes(child)}})
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

// readRequired adds one assertion for each name. A list with anything but names is malformed as a whole.
func readRequired(w *writer) {
	v, ok := w.has("required")
	if !ok {
		return
	}
	names, ok := stringList(v)
	if !ok {
		w.malformed("required", "is not an array of names")
		return
	}
	for _, name := range names {
		w.add("required", &node{op: opRequired, text: name})
	}
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

// readPropertyNames reads propertyNames: properties with names that the schema refuses are rejected.
func readPropertyNames(w *writer) {
	if v, ok := w.has("propertyNames"); ok {
		w.add("propertyNames", &node{op: opRest, patterns: []*node{w.condition(v, "propertyNames")},
			kids: []lit{yes(some())}})
	}
}

func requireAll(names []string) *node {
	out := all()
	for _, name := range names {
		out.kids = append(out.kids, yes(&node{op: opRequired, text: name}))
	}
	return out
}

// dependency returns the assertion that an object with the property satisfies the consequence.
func dependency(name string, consequence *node) *node {
	absent := &node{op: opProperty, text: name, kids: []lit{yes(some())}}
	return some(yes(absent), yes(consequence))
}

// readDependencies reads dependentRequired, dependentSchemas, or the dependencies of older drafts, which mix
// both forms: the property is absent, or others are present, or the object satisfies a schema.
func readDependencies(w *writer, keyword string) {
	table, _ := w.table(keyword)
	for _, name := range kit.SortedKeys(table) {
		switch names, ok := stringList(table[name]); {
		case ok && keyword != "dependentSchemas":
			w.add(keyword, dependency(name, requireAll(names)))
		case keyword == "dependentRequired":
			w.malformed(keyword, "is not an object of arrays of names")
			return
		default:
			w.add(keyword, dependency(name, w.sub(table[name], keyword, name)))
		}
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
	readConditional(w)
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
	n := &node{op: o, kids: make([]lit, 0, len(list))}
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

// readConditional reads if, then and else: what satisfies if satisfies then, the rest satisfies else.
func readConditional(w *writer) {
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

// readReferences reads $ref, $dynamicRef and $recursiveRef (2020-12 §8.2.3). A dynamic reference is one like
// the others where only one resource has anchors.
func readReferences(w *writer) {
	for _, keyword := range [...]string{"$ref", "$dynamicRef", "$recursiveRef"} {
		v, ok := w.has(keyword)
		if !ok {
			continue
		}
		if p, ok := v.(*part); ok && p.pair != nil {
			w.n.kids = append(w.n.kids, yes(w.sub(p, keyword)))
			continue
		}
		ref, from, ok := w.reference(v)
		if !ok {
			w.malformed(keyword, "is not a string")
			continue
		}
		target, uri, ok := from.target(ref)
		switch {
		case !ok:
			w.problem(rawjson.Join(w.place, keyword), "names nothing in this document")
			w.add(keyword, &node{op: opOpaque, text: "$ref\x00" + uri, why: "names nothing in this document"})
		case keyword != "$ref" && len(target.doc.roots) > 1:
			w.add(keyword, w.opaque(w.place, keyword, "a reference that may depend on the way to it"))
		default:
			w.n.kids = append(w.n.kids, yes(w.node(target)))
		}
	}
}

// reference returns the text of a reference, and the spot where it is written.
func (w *writer) reference(v any) (ref string, from spot, ok bool) {
	from = w.spot
	if p, patched := v.(*part); patched {
		from = spot{doc: p.doc, place: p.place, role: w.role, in: p.doc.owner(p.place)}
		v = p.value
	}
	ref, ok = v.(string)
	return ref, from, ok
}

// target follows a reference. Where it leads nowhere, uri is what it names.
func (s spot) target(ref string) (target spot, uri string, ok bool) {
	doc, place, uri, ok := s.doc.resolve(ref, s.in)
	if !ok {
		return s, uri, false
	}
	return spot{doc: doc, place: place, in: s.in, role: s.role}, uri, true
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
