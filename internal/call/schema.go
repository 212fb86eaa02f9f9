package call

import (
	"encoding/json"
	"math/big"
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
	rest, ok := strings.CutPrefix(ref, "#")
	if !ok {
		return nil
	}
	pointer, err := url.PathUnescape(rest)
	if err != nil || pointer != "" && pointer[0] != '/' {
		return nil
	}
	at, _ := rawjson.At(s.root, pointer)
	return at
}

// property returns the place of a member. What additionalProperties says counts only when properties has no
// such name; without either, anything may be there.
func (s shape) property(name string) shape {
	var known, others []any
	for _, part := range s.parts() {
		properties, _ := part["properties"].(map[string]any)
		if schema, ok := properties[name]; ok {
			known = append(known, schema)
		}
		if schema, ok := part["additionalProperties"].(map[string]any); ok {
			others = append(others, schema)
		}
	}
	if known == nil {
		known = others
	}
	return s.any(known)
}

// items returns the place of the elements of a list; anything may be there when no schema has items.
func (s shape) items() shape {
	var known []any
	for _, part := range s.parts() {
		if schema, ok := part["items"].(map[string]any); ok {
			known = append(known, schema)
		}
	}
	return s.any(known)
}

// any returns the place where one of several schemas applies.
func (s shape) any(schemas []any) shape {
	switch len(schemas) {
	case 0:
		return shape{root: s.root}
	case 1:
		return shape{s.root, schemas[0]}
	}
	return shape{s.root, map[string]any{"anyOf": schemas}}
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
		more, said := part["additionalProperties"]
		_, patterns := part["patternProperties"]
		return said && more != false || patterns
	})
}

// The types of JSON Schema, as a set.
type types uint8

const (
	aNull types = 1 << iota
	aBoolean
	anInteger
	aNumber // one with a fraction; a number is this or an integer
	aString
	anArray
	anObject
	anything = aNull | aBoolean | anInteger | aNumber | aString | anArray | anObject
)

// typeNames are the types by the names that schemas have for them.
var typeNames = map[string]types{
	"null": aNull, "boolean": aBoolean, "integer": anInteger, "number": anInteger | aNumber,
	"string": aString, "array": anArray, "object": anObject,
}

// types returns the JSON types that a value at the place may have.
func (s shape) types() types {
	steps := maxParts
	return s.typesOf(s.at, &steps)
}

// typesOf returns the types that a schema allows; where that takes too many steps, since it is recursive,
// all of them.
func (s shape) typesOf(schema any, steps *int) types {
	part, ok := schema.(map[string]any)
	if *steps--; !ok || *steps < 0 {
		return anything
	}
	allowed := ownTypes(part)
	if ref, ok := part["$ref"].(string); ok {
		allowed &= s.typesOf(s.lookUp(ref), steps)
	}
	for _, keyword := range []string{"anyOf", "oneOf"} {
		if branches, ok := part[keyword].([]any); ok && len(branches) > 0 {
			var union types
			for _, branch := range branches {
				union |= s.typesOf(branch, steps)
			}
			allowed &= union
		}
	}
	branches, _ := part["allOf"].([]any)
	for _, branch := range branches {
		allowed &= s.typesOf(branch, steps)
	}
	return allowed
}

// ownTypes returns the types that type and the choices of one schema allow together, without its references
// and unions. A type that is not known allows nothing.
func ownTypes(part map[string]any) types {
	allowed := anything
	switch named := part["type"].(type) {
	case string:
		allowed = typeNames[named]
	case []any:
		allowed = 0
		for _, one := range named {
			name, _ := one.(string)
			allowed |= typeNames[name]
		}
	}
	if values := choicesOf(part); values != nil {
		var listed types
		for _, v := range values {
			listed |= typeOfValue(v)
		}
		allowed &= listed
	}
	return allowed
}

func choicesOf(part map[string]any) []any {
	if value, ok := part["const"]; ok {
		return []any{value}
	}
	values, _ := part["enum"].([]any)
	return values
}

// typeOfValue returns the type of a decoded value. A number without a fraction is an integer.
func typeOfValue(value any) types {
	switch v := value.(type) {
	case nil:
		return aNull
	case bool:
		return aBoolean
	case json.Number:
		return typeOfNumber(v.String())
	case string:
		return aString
	case []any:
		return anArray
	}
	return anObject
}

// typeOfNumber reports 1.0 and 1e2 as integers, as JSON Schema does.
func typeOfNumber(text string) types {
	if !strings.ContainsAny(text, ".eE") {
		return anInteger
	}
	if n, ok := new(big.Rat).SetString(text); ok && n.IsInt() {
		return anInteger
	}
	return aNumber
}

// convert returns a text as a value for the place: a listed value, else one of another allowed type than
// string that it spells, else the text. Numbers stay as written.
func (s shape) convert(text string) json.RawMessage {
	allowed := s.types()
	if slices.Contains(s.choices(), any(text)) {
		return rawjson.Quote(text)
	}
	literal := json.RawMessage(strings.TrimSpace(text))
	if kind := typeOfLiteral(literal); kind != 0 && kind != aString {
		numeric := kind&(anInteger|aNumber) != 0 && allowed&(anInteger|aNumber) != 0 && allowed&aString == 0
		if kind&allowed != 0 || numeric {
			return literal
		}
	}
	return rawjson.Quote(text)
}

// typeOfLiteral returns the type of a JSON text; 0 = it is none.
func typeOfLiteral(literal json.RawMessage) types {
	value, err := rawjson.Decode(literal)
	if err != nil {
		return 0
	}
	return typeOfValue(value)
}

// choices returns the values that enum and const list for the place.
func (s shape) choices() []any {
	return kit.Flat(s.parts(), choicesOf)
}

// gathers reports whether a text is one element of the array at the place, not the whole array.
func (s shape) gathers(text string) bool {
	allowed := s.types()
	whole := json.RawMessage(strings.TrimSpace(text))
	return allowed&anArray != 0 && allowed&(aString|anObject) == 0 && typeOfLiteral(whole)&allowed == 0
}
