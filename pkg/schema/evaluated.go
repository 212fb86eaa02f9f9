package schema

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// An evaluated set says which properties and items some keywords of a schema object apply to (2020-12 core §11), as
// long as the literals in when hold.
type evaluated struct {
	when     []lit
	every    bool     // all properties
	names    []string // of properties
	patterns []*node  // of properties
	declares bool     // the keyword properties is there
	required []string

	items    bool // all items
	prefix   int  // the first items
	matching []*node
}

// maxSplits bounds the combinations that are written out.
const maxSplits = 4

// maxParts bounds the parts of a schema object that evaluate something under conditions of their own.
const maxParts = 256

// A collection gathers the evaluated sets of a schema object.
type collection struct {
	parts []evaluated
	seen  map[collected]bool
	over  bool // there are too many
}

// collected is a schema object under a condition.
type collected struct {
	use
	when string
}

// evaluated collects what the schema v at a spot evaluates, without its own unevaluatedProperties and -Items.
func (b *builder) evaluated(v any, s spot) *collection {
	c := &collection{seen: map[collected]bool{}}
	b.evaluate(c, v, s, nil, false)
	return c
}

func (b *builder) evaluate(c *collection, v any, s spot, when []lit, nested bool) {
	if other, ok := b.patches.instead(s); ok {
		s = other
		v, _ = at(s.doc.root, s.place)
	}
	o, ok := v.(map[string]any)
	if !ok || c.over {
		return
	}
	s = s.enter()
	key := collected{s.use(), addresses(when)}
	if c.seen[key] {
		return
	}
	c.seen[key] = true
	c.over = len(c.seen) > maxParts
	w := b.writer(o, s, &node{op: opAll})
	if _, ref := w.o["$ref"].(string); !ref || !s.in.dialect.refAlone() {
		c.parts = append(c.parts, w.own(when, nested))
	}
	w.inPlace(c, when)
}

// addresses tells lists of literals apart before they are sealed.
func addresses(lits []lit) string {
	var b strings.Builder
	for _, l := range lits {
		fmt.Fprintf(&b, "%p%v", l.node, l.not)
	}
	return b.String()
}

// own is what the keywords of the object itself evaluate.
func (w *writer) own(when []lit, nested bool) evaluated {
	e := evaluated{when: when}
	table, declares := w.o["properties"].(map[string]any)
	e.names, e.declares = sortedKeys(table), declares
	byPattern, _ := w.o["patternProperties"].(map[string]any)
	for _, source := range sortedKeys(byPattern) {
		e.patterns = append(e.patterns, w.pattern(source, w.place))
	}
	_, e.every = w.o["additionalProperties"]
	if _, ok := w.has("unevaluatedProperties"); ok && nested {
		e.every = true
	}
	e.required, _ = stringList(w.o["required"])
	prefix, rest := w.tuple()
	list, _ := w.o[prefix].([]any)
	e.prefix, e.items = len(list), rest != ""
	if _, ok := w.has("unevaluatedItems"); ok && nested {
		e.items = true
	}
	if v, ok := w.has("contains"); ok && w.dialectOf("contains").containsEvaluates() {
		e.matching = []*node{w.condition(v, "contains")}
	}
	return e
}

// inPlace is what the schemas in its keywords about the same value evaluate.
func (w *writer) inPlace(c *collection, when []lit) {
	visit := func(r role, condition []lit, v any, tokens ...string) {
		w.evaluate(c, v, w.under(r, tokens...), with(when, condition), true)
	}
	for _, keyword := range [...]string{"$ref", "$dynamicRef", "$recursiveRef"} {
		ref, _ := w.o[keyword].(string)
		if target, _, ok := w.target(keyword, ref); ok && ref != "" && w.in.dialect.reads(keyword) {
			v, _ := at(target.doc.root, target.place)
			w.evaluate(c, v, target, when, true)
		}
	}
	if _, ref := w.o["$ref"].(string); ref && w.in.dialect.refAlone() {
		return
	}
	for _, keyword := range [...]string{"allOf", "anyOf", "oneOf"} {
		list, _ := w.o[keyword].([]any)
		for i, v := range list {
			if w.patched.leavesOut(keyword, i) {
				continue
			}
			var condition []lit
			if keyword != "allOf" && len(list) > 1 {
				condition = []lit{yes(w.sub(v, keyword, strconv.Itoa(i)))}
			}
			visit(w.role, condition, v, keyword, strconv.Itoa(i))
		}
	}
	if v, ok := w.has("if"); ok {
		condition := w.condition(v, "if")
		visit(asWritten, []lit{yes(condition)}, v, "if")
		visit(w.role, []lit{yes(condition)}, w.o["then"], "then")
		visit(w.role, []lit{not(condition)}, w.o["else"], "else")
	}
	for _, keyword := range [...]string{"dependentSchemas", "dependencies"} {
		d := w.dialectOf(keyword)
		if !d.reads(keyword) || keyword == "dependencies" && !d.dependencies() {
			continue
		}
		table, _ := w.o[keyword].(map[string]any)
		for _, name := range sortedKeys(table) {
			visit(w.role, []lit{yes(hasProperty(name))}, table[name], keyword, name)
		}
	}
}

// with adds conditions to others, each once.
func with(when, more []lit) []lit {
	out := slices.Clone(when)
	for _, l := range more {
		if !slices.Contains(out, l) {
			out = append(out, l)
		}
	}
	return out
}

// hasProperty says that the value is an object with the property.
func hasProperty(name string) *node {
	return all(yes(&node{op: opKinds, kinds: kindObject}), yes(&node{op: opRequired, text: name}))
}

// declare makes n the schema of a value whose sender knows only declared properties: all that is written, and where
// properties are listed and nothing is said of others, no others.
func (b *builder) declare(n *node, o map[string]any, s spot) {
	s.role = asPart
	part := b.object(o, s)
	n.kids = []lit{yes(part)}
	c := b.evaluated(o, s)
	declares := false
	for i, p := range c.parts {
		declares = declares || p.declares
		c.parts[i].names = append(slices.Clone(p.names), p.required...)
	}
	if declares && !c.over {
		n.kids = append(n.kids, yes(b.otherProperties(s.place, c.parts, some())))
	}
	s.role = asWritten
	n.implied = []lit{yes(b.object(o, s))}
}
