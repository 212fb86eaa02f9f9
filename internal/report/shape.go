package report

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/printable"
	"github.com/mcpctl/mcpctl/internal/rawjson"
)

// Type returns the type of a parameter with the limits that its schema sets.
func (p parameter) Type() string {
	s := rawjson.ObjectOf(p.Schema)
	kind := strings.TrimSpace(shape(p.Schema, shapeDepth) + " " + interval(s["minimum"], s["maximum"]))
	return strings.Join(append([]string{kind}, limits(s)...), ", ")
}

// limits returns the bounds that a schema sets beside its type: "length ≤ 5", "pattern ^a".
func limits(s rawjson.Object) []string {
	var all []string
	for _, l := range []struct{ label, least, most string }{
		{"exclusive ", "exclusiveMinimum", "exclusiveMaximum"}, {"length ", "minLength", "maxLength"},
		{"items ", "minItems", "maxItems"}, {"members ", "minProperties", "maxProperties"},
	} {
		if bounds := interval(s[l.least], s[l.most]); bounds != "" {
			all = append(all, l.label+bounds)
		}
	}
	for _, keyword := range []string{"multipleOf", "format", "pattern"} {
		if value := cmp.Or(s.Text(keyword), printable.Spaced(s[keyword])); value != "" {
			all = append(all, keyword+" "+value)
		}
	}
	return all
}

// interval returns a range whose ends are raw numbers; nil, or the ends of what JavaScript counts exactly,
// = no end.
func interval(least, most json.RawMessage) string {
	const largest = "9007199254740991"
	if string(least) == "-"+largest {
		least = nil
	}
	if string(most) == largest {
		most = nil
	}
	switch {
	case least != nil && most != nil:
		return printable.Spaced(least) + ".." + printable.Spaced(most)
	case least != nil:
		return "≥ " + printable.Spaced(least)
	case most != nil:
		return "≤ " + printable.Spaced(most)
	}
	return ""
}

// How much of a schema its shape shows: half levels of nesting (a union is half of one), members, values of
// an enum.
const (
	shapeDepth   = 4
	shapeMembers = 6
	shapeValues  = 5
)

// schemaShape returns a JSON schema in a few words, as a type would be written.
func schemaShape(schema json.RawMessage) string { return shape(schema, shapeDepth) }

// shape returns a JSON schema in a few words, as a type would be written: "string", "integer[]",
// `"a" | "b"`, "{x, y?: number}".
func shape(schema json.RawMessage, depth int) string {
	switch strings.TrimSpace(string(schema)) {
	case "true", "":
		return "any"
	case "false":
		return "never"
	}
	if depth < -shapeDepth {
		return "…"
	}
	s := rawjson.ObjectOf(schema)
	for _, keyword := range []struct {
		name  string
		shape func(rawjson.Object, int) string
	}{{"const", constShape}, {"enum", enumShape}, {"$ref", refShape}, {"type", typeShape},
		{"anyOf", unionShape},
		{"oneOf", unionShape}, {"properties", objectShape}, {"allOf", allShape}, {"items", arrayShape}} {
		if _, ok := s[keyword.name]; ok {
			return keyword.shape(s, depth)
		}
	}
	return "any"
}

func constShape(s rawjson.Object, _ int) string { return printable.Spaced(s["const"]) }

// enumShape returns the values with "|" between them: the first shapeValues, or all if that leaves out one
// only. An empty enum allows nothing, which is "never".
func enumShape(s rawjson.Object, _ int) string {
	enum, _ := rawjson.Elements(s["enum"])
	values := kit.Map(enum, printable.Spaced)
	if more := len(values) - shapeValues; more > 1 {
		values = append(values[:shapeValues], "…")
	}
	return cmp.Or(strings.Join(values, " | "), "never")
}

// refShape returns the last word of a reference, which is what its author called the definition.
func refShape(s rawjson.Object, _ int) string {
	ref := strings.TrimRight(s.Text("$ref"), "/#")
	if name := ref[strings.LastIndexAny(ref, "/#")+1:]; name != "" {
		return name
	}
	return "this"
}

func unionShape(s rawjson.Object, depth int) string { return joined(s, depth, " | ", "anyOf", "oneOf") }

func allShape(s rawjson.Object, depth int) string { return joined(s, depth, " & ", "allOf") }

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
	members := requiredFirst(propertiesOf(s))
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
