package check

import (
	"cmp"
	"context"
	"encoding/json"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/pkg/schema"
)

// maxSubschemas bounds how many schemas of a document are checked.
const maxSubschemas = 50_000

// document is one JSON Schema of a tool.
type document struct {
	tool       *item
	raw        json.RawMessage
	value      any                   // decoded
	path       string                // "/inputSchema" or "/outputSchema"
	subschemas []*subschema          // the document and all schemas inside that are objects, outermost first
	parsed     func() *schema.Schema // nil when it is not a schema
	names      map[string]bool       // by which references may call its schemas
	pool       *schema.Pool          // shared by the schemas of a tool
	cut        bool                  // deep schemas without a pointer are not checked in full
}

// subschema is a document or a schema inside it.
type subschema struct {
	doc    *document
	path   *pointer // within the item
	object map[string]any
	depth  int  // how many schemas it is nested in
	plain  bool // reached through properties only
	part   bool // of a union, a condition or a negation, so that its siblings hold as well
	typed  bool // the document, a property or an element, where false is never intended
	used   bool // values are validated by it; a definition without references is not

	definition bool // a member of $defs or definitions
}

// newDocument returns the schema in a member of a tool, nil when the tool has no such member. It is parsed
// when a rule first asks for that.
func newDocument(ctx context.Context, i *item, name string) *document {
	value, there := i.fields[name]
	if !there {
		return nil
	}
	d := &document{tool: i, raw: i.Field(name), value: value, path: "/" + name}
	d.collect(root.to(name), value, subschema{plain: true, typed: true})
	d.markUsed()
	d.names = d.collectNames()
	d.parsed = sync.OnceValue(func() *schema.Schema {
		parsed, _ := schema.ParseWithin(ctx, d.raw, d.pool) // other rules report what is not a schema
		return parsed
	})
	return d
}

var parts = []string{"allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas",
	"dependencies"}

// collect appends s, filled in for the object at path, and all schemas inside it, up to maxSubschemas. A
// boolean schema is left out.
func (d *document) collect(path *pointer, value any, s subschema) {
	object, ok := value.(map[string]any)
	if !ok || len(d.subschemas) >= maxSubschemas {
		return
	}
	s.doc, s.path, s.object = d, path, object
	d.subschemas = append(d.subschemas, &s)
	d.cut = d.cut || path.cut
	for _, keyword := range kit.SortedKeys(object) {
		inner := subschema{
			depth:      s.depth + 1,
			plain:      s.plain && keyword == "properties",
			part:       slices.Contains(parts, keyword),
			typed:      slices.Contains([]string{"properties", "items", "prefixItems"}, keyword),
			definition: isDefinitions(keyword),
		}
		for _, sub := range schema.Subschemas(keyword, object[keyword]) {
			d.collect(path.to(keyword).to(sub.Steps...), sub.Value, inner)
		}
	}
}

func isDefinitions(keyword string) bool { return keyword == "$defs" || keyword == "definitions" }

// markUsed marks the schemas that values are validated by, beginning with the document.
func (d *document) markUsed() {
	byObject := make(map[uintptr]*subschema, len(d.subschemas))
	for _, s := range d.subschemas {
		byObject[identity(s.object)] = s
	}
	queue := slices.Clone(d.subschemas[:min(1, len(d.subschemas))])
	add := func(value any) {
		if object, ok := value.(map[string]any); ok {
			queue = append(queue, byObject[identity(object)])
		}
	}
	for len(queue) > 0 {
		s := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		if s == nil || s.used {
			continue
		}
		s.used = true
		for keyword, value := range s.object {
			if isDefinitions(keyword) {
				continue
			}
			for _, sub := range schema.Subschemas(keyword, value) {
				add(sub.Value)
			}
		}
		for _, keyword := range []string{"$ref", "$dynamicRef", "$recursiveRef"} {
			target, refers := s.object[keyword].(string)
			address, fragment, _ := strings.Cut(target, "#")
			switch {
			case !refers:
			case address != "" || fragment != "" && !strings.HasPrefix(fragment, "/"): // may lead anywhere
				for _, s := range d.subschemas {
					s.used = true
				}
				return
			default:
				found, _ := d.at(fragment)
				add(found)
			}
		}
	}
}

// identity returns the address of an object, which schemas that are equal do not share.
func identity(object map[string]any) uintptr { return reflect.ValueOf(object).Pointer() }

// after returns the index behind the schemas nested in the one at an index.
func (d *document) after(i int) int {
	depth := d.subschemas[i].depth
	for i++; i < len(d.subschemas) && d.subschemas[i].depth > depth; i++ {
	}
	return i
}

// at returns the value that a fragment, a pointer with escapes as in URLs, leads to; none for an anchor.
func (d *document) at(fragment string) (value any, there bool) {
	if plain, err := url.PathUnescape(fragment); err == nil {
		fragment = plain
	}
	if fragment != "" && fragment[0] != '/' {
		return nil, false
	}
	return rawjson.At(d.value, fragment)
}

