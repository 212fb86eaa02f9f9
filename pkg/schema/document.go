package schema

import (
	"encoding/json"
	"net/url"
	"strconv"
	"strings"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/rawjson"
)

// A document is a decoded schema with an index of the resources and anchors in it (2020-12 §8.2).
type document struct {
	root      any
	digest    string
	limit     int                  // of the work of building it, in units
	resources map[string]*resource // by absolute address without fragment
	roots     map[string]*resource // by JSON pointer
	written   rawjson.Part
}

// raw returns the value at a place as written, or encoded anew if it is nested very deeply; nil if there is
// none.
func (d *document) raw(place string) json.RawMessage {
	if raw := d.written.At(place); raw != nil {
		return raw
	}
	if value, there := rawjson.At(d.root, place); there {
		return rawOf(value)
	}
	return nil
}

// A resource is a schema object with an address: the root, and each object with "$id".
type resource struct {
	place   string
	base    *url.URL
	dialect dialect
	anchors map[string]string // pointers by plain name
}

// unnamedBase is the address of a document without one. It is the same for all, so that references compare.
const unnamedBase = "schema:///"

// newDocument indexes a document. The index is not whole where that takes more than m has.
func newDocument(m *meter, root any, digest string) *document {
	d := &document{root: root, digest: digest, limit: max(m.left, 0), resources: map[string]*resource{},
		roots: map[string]*resource{}}
	base, _ := url.Parse(unnamedBase)
	outer := &resource{base: base, dialect: dialect{draft: Draft202012, unnamed: true}}
	d.index(m, root, "", outer)
	if d.roots[""] == nil {
		d.open("", outer.base, outer.dialect)
	}
	return d
}

// open records a resource at a place. Where two have the same address, the first one keeps it.
func (d *document) open(place string, base *url.URL, dialect dialect) *resource {
	r := &resource{place: place, base: base, dialect: dialect, anchors: map[string]string{}}
	d.roots[place] = r
	if _, taken := d.resources[base.String()]; !taken {
		d.resources[base.String()] = r
	}
	return r
}

// index walks the subschemas of v, which stands at place inside the resource in.
func (d *document) index(m *meter, v any, place string, in *resource) {
	spent := m.spend(32 + len(place)/4) // for its place, which was written out
	o, ok := v.(map[string]any)
	if !ok || spent {
		return
	}
	in = d.enter(o, place, in)
	d.name(o, place, in)
	for _, keyword := range kit.SortedKeys(o) {
		for _, sub := range Subschemas(keyword, o[keyword]) {
			if m.left < 0 {
				return // before the next place is written out
			}
			d.index(m, sub.Value, rawjson.Join(rawjson.Join(place, keyword), sub.Steps...), in)
		}
	}
}

// enter returns the resource that the schema object at place belongs to: a new one at the root and where it
// has an id.
func (d *document) enter(o map[string]any, place string, in *resource) *resource {
	kind, base := in.dialect, in.base
	named, _ := o["$schema"].(string)
	if draft, known := draftOf(named); known {
		kind = dialect{draft: draft}
	}
	id, hasID := o[kind.idKeyword()].(string)
	if _, ref := o["$ref"].(string); kind.draft <= Draft07 && (ref || strings.HasPrefix(id, "#")) {
		hasID = false // it is void beside the reference, or an anchor
	}
	if !hasID && place != "" {
		return in
	}
	if u, err := base.Parse(id); hasID && err == nil {
		u.Fragment, base = "", u
	}
	return d.open(place, base, kind)
}

// name records the anchors of the schema object at place.
func (d *document) name(o map[string]any, place string, in *resource) {
	if id, ok := o[in.dialect.idKeyword()].(string); ok && in.dialect.draft <= Draft07 &&
		strings.HasPrefix(id, "#") {
		in.anchors[id[1:]] = place
	}
	for _, keyword := range [...]string{"$anchor", "$dynamicAnchor"} {
		if a, ok := o[keyword].(string); ok && in.dialect.reads(keyword) {
			in.anchors[a] = place
		}
	}
}

// owner returns the resource whose root encloses a place most closely.
func (d *document) owner(place string) *resource {
	if len(d.roots) == 1 {
		return d.roots[""]
	}
	for {
		if r := d.roots[place]; r != nil {
			return r
		}
		place = place[:strings.LastIndexByte(place, '/')]
	}
}

// resolve follows a reference from inside a resource. uri is the absolute form of the reference.
func (d *document) resolve(ref string, from *resource) (in *document, place, uri string, ok bool) {
	u, err := from.base.Parse(ref)
	if err != nil {
		return nil, "", ref, false
	}
	uri, fragment := u.String(), u.Fragment
	u.Fragment = ""
	r := d.resources[u.String()]
	if r == nil {
		draft, known := draftOf(u.String())
		if !known {
			return nil, "", uri, false
		}
		d = Meta(draft).doc
		r = d.roots[""]
	}
	switch {
	case fragment == "":
		return d, r.place, uri, true
	case !strings.HasPrefix(fragment, "/"):
		place, ok = r.anchors[fragment]
		return d, place, uri, ok
	}
	place = rawjson.Join(r.place, rawjson.Split(fragment)...)
	_, ok = rawjson.At(d.root, place)
	return d, place, uri, ok
}

// Subschema is a schema inside a schema object.
type Subschema struct {
	// from the value of the keyword, as steps of a JSON pointer; none where the value is the schema
	Steps []string
	Value any
}

// Subschemas lists the schemas that a keyword holds in some draft, by name. What other keywords hold is data.
func Subschemas(keyword string, value any) []Subschema {
	var out []Subschema
	switch keyword {
	case "$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties", "properties":
		table, _ := value.(map[string]any)
		names := kit.SortedKeys(table)
		out = make([]Subschema, 0, len(names))
		for _, name := range names {
			out = append(out, Subschema{[]string{name}, table[name]})
		}
	case "allOf", "anyOf", "oneOf", "prefixItems", "items":
		list, isList := value.([]any)
		out = make([]Subschema, 0, len(list))
		for i, v := range list {
			out = append(out, Subschema{[]string{strconv.Itoa(i)}, v})
		}
		if !isList && keyword == "items" {
			out = append(out, Subschema{Value: value})
		}
	case "additionalItems", "additionalProperties", "contains", "contentSchema", "else", "if", "not",
		"propertyNames", "then",
		"unevaluatedItems", "unevaluatedProperties":
		out = append(out, Subschema{Value: value})
	}
	return out
}

// Limits on what is read at all. A schema past them is kept as one construct that nothing is known about.
const (
	maxBytes   = 1 << 20
	maxNesting = 512
	maxNodes   = 50_000

	leastBuild   = 200_000 // units
	unitsPerByte = 48      // most schemas take 1 to 6
)

// readingUnits bounds the work of reading a schema of a size.
func readingUnits(size int) int { return leastBuild + min(size, maxBytes)*unitsPerByte }

// nesting returns how deeply the arrays and objects of a JSON text are nested.
func nesting(raw []byte) int {
	deepest, depth, quoted := 0, 0, false
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			depth++
			deepest = max(deepest, depth)
		case c == '}' || c == ']':
			depth--
		}
	}
	return deepest
}
