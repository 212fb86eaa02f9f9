package schema

import (
	"encoding/json"
	"fmt"
	"slices"

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

	byPart bool // collect what each part says, too
	parts  []evaluated
}

// Evaluated are names and items that a part of a schema speaks of, for values that satisfy some conditions.
type evaluated struct {
	when       []literal
	names      []string
	patterns   []*node
	every      bool
	items      int   // how many, from the first one
	everyItem  bool  // also all that follow
	containing *node // and those that satisfy this
}

// scope returns the scope of the schema object v at a spot, without its own unevaluatedProperties.
func (b *builder) scope(v any, s spot) *scope {
	c := &scope{seen: map[spot]bool{}}
	b.collect(c, v, s, nil, false)
	c.names = sortedNames(c.names)
	return c
}

// collect adds what a schema object says, for values that satisfy some conditions. conditional is true inside
// alternatives. Each object is visited once, which ends cycles; by part, once on each way to it.
func (b *builder) collect(c *scope, v any, s spot, when []literal, conditional bool) {
	v, s = b.read(v, s)
	o, ok := v.(map[string]any)
	s.in = s.doc.owner(s.place)
	if !ok || c.seen[s] || b.spend(64+len(s.place)) {
		return
	}
	nested := len(c.seen) > 0
	c.seen[s] = true
	if c.byPart {
		defer delete(c.seen, s)
	}
	w := &writer{builder: b, o: o, spot: s, n: &node{op: opAll}}
	for _, keyword := range referring {
		if v, target, _, ok := w.follow(keyword); ok && w.in.dialect.reads(keyword) {
			b.collect(c, v, target, when, conditional)
		}
	}
	if w.refAlone() {
		return
	}
	w.own(c, nested, when, conditional)
	for _, keyword := range [...]string{"allOf", "anyOf", "oneOf", "if", "then", "else", "dependentSchemas",
		"dependencies"} {
		if _, there := w.has(keyword); !there {
			continue
		}
		subs := Subschemas(keyword, o[keyword])
		always := keyword == "allOf" || len(subs) == 1 && (keyword == "anyOf" || keyword == "oneOf")
		for _, sub := range subs {
			at := w.under(w.role, append([]string{keyword}, sub.Steps...)...)
			inside := when
			if c.byPart && !always {
				inside = append(slices.Clone(when), w.conditionOf(keyword, sub))
			}
			b.collect(c, sub.Value, at, inside, conditional || !always)
		}
	}
}

// conditionOf returns what a value satisfies if a part of the object speaks of it.
func (w *writer) conditionOf(keyword string, sub Subschema) literal {
	switch keyword {
	case "then":
		return yes(w.condition(w.o["if"], "if"))
	case "else":
		return not(w.condition(w.o["if"], "if"))
	case "dependentSchemas", "dependencies":
		return yes(&node{op: opRequired, text: sub.Steps[0]})
	}
	return yes(w.condition(sub.Value, append([]string{keyword}, sub.Steps...)...))
}

// own adds what the keywords of the object say by themselves. unevaluatedProperties counts only where it is
// nested in the object that the scope is of.
func (w *writer) own(c *scope, nested bool, when []literal, conditional bool) {
	table, declares := w.o["properties"].(map[string]any)
	byPattern, _ := w.o["patternProperties"].(map[string]any)
	required, _ := stringList(w.o["required"])
	w.spend(16 * (len(table) + len(byPattern) + len(required)))
	c.names = append(c.names, kit.SortedKeys(table)...)
	c.required = append(c.required, required...)
	c.declares = c.declares || declares
	part := evaluated{when: when, names: kit.SortedKeys(table)}
	for _, source := range kit.SortedKeys(byPattern) {
		part.patterns = append(part.patterns, w.pattern(source, w.place))
	}
	c.patterns = append(c.patterns, part.patterns...)
	every := false
	for _, keyword := range [...]string{"additionalProperties", "unevaluatedProperties"} {
		if v, there := w.has(keyword); there && (nested || keyword == "additionalProperties") {
			every = true
			c.restricted = c.restricted || !unrestricted(v)
		}
	}
	c.every = c.every || every
	if part.every = every; c.byPart {
		w.ownItems(&part, nested)
		c.parts = append(c.parts, part)
	}
	c.conditional = c.conditional || conditional && (every || len(table)+len(byPattern) > 0)
}

// ownItems adds what the keywords of the object say of items. Those that contains is about count from 2020-12
// on.
func (w *writer) ownItems(part *evaluated, nested bool) {
	prefix, rest := tuple(w.o, w.in.dialect)
	list, _ := listIn(w.o, prefix)
	_, open := w.has("unevaluatedItems")
	part.items, part.everyItem = len(list), rest != "" || open && nested
	if v, there := w.has("contains"); there && w.in.dialect.draft >= Draft202012 {
		part.containing = w.condition(v, "contains")
	}
}

