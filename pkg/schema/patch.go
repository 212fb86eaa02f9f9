package schema

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
)

// Patches are the edits in force while the old document is built. Building, not rewriting text, keeps
// references, addresses and dialects intact: a schema object is read as the edits found there make it. The
// same object may be compared with two others, so that a patch belongs to a pair. Nil patches change nothing.
type patches struct {
	edits   map[*met][]func(*object)
	reached map[*met]bool // pairs from which an edit is reached
	read    map[*met]any  // what was read already
	name    string        // distinguishes sets of edits
}

// patches returns some edits, named by their numbers, as patches of the old document.
func (r *Revision) patches(edits []int) *patches {
	ps := &patches{edits: map[*met][]func(*object){}, reached: map[*met]bool{}, read: map[*met]any{},
		name: fmt.Sprint(r.After.doc.digest, edits)}
	for _, i := range edits {
		if e := r.Edits[i]; e.patch != nil {
			ps.edits[e.at] = append(ps.edits[e.at], e.patch)
			ps.reach(e.at)
		}
	}
	return ps
}

// reach marks a pair and all pairs that lead to it: from each of them an edit is reached.
func (ps *patches) reach(m *met) {
	if !ps.reached[m] {
		ps.reached[m] = true
		for _, parent := range m.parents {
			ps.reach(parent)
		}
	}
}

// A part is a schema that patches put into a schema object, with the place where it is read.
type part struct {
	doc     *document
	place   string
	pair    *met
	patched bool // the edits of the pair are in value
	value   any
}

// read returns the schema to be read at a spot, and where: v, or what patches make of it.
func (b *builder) read(v any, s spot) (any, spot) {
	for {
		if p, ok := v.(*part); ok {
			v = p.value
			s.doc, s.place, s.pair, s.patched = p.doc, p.place, p.pair, p.patched
		}
		if s.pair != nil && (b.patches == nil || !b.patches.reached[s.pair]) {
			s.pair, s.patched = nil, false
		}
		if s.pair == nil || s.patched || s.place != s.pair.old.place || s.doc != s.pair.old.doc {
			return v, s
		}
		v = b.patched(s.pair)
		if _, elsewhere := v.(*part); !elsewhere {
			return v, s
		}
	}
}

// patched returns the old schema of a pair with its edits: a schema, or a part to be read.
func (b *builder) patched(m *met) any {
	v, known := b.patches.read[m]
	if !known {
		edits := b.patches.edits[m]
		self := cmp.Or(m.same, m)
		o := &object{self: &part{m.old.doc, m.old.place, self, false, m.old.value}, at: m,
			keywords: maps.Clone(m.old.keywords()), tables: map[string]bool{}, lists: map[string][]any{},
			removed: map[string][]any{}, renamed: map[string]string{}}
		for _, edit := range edits {
			edit(o)
		}
		b.spend(64 + 64*len(edits) + 8*len(o.keywords) + 32*o.copied)
		v = o.value()
		b.patches.read[m] = v
	}
	return v
}

// An object is a schema object that edits change.
type object struct {
	at       *met
	self     *part
	keywords map[string]any
	tables   map[string]bool   // keywords whose tables were copied
	lists    map[string][]any  // types, values, names and alternatives in place of those that are written
	removed  map[string][]any  // types, values and names to take out of the lists at the end
	renamed  map[string]string // new names of unions
	copied   int               // members of tables and lists

	nullAdded, nullRemoved bool
	becomes                string // the keyword of the union that the object becomes a member of
	instead                *part  // what is read instead of all of it
}

func (o *object) drop(keywords ...string) {
	for _, k := range keywords {
		delete(o.keywords, k)
	}
}

// table returns the members of a keyword for changes.
func (o *object) table(keyword string) map[string]any {
	table, _ := o.keywords[keyword].(map[string]any)
	if !o.tables[keyword] {
		if table = maps.Clone(table); table == nil {
			table = map[string]any{}
		}
		o.copied += len(table)
		o.tables[keyword], o.keywords[keyword] = true, table
	}
	return table
}

// list takes members out of a list that is written in some keywords, and puts others in.
func (o *object) list(keyword string, written, minus, plus []any, keywords ...string) {
	if _, changed := o.lists[keyword]; !changed {
		o.drop(keywords...)
		o.lists[keyword] = slices.Clone(written)
		o.copied += len(written)
	}
	o.lists[keyword] = append(o.lists[keyword], plus...)
	o.removed[keyword] = append(o.removed[keyword], minus...)
	o.copied += len(plus) + len(minus)
}

// union returns the alternatives of a union, each read where it is written. An object that is not
// a union becomes one with itself as the only alternative.
func (o *object) union(keyword string) []any {
	if _, changed := o.lists[keyword]; !changed && o.at.old.keywords()[keyword] == nil {
		o.becomes, o.lists[keyword] = keyword, []any{o.self}
	} else if !changed {
		for _, s := range o.at.old.list(keyword) {
			p := s.part()
			p.pair = o.at.next[s.place]
			o.lists[keyword] = append(o.lists[keyword], p)
		}
		o.copied += len(o.lists[keyword])
	}
	return o.lists[keyword]
}

// leave takes an alternative out of a union.
func (o *object) leave(keyword string, alternative site) {
	o.lists[keyword] = slices.DeleteFunc(slices.Clone(o.union(keyword)), func(v any) bool {
		p := v.(*part)
		return p.doc == alternative.doc && p.place == alternative.place
	})
}

// value returns the object as it is read: a schema, or a part.
func (o *object) value() any {
	if o.instead != nil {
		return o.instead
	}
	for keyword := range o.renamed {
		o.union(keyword)
		o.drop(keyword)
	}
	for keyword, gone := range o.removed {
		o.lists[keyword] = without(o.lists[keyword], gone)
	}
	for keyword, list := range o.lists {
		if keyword != o.becomes {
			o.keywords[cmp.Or(o.renamed[keyword], keyword)] = list
		}
	}
	if types, changed := o.lists["type"]; changed {
		if o.keywords["type"] = namedTypes(types); len(types) > len(allTypes) {
			o.drop("type")
		}
	}
	self := o.self
	if self.pair == o.at {
		self.patched, self.value = true, o.keywords
	}
	null := &node{op: opKinds, kinds: kindNull}
	switch {
	case o.nullAdded:
		return map[string]any{"anyOf": []any{self, null}}
	case o.nullRemoved:
		return map[string]any{"allOf": []any{self}, "not": null}
	case o.becomes != "" && len(o.lists[o.becomes]) == 0:
		return false
	case o.becomes != "":
		return map[string]any{o.becomes: o.lists[o.becomes]}
	case !self.patched:
		return self
	}
	return o.keywords
}

// name distinguishes the readings of one schema object in different pairs.
func (m *met) name(patched bool) string {
	if m == nil {
		return ""
	}
	return fmt.Sprint(m.number, patched)
}
