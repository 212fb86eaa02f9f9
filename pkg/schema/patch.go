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

// A pairing is a schema object of the old document as it is compared with one of the new document. A
// definition that is compared with two others is patched in two ways, each on the paths that lead to it.
type pairing struct {
	place string // JSON pointer in the old document
	with  string // "#" and the JSON pointer in the new document; empty where the object is read as written
}

// Pairings record which pairing is reached from which: by the place of a schema inside or behind a reference,
// and for the same schema object without the wrappers of its counterpart.
type pairings struct {
	next    map[pairing]map[string]pairing
	same    map[pairing]pairing
	parents map[pairing][]pairing
}

func newPairings() *pairings {
	return &pairings{map[pairing]map[string]pairing{}, map[pairing]pairing{}, map[pairing][]pairing{}}
}

// link records that one pairing is reached from another.
func (ps *pairings) link(from, to pairing) {
	if from == to {
		return
	}
	if from.place == to.place {
		ps.same[from] = to
	} else {
		if ps.next[from] == nil {
			ps.next[from] = map[string]pairing{}
		}
		ps.next[from][to.place] = to
	}
	ps.parents[to] = append(ps.parents[to], from)
}

// chain records a path over wrappers, and returns the pairing that it ends with.
func (ps *pairings) chain(from pairing, hops []string, with string) pairing {
	for i, place := range hops {
		to := pairing{place, from.with + "@" + from.place}
		if i == len(hops)-1 {
			to.with = with
		}
		ps.link(from, to)
		from = to
	}
	end := pairing{from.place, with}
	ps.link(from, end)
	return end
}

// reaching returns the pairings from which one of some pairings is reached.
func (ps *pairings) reaching(patched map[pairing]*patch) map[pairing]bool {
	reached := map[pairing]bool{}
	var up func(p pairing)
	up = func(p pairing) {
		if !reached[p] {
			reached[p] = true
			for _, parent := range ps.parents[p] {
				up(parent)
			}
		}
	}
	for p := range patched {
		up(p)
	}
	return reached
}

// Patches are the edits in force while the old document is built. Building, not rewriting text, keeps
// references, addresses and dialects intact. Nil patches change nothing.
type patches struct {
	doc     *document
	pairs   *pairings
	at      map[pairing]*patch
	reached map[pairing]bool // from which a patch is reached
	name    string           // distinguishes sets of edits
	edits   int
}

// A patch lets some keywords of one schema object, or members of keywords, be read as the new document has
// them.
type patch struct {
	at      pairing
	drop    [][]string         // keywords, or members of keywords, that are taken away
	set     []patchedKeyword   // what is put in
	taken   map[string]*origin // where that was written, by its path
	types   *listChange        // of the types that are allowed
	enum    *listChange        // of the values that are allowed
	require *listChange        // of the names that are required
	leave   map[string]bool    // members of unions that are taken away, as "anyOf/1"
	rename  map[string]string  // old names of keywords by their new names
	null    nullChange
	gone    bool     // the object itself is not an alternative any more
	also    []origin // further alternatives
	// the union of the object that they belong to; empty where the object itself is an alternative
	joins   string
	exactly bool    // exactly one of the object and the further alternatives is to hold
	instead *origin // what is read instead of all of it
}

// A listChange takes members out of a list and puts others in, so that several changes of one list can be in
// force.
type listChange struct{ base, minus, plus []any }

func (c *listChange) apply() []any {
	return append(without(c.base, c.minus), c.plus...)
}

// merged adds a change to those before it; nil changes nothing.
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

func patchesOf(doc *document, pairs *pairings, edits []Edit) *patches {
	ps := &patches{doc: doc, pairs: pairs, at: map[pairing]*patch{}}
	name := sha256.New()
	for _, e := range edits {
		if e.patch != nil {
			ps.add(e.patch)
			ps.edits++
			fmt.Fprintf(name, "%s\x00%s\x00%s\x00%s\x00%d %d %v %s", e.Family, e.Path, e.Keyword, e.Name,
				len(e.Removed), len(e.Added), e.patch.at, e.after.doc.digest)
		}
	}
	ps.name = string(name.Sum(nil))
	ps.reached = pairs.reaching(ps.at)
	return ps
}

