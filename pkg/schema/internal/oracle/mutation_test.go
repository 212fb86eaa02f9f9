package oracle

import (
	"encoding/json"
	"maps"
	"slices"
)

// mutated returns a schema with a few random edits.
func (g *grammar) mutated(schema any) any {
	for range 1 + g.IntN(3) {
		schema = g.edited(schema, 0)
	}
	return schema
}

// edited changes one random place of a schema, somewhere below a few levels.
func (g *grammar) edited(schema any, depth int) any {
	o, ok := schema.(map[string]any)
	if !ok || depth > 8 {
		return g.replaced(schema)
	}
	if subs := places(o); len(subs) > 0 && !g.chance(depth+3) {
		return g.within(o, choose(g, subs...), depth)
	}
	out := maps.Clone(o)
	keywords := slices.DeleteFunc(slices.Sorted(maps.Keys(o)), func(k string) bool { return slices.Contains(documentKeywords(), k) })
	switch n := g.IntN(8); {
	case n == 0:
		return g.replaced(schema)
	case n == 1:
		return hoisted(o, map[string]any{choose(g, "anyOf", "oneOf", "allOf"): []any{inner(o), g.schema(1)}})
	case n < 4 && len(keywords) > 0:
		delete(out, choose(g, keywords...))
	case n < 6 && len(keywords) > 0:
		k := choose(g, keywords...)
		out[k] = g.nudged(k, o[k])
	default:
		g.keyword(out, 2)
	}
	return out
}

// documentKeywords are those that only the root of a document may hold for references to find them.
func documentKeywords() []string { return []string{"$schema", "$defs", "definitions"} }

// inner is a schema without what only its document may hold, for use below another.
func inner(o map[string]any) map[string]any {
	out := maps.Clone(o)
	for _, k := range documentKeywords() {
		delete(out, k)
	}
	return out
}

// hoisted gives a new root what the old one held for its document.
func hoisted(from, to map[string]any) map[string]any {
	for _, k := range documentKeywords() {
		if v, ok := from[k]; ok {
			to[k] = v
		}
	}
	return to
}

func (g *grammar) replaced(schema any) any {
	o, ok := schema.(map[string]any)
	if !ok || o["$schema"] == nil && o["$defs"] == nil && o["definitions"] == nil {
		return g.schema(1)
	}
	out := maps.Clone(o)
	g.keyword(out, 1)
	return out
}

// A path leads from a schema to one of its subschemas.
type path []any // string and int

// places lists the subschemas directly inside a schema.
func places(o map[string]any) []path {
	var out []path
	for _, k := range slices.Sorted(maps.Keys(o)) {
		switch v := o[k].(type) {
		case map[string]any:
			switch k {
			case "properties", "patternProperties", "dependentSchemas", "$defs", "definitions":
				for _, name := range slices.Sorted(maps.Keys(v)) {
					out = append(out, path{k, name})
				}
			case "items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames",
				"unevaluatedItems", "unevaluatedProperties", "additionalItems":
				out = append(out, path{k})
			}
		case []any:
			switch k {
			case "anyOf", "oneOf", "allOf", "prefixItems", "items":
				for i := range v {
					out = append(out, path{k, i})
				}
			}
		}
	}
	return out
}

func (g *grammar) within(o map[string]any, p path, depth int) any {
	out := maps.Clone(o)
	k := p[0].(string)
	switch {
	case len(p) == 1:
		out[k] = g.edited(o[k], depth+1)
	default:
		switch v := o[k].(type) {
		case map[string]any:
			table := maps.Clone(v)
			name := p[1].(string)
			if g.chance(12) {
				delete(table, name)
			} else {
				table[name] = g.edited(v[name], depth+1)
			}
			out[k] = table
		case []any:
			items := slices.Clone(v)
			items[p[1].(int)] = g.edited(items[p[1].(int)], depth+1)
			out[k] = items
		}
	}
	return out
}

// nudged changes the value of a keyword a little.
func (g *grammar) nudged(keyword string, v any) any {
	switch v := v.(type) {
	case json.Number:
		if n, err := v.Int64(); err == nil && keyword != "multipleOf" && n > 0 && n < 1<<40 {
			return json.Number(encode(n + int64(g.IntN(3)) - 1))
		}
	case bool:
		return !v
	case []any:
		if (keyword == "enum" || keyword == "required") && len(v) > 1 {
			i := g.IntN(len(v))
			return slices.Delete(slices.Clone(v), i, i+1)
		}
		if keyword == "enum" {
			return append(slices.Clone(v), g.value(0))
		}
	case string:
		if keyword == "type" {
			return g.kinds()
		}
	}
	return v
}
