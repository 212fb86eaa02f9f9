package schema

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/rawjson"
)

// readUnevaluated reads unevaluatedProperties (2020-12 core §11). What unevaluatedItems says is not decided.
func readUnevaluated(w *writer) {
	if v, ok := w.has("unevaluatedItems"); ok && !unrestricted(v) {
		arrays := &node{op: opKinds, kinds: kindArray}
		w.add("unevaluatedItems", some(not(arrays), yes(w.opaque(w.place, "unevaluatedItems", ""))))
	}
	v, ok := w.has("unevaluatedProperties")
	if !ok {
		return
	}
	child := w.below(v, "unevaluatedProperties")
	n := w.opaque(w.place, "unevaluatedProperties", "too many parts")
	if c := w.evaluated(w.o, w.spot); !c.over {
		n = w.otherProperties(w.place, c.parts, child)
	}
	w.add("unevaluatedProperties", n)
}

// otherProperties returns the assertion that every property that no part evaluates satisfies the child. The
// names are divided by the parts that evaluate them; for each division, its properties satisfy the child or
// such a part holds.
func (b *builder) otherProperties(place string, parts []evaluated, child *node) *node {
	var always evaluated
	var sometimes []evaluated
	var names []string
	for _, p := range parts {
		b.spend(16 * len(p.names))
		names = append(names, p.names...)
		if len(p.when) > 0 {
			p.listed = kit.Set(p.names)
			sometimes = append(sometimes, p)
			continue
		}
		always.every = always.every || p.every
		always.names = append(always.names, p.names...)
		always.patterns = append(always.patterns, p.patterns...)
	}
	if always.every {
		return all()
	}
	slices.Sort(names)
	names = slices.Compact(names)
	always.listed = kit.Set(always.names)
	out := all()
	for _, name := range names {
		if b.spend(32 + 8*len(parts)) {
			return b.opaque(place, "unevaluatedProperties", "too many parts")
		}
		if evaluates, known := b.reaches(always, name); !known {
			return b.opaque(place, "unevaluatedProperties", "pattern "+name)
		} else if !evaluates {
			absent := &node{op: opProperty, text: name, kids: []lit{yes(child)}}
			out.kids = append(out.kids, yes(orHolds(absent, sometimes, func(p evaluated) bool {
				evaluates, _ := b.reaches(p, name)
				return evaluates
			})))
		}
	}
	if b.left < 0 {
		return b.opaque(place, "unevaluatedProperties", "too many parts")
	}
	return b.otherNames(place, out, names, always.patterns, sometimes, child)
}

// reaches reports whether the set evaluates the property of that name, and whether that is known.
func (b *builder) reaches(e evaluated, name string) (evaluates, known bool) {
	if e.every || e.listed[name] {
		return true, true
	}
	for _, p := range e.patterns {
		switch b.matches(p, name, true) {
		case unsure:
			return false, false
		case inhabited:
			return true, true
		}
	}
	return false, true
}

// otherNames adds what is to be said of the names that are not listed, divided by the patterns they match.
func (b *builder) otherNames(place string, out *node, names []string, never []*node, sometimes []evaluated,
	child *node) *node {
	var patterns []*node
	for _, p := range sometimes {
		for _, q := range p.patterns {
			if q.pattern == nil {
				return b.opaque(place, "unevaluatedProperties", "pattern "+q.text)
			}
			if !slices.Contains(patterns, q) {
				patterns = append(patterns, q)
			}
		}
	}
	if len(patterns) > maxSplits {
		return b.opaque(place, "unevaluatedProperties", "many patterns")
	}
	for chosen := range 1 << len(patterns) {
		b.spend(24 + len(names) + 8*len(sometimes))
		rest := &node{op: opRest, names: names, patterns: slices.Clone(never), kids: []lit{yes(child)}}
		for i, p := range patterns {
			if chosen>>i&1 == 1 {
				rest.within = append(rest.within, p)
			} else {
				rest.patterns = append(rest.patterns, p)
			}
		}
		out.kids = append(out.kids, yes(orHolds(rest, sometimes, func(p evaluated) bool {
			return p.every || slices.ContainsFunc(p.patterns,
				func(q *node) bool { return slices.Contains(rest.within, q) })
		})))
	}
	return out
}

// orHolds returns n, or the condition of a chosen part.
func orHolds(n *node, parts []evaluated, chosen func(evaluated) bool) *node {
	out := some(yes(n))
	for _, p := range parts {
		if chosen(p) {
			out.kids = append(out.kids, conjunction(p.when))
		}
	}
	return out
}

func conjunction(when []lit) lit {
	if len(when) == 1 {
		return when[0]
	}
	return yes(all(when...))
}

