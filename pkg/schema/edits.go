package schema

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/rawjson"
)

// Family groups keywords whose changes are told under one rule name.
type Family string

// The families of keywords. A family names what an edit is about, never how severe it is.
const (
	FamilyType          Family = "type"
	FamilyNull          Family = "null" // only null joined or left the accepted types
	FamilyEnum          Family = "enum" // enum and const
	FamilyProperty      Family = "property"
	FamilyRequired      Family = "required"
	FamilyAdditional    Family = "additionalProperties"
	FamilyPattern       Family = "pattern"
	FamilyPatternProps  Family = "patternProperties"
	FamilyPropertyNames Family = "propertyNames"
	FamilyPropertyCount Family = "propertyCount"
	FamilyDependent     Family = "dependentRequired"
	FamilyConditional   Family = "conditional" // if/then/else and dependentSchemas
	FamilyUnevaluated   Family = "unevaluated"
	FamilyItems         Family = "items"
	FamilyTuple         Family = "tuple"
	FamilyItemCount     Family = "itemCount"
	FamilyUnique        Family = "uniqueItems"
	FamilyContains      Family = "contains"
	FamilyRange         Family = "range"
	FamilyMultiple      Family = "multipleOf"
	FamilyLength        Family = "length"
	FamilyFormat        Family = "format"
	FamilyContent       Family = "content"
	FamilyUnion         Family = "union" // a member of anyOf or oneOf
	FamilyExclusion     Family = "exclusion"
	FamilyReference     Family = "reference"
	FamilyDialect       Family = "dialect"
	FamilyDefault       Family = "default"
	FamilyDescription   Family = "description"
	FamilyTitle         Family = "title"
	FamilyExamples      Family = "examples"
	FamilyDeprecated    Family = "deprecated"
	FamilyAccess        Family = "access" // readOnly, writeOnly
	FamilyUnknown       Family = "keyword"
	FamilySchema        Family = "schema" // parts that could not be matched, told as one
)

// Annotation reports whether the family never changes which values are accepted, unless formats are asserted.
func (f Family) Annotation() bool {
	switch f {
	case FamilyDialect, FamilyDefault, FamilyDescription, FamilyTitle, FamilyExamples, FamilyDeprecated,
		FamilyAccess, FamilyContent, FamilyFormat, FamilyUnknown:
		return true
	}
	return false
}

// Edit is one syntactic difference between two schemas, told once at the deepest place that holds it.
type Edit struct {
	Family Family
	// Keyword is the keyword that differs, as written in the new schema, or in the old one if it is gone there. Where
	// several together are one family, it is the first that differs.
	Keyword string
	// Name is the property that an edit of the families property, required and patternProperties is about.
	Name string
	// Required says of the family property that the side which has it requires it.
	Required bool
	// Path is the place of the edit with references followed and wrappers such as a nullable anyOf passed over, as a
	// JSON pointer: "/properties/filter/properties/tags/items". It names the schema object that holds the keyword,
	// and for the families property and required the property's own schema.
	Path string
	// OldPath and NewPath are the JSON pointers, in either document, of the schema object that holds the keyword.
	OldPath, NewPath string
	// Instance is the place in the value that the edit speaks of, as a JSON pointer with "*" for every item or
	// undeclared property: "/filter/tags/*". Empty is the whole value.
	Instance string
	// Also lists further instance places that share the edited definition.
	Also []string
	// Old and New are the values of the keyword, or of the keywords of the family as an object; nil where absent.
	Old, New json.RawMessage
	// Removed and Added are the members of an enum that left and joined.
	Removed, Added []json.RawMessage
	// OldSchema and NewSchema are the schema objects that hold the edited keyword, for the family property those of
	// the property itself; nil where there is none.
	OldSchema, NewSchema json.RawMessage

	after    *Schema
	patch    *patch
	subsumed bool // a coarser edit takes its place
}

// Bounds on what is compared. Past them, the schemas are told as one in addition.
const (
	maxEdits = 2000
	maxPairs = 20_000
)

