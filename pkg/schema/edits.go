package schema

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/rawjson"
)

// Family groups keywords whose changes share a rule.
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
	FamilySchema        Family = "schema" // parts that could not be matched, as one edit
)

// Edit is one syntactic difference between two schemas, at the deepest place that holds it.
type Edit struct {
	Family Family
	// Keyword is the keyword that differs, as written in the new schema, or in the old one if it is gone
	// there. Where several together are one family, it is the first that differs.
	Keyword string
	// Name is the property that an edit of the families property, required and patternProperties is about.
	Name string
	// Required says of the family property that the side which has it requires it.
	Required bool
	// Path is the place of the edit with references followed and wrappers such as a nullable anyOf passed
	// over, as a JSON pointer: "/properties/filter/properties/tags/items". It names the schema object that
	// holds the keyword, and for the families property and required the property's own schema.
	Path string
	// OldPath and NewPath are the JSON pointers, in either document, of the schema object that holds the
	// keyword.
	OldPath, NewPath string
	// Instance is the place in the value that the edit speaks of, as a JSON pointer with "[]" for every item
	// and "*" for every undeclared property: "/filter/tags/[]". Empty is the whole value.
	Instance string
	// Keywords are those that the edit is about, where several may be compared together: OldSchema and
	// NewSchema have all their values.
	Keywords []string
	// Also lists further instance places that share the edited definition, the first that have some 2 KiB in
	// all. More is how many there are besides.
	Also []string
	More int
	// Old and New are the values of the keyword, or of the first of Keywords that is there; nil where absent.
	Old, New json.RawMessage
	// Removed and Added are the members of an enum that left and joined.
	Removed, Added []json.RawMessage
	// OldSchema and NewSchema are the schema objects that hold the edited keyword.
	OldSchema, NewSchema json.RawMessage

	also  int           // the bytes of Also
	at    *schemaPair   // where it is; nil for an annotation
	patch func(*object) // makes it in the old schema object there
	same  []Edit        // what the same change of a definition is in other objects that it is an arm of

	carriesNull bool // whether null is accepted changes with it
	ofUnion     bool // an alternative joined or left, or another keyword combines them
}

// everywhere returns the edit and those that are the same one elsewhere.
func (e Edit) everywhere() []Edit { return append([]Edit{e}, e.same...) }

// asserts reports whether the edit may change which values are accepted.
func (e Edit) asserts() bool {
	return e.patch != nil && e.Family != FamilyFormat && e.Family != FamilyContent
}

// Bounds on what is compared. Past them, the comparison is cut.
const (
	maxEdits = 2000
	maxPairs = 40_000
)

type comparison struct {
	*meter
	edits []Edit
	seen  map[schemaPairKey]*schemaPair
	texts map[string]json.RawMessage // by document and place
	views map[string]view            // settled schemas, by document and place
	nulls map[string]answer          // whether schemas accept null, by document and place
	cut   bool                       // not all was compared
}

// A schemaPair is two schemas that were compared, with the edits between them and the pairs inside.
type schemaPair struct {
	number     int
	old, new   site
	x, y       view
	instance   string  // in the value, where it was met first
	begin, end int     // its edits, those inside included
	own        []int   // those of its own keywords that assert something, once all are sorted
	reached    editSet // all that are made here or inside
	// the pair without what only wraps the schemas; the core of that is nil, or the pair of the same old
	// object and the alternative that matches it
	core *schemaPair
	nullness
	plain    bool // both say only what values of a type hold, see [place]
	apart    bool // both are unions whose alternatives exclude each other, see apart.go
	children []child
	parents  []*schemaPair
}

// A metKey names a pair: as it is written, or without what only wraps the schemas.
type schemaPairKey struct {
	old, new string
	bare     bool
}

// A child is a pair inside a pair, with the keyword of the old schema object where it stands, and its name or
// number there.
type child struct {
	*schemaPair
	at []string
}

// A trail is how a pair of schemas was reached.
type trail struct{ path, instance string }

// into returns the trail of a schema that a keyword holds.
func (t trail) into(path ...string) trail {
	t.path = rawjson.Join(t.path, path...)
	instance := ""
	switch path[0] {
	case "properties", "prefixItems":
		instance = path[1]
	case "items", "contains", "unevaluatedItems":
		instance = "[]"
	case "additionalProperties", "patternProperties", "propertyNames", "unevaluatedProperties",
		"contentSchema":
		instance = "*"
	}
	if instance != "" {
		t.instance = rawjson.Join(t.instance, instance)
	}
	return t
}

