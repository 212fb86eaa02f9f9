package call

import (
	"cmp"
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/rawjson"
)

// shape is what a schema says of one place: enough to read what a person writes there. The validator judges
// the result.
type shape struct {
	root any // the whole schema, for its references
	at   any // the schema of the place; nil = anything
}

// shapeOf returns the place of the whole value.
func shapeOf(schema []byte) shape {
	root, err := rawjson.Decode(schema)
	if err != nil {
		return shape{}
	}
	return shape{root, root}
}

// maxParts bounds the schemas that are looked at for one place: unions and references can go on for ever.
const maxParts = 200

// parts returns the schemas that apply to the place, or may: its own, and what its references, unions and
// conditions hold.
func (s shape) parts() []map[string]any {
	var found []map[string]any
	waiting := []any{s.at}
	for len(waiting) > 0 && len(found) < maxParts {
		part, ok := waiting[0].(map[string]any)
		waiting = waiting[1:]
		if !ok {
			continue
		}
		found = append(found, part)
		if ref, ok := part["$ref"].(string); ok {
			waiting = append(waiting, s.lookUp(ref))
		}
		for _, keyword := range []string{"allOf", "anyOf", "oneOf"} {
			branches, _ := part[keyword].([]any)
			waiting = append(waiting, branches...)
		}
		waiting = append(waiting, part["then"], part["else"])
	}
	return found
}

// lookUp returns the schema that a reference within the document leads to; nil for any other.
func (s shape) lookUp(ref string) any {
	pointer, err := url.PathUnescape(strings.TrimPrefix(ref, "#"))
	if err != nil || ref == "" || ref[0] != '#' || pointer != "" && pointer[0] != '/' {
		return nil
	}
	at, _ := rawjson.At(s.root, pointer)
	return at
}

// property returns the place of a member. What additionalProperties says counts only when properties has no
// such name; without either, anything may be there.
func (s shape) property(name string) shape {
	known := s.inner(func(part map[string]any) any {
		properties, _ := part["properties"].(map[string]any)
		return properties[name]
	})
	if known.at == nil {
		known = s.inner(func(part map[string]any) any { return part["additionalProperties"] })
	}
	return known
}

// items returns the place of the elements of a list; anything may be there when no schema has items.
func (s shape) items() shape {
	return s.inner(func(part map[string]any) any { return part["items"] })
}

// inner returns the place where one of the schemas applies that a function finds in the parts.
func (s shape) inner(of func(part map[string]any) any) shape {
	var found []any
	for _, part := range s.parts() {
		if schema, ok := of(part).(map[string]any); ok {
			found = append(found, schema)
		}
	}
	switch len(found) {
	case 0:
		return shape{root: s.root}
	case 1:
		return shape{s.root, found[0]}
	}
	return shape{s.root, map[string]any{"anyOf": found}}
}

// names returns the names that any schema at the place defines in properties, sorted.
func (s shape) names() []string {
	all := map[string]bool{}
	for _, part := range s.parts() {
		properties, _ := part["properties"].(map[string]any)
		for name := range properties {
			all[name] = true
		}
	}
	return kit.SortedKeys(all)
}

func (s shape) declares(name string) bool { return slices.Contains(s.names(), name) }

// open reports whether the schema explicitly allows further properties.
func (s shape) open() bool {
	return slices.ContainsFunc(s.parts(), func(part map[string]any) bool {
		more, set := part["additionalProperties"]
		_, patterns := part["patternProperties"]
		return set && more != false || patterns
	})
}

// listed is a value that a schema lists, with its title, if any.
type listed struct {
	value any
	title string
}

// listed returns the values of the place, if the schema lists all of them: in enum or const, behind
// references and in every branch of a union; nil otherwise.
func (s shape) listed() []listed { return s.listedIn(s.at, maxParts/10) }