// editsOf lists the edits of a revision. Past the budget, the schemas are told as one in addition.
func editsOf(ctx context.Context, before, after *Schema, b Budget) []Edit {
	if before.doc == nil || after.doc == nil {
		return nil
	}
	limit := b.steps() * unitsPerStep
	c := &comparison{meter: newMeter(ctx, limit), before: before, after: after, seen: map[string]met{}, texts: map[*document]map[string]json.RawMessage{}}
	defer func() { b.Pool.take(limit - cmp.Or(c.spared, c.left)) }()
	c.dialects()
	c.compare(site{before.doc, "", before.doc.root}, site{after.doc, "", after.doc.root}, trail{})
	if c.cut = c.cut || c.left < 0; c.cut {
		c.edits = append(c.edits, Edit{Family: FamilySchema, after: after, patch: &patch{instead: &origin{after.doc, ""}}})
	} else {
		c.complete()
	}
	slices.SortStableFunc(c.edits, func(a, b Edit) int { return strings.Compare(a.Path, b.Path) })
	return c.edits
}

type comparison struct {
	*meter
	before, after *Schema
	edits         []Edit
	seen          map[string]met // by pair of places
	texts         map[*document]map[string]json.RawMessage
	pairs         []pairing // those that were compared, inner ones before outer ones
	cut           bool      // not all was compared
}

// A met pair knows which edits lie inside it, and where in the value it was met.
type met struct {
	begin, end int
	instance   string
}

// A trail is how a pair of schemas was reached.
type trail struct{ path, instance string }

func (t trail) into(instance string, path ...string) trail {
	t.path = rawjson.Join(t.path, path...)
	if instance != "" {
		t.instance = rawjson.Join(t.instance, instance)
	}
	return t
}

// compare lists the edits between two schemas. A pair that was met before shares its edits.
func (c *comparison) compare(old, new site, t trail) {
	if c.spend(512 + 4*len(old.place) + 4*len(new.place)) {
		return
	}
	x, y := settleBoth(old, new)
	c.spend(32*(len(x.o)+len(y.o)) + 256*(len(x.members)+len(y.members)))
	key := x.place + "\x00" + y.place
	if m, ok := c.seen[key]; ok {
		c.share(m, t)
		return
	}
	if len(c.edits) > maxEdits || len(c.seen) > maxPairs {
		c.cut = true
		return
	}
	begin, inner := len(c.edits), len(c.pairs)
	c.seen[key] = met{begin, begin, t.instance}
	p := pair{c, x, y, old, new, t, x.requires().asAny}
	compareAnnotations(p)
	compareAssertions(p)
	c.seen[key] = met{begin, len(c.edits), t.instance}
	c.pairs = append(c.pairs, pairing{pair: p, inner: inner, begin: begin, end: len(c.edits)})
}

// share records a further place for edits that were listed already.
func (c *comparison) share(m met, t trail) {
	for i := m.begin; i < m.end && !c.spend(8+len(t.instance)/8); i++ {
		e := &c.edits[i]
		e.Also = append(e.Also, t.instance+strings.TrimPrefix(e.Instance, m.instance))
	}
}

func (c *comparison) dialects() {
	if c.before.doc.owner("").dialect.draft == c.after.doc.owner("").dialect.draft {
		return
	}
	if old, new := c.before.At("/$schema"), c.after.At("/$schema"); !rawjson.Equal(old, new) {
		c.edits = append(c.edits, Edit{Family: FamilyDialect, Keyword: "$schema", Path: "", Old: old, New: new,
			after: c.after})
	}
}

func rawOf(v any) json.RawMessage {
	raw, _ := rawjson.Encode(v) // what was decoded, and texts, always encode
	return raw
}

func (c *comparison) rawAt(s site) json.RawMessage {
	texts := c.texts[s.doc]
	if texts == nil {
		texts = map[string]json.RawMessage{}
		c.texts[s.doc] = texts
	}
	raw, known := texts[s.place]
	if !known && c.left >= 0 {
		raw = s.doc.raw(s.place)
		texts[s.place] = raw
		c.spend(4 * len(raw))
	}
	return raw
}

// A pairing is a pair that was compared, with what was found inside it.
type pairing struct {
	pair
	inner      int // the first of its inner pairs among all
	begin, end int // its edits, with those of its inner pairs
	coarse     int // the edit that tells the pair as one; 0 for none
}

const (
	maxRounds      = 4    // of making edits coarser, from inside out
	agreementSteps = 5000 // of work on the question whether a pair comes out as it should
)

