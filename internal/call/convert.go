package call

import (
	"encoding/json"
	"math/big"
	"slices"
	"strings"
)

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

func typeNamed(name string) types {
	switch name {
	case "null":
		return aNull
	case "boolean":
		return aBoolean
	case "integer":
		return anInteger
	case "number":
		return anInteger | aNumber
	case "string":
		return aString
	case "array":
		return anArray
	case "object":
		return anObject
	}
	return 0
}

// types are those that a value at the place may have.
func (s shape) types() types {
	steps := maxParts
	return s.typesOf(s.at, &steps)
}

// typesOf are the types that a schema allows; where that takes too many steps, since it goes round, all of them.
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

// ownTypes are what type, enum and const allow.
func ownTypes(part map[string]any) types {
	allowed := anything
	switch named := part["type"].(type) {
	case string:
		allowed = typeNamed(named)
	case []any:
		allowed = 0
		for _, one := range named {
			name, _ := one.(string)
			allowed |= typeNamed(name)
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

func typeOfNumber(text string) types {
	if !strings.ContainsAny(text, ".eE") {
		return anInteger
	}
	if n, ok := new(big.Rat).SetString(text); ok && n.IsInt() {
		return anInteger
	}
	return aNumber
}

// convert is what a text means at the place: one of the values that are listed there, else a value of another type than
// string that the text spells and that is allowed, else the text. What fits nothing is left to the validator to explain.
// Numbers stay as they are written.
func (s shape) convert(text string) json.RawMessage {
	allowed := s.types()
	if slices.Contains(s.choices(), any(text)) {
		return quote(text)
	}
	if literal := json.RawMessage(strings.TrimSpace(text)); json.Valid(literal) && literal[0] != '"' {
		kind := typeOfLiteral(literal)
		numeric := kind&(anInteger|aNumber) != 0 && allowed&(anInteger|aNumber) != 0 && allowed&aString == 0
		if kind&allowed != 0 || numeric {
			return literal
		}
	}
	return quote(text)
}

func typeOfLiteral(literal json.RawMessage) types {
	switch literal[0] {
	case 'n':
		return aNull
	case 't', 'f':
		return aBoolean
	case '{':
		return anObject
	case '[':
		return anArray
	}
	return typeOfNumber(string(literal))
}

// choices are the values that enum and const list for the place.
func (s shape) choices() []any {
	var all []any
	for _, part := range s.parts() {
		for _, v := range choicesOf(part) {
			if text, ok := v.(string); ok {
				all = append(all, text)
			}
		}
	}
	return all
}

// gathers tells that a text is one element of the array that the place wants, not the whole of it.
func (s shape) gathers(text string) bool {
	allowed := s.types()
	whole := json.RawMessage(strings.TrimSpace(text))
	return allowed&anArray != 0 && allowed&(aString|anObject) == 0 && !(json.Valid(whole) && typeOfLiteral(whole)&allowed != 0)
}
