package schema

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/pkg/schema/internal/pattern"
)

// A builder turns a document into nodes. A schema object is built once for each way it is used, so that a
// recursive schema becomes a cyclic graph.
type builder struct {
	*meter
	doc     *document
	patches *patches // edits of the document; usually nil
	// with patches: the document as it is written, which is used where no patch is reached
	written  map[spot]*node
	nodes    map[spot]*node
	patterns map[string]*node
	problems []Problem
}

// A role says how a schema object is used under the Declared semantics.
type role uint8

const (
	asWritten  role = iota // its plain meaning
	asPart                 // together with others about the same value; the values below are whole
	asDeclared             // all that is said about a value: undeclared properties are not sent
)

// A spot is where building stands: a place in its resource, with the circumstances that the meaning of the
// schema there depends on.
type spot struct {
	doc   *document
	place string
	pair  *schemaPair // the comparison whose patches are read; nil for what is written
	in    *resource
	role  role
}

func newBuilder(doc *document, m *meter) *builder {
	return &builder{meter: m, doc: doc, nodes: map[spot]*node{}, patterns: map[string]*node{}}
}

// root builds the node of a schema for one role, and removes the problems that the roles share.
func (b *builder) root(p *part, r role) *node {
	n := seal(b.schema(p, spot{role: r}))
	for _, built := range b.nodes {
		if built.head { // it is reached from itself
			markLoops(n)
			break
		}
	}
	slices.SortStableFunc(b.problems, func(x, y Problem) int { return strings.Compare(x.Path, y.Path) })
	// a place is built in several roles
	b.problems = slices.CompactFunc(b.problems, func(x, y Problem) bool { return x.Path == y.Path })
	return n
}

// schema builds the node of a decoded schema. A value that is not a schema becomes an opaque node and a
// problem, so that building never fails.
func (b *builder) schema(v any, s spot) *node {
	v, s = b.read(v, s)
	switch v := v.(type) {
	case *node:
		return v
	case bool:
		if v {
			return &node{op: opAll, place: s.place}
		}
		return &node{op: opAny, place: s.place}
	case map[string]any:
		return b.object(v, s)
	}
	return b.malformed(s.place, "", v, "is not a schema: an object or a boolean is")
}

// object builds a schema object, or finds it built.
func (b *builder) object(o map[string]any, s spot) *node {
	s.in = s.doc.owner(s.place)
	if s.role != asWritten && leaf(o) {
		s.role = asWritten // it has nothing to declare
	}
	if n := cmp.Or(b.nodes[s], b.written[s]); n != nil {
		return n
	}
	n := &node{op: opAll, place: s.place,
		text: b.identity(s.doc) + string('0'+rune(s.role)) + s.pair.name()}
	b.nodes[s] = n
	if b.spend(48+len(s.place)/4) || len(b.nodes) > maxNodes {
		why := "too many schemas"
		if b.left < 0 {
			why = outOfSteps.what
		}
		n.kids = []literal{{node: b.opaque(s.place, "", why)}}
		return n
	}
	if s.role == asDeclared {
		b.declare(n, o, s)
		return n
	}
	(&writer{builder: b, o: o, spot: s, n: n}).write()
	return n
}

// leaf reports whether a schema object holds no schemas that could declare properties.
func leaf(o map[string]any) bool {
	return !hasAny(o, "properties", "patternProperties", "additionalProperties", "unevaluatedProperties",
		"items", "prefixItems", "additionalItems", "unevaluatedItems", "allOf", "anyOf", "oneOf", "if",
		"then", "else", "dependentSchemas", "dependencies", "$ref", "$dynamicRef", "$recursiveRef")
}

// identity names a document for what only it defines.
func (b *builder) identity(d *document) string {
	if b.patches != nil && d == b.doc {
		return d.digest + "\x00" + b.patches.name
	}
	return d.digest
}

// A writer reads the keywords of one schema object into its node.
type writer struct {
	*builder
	spot
	o map[string]any
	n *node
}

// write reads all keywords, or the reference alone in the drafts where it makes its siblings void. Each
// reader appends its assertions to the node.
func (w *writer) write() {
	if w.refAlone() {
		readReferences(w)
		return
	}
	readDialect(w)
	readReferences(w)
	readTypes(w)
	readNumbers(w)
	readStrings(w)
	readArrays(w)
	readObjects(w)
	readLogic(w)
	readUnevaluated(w)
}

// add appends an assertion that comes from a keyword.
func (w *writer) add(keyword string, n *node) {
	w.spend(24)
	n.place, n.keyword = w.place, keyword
	w.n.kids = append(w.n.kids, literal{node: n})
}