// complete makes sure that all edits together make the new schema of the old one. The innermost pairs that are proved to come
// out differently are told as one edit each.
func (c *comparison) complete() {
	after := newBuilder(c.after.doc, c.meter)
	for range maxRounds {
		made := newBuilder(c.before.doc, c.meter)
		made.patches = patchesOf(c.before.doc, c.edits)
		if made.root(asWritten).sum == c.after.plain.sum {
			break
		}
		round := len(c.edits)
		for i := range c.pairs {
			p := &c.pairs[i]
			if c.spend(64 + (len(c.pairs)-p.inner)/4) {
				break
			}
			if c.partial(i) {
				continue
			}
			if slices.ContainsFunc(c.pairs[p.inner:i+1], func(q pairing) bool { return q.coarse >= max(round, 1) }) || p.coarse > 0 {
				continue
			}
			if old, new, ok := c.off(*p, made, after); ok {
				c.coarsen(i, old, new)
			}
		}
		if len(c.edits) == round {
			break
		}
	}
	c.edits = slices.DeleteFunc(c.edits, func(e Edit) bool { return e.subsumed })
}

// partial reports whether a pair holds only a part of its old place, such as one alternative of a union that is new.
func (c *comparison) partial(i int) bool {
	return slices.ContainsFunc(c.pairs[i+1:], func(q pairing) bool { return q.inner <= i && q.x.place == c.pairs[i].x.place })
}

// off returns the place where a pair is proved to come out differently: what a reference leads to, or the pair as it stands.
func (c *comparison) off(p pairing, made, after *builder) (old, new site, ok bool) {
	if !c.differ(made.nodeAt(p.old), after.nodeAt(p.new)) {
		return old, new, false
	}
	for _, s := range [...][2]site{{p.x.site, p.y.site}, {p.old, p.new}} {
		if s[0].place == p.old.place || s[0].doc == p.x.doc && !within(s[0].place, p.old.place) {
			if c.differ(made.nodeAt(s[0]), after.nodeAt(s[1])) {
				return s[0], s[1], true
			}
		}
	}
	return old, new, false
}

func within(place, outer string) bool {
	return len(place) > len(outer) && place[:len(outer)] == outer && place[len(outer)] == '/'
}

func (b *builder) nodeAt(s site) *node { return seal(b.node(spot{doc: s.doc, place: s.place})) }

// differ reports whether it is proved that two assertions do not accept the same values.
func (c *comparison) differ(x, y *node) bool {
	return x.sum != y.sum && (c.separable(x, y) || c.separable(y, x))
}

func (c *comparison) separable(inside, outside *node) bool {
	e := newEngine(c.ctx, Budget{Steps: max(min(agreementSteps, c.left/unitsPerStep), 1), Semantics: Strict})
	limit := e.left
	out := e.inhabit([]lit{yes(inside), not(outside)})
	c.spend(limit - e.left)
	reader := &evaluator{meter: c.meter}
	return out.answer == inhabited && reader.accepts(yes(inside), out.value) == inhabited && reader.accepts(yes(outside), out.value) == void
}

// coarsen tells a pair as one edit, in place of those inside it that assert something.
func (c *comparison) coarsen(i int, old, new site) {
	if len(c.edits) >= maxEdits {
		return
	}
	p := c.pairs[i]
	inside := make([]int, 0, p.end-p.begin)
	for j := p.begin; j < p.end; j++ {
		inside = append(inside, j)
	}
	for _, q := range c.pairs[p.inner:i] {
		if q.coarse > 0 {
			inside = append(inside, q.coarse)
		}
	}
	for _, j := range inside {
		c.edits[j].subsumed = c.edits[j].subsumed || c.edits[j].patch != nil
	}
	if len(c.edits) == 0 {
		c.edits = append(c.edits, Edit{subsumed: true}) // the number 0 stands for none
	}
	c.pairs[i].coarse = len(c.edits)
	p.add(Edit{Family: FamilySchema, Old: c.rawAt(old), New: c.rawAt(new), OldPath: old.place, NewPath: new.place,
		OldSchema: c.rawAt(old), NewSchema: c.rawAt(new)}, &patch{place: old.place, instead: new.origin()})
}