// resolves reports whether a reference leads into the document. One relative to an $id is assumed to.
func (d *document) resolves(target string) bool {
	address, fragment, _ := strings.Cut(target, "#")
	if address != "" {
		return d.names[address]
	}
	_, there := d.at(fragment)
	return there || d.names["#"+fragment]
}

// refersToItself reports whether the $ref of a schema leads back to it through references alone.
func (s *subschema) refersToItself() bool {
	object := s.object
	for range maxReferences {
		target, _ := object["$ref"].(string)
		fragment, local := strings.CutPrefix(target, "#")
		found, _ := s.doc.at(fragment)
		if object, _ = found.(map[string]any); object == nil || !local {
			return false
		}
		if identity(object) == identity(s.object) {
			return true
		}
	}
	return false
}

// collectNames returns every anchor after "#", and every id with what follows each of its slashes, because a
// reference may be relative: for a/b/c also b/c and c.
func (d *document) collectNames() map[string]bool {
	names := map[string]bool{}
	for _, s := range d.subschemas {
		names["#"+s.string("$anchor")], names["#"+s.string("$dynamicAnchor")] = true, true
		for id, slash := s.string("$id"), true; slash; _, id, slash = strings.Cut(id, "/") {
			names[id] = true
		}
	}
	return names
}

// faults returns why a schema of the document rejects a value.
func (s *subschema) faults(value any) []schema.Fault {
	parsed := s.doc.parsed()
	if parsed == nil || s.path.cut {
		return nil
	}
	found, _ := parsed.Faults(strings.TrimPrefix(s.path.String(), s.doc.path), value, s.doc.pool)
	return found
}

// string returns a keyword whose value is a string, else "".
func (s *subschema) string(keyword string) string {
	value, _ := s.object[keyword].(string)
	return value
}

func (s *subschema) properties() map[string]any {
	properties, _ := s.object["properties"].(map[string]any)
	return properties
}

func (s *subschema) enum() []any {
	enum, _ := s.object["enum"].([]any)
	return enum
}

// choices returns the values that a schema lists: in enum, or as constants of the alternatives of a union,
// beside null.
func (s *subschema) choices() []any {
	if enum := s.enum(); enum != nil {
		return enum
	}
	alternatives, _ := cmp.Or(s.object["oneOf"], s.object["anyOf"]).([]any)
	var all []any
	for _, alternative := range alternatives {
		o, _ := alternative.(map[string]any)
		enum, lists := o["enum"].([]any)
		constant, fixed := o["const"]
		switch {
		case lists:
			all = append(all, enum...)
		case fixed:
			all = append(all, constant)
		case o["type"] != "null":
			return nil
		}
	}
	return all
}

// required reports whether a property is required.
func (s *subschema) required(name string) bool {
	names, _ := s.object["required"].([]any)
	return slices.Contains(names, any(name))
}

// has reports whether the schema has one of some keywords.
func (s *subschema) has(keywords ...string) bool { return has(s.object, keywords...) }

func has(object map[string]any, keywords ...string) bool {
	return slices.ContainsFunc(keywords, func(keyword string) bool { return object[keyword] != nil })
}

// ofArgument returns " of `a.b`" for the argument or member that a schema is of, "" for a whole document.
func (s *subschema) ofArgument() string {
	names := rawjson.Properties(rawjson.Split(s.path.String()))
	if names == nil {
		return ""
	}
	return " of `" + strings.Join(names, ".") + "`"
}

// eachDocument makes a rule that is applied to each schema of each tool.
func eachDocument(apply func(d *document, at location)) rule {
	return eachTool(func(t *item, at location) {
		for _, d := range t.schemas {
			apply(d, at.below(d.path))
		}
	})
}

// eachSchema makes a rule that is applied to the schemas of tools and all schemas inside.
func eachSchema(apply func(s *subschema, at location)) rule {
	return eachDocument(func(d *document, at location) {
		for _, sub := range d.subschemas {
			if !at.server.stopped() {
				at.path = sub.path
				apply(sub, at)
			}
		}
	})
}

// eachInput makes a rule that is applied to the schemas that validate arguments.
func eachInput(apply func(s *subschema, at location)) rule {
	return eachSchema(func(s *subschema, at location) {
		if s.used && s.doc.path == "/inputSchema" {
			apply(s, at)
		}
	})
}

// eachArgument makes a rule that is applied to the properties of the schemas that validate arguments; parent
// is the schema that defines the property.
func eachArgument(apply func(parent *subschema, name string, property map[string]any, at location)) rule {
	return eachInput(func(s *subschema, at location) {
		for _, name := range kit.SortedKeys(s.properties()) {
			property, _ := s.properties()[name].(map[string]any)
			apply(s, name, property, at.at("properties", name))
		}
	})
}