// has reports whether a keyword is there and means something in this dialect.
func (w *writer) has(keyword string) (any, bool) {
	v, ok := w.o[keyword]
	return v, ok && w.in.dialect.reads(keyword)
}

// malformed returns an assertion about which nothing is known, and reports why.
func (w *writer) malformed(keyword, message string) {
	w.add(keyword, w.builder.malformed(w.place, keyword, w.o[keyword], message))
}

// malformed reports a problem and returns an opaque node. The node is named by its text and not by its place,
// so the same mistake on two sides cancels out.
func (b *builder) malformed(place, keyword string, v any, message string) *node {
	path := place
	if keyword != "" {
		path = rawjson.Join(place, keyword)
	}
	b.spend(24)
	b.problem(path, message)
	text, _ := json.Marshal(v)
	return &node{op: opOpaque, text: keyword + "\x00" + string(text), place: place, keyword: keyword,
		why: message}
}

func (b *builder) problem(path, message string) {
	b.problems = append(b.problems, Problem{path, message})
}

// opaque returns an assertion about which only its place in this document is known.
func (b *builder) opaque(place, keyword, why string) *node {
	text := b.identity(b.doc) + place + "\x00" + keyword + why
	return &node{op: opOpaque, text: text, place: place, keyword: keyword, why: why}
}

// unknown returns an assertion about which nothing is known for values of a type, and which holds for others.
// What is written alike is one assertion.
func (w *writer) unknown(kind kindSet, keyword, text, why string) *node {
	return some(not(&node{op: opKinds, kinds: kind}),
		yes(&node{op: opOpaque, text: keyword + "\x00" + text, place: w.place, keyword: keyword, why: why}))
}

// text returns the object as text, or its place where it refers to others or is patched.
func (w *writer) text() string {
	text := jsonText(w.o)
	w.spend(len(text))
	if w.pair != nil || strings.Contains(text, `Ref":`) || strings.Contains(text, `"$ref":`) {
		text = w.identity(w.spot.doc) + w.place + w.pair.name()
	}
	return text
}

// sub builds the schema in a keyword that speaks of the same value.
func (w *writer) sub(v any, tokens ...string) *node { return w.part(w.role, v, tokens...) }

// below builds the schema in a keyword that speaks of a value inside the value.
func (w *writer) below(v any, tokens ...string) *node {
	if w.role == asPart {
		return w.part(asDeclared, v, tokens...)
	}
	return w.part(w.role, v, tokens...)
}

// condition builds the schema in a keyword that is asked, not asserted: its meaning is always the plain one.
func (w *writer) condition(v any, tokens ...string) *node { return w.part(asWritten, v, tokens...) }

func (w *writer) part(r role, v any, tokens ...string) *node {
	return w.schema(v, w.under(r, tokens...))
}

func (w *writer) under(r role, tokens ...string) spot {
	w.spend(12 + len(w.place)/8)
	return spot{doc: w.spot.doc, place: rawjson.Join(w.place, tokens...), in: w.in, role: r}
}

// refAlone reports whether the object has a reference that makes its siblings void.
func (w *writer) refAlone() bool {
	v := w.o["$ref"]
	if p, patched := v.(*part); patched {
		v = p.value
	}
	_, isText := v.(string)
	return isText && w.in.dialect.refAlone()
}

// pattern returns one node for each source. The node has no pattern where the source cannot be read or the
// budget is spent; questions about it are then undecided.
func (b *builder) pattern(source, place string) *node {
	if n := b.patterns[source]; n != nil {
		return n
	}
	n := &node{op: opPattern, text: source, place: place, keyword: "pattern"}
	if !b.spend(256 + 32*len(source)) {
		if n.pattern, _ = pattern.Parse(source); n.pattern != nil {
			b.spend(16 * n.pattern.Size())
		}
	}
	b.patterns[source] = seal(n)
	return n
}

// readDialect reports a "$schema" that is not known. Its keywords may mean something else.
func readDialect(w *writer) {
	named, ok := w.o["$schema"].(string)
	if _, known := draftOf(named); !ok || known || w.place != w.in.place {
		return
	}
	w.problem(rawjson.Join(w.place, "$schema"), "the dialect is not known; read as 2020-12")
	w.add("$schema", &node{op: opOpaque, text: "$schema\x00" + named, why: "the dialect is not known"})
}

func all(kids ...literal) *node  { return &node{op: opAll, kids: kids} }
func some(kids ...literal) *node { return &node{op: opAny, kids: kids} }
func yes(n *node) literal        { return literal{node: n} }
func not(n *node) literal        { return literal{n, true} }
