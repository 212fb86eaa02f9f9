package report

import (
	"encoding/json"
	"slices"
	"strings"
)

// How much of a schema its shape tells: half levels of nesting (an object or array is a whole one, a union half of one),
// members of an object, values of an enum.
const (
	shapeDepth   = 4
	shapeMembers = 6
	shapeValues  = 5
)

// shape is a JSON schema in a few words, as a type would be written: "string", "integer[]", `"a"|"b"`, "{x, y?: number}".
func shape(schema json.RawMessage, depth int) string {
	switch strings.TrimSpace(string(schema)) {
	case "true", "":
		return "any"
	case "false":
		return "never"
	}
	if depth < -shapeDepth {
		return ellipsis
	}
	s := parse(schema)
	for _, keyword := range []struct {
		name  string
		shape func(object, int) string
	}{{"const", constShape}, {"enum", enumShape}, {"$ref", refShape}, {"type", typeShape}, {"anyOf", unionShape},
		{"oneOf", unionShape}, {"properties", objectShape}, {"allOf", allShape}, {"items", arrayShape}} {
		if _, ok := s[keyword.name]; ok {
			return keyword.shape(s, depth)
		}
	}
	return "any"
}

func constShape(s object, _ int) string { return compact(s["const"]) }

func enumShape(s object, _ int) string {
	var values []string
	for _, v := range array(s["enum"]) {
		values = append(values, compact(v))
	}
	if more := len(values) - shapeValues; more > 1 {
		values = append(values[:shapeValues], "…")
	}
	if len(values) == 0 {
		return "never"
	}
	return strings.Join(values, "|")
}

// refShape is the last word of a reference, which is what its author called the definition.
func refShape(s object, _ int) string {
	ref := strings.TrimRight(s.text("$ref"), "/#")
	if name := ref[strings.LastIndexAny(ref, "/#")+1:]; name != "" {
		return name
	}
	return "this"
}

func unionShape(s object, depth int) string {
	var all []string
	for _, keyword := range []string{"anyOf", "oneOf"} {
		for _, member := range array(s[keyword]) {
			all = appendNew(all, shape(member, depth-1))
		}
	}
	if len(all) == 0 {
		return "any"
	}
	return strings.Join(all, "|")
}

func allShape(s object, depth int) string {
	var all []string
	for _, member := range array(s["allOf"]) {
		all = appendNew(all, shape(member, depth-1))
	}
	if len(all) == 0 {
		return "any"
	}
	return strings.Join(all, " & ")
}

func appendNew(all []string, word string) []string {
	if slices.Contains(all, word) {
		return all
	}
	return append(all, word)
}

func typeShape(s object, depth int) string {
	names := words(s["type"])
	if name := s.text("type"); name != "" {
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
		all = appendNew(all, name)
	}
	if len(all) == 0 {
		return "any"
	}
	return strings.Join(all, "|")
}

func arrayShape(s object, depth int) string {
	if tuple := array(s["prefixItems"]); len(tuple) > 0 && depth > 0 {
		var all []string
		for _, member := range tuple {
			all = append(all, shape(member, depth-2))
		}
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

func objectShape(s object, depth int) string {
	members := parameters(s)
	switch values := s["additionalProperties"]; {
	case len(members) > 0 && depth > 0:
		return "{" + joinParameters(members, depth-2, shapeMembers) + "}"
	case len(members) > 0:
		return "{…}"
	case values != nil && values[0] == '{' && depth > 0 && len(parse(values)) > 0:
		return "map of " + shape(values, depth-2)
	}
	return "object"
}
