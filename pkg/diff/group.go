package diff

import (
	"encoding/json"

	"github.com/mcpctl/mcpctl/pkg/schema"
)

// together are the keywords of the families that several keywords make up.
func together(family schema.Family) []string {
	switch family {
	case schema.FamilyRange:
		return []string{"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"}
	case schema.FamilyLength:
		return []string{"minLength", "maxLength"}
	case schema.FamilyItemCount:
		return []string{"minItems", "maxItems"}
	case schema.FamilyPropertyCount:
		return []string{"minProperties", "maxProperties"}
	case schema.FamilyContains:
		return []string{"contains", "minContains", "maxContains"}
	case schema.FamilyContent:
		return []string{"contentEncoding", "contentMediaType", "contentSchema"}
	case schema.FamilyConditional:
		return []string{"if", "then", "else", "dependentSchemas"}
	case schema.FamilyItems, schema.FamilyTuple:
		return []string{"prefixItems", "items", "additionalItems"}
	case schema.FamilyUnevaluated:
		return []string{"unevaluatedProperties", "unevaluatedItems"}
	}
	return nil
}

// values are what differs before and after: the values of one keyword, or objects of those of a family that differ
// together, which have no name in common.
func (ch *change) values() (member string, old, new json.RawMessage) {
	before, after := viewOf(ch.OldSchema), viewOf(ch.NewSchema)
	was, is := view{}, view{}
	var differing []string
	for _, keyword := range together(ch.Family) {
		if same(before[keyword], after[keyword]) {
			continue
		}
		differing = append(differing, keyword)
		was.put(keyword, before[keyword])
		is.put(keyword, after[keyword])
	}
	switch len(differing) {
	case 0:
		return ch.Keyword, ch.Old, ch.New
	case 1:
		return differing[0], was[differing[0]], is[differing[0]]
	}
	return "", was.orNothing(), is.orNothing()
}

// orNothing is the object that the view shows, nil when it is empty.
func (v view) orNothing() json.RawMessage {
	if len(v) == 0 {
		return nil
	}
	return v.json()
}

func (v view) put(key string, value json.RawMessage) {
	if value != nil {
		v[key] = value
	}
}
