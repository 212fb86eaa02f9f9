package schema

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpctl/mcpctl/internal/rawjson"
)

// Patches are the edits in force while a document is built, by the place of the schema object. Building, not rewriting text,
// keeps references, addresses and dialects intact. Nil patches change nothing.
type patches struct {
	doc   *document
	at    map[string]*patch
	name  string // tells sets of edits apart
	edits int

	reached map[*node]bool // the nodes of the document as written from which a place with a patch is reached
}

// A patch lets some keywords of one schema object, or members of keywords, be read as the new document has them.
type patch struct {
	place   string
	drop    [][]string         // keywords, or members of keywords, that are taken away
	set     []patchedKeyword   // what is put in
	taken   map[string]*origin // where that was written, by its path
	enum    *listChange        // of the values that are allowed
	require *listChange        // of the names that are required
	leave   map[string]bool    // members of unions that are taken away, as "anyOf/1"
	null    nullChange
	gone    bool     // what the object says is no alternative any more
	also    []origin // further alternatives
	instead *origin  // what is read instead of all of it
}

// A listChange takes members out of a list and puts others in, so that several changes of one list can be in force.
type listChange struct{ base, minus, plus []any }

func (c *listChange) apply() []any {
	return append(without(c.base, c.minus), c.plus...)
}

// merged adds a change to those before it; a nil one is none.
func (c *listChange) merged(d *listChange) *listChange {
	switch {
	case d == nil:
		return c
	case c == nil:
		return &listChange{d.base, slices.Clone(d.minus), slices.Clone(d.plus)}
	}
	c.minus, c.plus = append(c.minus, d.minus...), append(c.plus, d.plus...)
	return c
}

func patchesOf(doc *document, edits []Edit) *patches {
	ps := &patches{doc: doc, at: map[string]*patch{}}
	name := sha256.New()
	for _, e := range edits {
		if e.patch != nil && !e.subsumed {
			ps.add(e.patch)
			ps.edits++
			fmt.Fprintf(name, "%s\x00%s\x00%s\x00%s\x00%d %d %s", e.Family, e.Path, e.Keyword, e.Name, len(e.Removed), len(e.Added), e.after.doc.digest)
		}
	}
	ps.name = string(name.Sum(nil))
	return ps
}

func (ps *patches) add(p *patch) {
	all := ps.at[p.place]
	if all == nil {
		all = &patch{place: p.place, leave: map[string]bool{}, taken: map[string]*origin{}}
		ps.at[p.place] = all
	}
	for _, k := range p.set {
		all.taken[strings.Join(k.path, "\x00")] = k.from
	}
	maps.Copy(all.leave, p.leave)
	all.drop, all.set, all.also = append(all.drop, p.drop...), append(all.set, p.set...), append(all.also, p.also...)
	all.enum, all.require = all.enum.merged(p.enum), all.require.merged(p.require)
	all.null, all.instead, all.gone = cmp.Or(all.null, p.null), cmp.Or(all.instead, p.instead), all.gone || p.gone
}

func (ps *patches) of(s spot) *patch {
	if ps == nil || s.doc != ps.doc {
		return nil
	}
	return ps.at[s.place]
}

// instead returns what is read in place of the schema at a spot.
func (ps *patches) instead(s spot) (spot, bool) {
	if p := ps.of(s); p != nil && p.instead != nil {
		return p.instead.as(s), true
	}
	return s, false
}

// A patchedKeyword is a keyword, or a member of one, with its value and where that was written, if it was.
type patchedKeyword struct {
	path  []string
	value any
	from  *origin
}

// An origin is a place in a document.
type origin struct {
	doc   *document
	place string
}

// as returns the spot of the origin as seen from another document, whose scope does not reach here.
func (o origin) as(s spot) spot { return spot{doc: o.doc, place: o.place, role: s.role} }

type nullChange uint8

const (
	nullKept nullChange = iota
	nullAdded
	nullRemoved
)

// source returns where the schema under a keyword was written, if that is not where the object stands.
func (p *patch) source(tokens []string) (origin, bool) {
	if p == nil || len(p.taken) == 0 {
		return origin{}, false
	}
	for n := 1; n <= min(len(tokens), 2); n++ {
		if from := p.taken[strings.Join(tokens[:n], "\x00")]; from != nil {
			return origin{from.doc, rawjson.Join(from.place, tokens[n:]...)}, true
		}
	}
	return origin{}, false
}

