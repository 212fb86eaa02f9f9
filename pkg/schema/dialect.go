package schema

import (
	"embed"
	"path"
	"slices"
	"strings"
	"sync"
)

// Draft is a published version of JSON Schema.
type Draft int

// The drafts that are read, oldest first.
const (
	Draft04 Draft = iota + 1
	Draft06
	Draft07
	Draft201909
	Draft202012
)

// draftNames are what stands behind json-schema.org/ in the addresses of drafts.
var draftNames = [...]string{Draft04: "draft-04/schema", Draft06: "draft-06/schema",
	Draft07:     "draft-07/schema",
	Draft201909: "draft/2019-09/schema", Draft202012: "draft/2020-12/schema"}

// draftOf names the draft of a "$schema" value. A missing empty fragment, a trailing "#" and http for https
// make no difference; the unversioned address means the latest draft.
func draftOf(uri string) (Draft, bool) {
	uri = strings.TrimSuffix(strings.TrimSuffix(uri, "#"), "/")
	uri = strings.TrimPrefix(strings.TrimPrefix(uri, "https://"), "http://")
	name, ours := strings.CutPrefix(uri, "json-schema.org/")
	if name == "schema" {
		name = draftNames[Draft202012]
	}
	d := Draft(slices.Index(draftNames[:], name))
	if !ours || d < Draft04 {
		return 0, false
	}
	return d, true
}

// DraftOf returns the draft that a decoded schema names in "$schema", 2020-12 if it names none (MCP since
// 2025-11-25), and the address that it names. known reports whether the draft is supported.
func DraftOf(schema any) (d Draft, address string, known bool) {
	object, _ := schema.(map[string]any)
	address, named := object["$schema"].(string)
	if !named {
		return Draft202012, "", true
	}
	d, known = draftOf(address)
	return d, address, known
}

// A dialect is a draft, and whether the schema named it. Unnamed, the older tuple form of items and
// dependencies is read too.
type dialect struct {
	draft   Draft
	unnamed bool
}

// idKeyword returns the keyword that gives a schema its address.
func (d dialect) idKeyword() string {
	if d.draft == Draft04 {
		return "id"
	}
	return "$id"
}

// refAlone reports whether a $ref makes its siblings void (draft-07 §8.3 and before).
func (d dialect) refAlone() bool { return d.draft <= Draft07 }

// reads reports whether the dialect gives meaning to a keyword that some draft introduced or dropped; const
// has one even in draft-04.
func (d dialect) reads(keyword string) bool {
	switch keyword {
	case "contains", "propertyNames":
		return d.draft >= Draft06
	case "dependencies":
		return d.draft <= Draft07 || d.unnamed
	case "additionalItems":
		return d.draft <= Draft201909 || d.unnamed
	case "if":
		return d.draft >= Draft07
	case "dependentRequired", "dependentSchemas", "unevaluatedItems", "unevaluatedProperties", "minContains",
		"maxContains", "$anchor":
		return d.draft >= Draft201909
	case "$recursiveRef", "$recursiveAnchor":
		return d.draft == Draft201909
	case "prefixItems", "$dynamicRef", "$dynamicAnchor":
		return d.draft >= Draft202012
	}
	return true
}

// Defines reports whether a draft gives meaning to a keyword that some draft introduced or dropped. A keyword
// that no draft ever defined is not known here: the answer is yes.
func (d Draft) Defines(keyword string) bool { return dialect{draft: d}.reads(keyword) }

// constrains returns the types of values that a keyword constrains, where all others are valid for it; nil
// for keywords that constrain any.
func constrains(keyword string) []string {
	switch keyword {
	case "minLength", "maxLength", "pattern":
		return []string{"string"}
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf":
		return []string{"number", "integer"}
	case "items", "prefixItems", "additionalItems", "contains", "minContains", "maxContains", "minItems",
		"maxItems", "uniqueItems", "unevaluatedItems":
		return []string{"array"}
	case "properties", "required", "additionalProperties", "patternProperties", "propertyNames",
		"minProperties", "maxProperties", "dependencies", "dependentRequired", "dependentSchemas",
		"unevaluatedProperties":
		return []string{"object"}
	}
	return nil
}

// AppliesTo reports whether a keyword constrains values of some type that stands beside it, types being the
// decoded value of "type". Where that is missing or not valid, it may.
func AppliesTo(keyword string, types any) bool {
	concerned, named := constrains(keyword), listed(types)
	return concerned == nil || slices.ContainsFunc(named, func(t any) bool {
		name, _ := t.(string)
		return slices.Contains(concerned, name) || !slices.Contains([]string{"string", "number", "integer",
			"array", "object", "boolean", "null"}, name)
	})
}

// metaFiles are the published meta-schemas. Those of 2019-09 and 2020-12 are written as one document each,
// without the dynamic references by which others may extend them.
//
//go:embed metaschemas
var metaFiles embed.FS

// metas are the meta-schemas by draft, each read once.
var metas sync.Map

// Meta returns the meta-schema of a draft, which accepts what is a schema in it.
func Meta(d Draft) *Schema {
	read, _ := metas.LoadOrStore(d, sync.OnceValue(func() *Schema {
		text, _ := metaFiles.ReadFile("metaschemas/" + path.Base(path.Dir(draftNames[d])) + ".json")
		s, _ := Parse(text)
		return s
	}))
	return read.(func() *Schema)()
}
