package report

import (
	"cmp"
	"encoding/json"
	"path"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/printable"
	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/internal/seen"
)

// typeOf returns the type of a parameter with everything else that its schema says but its default and its
// description, such as "integer, minimum 1".
func typeOf(p parameter) string {
	s := rawjson.ObjectOf(p.Schema)
	if kind := rawjson.TypeName(p.Schema); kind != "an object" && kind != "a boolean" {
		return inWords(p.Schema, 0)
	}
	name := p.Name[1+strings.LastIndexByte(p.Name, '.'):]
	return strings.Join(append([]string{shape(p.Schema, shapeDepth)}, keywords(s, p.Schema, name)...), ", ")
}

// How much of a schema its shape shows: half levels of nesting (a union is half of one), members, values of
// an enum.
const (
	shapeDepth   = 4
	shapeMembers = 6
	shapeValues  = 5
)

// shape returns a JSON schema in a few words, as a type would be written: "string", "integer[]",
// `"a" | "b"`, "{x, y?: number}".
func shape(schema json.RawMessage, depth int) string {
	if strings.TrimSpace(string(schema)) == "false" {
		return "never"
	}
	if depth < -shapeDepth {
		return "…"
	}
	s := rawjson.ObjectOf(schema)
	switch {
	case s["const"] != nil:
		return printable.Spaced(s["const"])
	case s["enum"] != nil:
		enum, _ := rawjson.Elements(s["enum"])
		values := kit.Map(enum, printable.Spaced)
		if more := len(values) - shapeValues; more > 1 {
			values = append(values[:shapeValues], "…")
		}
		return cmp.Or(strings.Join(values, " | "), "never") // an empty enum allows nothing
	case s["$ref"] != nil: // the last word is what its author called the definition
		return cmp.Or(strings.Trim(path.Base(s.Text("$ref")), "#"), "this")
	case s["type"] != nil:
		return typeShape(s, depth)
	case s["anyOf"] != nil || s["oneOf"] != nil:
		return joined(s, depth, " | ", "anyOf", "oneOf")
	case s["properties"] != nil:
		return objectShape(s, depth)
	case s["allOf"] != nil:
		return joined(s, depth, " & ", "allOf")
	case s["items"] != nil:
		return arrayShape(s, depth)
	}
	return "any"
}

// joined returns the shapes of the schemas in some lists, once each.
func joined(s rawjson.Object, depth int, sign string, keywords ...string) string {
	var all []string
	for _, keyword := range keywords {
		members, _ := rawjson.Elements(s[keyword])
		all = append(all, kit.Map(members,
			func(member json.RawMessage) string { return shape(member, depth-1) })...)
	}
	return cmp.Or(strings.Join(kit.Distinct(all), sign), "any")
}

// typeShape returns the type as a short text, such as "string | null", and of objects and arrays what is
// inside, as far as depth allows.
func typeShape(s rawjson.Object, depth int) string {
	names := rawjson.Texts(s["type"])
	if name := s.Text("type"); name != "" {
		names = []string{name}
	}
	var all []string
	for _, name := range names {
		switch name {
		case "object":
			name = objectShape(s, depth)
		case "array":
			name = arrayShape(s, depth)
		}
		all = append(all, name)
	}
	return cmp.Or(strings.Join(slices.Compact(all), " | "), "any")
}

// arrayShape returns a text such as "string[]", "(string | null)[]" or, for a tuple, "[string, integer]";
// "array" where the elements are unknown or too deep.
func arrayShape(s rawjson.Object, depth int) string {
	if tuple, _ := rawjson.Elements(s["prefixItems"]); len(tuple) > 0 && depth > 0 {
		all := kit.Map(tuple, func(member json.RawMessage) string { return shape(member, depth-2) })
		return "[" + strings.Join(all, ", ") + "]"
	}
	element := s["items"]
	if element == nil || depth <= 0 {
		return "array"
	}
	inner := shape(element, depth-2)
	if strings.ContainsAny(inner, "|&") && !strings.HasPrefix(inner, "{") {
		inner = "(" + inner + ")"
	}
	return inner + "[]"
}

// objectShape returns the members in braces, or "{…}" where they are too deep, or "map of string" when only
// additionalProperties has a schema; "object" where nothing is known.
func objectShape(s rawjson.Object, depth int) string {
	members := seen.RequiredFirst(seen.Properties(s, nil))
	switch values := s["additionalProperties"]; {
	case len(members) > 0 && depth > 0:
		return "{" + joinParameters(members, depth-2, shapeMembers) + "}"
	case len(members) > 0:
		return "{…}"
	case values != nil && values[0] == '{' && depth > 0 && len(rawjson.ObjectOf(values)) > 0:
		return "map of " + shape(values, depth-2)
	}
	return "object"
}
