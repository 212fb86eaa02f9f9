package schema

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/mcpctl/mcpctl/internal/kit"
)

// Patches are the edits in force while the old document is built. Building, not rewriting text, keeps
// references, addresses and dialects intact: a schema object is read as the edits found there make it. The
// same object may be compared with two others, so that a patch belongs to a pair. Nil patches change nothing.
type patches struct {
	edits   map[*schemaPair][]func(*object)
	numbers editSet
	read    map[*schemaPair]any  // what was read already
	null    map[*schemaPair]bool // pairs for which an edit turns whether null is accepted
	name    string               // distinguishes sets of edits
}

// patches returns some edits, named by their numbers, as patches of the old document.
func (r *Revision) patches(edits []int) *patches {
	ps := &patches{edits: map[*schemaPair][]func(*object){}, numbers: setOf(edits),
		read: map[*schemaPair]any{},
		null: map[*schemaPair]bool{}, name: fmt.Sprint(r.After.doc.digest, edits)}
	for _, i := range edits {
		e := r.Edits[i]
		for _, same := range e.everywhere() {
			ps.edits[same.at] = append(ps.edits[same.at], same.patch)
		}
		ps.turnNull(e)
	}
	return ps
}

// reach reports whether an edit is reached from a pair.
func (ps *patches) reach(m *schemaPair) bool { return ps.numbers.meets(m.reached) }

// A part is a schema that stands in another schema object than where it is written.
type part struct {
	site
	pair *schemaPair // that patches change; nil for the schema as it is written
}

// part returns the old schema of a pair as the patches make it.
func (ps *patches) part(m *schemaPair) *part {
	if ps.reach(m) {
		return &part{m.old, m}
	}
	return m.old.part()
}

// read returns the schema to be read at a spot, and where: v, or what patches make of it.
func (b *builder) read(v any, s spot) (any, spot) {
	for {
		p, ok := v.(*part)
		if !ok {
			return v, s
		}
		if v, s.doc, s.place, s.pair = p.value, p.doc, p.place, p.pair; p.pair != nil {
			v = b.patched(p.pair)
		}
	}
}

// patched returns the old schema of a pair with its edits: a schema, or a part to be read.
func (b *builder) patched(m *schemaPair) any {
	v, known := b.patches.read[m]
	if !known {
		edits := b.patches.edits[m]
		o := &object{builder: b, at: m, keywords: maps.Clone(m.old.keywords()),
			tables: map[string]bool{}, lists: map[string][]any{}, removed: map[string][]any{}}
		for _, c := range m.children {
			o.put(c)
		}
		for _, edit := range edits {
			edit(o)
		}
		b.spend(64 + 64*len(edits) + 8*len(o.keywords))
		if v = o.value(); m.fixed {
			v = b.patches.fixNull(m, v)
		}
		b.patches.read[m] = v
	}
	return v
}

// An object is a schema object that edits change.
type object struct {
	*builder
	at       *schemaPair
	keywords map[string]any
	tables   map[string]bool  // keywords whose tables were copied
	lists    map[string][]any // types, values, names and schemas in place of those that are written
	removed  map[string][]any // types, values and names to take out of the lists at the end
	types    []any            // types in place of those that the values of a list said
	becomes  string           // the keyword of the union that the object becomes a member of
	instead  any              // what is read instead of all of it
}

// put makes the object hold a child as patches make it.
func (o *object) put(c child) {
	keyword := c.at[0]
	_, isList := o.keywords[keyword].([]any)
	switch {
	case !o.patches.reach(c.schemaPair):
	case isList:
		i, _ := strconv.Atoi(c.at[1])
		o.members(keyword)[i] = o.patches.part(c.schemaPair)
	case len(c.at) == 1:
		o.keywords[keyword] = o.patches.part(c.schemaPair)
	default:
		o.table(keyword)[c.at[1]] = o.patches.part(c.schemaPair)
	}
}

// self returns what the object is without edits of its own.
func (o *object) self() *part {
	if o.at.core == nil {
		return o.at.old.part()
	}
	return o.patches.part(o.at.core)
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
		o.spend(32 * len(table))
		o.tables[keyword], o.keywords[keyword] = true, table
	}
	return table
}

// list takes members out of a list that is written in some keywords, and puts others in.
func (o *object) list(keyword string, written, minus, plus []any, keywords ...string) {
	if _, changed := o.lists[keyword]; !changed {
		o.drop(keywords...)
		o.lists[keyword] = slices.Clone(written)
		o.spend(32 * len(written))
	}
	o.lists[keyword] = append(o.lists[keyword], plus...)
	o.removed[keyword] = append(o.removed[keyword], minus...)
	o.spend(32 * (len(plus) + len(minus)))
}

// members returns the schemas in a list.
func (o *object) members(keyword string) []any {
	if _, changed := o.lists[keyword]; !changed {
		list := kit.Map(o.at.old.list(keyword), func(s site) any { return s.part() })
		o.spend(32 * len(list))
		o.lists[keyword] = list
	}
	return o.lists[keyword]
}

// alternatives returns the schemas in a union. An object that is not a union becomes one, with itself as the
// only alternative.
func (o *object) alternatives(x view, keyword string) []any {
	if _, changed := o.lists[keyword]; !changed && len(x.members) == 0 {
		o.becomes, o.lists[keyword] = keyword, []any{o.self()}
	}
	return o.members(keyword)
}

// empty reports whether no alternative of a union is left.
func (o *object) empty(keyword string) bool {
	list, changed := o.lists[keyword]
	return changed && len(list) == 0
}

// value returns the object as it is read: a schema, or a part.
func (o *object) value() any {
	switch {
	case o.instead != nil:
		return o.instead
	case o.empty("anyOf"), o.empty("oneOf"):
		return false
	case o.becomes != "":
		return map[string]any{o.becomes: o.lists[o.becomes]}
	case o.at.core != nil:
		return o.self()
	}
	for keyword, gone := range o.removed {
		o.lists[keyword] = without(o.lists[keyword], gone)
	}
	for keyword, list := range o.lists {
		o.keywords[keyword] = list
	}
	if types, changed := o.lists["type"]; changed {
		if o.keywords["type"] = namedTypes(types); len(types) > len(allTypes) {
			o.drop("type")
		}
	}
	if o.types != nil {
		o.keywords["type"] = namedTypes(o.types)
	}
	return o.keywords
}

// name distinguishes the readings of one schema object in different pairs.
func (m *schemaPair) name() string {
	if m == nil {
		return ""
	}
	return fmt.Sprint(m.number)
}
