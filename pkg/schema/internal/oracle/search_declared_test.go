package oracle

import (
	"slices"
)

// declared reports whether a value keeps to the properties that schemas declare. An object's names count as declared
// where no schema at its place lists any, where one says something about others, or where one lists the name.
func declared(ns []node, v any, depth int) bool {
	if depth > MaxDepth {
		return false
	}
	all, _ := bag(ns)
	f := facts{all}
	switch v := v.(type) {
	case map[string]any:
		open := len(f.values("properties")) == 0 ||
			slices.ContainsFunc(f.values("additionalProperties", "unevaluatedProperties", "patternProperties"), func(v any) bool { return v != true })
		for name, sub := range v {
			if !open && !slices.Contains(f.names(), name) || !declared(f.below(name), sub, depth+1) {
				return false
			}
		}
	case []any:
		for i, sub := range v {
			if !declared(f.items(i), sub, depth+1) {
				return false
			}
		}
	}
	return true
}

// below returns the schemas for a property's value, those of any other property where it is not listed.
func (f facts) below(name string) []node {
	var out []node
	for _, n := range f.parts {
		if sub, ok := n.child("properties", name); ok {
			out = append(out, sub)
		} else if sub, ok := n.child("additionalProperties"); ok {
			out = append(out, sub)
		}
		table, _ := n.object()["patternProperties"].(map[string]any)
		for _, text := range keys(table) {
			sub, _ := n.child("patternProperties", text)
			out = append(out, sub)
		}
	}
	return out
}