func (ps *patches) add(p *patch) {
	all := ps.at[p.at]
	if all == nil {
		all = &patch{at: p.at, leave: map[string]bool{}, taken: map[string]*origin{},
			rename: map[string]string{}}
		ps.at[p.at] = all
	}
	for _, k := range p.set {
		all.taken[strings.Join(k.path, "\x00")] = k.from
	}
	maps.Copy(all.leave, p.leave)
	maps.Copy(all.rename, p.rename)
	all.drop, all.set, all.also = append(all.drop, p.drop...), append(all.set, p.set...),
		append(all.also, p.also...)
	all.types, all.enum, all.require = all.types.merged(p.types), all.enum.merged(p.enum),
		all.require.merged(p.require)
	all.null, all.instead = cmp.Or(all.null, p.null), cmp.Or(all.instead, p.instead)
	all.joins, all.gone, all.exactly = cmp.Or(all.joins, p.joins), all.gone || p.gone, all.exactly ||
		p.exactly
}

// enter forgets what a schema object is compared with where no patch is reached from it.
func (ps *patches) enter(s spot) spot {
	if s.with != "" && (ps == nil || s.doc != ps.doc || !ps.reached[pairing{s.place, s.with}]) {
		s.with = ""
	}
	return s
}

// follow moves a spot to a schema inside it, or one that it refers to.
func (ps *patches) follow(s spot, doc *document, place string) spot {
	from, stays := pairing{s.place, s.with}, s.doc == doc
	s.doc, s.place, s.with = doc, place, ""
	if ps != nil && from.with != "" && stays {
		s.with = ps.pairs.next[from][place].with
	}
	return s
}

// inner returns the spot of the same schema object as it is compared without the wrappers of its counterpart.
func (ps *patches) inner(s spot) (spot, bool) {
	if ps == nil || s.with == "" {
		return s, false
	}
	to, ok := ps.pairs.same[pairing{s.place, s.with}]
	s.with = to.with
	return s, ok
}

func (ps *patches) of(s spot) *patch {
	if ps == nil || s.with == "" {
		return nil
	}
	return ps.at[pairing{s.place, s.with}]
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

// renamed returns the path under which a part of a keyword with another name was written.
func (p *patch) renamed(tokens []string) []string {
	if p != nil && len(tokens) > 0 && p.rename[tokens[0]] != "" {
		return append([]string{p.rename[tokens[0]]}, tokens[1:]...)
	}
	return tokens
}

// leavesOut reports whether a member of a union is taken away.
func (p *patch) leavesOut(keyword string, i int) bool {
	return p != nil && p.leave[strings.Join(p.renamed([]string{keyword, strconv.Itoa(i)}), "/")]
}

// joining returns the further members of a union.
func (p *patch) joining(b *builder, keyword string, s spot) []lit {
	if p == nil || p.joins == "" || p.joins != p.renamed([]string{keyword})[0] {
		return nil
	}
	return p.alternatives(b, s)
}

func (p *patch) alternatives(b *builder, s spot) (out []lit) {
	for _, o := range p.also {
		out = append(out, yes(b.node(o.as(s))))
	}
	return out
}

func (p *patch) cost() int {
	if p == nil {
		return 0
	}
	n := 64 + 32*(len(p.drop)+len(p.set))
	for _, list := range [...]*listChange{p.types, p.enum, p.require} {
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
	for new, old := range p.rename {
		out[new] = out[old]
		delete(out, old)
	}
	if p.types != nil {
		types := p.types.apply()
		if out["type"] = namedTypes(types); len(types) > len(allTypes) {
			delete(out, "type")
		}
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
	if p == nil || p.null == nullKept && (len(p.also) == 0 || p.joins != "") && !p.gone {
		write(n)
		return
	}
	inner := &node{op: opAll, place: n.place}
	write(inner)
	var alternatives []lit
	if !p.gone {
		alternatives = append(alternatives, yes(inner))
	}
	union := &node{op: opAny}
	if p.joins == "" {
		alternatives = append(alternatives, p.alternatives(b, s)...)
	}
	if p.exactly {
		union.op = opOne
	}
	union.kids = alternatives
	null := &node{op: opKinds, kinds: kindNull}
	switch p.null {
	case nullAdded:
		n.kids = []lit{yes(some(yes(union), yes(null)))}
	case nullRemoved:
		n.kids = []lit{yes(union), not(null)}
	default:
		n.kids = []lit{yes(union)}
	}
}

// patched returns the schema object of a pairing with patches.
func (s *Schema) patched(m *meter, ps *patches, at pairing) *Schema {
	if len(ps.at) == 0 {
		return s.inside(pairing{place: at.place})
	}
	s.declared() // nodes are added no more after this
	h := &Schema{raw: s.raw, unnamed: s.unnamed, doc: s.doc, at: at}
	b := newBuilder(s.doc, m)
	b.patches, b.written = ps, s.builder.nodes
	b.spend(64*ps.edits + 8*len(ps.reached))
	h.build(b)
	return h
}