// readUnevaluated reads unevaluatedProperties and unevaluatedItems (2020-12 core §11): additionalProperties
// for the names of all parts, and items where nothing is combined. Beside parts that speak of names only for
// some values, and for items beside any part, they are read with a value in hand, and otherwise not decided.
func readUnevaluated(w *writer) {
	if v, ok := w.has("unevaluatedItems"); ok && !unrestricted(v) {
		prefix, rest := tuple(w.o, w.in.dialect)
		list, _ := listIn(w.o, prefix)
		switch {
		case hasAny(w.o, "contains", "$ref", "$dynamicRef", "$recursiveRef", "allOf", "anyOf", "oneOf", "if",
			"dependentSchemas", "dependencies"):
			w.add("unevaluatedItems",
				w.unevaluated("unevaluatedItems", v, kindArray, "items that only some values have"))
		case rest == "":
			w.add("unevaluatedItems", &node{op: opItems, count: len(list),
				kids: []literal{yes(w.below(v, "unevaluatedItems"))}})
		}
	}
	v, ok := w.has("unevaluatedProperties")
	if !ok || unrestricted(v) {
		return
	}
	switch c := w.scope(w.o, w.spot); {
	case c.conditional || w.left < 0:
		w.add("unevaluatedProperties", w.unevaluated("unevaluatedProperties", v, kindObject,
			"names that only some values have"))
	case !c.every:
		w.add("unevaluatedProperties", &node{op: opRest, names: c.names, patterns: c.patterns,
			kids: []literal{yes(w.below(v, "unevaluatedProperties"))}})
	}
}

// unevaluated returns unevaluatedProperties or unevaluatedItems beside parts that speak of names or items
// only for some values: it is read with a value in hand; without one, only what is implied is used.
func (w *writer) unevaluated(keyword string, v any, kind kindSet, why string) *node {
	n := w.unknown(kind, keyword, w.text(), why)
	c := &scope{seen: map[spot]bool{}, byPart: true}
	if w.collect(c, w.o, w.spot, nil, false); w.left < 0 {
		return n
	}
	if kind == kindArray { // an array has no members that others depend on
		c.parts = slices.DeleteFunc(c.parts, func(part evaluated) bool {
			return slices.ContainsFunc(part.when, func(l literal) bool { return l.op == opRequired })
		})
	}
	reader := n.kids[1].node
	reader.parts, reader.kids, reader.text = c.parts, []literal{yes(w.below(v, keyword))}, keyword
	for _, part := range c.parts { // what is said of the same names under the same conditions is the same
		reader.text += fmt.Sprintf("\x00%q %d %d %t %d %t %t", part.names, len(part.patterns), len(part.when),
			part.every, part.items, part.everyItem, part.containing != nil)
		reader.patterns = append(reader.patterns, part.patterns...)
		if part.containing != nil {
			reader.patterns = append(reader.patterns, part.containing)
		}
		reader.kids = append(reader.kids, part.when...)
	}
	w.spend(len(reader.text))
	return n
}

// unevaluated decides unevaluatedProperties for one object.
func (m *meter) unevaluated(n *node, v map[string]any) answer {
	spoken := kit.Filter(n.parts, func(p evaluated) bool {
		return len(p.names)+len(p.patterns) > 0 || p.every
	})
	holds := m.holding(spoken, v)
	return every(kit.SortedKeys(v), func(name string) answer {
		return m.uncovered(n, v[name], holds, func(i int) answer {
			p := spoken[i]
			if p.every || slices.Contains(p.names, name) {
				return inhabited
			}
			return negate(every(p.patterns, func(n *node) answer { return negate(m.satisfies(n, name)) }))
		})
	})
}

// unevaluatedItems decides unevaluatedItems for one array.
func (m *meter) unevaluatedItems(n *node, v []any) answer {
	spoken := kit.Filter(n.parts, func(p evaluated) bool {
		return p.items > 0 || p.everyItem || p.containing != nil
	})
	holds := m.holding(spoken, v)
	return every(indexes(len(v)), func(at int) answer {
		return m.uncovered(n, v[at], holds, func(i int) answer {
			p := spoken[i]
			switch {
			case p.everyItem, at < p.items:
				return inhabited
			case p.containing != nil:
				return m.satisfies(p.containing, v[at])
			}
			return empty
		})
	})
}

// holding answers for each part whether a value satisfies its conditions.
func (m *meter) holding(parts []evaluated, v any) []answer {
	return kit.Map(parts, func(p evaluated) answer {
		return every(p.when, func(l literal) answer { return m.accepts(l, v) })
	})
}

// uncovered decides the schema of what no part speaks of for one member or item. speaks answers for a part
// that holds whether it speaks of it.
func (m *meter) uncovered(n *node, v any, holds []answer, speaks func(part int) answer) answer {
	open := inhabited // until a part is found that speaks of it
	for i, holds := range holds {
		if open = allOf(open, negate(allOf(holds, speaks(i)))); open == empty {
			return inhabited
		}
	}
	return negate(allOf(open, negate(m.accepts(n.kids[0], v))))
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
	n.kids = []literal{yes(b.object(o, s))}
	if c := b.scope(o, s); c.declares && !c.restricted && b.left >= 0 {
		n.kids = append(n.kids, yes(&node{op: opRest, names: sortedNames(c.names, c.required),
			patterns: c.patterns, kids: []literal{yes(some())}}))
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
