package oracle

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// instance makes a value that has a good chance to satisfy a schema, or to miss it narrowly.
func (g *grammar) instance(schema, root any, depth int) any {
	o, ok := schema.(map[string]any)
	if !ok || depth <= 0 || g.chance(12) {
		return g.value(max(1, min(depth, 2)))
	}
	if ref, ok := o["$ref"].(string); ok {
		return g.instance(resolve(root, ref), root, depth-1)
	}
	if v, ok := o["const"]; ok && !g.chance(5) {
		return v
	}
	if list, ok := o["enum"].([]any); ok && len(list) > 0 && !g.chance(5) {
		return choose(g, list...)
	}
	for _, key := range [...]string{"anyOf", "oneOf", "allOf"} {
		if list, ok := o[key].([]any); ok && len(list) > 0 && g.chance(2) {
			return g.merged(o, choose(g, list...), root, depth)
		}
	}
	for _, key := range [...]string{"if", "then", "else", "not"} {
		if sub, ok := o[key]; ok && g.chance(3) {
			return g.merged(o, sub, root, depth)
		}
	}
	return g.typed(o, root, depth)
}

// merged makes an instance of a branch beside what stands around it.
func (g *grammar) merged(o map[string]any, branch, root any, depth int) any {
	sub, ok := branch.(map[string]any)
	if ref, isRef := sub["$ref"].(string); isRef {
		sub, ok = resolve(root, ref).(map[string]any)
	}
	if !ok {
		return g.typed(o, root, depth-1)
	}
	both := maps.Clone(o)
	for _, key := range [...]string{"anyOf", "oneOf", "allOf", "if", "then", "else", "not"} {
		delete(both, key)
	}
	for key, v := range sub {
		a, isTable := both[key].(map[string]any)
		b, too := v.(map[string]any)
		if isTable && too && key == "properties" {
			table := maps.Clone(a)
			maps.Copy(table, b)
			v = table
		}
		both[key] = v
	}
	return g.instance(both, root, depth-1)
}

func (g *grammar) typed(o map[string]any, root any, depth int) any {
	switch g.kindOf(o) {
	case "object":
		return g.objectOf(o, root, depth)
	case "array":
		return g.arrayOf(o, root, depth)
	case "string":
		return g.stringOf(o)
	case "integer", "number":
		return g.numberOf(o)
	case "boolean":
		return g.chance(2)
	}
	return nil
}

func (g *grammar) kindOf(o map[string]any) string {
	switch kind := o["type"].(type) {
	case string:
		return kind
	case []any:
		if len(kind) > 0 {
			name, _ := choose(g, kind...).(string)
			return name
		}
	}
	for _, kind := range keywordsOf() {
		for _, keyword := range kind[1:] {
			if _, ok := o[keyword]; ok && !g.chance(6) {
				return kind[0]
			}
		}
	}
	return g.kind()
}

func keywordsOf() [][]string {
	return [][]string{
		{"object", "properties", "required", "additionalProperties", "patternProperties", "propertyNames", "minProperties",
			"maxProperties", "unevaluatedProperties", "dependentSchemas", "dependentRequired", "dependencies"},
		{"array", "items", "prefixItems", "contains", "uniqueItems", "minItems", "maxItems", "unevaluatedItems"},
		{"string", "pattern", "minLength", "maxLength", "format"},
		{"number", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"},
	}
}

func (g *grammar) objectOf(o map[string]any, root any, depth int) any {
	out := map[string]any{}
	properties, _ := o["properties"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		if g.chance(2) {
			out[name] = g.instance(properties[name], root, depth-1)
		}
	}
	required, _ := o["required"].([]any)
	for _, name := range required {
		if name, ok := name.(string); ok && !g.chance(10) {
			out[name] = g.instance(properties[name], root, depth-1)
		}
	}
	for range g.IntN(3) - 1 {
		sub := o["additionalProperties"]
		if b, ok := sub.(bool); ok && !b && !g.chance(5) {
			continue
		}
		out[g.name()] = g.instance(sub, root, depth-1)
	}
	return out
}

func (g *grammar) arrayOf(o map[string]any, root any, depth int) any {
	tuple, _ := o["prefixItems"].([]any)
	if old, ok := o["items"].([]any); ok {
		tuple = old
	}
	out := []any{}
	low, _ := o["minItems"].(json.Number)
	least, _ := low.Int64()
	for i := range int(min(least, 50)) + g.IntN(4) {
		sub := choose(g, o["items"], o["items"], o["contains"])
		if i < len(tuple) {
			sub = tuple[i]
		}
		out = append(out, g.instance(sub, root, depth-1))
	}
	if g.chance(6) && len(out) > 0 {
		out = append(out, out[0])
	}
	return out
}

func (g *grammar) stringOf(o map[string]any) any {
	text := g.text()
	for _, key := range [...]string{"minLength", "maxLength"} {
		if n, ok := o[key].(json.Number); ok && g.chance(2) {
			length, _ := n.Int64()
			text = strings.Repeat(choose(g, "a", "b", "é"), int(min(max(length+int64(g.IntN(3))-1, 0), 200)))
		}
	}
	if p, ok := o["pattern"].(string); ok && g.chance(3) {
		text = strings.NewReplacer("^", "", "$", "", "+", "", "*", "", `\d`, "7", `\w`, "w", "[a-z]", "q").Replace(p)
	}
	return text
}

func (g *grammar) numberOf(o map[string]any) any {
	for _, key := range [...]string{"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"} {
		if n, ok := o[key].(json.Number); ok && g.chance(2) {
			return n
		}
	}
	return g.number()
}

// disturbed changes a value in one random place.
func (g *grammar) disturbed(v any, depth int) any {
	if depth > 6 || g.chance(3) {
		return g.value(1)
	}
	switch v := v.(type) {
	case map[string]any:
		out := maps.Clone(v)
		names := slices.Sorted(maps.Keys(v))
		switch {
		case len(names) == 0 || g.chance(4):
			out[g.name()] = g.value(1)
		case g.chance(4):
			delete(out, choose(g, names...))
		default:
			name := choose(g, names...)
			out[name] = g.disturbed(v[name], depth+1)
		}
		return out
	case []any:
		out := slices.Clone(v)
		if len(out) == 0 || g.chance(4) {
			return append(out, g.value(1))
		}
		i := g.IntN(len(out))
		if g.chance(4) {
			return slices.Delete(out, i, i+1)
		}
		out[i] = g.disturbed(out[i], depth+1)
		return out
	}
	return g.value(1)
}

// resolve follows a reference by JSON pointer; other references lead nowhere.
func resolve(root any, ref string) any {
	pointer, ok := strings.CutPrefix(ref, "#")
	if !ok {
		return nil
	}
	for _, token := range strings.Split(pointer, "/")[min(1, len(pointer)):] {
		o, _ := root.(map[string]any)
		root = o[strings.NewReplacer("~1", "/", "~0", "~").Replace(token)]
	}
	return root
}