// listedIn is listed of a schema at the place; depth bounds its references and unions.
func (s shape) listedIn(schema any, depth int) []listed {
	part, _ := schema.(map[string]any)
	if depth == 0 || part == nil {
		return nil
	}
	if value, ok := part["const"]; ok {
		title, _ := part["title"].(string)
		return []listed{{value, title}}
	}
	if values, ok := part["enum"].([]any); ok {
		return kit.Map(values, func(value any) listed { return listed{value: value} })
	}
	if part["type"] == "null" {
		return []listed{{}}
	}
	if ref, ok := part["$ref"].(string); ok {
		return s.listedIn(s.lookUp(ref), depth-1)
	}
	for _, keyword := range []string{"oneOf", "anyOf"} {
		branches, _ := part[keyword].([]any)
		var all []listed
		for _, branch := range branches {
			some := s.listedIn(branch, depth-1)
			if len(some) == 0 || len(all) > maxParts {
				return nil
			}
			all = append(all, some...)
		}
		if len(all) > 0 {
			return all
		}
	}
	return nil
}

// alternatives returns the values that some branches of a union at the place list, and the types that the
// others name; no types if it is not such a union.
func (s shape) alternatives() (values []listed, types []string) {
	part, _ := s.at.(map[string]any)
	for _, keyword := range []string{"oneOf", "anyOf"} {
		branches, _ := part[keyword].([]any)
		for _, branch := range branches {
			some := s.listedIn(branch, maxParts/10)
			values = append(values, some...)
			if open, _ := branch.(map[string]any); len(some) == 0 && open["type"] != nil {
				name, _ := open["type"].(string)
				types = append(types, "a value of type "+cmp.Or(name, brief(open["type"])))
			}
		}
	}
	return values, types
}

// types are the names of JSON types, and the texts that an enum or const lists.
type types struct {
	names map[string]bool // empty = any
	texts map[string]bool
}

// types returns the types that any schema at the place names or lists.
func (s shape) types() types {
	t := types{map[string]bool{}, map[string]bool{}}
	for _, part := range s.parts() {
		switch named := part["type"].(type) {
		case string:
			t.names[named] = true
		case []any:
			for _, name := range named {
				name, _ := name.(string)
				t.names[name] = true
			}
		}
		listed, _ := part["enum"].([]any)
		if value, ok := part["const"]; ok {
			listed = append(slices.Clone(listed), value)
		}
		for _, value := range listed {
			t.names[typeOf(value)] = true
			if text, ok := value.(string); ok {
				t.texts[text] = true
			}
		}
	}
	return t
}

// typeOf returns the name of the type of a decoded value.
func typeOf(value any) string {
	switch v := value.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case json.Number:
		if strings.ContainsAny(v.String(), ".eE") {
			return "number"
		}
		return "integer"
	case string:
		return "string"
	case []any:
		return "array"
	}
	return "object"
}

// takes reports whether a text is to be read as JSON of one of the types, not as a string. Where no string is
// allowed, any number stands for a number: the validator explains it better than a text.
func (t types) takes(text string) bool {
	value, err := rawjson.Decode(json.RawMessage(text))
	if err != nil || t.texts[text] {
		return false
	}
	switch name := typeOf(value); name {
	case "string":
		return false
	case "integer", "number":
		numeric := t.names["integer"] || t.names["number"]
		return len(t.names) == 0 || t.names[name] || name == "integer" && t.names["number"] ||
			numeric && !t.names["string"]
	default:
		return len(t.names) == 0 || t.names[name]
	}
}

// convert returns a text as a value for the place: of another type than string if it may have one that it
// spells. Numbers stay as written.
func (s shape) convert(text string) json.RawMessage {
	if s.types().takes(text) {
		return json.RawMessage(strings.TrimSpace(text))
	}
	return rawjson.Quote(text)
}

// gathers reports whether a text is one element of the array at the place, not the whole array.
func (s shape) gathers(text string) bool {
	t := s.types()
	return t.names["array"] && !t.names["string"] && !t.names["object"] && !t.takes(text)
}
