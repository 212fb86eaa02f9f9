package schema

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/rawjson"
)

// A pair is two schemas that take the same place in the old and the new document.
type pair struct {
	*comparison
	x, y       view
	trail      trail
	schemaPair *schemaPair
}

// inside compares the schemas that a keyword holds on both sides.
func (p pair) inside(at ...string) { p.against(p.y.child(at...), p.trail.into(at...), at...) }

// against compares the schema that a keyword of the old schema object holds with a new one.
func (p pair) against(new site, t trail, at ...string) {
	p.reach(p.compare(p.x.child(at...), new, t), at...)
}

// reach records a pair that is reached by a keyword of the old schema object.
func (p pair) reach(m *schemaPair, at ...string) {
	if m != nil {
		p.schemaPair.children = append(p.schemaPair.children, child{m, at})
		m.parents = append(m.parents, p.schemaPair)
	}
}

// add lists an edit, and how it is made in the old schema object; that is nil for an annotation.
func (p pair) add(e Edit, patch func(*object)) {
	if len(p.edits) >= maxEdits {
		p.cut = true
		return
	}
	e.Path, e.Instance = cmp.Or(e.Path, p.trail.path), cmp.Or(e.Instance, p.trail.instance)
	e.OldPath, e.NewPath = cmp.Or(e.OldPath, p.x.place), cmp.Or(e.NewPath, p.y.place)
	e.OldSchema, e.NewSchema = p.rawAt(p.x.site), p.rawAt(p.y.site)
	if e.patch = patch; patch != nil {
		e.at = p.schemaPair
	}
	p.comparison.edits = append(p.comparison.edits, e)
}

// compareAnnotations lists the remarks that differ. If places are named, only those that are written there
// count: the others were compared before.
func compareAnnotations(p pair, places map[string]bool) {
	noted := maps.Clone(p.x.notes)
	maps.Copy(noted, p.y.notes)
	for _, k := range kit.SortedKeys(noted) {
		was, had := p.x.notes[k]
		is, has := p.y.notes[k]
		old, new := was.keywords()[k], is.keywords()[k]
		switch {
		case k == "$comment" || had == has && p.same(old, new):
		case p.x.pairsNote(k, p.y) || p.y.pairsNote(k, p.x):
		case places != nil && !(had && places[was.place]) && !(has && places[is.place]):
		case k == "discriminator" && p.mapped(was, is):
		case had && has && (k == "default" || k == "examples") && p.sameUnordered(k, old, new):
		default:
			p.add(Edit{Family: cmp.Or(annotations[k], FamilyUnknown), Keyword: k,
				OldPath: was.place, NewPath: is.place, Old: was.raw(k), New: is.raw(k)}, nil)
		}
	}
}

// sameUnordered reports whether two defaults, or two lists of examples, differ only in the order of examples
// and of the items of what is a set on both sides: pydantic writes them in another order at each start.
func (p pair) sameUnordered(keyword string, old, new any) bool {
	if p.spend(512 * (weight(old, maxEvaluation) + weight(new, maxEvaluation))) {
		return false
	}
	text := func(v view, value any) string {
		examples, isList := value.([]any)
		if keyword == "default" || !isList {
			return p.unordered(v, value)
		}
		texts := kit.Map(examples, func(example any) string { return p.unordered(v, example) })
		return fmt.Sprintf("%q", slices.Sorted(slices.Values(texts)))
	}
	return text(p.x, old) == text(p.x, new) && text(p.y, old) == text(p.y, new) && p.left >= 0
}

