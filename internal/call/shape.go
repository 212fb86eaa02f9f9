package call

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// shape is what a schema says of one place: enough to read what a person writes there. The validator judges the result.
type shape struct {
	root any // the whole schema, for its references
	at   any // the schema of the place; nil = anything
}

// shapeOf is the place of the whole value.
func shapeOf(schema []byte) shape {
	root, err := decode(schema)
	if err != nil {
		return shape{}
	}
	return shape{root, root}
}

// maxParts bounds the schemas that are looked at for one place: unions and references can go on for ever.
const maxParts = 200

// parts are the schemas that apply to the place, or may: its own, and what its references, unions and conditions hold.
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

// lookUp is the schema that a reference within the document leads to; nil for any other.
func (s shape) lookUp(ref string) any {
	rest, ok := strings.CutPrefix(ref, "#")
	if !ok {
		return nil
	}
	at := s.root
	for token := range strings.SplitSeq(strings.TrimPrefix(rest, "/"), "/") {
		token = strings.NewReplacer("~1", "/", "~0", "~", "%24", "$").Replace(token)
		switch v := at.(type) {
		case map[string]any:
			if rest != "" {
				at = v[token]
			}
		case []any:
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || i >= len(v) {
				return nil
			}
			at = v[i]
		default:
			return nil
		}
	}
	return at
}

// property is the place of a property.
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

// items is the place of an element.
func (s shape) items() shape {
	var known []any
	for _, part := range s.parts() {
		if schema, ok := part["items"].(map[string]any); ok {
			known = append(known, schema)
		}
	}
	return s.any(known)
}

// any is the place where one of several schemas applies.
func (s shape) any(schemas []any) shape {
	switch len(schemas) {
	case 0:
		return shape{root: s.root}
	case 1:
		return shape{s.root, schemas[0]}
	}
	return shape{s.root, map[string]any{"anyOf": schemas}}
}

// names are the properties that the schema declares, sorted.
func (s shape) names() []string {
	all := map[string]bool{}
	for _, part := range s.parts() {
		properties, _ := part["properties"].(map[string]any)
		for name := range properties {
			all[name] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}

func (s shape) declares(name string) bool { return slices.Contains(s.names(), name) }

// open tells that the schema says that it takes further properties.
func (s shape) open() bool {
	return slices.ContainsFunc(s.parts(), func(part map[string]any) bool {
		more, said := part["additionalProperties"]
		_, patterns := part["patternProperties"]
		return said && more != false || patterns
	})
}
