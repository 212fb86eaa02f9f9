package schema

import (
	"maps"
	"strconv"
	"sync"
)

// A patch is one edit of a schema object: while the old document is built, the object at its place is read with some
// keywords, or members of keywords, as the new document has them. Building instead of rewriting text keeps every
// reference, address and dialect of both documents intact. A nil patch changes nothing.
type patch struct {
	doc     *document
	place   string
	drop    [][]string       // keywords, or members of keywords, that are taken away
	set     []patchedKeyword // what is put in
	leave   map[string]bool  // members of unions that are taken away, as "anyOf/1"
	null    nullChange
	also    []origin // further alternatives
	instead *origin  // what is read instead of all of it
	name    string   // tells patches apart
}

// A patchedKeyword is a keyword, or a member of one, with its value and where that was written; a value that was made
// up comes from nowhere.
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

// at reports whether a spot is the one that is patched.
func (p *patch) at(s spot) bool { return p != nil && s.doc == p.doc && s.place == p.place }

func (p *patch) replaces(s spot) bool { return p.at(s) && p.instead != nil }

// identity names the patched document.
func (p *patch) identity() string { return p.doc.digest + "\x00" + p.name }

// source returns where the schema under a keyword was written, if that is not where the object stands.
func (p *patch) source(tokens []string) (origin, bool) {
	if p == nil {
		return origin{}, false
	}
	for _, k := range p.set {
		if k.from != nil && len(k.path) <= len(tokens) && samePath(k.path, tokens[:len(k.path)]) {
			return origin{k.from.doc, join(k.from.place, tokens[len(k.path):]...)}, true
		}
	}
	return origin{}, false
}

func samePath(a, b []string) bool {
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// leavesOut reports whether a member of a union is taken away.
func (p *patch) leavesOut(keyword string, i int) bool {
	return p != nil && p.leave[keyword+"/"+strconv.Itoa(i)]
}

// apply returns the keywords as the patch reads them.
func (p *patch) apply(o map[string]any) map[string]any {
	out := maps.Clone(o)
	for _, path := range p.drop {
		p.edit(out, path, nil, false)
	}
	for _, k := range p.set {
		p.edit(out, k.path, k.value, true)
	}
	return out
}

func (p *patch) edit(o map[string]any, path []string, v any, put bool) {
	for len(path) > 1 {
		child, _ := o[path[0]].(map[string]any)
		child = maps.Clone(child)
		if child == nil {
			child = map[string]any{}
		}
		o[path[0]] = child
		o, path = child, path[1:]
	}
	if put {
		o[path[0]] = v
	} else {
		delete(o, path[0])
	}
}

// wrap writes the node of a schema object, with null or further alternatives added or null taken away.
func (p *patch) wrap(b *builder, s spot, n *node, write func(*node)) {
	if !p.at(s) || p.null == nullKept && len(p.also) == 0 {
		write(n)
		return
	}
	inner := &node{op: opAll, place: n.place}
	write(inner)
	null := &node{op: opKinds, kinds: kindNull}
	switch {
	case p.null == nullRemoved:
		n.kids = []lit{yes(inner), not(null)}
		return
	case p.null == nullAdded:
		n.kids = []lit{yes(some(yes(inner), yes(null)))}
	}
	if len(p.also) > 0 {
		alternatives := some(yes(inner))
		for _, o := range p.also {
			alternatives.kids = append(alternatives.kids, yes(b.node(o.as(s))))
		}
		n.kids = []lit{yes(alternatives)}
	}
}

// hybrid builds the old schema with a patch. It stands for the new schema where a validator is asked.
func hybrid(before, after *Schema, p *patch) *Schema {
	h := &Schema{unnamed: before.unnamed}
	b := newBuilder(before.doc)
	b.patch = p
	h.plain = b.root(asWritten)
	h.declared = sync.OnceValue(func() *node { return b.root(asDeclared) })
	return h
}