// unordered returns a text that is the same for values of a schema that differ only in the order of the items
// of sets.
func (c *comparison) unordered(v view, value any) string {
	var parts []string
	switch value := value.(type) {
	case []any:
		items := c.settled(v.child("items"))
		parts = kit.Map(value, func(item any) string { return c.unordered(items, item) })
		if v.o["uniqueItems"] == true {
			slices.Sort(parts)
		}
	case map[string]any:
		for _, name := range kit.SortedKeys(value) {
			inner := v.child("properties", name)
			if inner.value == nil {
				inner = v.child("additionalProperties")
			}
			parts = append(parts, name, c.unordered(c.settled(inner), value[name]))
		}
	default:
		return canonical(value)
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%T%q", value, parts)) // texts of texts would grow with the depth
	return string(sum[:])
}

// settled settles a schema, and keeps it: many members of a default may have the same one.
func (c *comparison) settled(s site) view {
	key := s.doc.digest + s.place
	v, known := c.views[key]
	if !known {
		v = settle(s)
		c.views[key] = v
		c.spend(512 + 32*len(v.o) + 256*len(v.members))
	}
	return v
}

// mapped reports whether two discriminators differ only in the names of definitions, and in values whose
// alternatives came or left.
func (p pair) mapped(was, is site) bool {
	old, isObject := was.keywords()["discriminator"].(map[string]any)
	new, also := is.keywords()["discriminator"].(map[string]any)
	if !isObject || !also || !p.same(old["propertyName"], new["propertyName"]) {
		return false
	}
	before, _ := old["mapping"].(map[string]any)
	after, _ := new["mapping"].(map[string]any)
	for value, ref := range before {
		x, found := (site{was.doc, was.place, map[string]any{"$ref": ref}}).follow()
		y, also := (site{is.doc, is.place, map[string]any{"$ref": after[value]}}).follow()
		if after[value] != nil && !p.same(ref, after[value]) &&
			(!found || !also || !p.same(settle(x).o, settle(y).o)) {
			return false
		}
	}
	return true
}

// compareAssertions compares everything but annotations and null. Two schemas without a type in common are
// one edit of the type, and so is one that refuses everything: edits of their keywords would mean nothing.
func compareAssertions(p pair) {
	switch {
	case refusing(p.x.o) != refusing(p.y.o):
		p.add(Edit{Family: FamilySchema, Old: p.rawAt(p.x.site), New: p.rawAt(p.y.site)},
			func(o *object) { o.instead = p.y.part() })
	case len(p.x.members) > 0 || len(p.y.members) > 0:
		compareUnions(p)
		carryNull(p)
	case p.unlike():
		p.add(Edit{Family: FamilyType, Keyword: "type", Old: p.x.typeOrChoice(), New: p.y.typeOrChoice()},
			func(o *object) { o.instead = p.y.part() })
	default:
		compareFlattened(p)
		compareTypes(p)
		compareEnums(p)
		compareReferences(p)
		compareKeywords(p)
		compareProperties(p)
		comparePatternProperties(p)
		compareAdditional(p)
		compareItems(p)
		compareCombined(p)
	}
}

// fraction is the type of the numbers that are not integers: "number" is both of them.
const fraction = "fraction"

var allTypes = []string{"array", "boolean", fraction, "integer", "object", "string"}

// types returns the types that a view accepts, without null: those that it names, or those of the values that
// it lists; ok is false where it does neither. Sorted.
func (v view) types() (types []string, ok bool) {
	value, named := v.o["type"]
	if members, listed := v.enum(); !named && listed {
		return typesOf(members), true
	}
	if !named {
		return allTypes, false
	}
	for _, t := range listed(value) {
		switch name, _ := t.(string); name {
		case "null":
		case "number":
			types = append(types, "integer", fraction)
		default:
			types = append(types, name)
		}
	}
	return sortedNames(types), true
}

// typesOf returns the types of some values.
func typesOf(values []any) []string {
	names := map[kindSet]string{kindBoolean: "boolean", kindString: "string", kindArray: "array",
		kindObject: "object"}
	var types []string
	for _, v := range values {
		name := names[kindOf(v)]
		if n, ok := v.(json.Number); ok {
			name = fraction
			if r, readable := rational(n); readable && r.IsInt() {
				name = "integer"
			}
		}
		if name != "" {
			types = append(types, name)
		}
	}
	return sortedNames(types)
}

// namedTypes writes types as a schema does.
func namedTypes(types []any) any {
	out := slices.Clone(types)
	if slices.Contains(out, any(fraction)) {
		out = kit.Filter(out, func(t any) bool { return t != "integer" && t != fraction })
		out = append(out, "number")
	}
	return out
}

// unlike reports whether both say which types they accept, and have none in common.
func (p pair) unlike() bool {
	x, ok := p.x.effectiveTypes()
	y, also := p.y.effectiveTypes()
	return ok && also && len(x) > 0 && len(y) > 0 &&
		!slices.ContainsFunc(x, func(t string) bool { return slices.Contains(y, t) })
}

// effectiveTypes returns the types of the values that a view lists, or the types that it names.
func (v view) effectiveTypes() (types []string, ok bool) {
	if members, listed := v.enum(); listed {
		return typesOf(members), true
	}
	return v.types()
}

// typeOrChoice returns the type as written, or the list of values if there is one.
func (v view) typeOrChoice() json.RawMessage {
	if raw := v.choice(); raw != nil {
		return raw
	}
	return v.raw("type")
}

// compareTypes lists the types that are lost as one edit, and those that are gained as another one.
func compareTypes(p pair) {
	x, named := p.x.types()
	y, also := p.y.types()
	hadType, hasType := hasAny(p.x.o, "type"), hasAny(p.y.o, "type")
	if !hadType && !hasType {
		return // the values that are listed say it all
	}
	var minus, plus []any // where one side only lists values, its list says what is lost or gained
	base, after := asAny(x), asAny(y)
	if hasType || !also {
		minus = without(base, after)
	}
	if hadType || !named {
		plus = without(after, base)
	}
	was, _ := p.x.acceptsNull()
	is, _ := p.y.acceptsNull()
	if was || !named {
		base = append(base, "null")
	}
	switch { // else null has an edit of its own
	case !named && !is:
		minus = append(minus, "null")
	case !also && !was:
		plus = append(plus, "null")
	}
	e := Edit{Family: FamilyType, Keyword: "type", Old: p.x.raw("type"), New: p.y.raw("type")}
	if len(minus) > 0 {
		e.Removed, e.Added = rawList(minus), nil
		p.add(e, func(o *object) { o.list("type", base, minus, nil, p.x.union) })
	}
	if len(plus) > 0 {
		e.Removed, e.Added = nil, rawList(plus)
		p.add(e, func(o *object) { o.list("type", base, nil, plus, p.x.union) })
	}
}

func asAny(names []string) []any { return kit.Map(names, func(name string) any { return name }) }

// compareEnums lists the values that left an enum as one edit, and those that joined as another one; as one
// edit where no value is left. Null has an edit of its own.
func compareEnums(p pair) {
	x, had := p.x.enum()
	y, has := p.y.enum()
	removed, added := withoutNull(without(x, y)), withoutNull(without(y, x))
	switch {
	case had == has && len(removed) == 0 && len(added) == 0:
	case had != has, len(removed) == 0, len(added) == 0,
		len(removed) == len(withoutNull(x)) && len(added) == len(withoutNull(y)):
		p.enum(x, y, removed, added, has)
	default:
		p.enum(x, y, removed, nil, true)
		p.enum(x, y, nil, added, true)
	}
}

// enum adds an edit that takes some values out and puts others in. has is false if the new side lists no
// values; the patch then sets the new type where the old values were all that implied one.
func (p pair) enum(x, y, removed, added []any, has bool) {
	e := Edit{Family: FamilyEnum, Keyword: "enum", Old: p.x.choice(), New: p.y.choice(),
		Removed: rawList(removed), Added: rawList(added)}
	if (x == nil || hasAny(p.x.o, "const")) && (y == nil || hasAny(p.y.o, "const")) {
		e.Keyword = "const"
	}
	null, typed := p.x.acceptsNull()
	if x == nil && (null || !typed && slices.Contains(y, nil)) {
		added = append(slices.Clone(added), nil)
	}
	p.add(e, func(o *object) {
		if has {
			o.list("enum", x, removed, added, "const", p.x.union)
			return
		}
		o.drop("enum", "const", p.x.union)
		if !hasAny(p.x.o, "type") && hasAny(p.y.o, "type") { // the values said it
			names, _ := p.y.types()
			types := asAny(names)
			if null {
				types = append(types, "null")
			}
			o.types = types
		}
	})
}

// choice returns the list of an enum as written, or a list of the const.
func (v view) choice() json.RawMessage {
	if raw := v.raw("const"); raw != nil {
		return rawjson.List([]json.RawMessage{raw})
	}
	return v.raw("enum")
}

func without(a, b []any) []any {
	have := kit.Set(kit.Map(b, canonical))
	return kit.Filter(a, func(v any) bool { return !have[canonical(v)] })
}

// withoutNull drops null, which has edits of its own.
func withoutNull(values []any) []any { return without(values, []any{nil}) }

func rawList(values []any) []json.RawMessage { return kit.Map(values, rawOf) }
