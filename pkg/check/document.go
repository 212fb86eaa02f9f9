package check

import (
	"context"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/pkg/schema"
)

// document is one JSON Schema of a tool.
type document struct {
	*part
	path   string                // "/inputSchema" or "/outputSchema"
	parsed func() *schema.Schema // nil when it cannot be read
	pool   *schema.Pool          // work on the schemas of the tool
}

// schemaMembers are the members of tools that are schemas.
var schemaMembers = []string{"inputSchema", "outputSchema"}

// place is one schema inside a document, the document itself included.
type place struct {
	way     *trail // within the item
	object  map[string]any
	depth   int  // how many schemas it lies in
	plain   bool // reached through properties only
	applied bool // a part of a union, a condition or a negation: what its siblings say holds beside it
	value   bool // the schema of the whole, of a property or of an element, where false is never meant
	reached bool // a value can be judged by it; a definition that nothing refers to is not

	definition bool // a member of $defs or definitions
}

func (p *place) path() string { return p.way.String() }

// whose is the argument or member that a sentence about a place is about, as " of `a.b`"; nothing where it is
// the whole schema.
func (p *place) whose() string {
	var names []string
	steps := rawjson.Split(p.way.place())
	for i := 0; i+1 < len(steps); i++ {
		if steps[i] == "properties" {
			i++
			names = append(names, steps[i])
		}
	}
	if names == nil {
		return ""
	}
	return " of `" + strings.Join(names, ".") + "`"
}

// text is a keyword whose value is a string; empty when it is none.
func (p *place) text(keyword string) string {
	text, _ := p.object[keyword].(string)
	return text
}

func (p *place) properties() map[string]any {
	properties, _ := p.object["properties"].(map[string]any)
	return properties
}

// maxPlaces is how many schemas of a document are looked at.
const maxPlaces = 50_000

func documentOf(ctx context.Context, i item, name string) *document {
	p := i.parts[name]
	if i.fields == nil { // the tool is too large for its schemas to be looked at, which in others they may be
		p = &part{raw: i.Field(name)}
	}
	if p == nil || p.raw == nil {
		return nil
	}
	d := &document{part: p, path: "/" + name}
	d.parsed = sync.OnceValue(func() *schema.Schema {
		parsed, _ := schema.ParseWithin(ctx, d.raw, d.pool) // what is none is told by the rules on its root
		return parsed
	})
	return d
}

func (d *document) start() *trail { return (*trail)(nil).below(d.path) }

// collect lists all schemas inside a schema that are objects, outermost first.
func (d *part) collect(way *trail, value any, p place) {
	object, ok := value.(map[string]any)
	if !ok || len(d.places) >= maxPlaces {
		return
	}
	p.way, p.object = way, object
	d.places = append(d.places, &p)
	for _, keyword := range kit.SortedKeys(object) {
		inner := place{
			depth: p.depth + 1,
			plain: p.plain && keyword == "properties",
			applied: slices.Contains([]string{"allOf", "anyOf", "oneOf", "not", "if", "then", "else",
				"dependentSchemas", "dependencies"}, keyword),
			value: slices.Contains([]string{"properties", "items", "prefixItems"}, keyword),

			definition: isDefinitions(keyword),
		}
		at := way.to(keyword)
		for _, sub := range schema.Subschemas(keyword, object[keyword]) {
			d.collect(at.to(sub.Steps...), sub.Value, inner)
		}
	}
}

func isDefinitions(keyword string) bool { return keyword == "$defs" || keyword == "definitions" }

// references are the keywords that lead to another schema.
var references = []string{"$ref", "$dynamicRef", "$recursiveRef"}

// reach marks the schemas that a value can be judged by, beginning with the whole.
func (d *part) reach() {
	if !slices.ContainsFunc(d.places, func(p *place) bool { return p.definition }) {
		for _, p := range d.places {
			p.reached = true
		}
		return
	}
	places := make(map[uintptr]*place, len(d.places)) // by the objects that they are
	for _, p := range d.places {
		places[reflect.ValueOf(p.object).Pointer()] = p
	}
	for waiting := slices.Clone(d.places[:1]); len(waiting) > 0; {
		p := waiting[len(waiting)-1]
		waiting = waiting[:len(waiting)-1]
		if p == nil || p.reached {
			continue
		}
		p.reached = true
		for keyword, value := range p.object {
			if isDefinitions(keyword) {
				continue
			}
			for _, sub := range schema.Subschemas(keyword, value) {
				waiting = append(waiting, placeOf(sub.Value, places))
			}
		}
		for _, keyword := range references {
			target, refers := p.object[keyword].(string)
			address, fragment, _ := strings.Cut(target, "#")
			switch {
			case !refers:
			case address != "" || fragment != "" && !strings.HasPrefix(fragment, "/"): // it may lead anywhere
				for _, p := range d.places {
					p.reached = true
				}
				return
			default:
				found, _ := rawjson.At(d.value, unescaped(fragment))
				waiting = append(waiting, placeOf(found, places))
			}
		}
	}
}