// leavesOut reports whether a member of a union is taken away.
func (p *patch) leavesOut(keyword string, i int) bool {
	return p != nil && p.leave[keyword+"/"+strconv.Itoa(i)]
}

func (p *patch) cost() int {
	if p == nil {
		return 0
	}
	n := 64 + 32*(len(p.drop)+len(p.set))
	for _, list := range [...]*listChange{p.enum, p.require} {
		if list != nil {
			n += 32 * (len(list.base) + len(list.minus) + len(list.plus))
		}
	}
	return n
}

func (p *patch) apply(o map[string]any) map[string]any {
	if p == nil {
		return o
	}
	out, own := maps.Clone(o), map[string]map[string]any{}
	for _, path := range p.drop {
		delete(table(out, own, path), path[len(path)-1])
	}
	for _, k := range p.set {
		table(out, own, k.path)[k.path[len(k.path)-1]] = k.value
	}
	if p.enum != nil {
		delete(out, "const")
		out["enum"] = p.enum.apply()
	}
	if p.require != nil {
		out["required"] = p.require.apply()
	}
	return out
}

// table returns what holds the member that a path of one or two steps leads to, copied once.
func table(o map[string]any, own map[string]map[string]any, path []string) map[string]any {
	if len(path) == 1 {
		delete(own, path[0])
		return o
	}
	child := own[path[0]]
	if child == nil {
		child = map[string]any{}
		written, _ := o[path[0]].(map[string]any)
		maps.Copy(child, written)
		own[path[0]], o[path[0]] = child, child
	}
	return child
}

// wrap writes the node of a schema object, with null or further alternatives added or null taken away.
func (p *patch) wrap(b *builder, s spot, n *node, write func(*node)) {
	if p == nil || p.null == nullKept && len(p.also) == 0 && !p.gone {
		write(n)
		return
	}
	inner := &node{op: opAll, place: n.place}
	write(inner)
	var alternatives []lit
	if !p.gone {
		alternatives = append(alternatives, yes(inner))
	}
	for _, o := range p.also {
		alternatives = append(alternatives, yes(b.node(o.as(s))))
	}
	null := &node{op: opKinds, kinds: kindNull}
	switch p.null {
	case nullAdded:
		alternatives = append(alternatives, yes(null))
	case nullRemoved:
		n.kids = []lit{yes(some(alternatives...)), not(null)}
		return
	}
	n.kids = []lit{yes(some(alternatives...))}
}

// A written document is the graph of a schema as it is written, with the ways up.
type written struct {
	nodes   map[use]*node
	parents map[*node][]*node
	places  map[string][]*node
}

func (s *Schema) written() *written {
	s.declared() // nodes are added no more after this
	w := &written{nodes: s.builder.nodes, parents: map[*node][]*node{}, places: map[string][]*node{}}
	seen := map[*node]bool{}
	var visit func(n *node)
	visit = func(n *node) {
		if seen[n] {
			return
		}
		seen[n] = true
		w.places[n.place] = append(w.places[n.place], n)
		for _, k := range n.kids {
			w.parents[k.node] = append(w.parents[k.node], n)
			visit(k.node)
		}
	}
	visit(s.plain)
	return w
}

// reach finds the nodes from which a place with a patch is reached.
func (w *written) reach(ps *patches) {
	ps.reached = map[*node]bool{}
	var up func(n *node)
	up = func(n *node) {
		if ps.reached[n] {
			return
		}
		ps.reached[n] = true
		for _, parent := range w.parents[n] {
			up(parent)
		}
	}
	for place := range ps.at {
		for _, n := range w.places[place] {
			up(n)
		}
	}
}

// node returns the node of a schema object that no patch reaches, or nil.
func (w *written) node(key use, ps *patches) *node {
	if w == nil || key.role != asWritten {
		return nil
	}
	if n := w.nodes[key]; n != nil && !ps.reached[n] {
		return n
	}
	return nil
}

func (s *Schema) patched(m *meter, ps *patches, w *written) *Schema {
	if len(ps.at) == 0 {
		return s
	}
	h := &Schema{raw: s.raw, unnamed: s.unnamed}
	b := newBuilder(s.doc, m)
	if b.patches = ps; w != nil {
		b.written = w
		w.reach(ps)
	}
	b.spend(64*ps.edits + 8*len(ps.reached))
	h.build(b)
	return h
}
