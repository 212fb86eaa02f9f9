package schema

import (
	"encoding/json"
	"slices"

	"github.com/mcpctl/mcpctl/internal/lists"
	"github.com/mcpctl/mcpctl/internal/rawjson"
)

// A pair is two schemas that take the same place in the old and the new document.
type pair struct {
	*comparison
	x, y     view
	old, new site // before their wrappers were taken off
	trail    trail
	required []any // names that the old one requires
}

func (p pair) add(e Edit, ch *patch) {
	if len(p.edits) >= maxEdits {
		p.cut = true
		return
	}
	if e.Path == "" {
		e.Path = p.trail.path
	}
	if e.OldPath == "" {
		e.OldPath = p.x.place
	}
	if e.NewPath == "" {
		e.NewPath = p.y.place
	}
	if e.Instance == "" {
		e.Instance = p.trail.instance
	}
	if e.OldSchema == nil && e.NewSchema == nil {
		e.OldSchema, e.NewSchema = p.rawAt(p.x.site), p.rawAt(p.y.site)
	}
	e.after = p.after
	if ch != nil {
		if ch.place == "" {
			ch.place = p.x.place
		}
		e.patch = ch
	}
	p.edits = append(p.edits, e)
}

func compareAnnotations(p pair) {
	for _, k := range annotations {
		was, had := p.x.notes[k]
		is, has := p.y.notes[k]
		if k == "$comment" || had == has && p.same(was.keywords()[k], is.keywords()[k]) || p.x.hands(k, p.y) || p.y.hands(k, p.x) {
			continue
		}
		p.add(Edit{Family: familyOfNote(k), Keyword: k, OldPath: was.place, NewPath: is.place, Old: was.raw(k), New: is.raw(k)}, nil)
	}
}

func familyOfNote(keyword string) Family {
	switch keyword {
	case "readOnly", "writeOnly":
		return FamilyAccess
	}
	return Family(keyword)
}

func compareAssertions(p pair) {
	compareNull(p)
	switch {
	case len(p.x.members) > 0 || len(p.y.members) > 0:
		compareUnions(p)
	case p.unlike():
		p.add(Edit{Family: FamilyType, Keyword: "type", Old: p.x.raw("type"), New: p.y.raw("type")},
			&patch{place: p.x.place, instead: p.y.origin()})
	default:
		compareFlattened(p)
		compareTypes(p)
		compareEnums(p)
		compareReferences(p)
		compareKeywords(p)
		compareInner(p)
	}
}

// types of a view without null; ok is false where it names none.
func (v view) types() (types []string, ok bool) {
	value, ok := v.o["type"]
	if !ok {
		return nil, false
	}
	for _, t := range listed(value) {
		if name, _ := t.(string); name != "null" {
			types = append(types, name)
		}
	}
	slices.Sort(types)
	return slices.Compact(types), true
}

// acceptsNull reports whether a view accepts null, and whether it says so at all.
func (v view) acceptsNull() (null, typed bool) {
	value, hasType := v.o["type"]
	members, hasEnum := v.enum()
	byType := !hasType || slices.Contains(listed(value), any("null"))
	byEnum := !hasEnum || slices.Contains(members, nil)
	return v.null || byType && byEnum && (hasType || hasEnum), hasType || hasEnum || v.null
}

func compareNull(p pair) {
	was, typed := p.x.acceptsNull()
	is, stillTyped := p.y.acceptsNull()
	if was == is || !typed && len(p.x.members) == 0 || !stillTyped && len(p.y.members) == 0 {
		return
	}
	ch := &patch{place: p.old.place, null: nullAdded}
	if was {
		ch.null = nullRemoved
	}
	p.add(Edit{Family: FamilyNull, Keyword: "type", Old: p.rawAt(p.old), New: p.rawAt(p.new)}, ch)
}

// unlike reports whether both name types and have none in common.
func (p pair) unlike() bool {
	x, ok := p.x.types()
	y, also := p.y.types()
	if !ok || !also || len(x) == 0 || len(y) == 0 {
		return false
	}
	return !slices.ContainsFunc(x, func(t string) bool {
		return slices.Contains(y, t) || t == "integer" && slices.Contains(y, "number") ||
			t == "number" && slices.Contains(y, "integer")
	})
}

func compareTypes(p pair) {
	x, _ := p.x.types()
	y, named := p.y.types()
	if slices.Equal(x, y) {
		return
	}
	ch := &patch{drop: p.x.dropUnion("type")}
	if named {
		types := []any{}
		for _, t := range y {
			types = append(types, t)
		}
		from, typed := p.x.o["type"]
		if !typed {
			from = p.y.o["type"]
		}
		if slices.Contains(listed(from), any("null")) {
			types = append(types, "null")
		}
		ch.set = []patchedKeyword{{path: []string{"type"}, value: types}}
	}
	p.add(Edit{Family: FamilyType, Keyword: "type", Old: p.x.raw("type"), New: p.y.raw("type")}, ch)
}

// dropUnion lists keywords to take away, and the union that a view stands for.
func (v view) dropUnion(keywords ...string) [][]string {
	out := lists.Map(keywords, func(k string) []string { return []string{k} })
	if v.union != "" {
		out = append(out, []string{v.union})
	}
	return out
}

// compareEnums lists the members that left an enum and those that joined, each as an edit of its own.
func compareEnums(p pair) {
	x, had := p.x.enum()
	y, has := p.y.enum()
	if !had && !has {
		return
	}
	removed, added := without(x, y), without(y, x)
	switch {
	case had != has, len(x) == 1 && len(y) == 1 && len(removed) == 1:
		p.enum(x, y, removed, added, has)
		return
	}
	if len(removed) > 0 {
		p.enum(x, y, removed, nil, true)
	}
	if len(added) > 0 {
		p.enum(x, y, nil, added, true)
	}
}

func (p pair) enum(x, y, removed, added []any, has bool) {
	becomes := &listChange{x, removed, added}
	removed, added = withoutNull(removed), withoutNull(added)
	if len(removed) == 0 && len(added) == 0 && x != nil && y != nil {
		return
	}
	e := Edit{Family: FamilyEnum, Keyword: "enum", Removed: rawList(removed), Added: rawList(added)}
	if x != nil {
		e.Old = p.x.choice()
	}
	if y != nil {
		e.New = p.y.choice()
	}
	_, constBefore := p.x.o["const"]
	_, constAfter := p.y.o["const"]
	if (constBefore || x == nil) && (constAfter || y == nil) {
		e.Keyword = "const"
	}
	ch := &patch{drop: p.x.dropUnion("enum", "const")}
	if has {
		ch.enum = becomes
	}
	p.add(e, ch)
}

// choice is the list of an enum as written, of a const a list of that.
func (v view) choice() json.RawMessage {
	if raw := v.raw("const"); raw != nil {
		return rawjson.List([]json.RawMessage{raw})
	}
	return v.raw("enum")
}

func without(a, b []any) []any {
	have := lists.Set(lists.Map(b, canonical))
	return lists.Filter(a, func(v any) bool { return !have[canonical(v)] })
}

// withoutNull drops null, whose coming and going is told on its own.
func withoutNull(values []any) []any {
	return slices.DeleteFunc(slices.Clone(values), func(v any) bool { return v == nil })
}

func rawList(values []any) []json.RawMessage { return lists.Map(values, rawOf) }
