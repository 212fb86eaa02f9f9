package check

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpctl/mcpctl/pkg/schema"
)

// document is one JSON Schema of a tool.
type document struct {
	path  string // "/inputSchema" or "/outputSchema"
	raw   json.RawMessage
	value any // decoded
}

func documentsOf(i item) []document {
	var found []document
	for _, name := range []string{"inputSchema", "outputSchema"} {
		if raw := i.Field(name); raw != nil {
			found = append(found, document{"/" + name, raw, i.fields[name]})
		}
	}
	return found
}

// place is one schema inside a document, the document itself included.
type place struct {
	way     *trail // within the item
	object  map[string]any
	depth   int  // how many schemas it lies in
	plain   bool // reached through properties only
	applied bool // a part of a union, a condition or a negation: what its siblings say holds beside it
	value   bool // the schema of the whole, of a property or of an element, where false is never meant
}

// path is the JSON pointer of the place within the item.
func (p place) path() string { return p.way.String() }

// places are all schemas of a document that are objects, outermost first.
func (d document) places() []place {
	var found []place
	var visit func(way *trail, value any, p place)
	visit = func(way *trail, value any, p place) {
		object, ok := value.(map[string]any)
		if !ok {
			return
		}
		p.way, p.object = way, object
		found = append(found, p)
		for _, keyword := range slices.Sorted(maps.Keys(object)) {
			inner := place{depth: p.depth + 1, plain: p.plain && keyword == "properties", applied: isApplicator(keyword), value: isMember(keyword)}
			for _, sub := range subschemas(way.to(keyword), keyword, object[keyword]) {
				visit(sub.way, sub.value, inner)
			}
		}
	}
	visit(&trail{token: d.path}, d.value, place{plain: true, value: true})
	return found
}

// sub is a value behind a keyword.
type sub struct {
	way   *trail
	value any
}

// subschemas are the schemas that a keyword of JSON Schema holds.
func subschemas(way *trail, keyword string, value any) []sub {
	var found []sub
	for _, s := range schema.Subschemas(keyword, value) {
		at := way
		for _, step := range s.Steps {
			at = way.to(step)
		}
		found = append(found, sub{at, s.Value})
	}
	return found
}

func isApplicator(keyword string) bool {
	return slices.Contains([]string{"allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas", "dependencies"}, keyword)
}

// valueAt is what a JSON pointer leads to inside a value.
func valueAt(value any, pointer string) (any, bool) {
	if pointer == "" {
		return value, true
	}
	for token := range strings.SplitSeq(pointer[1:], "/") {
		token = strings.NewReplacer("~1", "/", "~0", "~").Replace(token)
		switch v := value.(type) {
		case map[string]any:
			inner, ok := v[token]
			if !ok {
				return nil, false
			}
			value = inner
		case []any:
			n, err := strconv.Atoi(token)
			if err != nil || n < 0 || n >= len(v) {
				return nil, false
			}
			value = v[n]
		default:
			return nil, false
		}
	}
	return value, true
}

func isMember(keyword string) bool {
	return keyword == "properties" || keyword == "items" || keyword == "prefixItems"
}