// end is the index behind the places that lie inside the one at an index.
func (d *part) end(i int) int {
	depth := d.places[i].depth
	for i++; i < len(d.places) && d.places[i].depth > depth; i++ {
	}
	return i
}

func placeOf(value any, places map[uintptr]*place) *place {
	object, ok := value.(map[string]any)
	if !ok {
		return nil
	}
	return places[reflect.ValueOf(object).Pointer()]
}

// unescaped is a fragment without the escapes of URLs.
func unescaped(fragment string) string {
	if plain, err := url.PathUnescape(fragment); err == nil {
		return plain
	}
	return fragment
}

// resolves tells whether a reference leads to a place of the document. One that is relative to an $id is
// taken to.
func (d *part) resolves(target string) bool {
	address, fragment, _ := strings.Cut(target, "#")
	fragment = unescaped(fragment)
	switch {
	case address != "":
		return d.names(address)
	case fragment == "":
		return true
	case strings.HasPrefix(fragment, "/"):
		_, ok := rawjson.At(d.value, fragment)
		return ok
	}
	return d.named().anchors[fragment]
}

// names tells whether a schema of the document calls itself by an address.
func (d *part) names(target string) bool {
	address, _, _ := strings.Cut(target, "#")
	ids, whole := d.named().ids, reversed(address)
	_, found := slices.BinarySearch(ids, whole)
	i, _ := slices.BinarySearch(ids, whole+"/")
	return found || i < len(ids) && strings.HasPrefix(ids[i], whole+"/")
}

// naming is what the schemas of a document call themselves.
type naming struct {
	anchors map[string]bool
	ids     []string // reversed and sorted, so that those with one ending are neighbours
}

func (d *part) namesOf() naming {
	n := naming{anchors: map[string]bool{}}
	for _, p := range d.places {
		n.anchors[p.text("$anchor")], n.anchors[p.text("$dynamicAnchor")] = true, true
		id := p.text("$id")
		if anchor, local := strings.CutPrefix(id, "#"); local {
			n.anchors[anchor] = true
		}
		if id != "" {
			n.ids = append(n.ids, reversed(id))
		}
	}
	slices.Sort(n.ids)
	return n
}

func reversed(text string) string {
	bytes := []byte(text)
	slices.Reverse(bytes)
	return string(bytes)
}

func (d *document) faults(p *place, value any) []schema.Fault {
	parsed := d.parsed()
	if parsed == nil {
		return nil
	}
	found, _ := parsed.Faults(strings.TrimPrefix(p.path(), d.path), value, d.pool)
	return found
}

// ofTools, ofSchemas, ofPlaces, ofInputs, and ofProperties are rules that look at each tool, at each schema
// of each tool, at each schema inside them, at those that arguments are judged by, and at the properties
// among those.

func ofTools(f func(t tool, at spot)) look {
	return ofEachTool(func(_ *server, t tool, report tell) {
		if t.fields != nil {
			f(t, spot{t.id, nil, report})
		}
	})
}

func ofSchemas(f func(d *document, at spot)) look {
	return ofEachSchema(func(_ *server, t tool, d *document,
		report tell) {
		f(d, spot{t.id, d.start(), report})
	})
}

func ofPlaces(f func(d *document, p *place, at spot)) look {
	return ofEachSchema(func(s *server, t tool, d *document, report tell) {
		for _, p := range d.places {
			if !s.stopped() {
				f(d, p, spot{t.id, p.way, report})
			}
		}
	})
}

func ofInputs(f func(p *place, at spot)) look {
	return ofPlaces(func(d *document, p *place, at spot) {
		if p.reached && d.path == "/inputSchema" {
			f(p, at)
		}
	})
}

func ofProperties(f func(p *place, name string, property map[string]any, at spot)) look {
	return ofInputs(func(p *place, at spot) {
		for _, name := range kit.SortedKeys(p.properties()) {
			property, _ := p.properties()[name].(map[string]any)
			f(p, name, property, at.in("properties", name))
		}
	})
}

func (s *server) eachSchema(f func(t tool, d *document)) {
	for _, t := range s.tools {
		for _, d := range t.schemas {
			if !s.stopped() {
				f(t, d)
			}
		}
	}
}

func (s *server) stopped() bool { return s.ctx.Err() != nil }
