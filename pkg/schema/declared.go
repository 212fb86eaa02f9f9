package schema

import (
	"encoding/json"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/rawjson"
)

// A scope is what a schema object says of properties by name, with what it refers to and combines.
type scope struct {
	names, required []string
	patterns        []*node
	every           bool // a keyword speaks of all other names
	restricted      bool // such a keyword restricts them
	declares        bool // the keyword properties is there
	conditional     bool // a part speaks of names only for some values
	seen            map[spot]bool
}

// scope returns the scope of the schema object v at a spot, without its own unevaluatedProperties.
func (b *builder) scope(v any, s spot) *scope {
	c := &scope{seen: map[spot]bool{}}
	b.collect(c, v, s, false)
	c.names = sortedNames(c.names)
	return c
}

// collect adds what a schema object says. conditional is true inside alternatives. Each object is visited
// once, which ends cycles.
func (b *builder) collect(c *scope, v any, s spot, conditional bool) {
	v, s = b.read(v, s)
	o, ok := v.(map[string]any)
	s.in = s.doc.owner(s.place)
	if !ok || c.seen[s] || b.spend(64+len(s.place)) {
		return
	}
	nested := len(c.seen) > 0
	c.seen[s] = true
	w := &writer{builder: b, o: o, spot: s, n: &node{op: opAll}}
	for _, keyword := range referring {
		if v, target, _, ok := w.follow(keyword); ok && w.in.dialect.reads(keyword) {
			b.collect(c, v, target, conditional)
		}
	}
	if w.refAlone() {
		return
	}
	w.own(c, nested, conditional)
	for _, keyword := range [...]string{"allOf", "anyOf", "oneOf", "if", "then", "else", "dependentSchemas",
		"dependencies"} {
		if _, there := w.has(keyword); !there {
			continue
		}
		subs := Subschemas(keyword, o[keyword])
		always := keyword == "allOf" || len(subs) == 1 && (keyword == "anyOf" || keyword == "oneOf")
		for _, sub := range subs {
			at := w.under(w.role, append([]string{keyword}, sub.Steps...)...)
			b.collect(c, sub.Value, at, conditional || !always)
		}
	}
}

// own adds what the keywords of the object say by themselves. unevaluatedProperties counts only where it is
// nested in the object that the scope is of.
func (w *writer) own(c *scope, nested, conditional bool) {
	table, declares := w.o["properties"].(map[string]any)
	byPattern, _ := w.o["patternProperties"].(map[string]any)
	required, _ := stringList(w.o["required"])
	w.spend(16 * (len(table) + len(byPattern) + len(required)))
	c.names = append(c.names, kit.SortedKeys(table)...)
	c.required = append(c.required, required...)
	c.declares = c.declares || declares
	for _, source := range kit.SortedKeys(byPattern) {
		c.patterns = append(c.patterns, w.pattern(source, w.place))
	}
	every := false
	for _, keyword := range [...]string{"additionalProperties", "unevaluatedProperties"} {
		if v, there := w.has(keyword); there && (nested || keyword == "additionalProperties") {
			every = true
			c.restricted = c.restricted || !unrestricted(v)
		}
	}
	c.every = c.every || every
	c.conditional = c.conditional || conditional && (every || len(table)+len(byPattern) > 0)
}

// readUnevaluated reads unevaluatedProperties and unevaluatedItems (2020-12 core §11): additionalProperties
// for the names of all parts, and items where nothing is combined. Beside parts that speak of names only for
// some values, and for items beside any part, they are not decided.
func readUnevaluated(w *writer) {
	if v, ok := w.has("unevaluatedItems"); ok && !unrestricted(v) {
		prefix, rest := tuple(w.o, w.in.dialect)
		list, _ := listIn(w.o, prefix)
		switch {
		case hasAny(w.o, "contains", "$ref", "$dynamicRef", "$recursiveRef", "allOf", "anyOf", "oneOf", "if",
			"dependentSchemas", "dependencies"):
			w.add("unevaluatedItems",
				w.unknown(kindArray, "unevaluatedItems", w.text(), "items that only some values have"))
		case rest == "":
			w.add("unevaluatedItems", &node{op: opItems, count: len(list),
				kids: []lit{yes(w.below(v, "unevaluatedItems"))}})
		}
	}
	v, ok := w.has("unevaluatedProperties")
	if !ok || unrestricted(v) {
		return
	}
	switch c := w.scope(w.o, w.spot); {
	case c.conditional || w.left < 0:
		w.add("unevaluatedProperties",
			w.unknown(kindObject, "unevaluatedProperties", w.text(), "names that only some values have"))
	case !c.every:
		w.add("unevaluatedProperties", &node{op: opRest, names: c.names, patterns: c.patterns,
			kids: []lit{yes(w.below(v, "unevaluatedProperties"))}})
	}
}

// declare makes n the schema of a value whose sender knows only declared properties: all that is written,
// and where properties are listed and nothing restricts others, no others. A union that stands alone is one
// of its alternatives as declared.
func (b *builder) declare(n *node, o map[string]any, s spot) {
	if w := (&writer{builder: b, o: o, spot: s, n: n}); w.passesOn() {
		w.write()
		return
	}
	s.role = asPart
	n.kids = []lit{yes(b.object(o, s))}
	if c := b.scope(o, s); c.declares && !c.restricted && b.left >= 0 {
		n.kids = append(n.kids, yes(&node{op: opRest, names: sortedNames(c.names, c.required),
			patterns: c.patterns, kids: []lit{yes(some())}}))
	}
}

// passesOn reports whether a schema object leaves it to one reference or union what is declared.
func (w *writer) passesOn() bool {
	if w.refAlone() {
		return true
	}
	found := 0
	for keyword, v := range w.o {
		switch keyword {
		case "$ref", "anyOf", "oneOf":
			found++
		case "allOf":
			list, _ := v.([]any)
			found += len(list)
		case "properties", "patternProperties", "additionalProperties", "unevaluatedProperties", "required",
			"$dynamicRef", "$recursiveRef", "if", "dependentSchemas", "dependencies":
			return false
		}
	}
	return found == 1
}

// unrestricted reports whether a schema accepts everything.
func unrestricted(v any) bool {
	if p, ok := v.(*part); ok {
		v = p.value
	}
	o, ok := v.(map[string]any)
	return v == true || ok && len(asserting(o)) == 0
}

// RefusesAll reports whether a schema is false, or {"not": {}} as the Go SDK of MCP writes it.
func RefusesAll(raw json.RawMessage) bool {
	v, err := rawjson.Decode(raw)
	return err == nil && refusing(v)
}

func refusing(v any) bool {
	if p, ok := v.(*part); ok {
		v = p.value
	}
	o, ok := v.(map[string]any)
	return v == false || ok && len(asserting(o)) == 1 && unrestricted(o["not"])
}
