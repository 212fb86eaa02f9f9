package schema

import "slices"

// A site is a schema in a document.
type site struct {
	doc   *document
	place string
	value any
}

// keywords returns the keywords of a site; a boolean schema has those that say the same.
func (s site) keywords() map[string]any {
	switch v := s.value.(type) {
	case map[string]any:
		return v
	case bool:
		if !v {
			return map[string]any{"not": map[string]any{}}
		}
	}
	return map[string]any{}
}

func (s site) origin() *origin { return &origin{s.doc, s.place} }

// child returns the site under a keyword.
func (s site) child(tokens ...string) site {
	place := join(s.place, tokens...)
	v, _ := at(s.doc.root, place)
	return site{s.doc, place, v}
}

// list returns the sites of the schemas in an array.
func (s site) list(keyword string) []site {
	members, _ := s.keywords()[keyword].([]any)
	out := make([]site, len(members))
	for i := range members {
		out[i] = s.child(keyword, itoa(i))
	}
	return out
}

// follow returns the site that the reference of a site names.
func (s site) follow() (site, bool) {
	ref, ok := s.keywords()["$ref"].(string)
	if !ok {
		return s, false
	}
	doc, place, _, ok := s.doc.resolve(ref, s.doc.owner(s.place))
	if !ok {
		return s, false
	}
	v, ok := at(doc.root, place)
	return site{doc, place, v}, ok
}

// A view is a site with what only wraps it taken off: references, combinations of one, and alternatives with null.
type view struct {
	site
	o       map[string]any    // its keywords; a union of plain types or constants is written as one
	notes   map[string]any    // annotations, those of wrappers first
	noted   map[string]string // where they were written
	null    bool              // a wrapper accepts null
	union   string            // anyOf or oneOf, if that is all there is and it has several members other than null
	members []int             // their indexes
}

// annotations are the keywords that say nothing about which values are accepted.
var annotations = []string{"$comment", "default", "deprecated", "description", "examples", "readOnly", "title",
	"writeOnly"}

// silent are the keywords that only hold or name other schemas.
var silent = []string{"$anchor", "$defs", "$dynamicAnchor", "$id", "$recursiveAnchor", "$schema", "$vocabulary",
	"definitions", "id"}

// maxWrappers bounds the wrappers that are taken off.
const maxWrappers = 32

// settle takes the wrappers off a site, and writes a union of plain types or of constants as one.
func settle(s site) view {
	v := strip(s)
	v.flatten()
	return v
}

// strip takes the wrappers off a site.
func strip(s site) view {
	v := view{site: s, notes: map[string]any{}, noted: map[string]string{}}
	for range maxWrappers {
		v.note()
		inner, ok := v.unwrap()
		if !ok {
			break
		}
		v.site = inner
	}
	v.o = v.keywords()
	return v
}

func (v *view) note() {
	o := v.keywords()
	for _, k := range annotations {
		if _, known := v.notes[k]; known {
			continue
		}
		if value, ok := o[k]; ok {
			v.notes[k], v.noted[k] = value, v.place
		}
	}
}

// asserting lists the keywords of a schema object other than annotations.
func asserting(o map[string]any) []string {
	var out []string
	for _, k := range sortedKeys(o) {
		if !slices.Contains(annotations, k) && !slices.Contains(silent, k) {
			out = append(out, k)
		}
	}
	return out
}

// unwrap returns what the site wraps.
func (v *view) unwrap() (site, bool) {
	o := v.keywords()
	said := asserting(o)
	if _, ref := o["$ref"]; ref && (len(said) == 1 || v.doc.owner(v.place).dialect.refAlone()) {
		return v.follow()
	}
	if len(said) != 1 {
		return site{}, false
	}
	switch keyword := said[0]; keyword {
	case "allOf":
		if members := v.list(keyword); len(members) == 1 {
			return members[0], true
		}
	case "anyOf", "oneOf":
		return v.alternatives(keyword)
	}
	return site{}, false
}

// alternatives takes null out of a union, and returns the one member that is left, or records several.
func (v *view) alternatives(keyword string) (site, bool) {
	var members []int
	list := v.list(keyword)
	for i, m := range list {
		if !onlyNull(m) {
			members = append(members, i)
		}
	}
	switch {
	case len(members) == 0:
		return site{}, false
	case len(members) < len(list):
		v.null = true
	}
	if len(members) == 1 {
		return list[members[0]], true
	}
	v.union, v.members = keyword, members
	return site{}, false
}

func onlyNull(s site) bool {
	o := s.keywords()
	said := asserting(o)
	if len(said) != 1 {
		return false
	}
	switch said[0] {
	case "type":
		return jsonText(o["type"]) == `"null"` || jsonText(o["type"]) == `["null"]`
	case "const":
		return o["const"] == nil
	case "enum":
		return jsonText(o["enum"]) == "[null]"
	}
	return false
}

// flatten writes a union of plain types as one type, and a union of constants as one enum.
func (v *view) flatten() {
	if v.union == "" {
		return
	}
	var types, values []any
	for _, i := range v.members {
		m := strip(v.child(v.union, itoa(i)))
		said := asserting(m.o)
		switch {
		case m.null || m.union != "":
			return
		case len(said) == 1 && said[0] == "type":
			types = append(types, listed(m.o["type"])...)
		case enumOnly(said):
			members, _ := m.enum()
			values = append(values, members...)
		default:
			return
		}
	}
	switch {
	case len(values) == 0:
		v.o = map[string]any{"type": types}
	case len(types) == 0:
		v.o = map[string]any{"enum": values}
	default:
		return
	}
	v.members = nil
}

func enumOnly(said []string) bool {
	for _, k := range said {
		if k != "enum" && k != "const" && k != "type" {
			return false
		}
	}
	return slices.Contains(said, "enum") || slices.Contains(said, "const")
}

// listed returns an array, or an array of the one value.
func listed(v any) []any {
	if list, ok := v.([]any); ok {
		return list
	}
	return []any{v}
}

// enum returns the finite set of values of a view.
func (v view) enum() ([]any, bool) {
	if value, ok := v.o["const"]; ok {
		return []any{value}, true
	}
	list, ok := v.o["enum"].([]any)
	return list, ok
}