// An evaluated set says which properties some keywords apply to (2020-12 core §11) while the literals in
// when hold.
type evaluated struct {
	when     []lit
	every    bool // all
	open     bool // all of them because a keyword says that anything goes
	names    []string
	listed   map[string]bool // the same
	patterns []*node
	declares bool // the keyword properties is there
	required []string
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

// evaluated collects what the schema v at a spot evaluates, without its own unevaluatedProperties.
func (b *builder) evaluated(v any, s spot) *collection {
	c := &collection{seen: map[collected]bool{}}
	b.evaluate(c, v, s, nil, false)
	return c
}

// evaluate adds to c what the schema v evaluates while when holds; nested is false for the schema that c is
// about. A schema object is visited once for each condition, which ends cycles.
func (b *builder) evaluate(c *collection, v any, s spot, when []lit, nested bool) {
	v, s = b.read(v, s)
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
	c.over = len(c.seen) > maxParts || b.spend(64+16*len(when)+len(s.place))
	w := &writer{builder: b, o: o, spot: s, n: &node{op: opAll}}
	if !w.refAlone() {
		c.parts = append(c.parts, w.own(when, nested))
	}
	w.inPlace(c, when)
}

// addresses returns a text that is different for different lists of literals, before they are sealed.
func addresses(lits []lit) string {
	var b strings.Builder
	for _, l := range lits {
		fmt.Fprintf(&b, "%p%v", l.node, l.not)
	}
	return b.String()
}

// own returns what the keywords of the object evaluate by themselves, without the schemas in allOf and the
// like. unevaluatedProperties counts only where it is nested.
func (w *writer) own(when []lit, nested bool) evaluated {
	e := evaluated{when: when}
	table, declares := w.o["properties"].(map[string]any)
	w.spend(16 * len(table))
	e.names, e.declares = kit.SortedKeys(table), declares
	byPattern, _ := w.o["patternProperties"].(map[string]any)
	for _, source := range kit.SortedKeys(byPattern) {
		e.patterns = append(e.patterns, w.pattern(source, w.place))
	}
	rest, every := w.o["additionalProperties"]
	e.every, e.open = every, every && unrestricted(rest)
	if rest, ok := w.has("unevaluatedProperties"); ok && nested {
		e.every, e.open = true, e.open || unrestricted(rest)
	}
	e.required, _ = stringList(w.o["required"])
	return e
}

// inPlace adds what the schemas in keywords about the same value evaluate.
func (w *writer) inPlace(c *collection, when []lit) {
	visit := func(r role, condition []lit, v any, tokens ...string) {
		w.evaluate(c, v, w.under(r, tokens...), with(when, condition), true)
	}
	for _, keyword := range [...]string{"$ref", "$dynamicRef", "$recursiveRef"} {
		ref, from, isText := w.reference(w.o[keyword])
		if target, _, ok := from.target(ref); ok && isText && w.in.dialect.reads(keyword) {
			v, _ := rawjson.At(target.doc.root, target.place)
			w.evaluate(c, v, target, when, true)
		}
	}
	if w.refAlone() {
		return
	}
	for _, keyword := range [...]string{"allOf", "anyOf", "oneOf"} {
		list, _ := w.o[keyword].([]any)
		for i, v := range list {
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
		d := w.in.dialect
		if !d.reads(keyword) || keyword == "dependencies" && !d.dependencies() {
			continue
		}
		table, _ := w.o[keyword].(map[string]any)
		for _, name := range kit.SortedKeys(table) {
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

func hasProperty(name string) *node {
	return all(yes(&node{op: opKinds, kinds: kindObject}), yes(&node{op: opRequired, text: name}))
}

// unrestricted reports whether a schema accepts everything.
func unrestricted(v any) bool {
	if p, ok := v.(*part); ok {
		v = p.value
	}
	o, ok := v.(map[string]any)
	return v == true || ok && len(asserting(o)) == 0 && o["$ref"] == nil
}

// declare makes n the schema of a value whose sender knows only declared properties: all that is written, and
// where properties are listed and nothing is said of others, no others.
func (b *builder) declare(n *node, o map[string]any, s spot) {
	s.role = asPart
	part := b.object(o, s)
	n.kids = []lit{yes(part)}
	c := b.evaluated(o, s)
	declares := false
	for i, p := range c.parts {
		declares = declares || p.declares
		c.parts[i].every = p.every && !p.open
		c.parts[i].names = append(slices.Clone(p.names), p.required...)
	}
	if declares && !c.over {
		n.kids = append(n.kids, yes(b.otherProperties(s.place, c.parts, some())))
	}
	s.role = asWritten
	n.implied = []lit{yes(b.object(o, s))}
}