// longestPath bounds the paths with references followed, in bytes. Past it a path goes on from where the new
// schema is written: chains of definitions would make paths of any length.
const longestPath = 1 << 10

// short returns a trail whose path is not too long, to a new schema.
func (t trail) short(to site) trail {
	if len(t.path) > longestPath && len(to.place) < len(t.path) {
		t.path = to.place
	}
	return t
}

// compare lists the edits between two schemas: those of what wraps them, such as null, and those of what is
// inside the wrappers. A pair that was met before shares its edits. It returns nil where the budget is spent
// or the pairs are too many.
func (c *comparison) compare(old, new site, t trail) *schemaPair {
	t = t.short(new)
	if c.spend(512+4*len(old.place)+4*len(new.place)) || len(c.seen) > maxPairs {
		c.cut = true
		return nil
	}
	x, y := settleBoth(old, new)
	c.spend(32*(len(x.o)+len(y.o)) + 256*(len(x.members)+len(y.members)))
	p := pair{comparison: c, x: x, y: y, trail: t}
	m, known := c.meet(p, x.target, y.target, false)
	if p.schemaPair = m; known {
		c.share(m, t)
		compareAnnotations(p, kit.Set(slices.Concat(x.wrappers[:x.references], y.wrappers[:y.references])))
		return m
	}
	compareNull(p)
	p.schemaPair, known = c.meet(p, x.site, y.site, true)
	m.become(p.schemaPair)
	if known {
		c.share(p.schemaPair, t)
		compareAnnotations(p, kit.Set(slices.Concat(x.wrappers, y.wrappers)))
	} else {
		compareAnnotations(p, nil)
		compareAssertions(p)
		p.schemaPair.end, p.schemaPair.plain = len(c.edits), p.schemaPair.apart || x.plainly() && y.plainly()
	}
	m.end = len(c.edits)
	return m
}

// meet returns the pair of two schemas, and whether it was met before.
func (c *comparison) meet(p pair, old, new site, bare bool) (m *schemaPair, known bool) {
	key := schemaPairKey{old.place, new.place, bare}
	if m = c.seen[key]; m != nil {
		return m, true
	}
	m = &schemaPair{number: len(c.seen), old: old, new: new, x: p.x, y: p.y, instance: p.trail.instance,
		begin: len(c.edits), end: len(c.edits)}
	c.seen[key] = m
	return m, false
}

// become makes another pair the core of m.
func (m *schemaPair) become(core *schemaPair) {
	m.core = core
	core.parents = append(core.parents, m)
}

// leads reports whether a pair is read as another one.
func (m *schemaPair) leads(to *schemaPair) bool {
	for ; m != nil && m != to; m = m.core {
	}
	return m == to
}

// same reports whether two decoded values are equal; none are where the budget is spent.
func (c *comparison) same(a, b any) bool {
	return !c.spend(4*weight(a, maxEvaluation)) && rawjson.Same(a, b)
}

// mostAlso bounds the bytes of the places that are listed of an edit in a shared definition.
const mostAlso = 2 << 10

// share records a further place for edits that were listed already.
func (c *comparison) share(m *schemaPair, t trail) {
	for i := m.begin; i < m.end && !c.spend(8); i++ {
		place := t.instance + strings.TrimPrefix(c.edits[i].Instance, m.instance)
		c.edits[i].alsoIn(place)
		c.spend(len(place) / 8)
	}
}

// alsoIn records a further place of an edit.
func (e *Edit) alsoIn(place string) {
	if e.also > mostAlso {
		e.More++
		return
	}
	e.Also, e.also = append(e.Also, place), e.also+len(place)
}

func rawOf(v any) json.RawMessage {
	raw, _ := rawjson.Encode(v) // what was decoded, and texts, always encode
	return raw
}

// rawAt returns the value at a site as written, and keeps it, so that each place is written out once. It is
// nil where the budget is spent and the text is not known yet.
func (c *comparison) rawAt(s site) json.RawMessage {
	key := s.doc.digest + s.place
	raw, known := c.texts[key]
	if !known && c.left >= 0 {
		raw = s.doc.raw(s.place)
		c.texts[key] = raw
		c.spend(4 * len(raw))
	}
	return raw
}
