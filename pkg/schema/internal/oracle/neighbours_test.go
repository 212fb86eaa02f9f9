package oracle

import (
	"encoding/json"
	"maps"
	"slices"
)

// neighbours makes two small schemas of one type that differ in one keyword: where a bound is off by one, they show it.
func (g *grammar) neighbours() (narrow, wide any) {
	kind := choose(g, "string", "number", "integer", "array", "object")
	a := map[string]any{"type": kind}
	for range 1 + g.IntN(3) {
		g.keywordFor(kind, a)
	}
	b := maps.Clone(a)
	keywords := slices.DeleteFunc(slices.Sorted(maps.Keys(a)), func(k string) bool { return k == "type" })
	k := choose(g, keywords...)
	switch g.IntN(5) {
	case 0:
		delete(b, k)
	case 1:
		g.keywordFor(kind, b)
	default:
		b[k] = g.moved(k, a[k])
	}
	if g.chance(2) {
		return b, a
	}
	return a, b
}

func (g *grammar) keywordFor(kind string, o map[string]any) {
	switch kind {
	case "string":
		g.textual(o, 0)
	case "number", "integer":
		g.numeric(o, 0)
	case "array":
		g.keywordForArray(o)
	default:
		g.keywordForObject(o)
	}
}

func (g *grammar) keywordForArray(o map[string]any) {
	switch g.IntN(6) {
	case 0:
		o["uniqueItems"] = true
	case 1:
		o["prefixItems"] = []any{g.scalar(), g.scalar()}[:1+g.IntN(2)]
	case 2:
		o["contains"] = g.scalar()
		o[choose(g, "minContains", "maxContains")] = g.count()
	case 3:
		o["items"] = g.scalar()
	default:
		o[choose(g, "minItems", "maxItems")] = g.count()
	}
}

func (g *grammar) keywordForObject(o map[string]any) {
	switch g.IntN(9) {
	case 0:
		o["required"] = list(g.name(), g.name())
	case 1:
		o["dependentRequired"] = map[string]any{g.name(): list(g.name())}
	case 2:
		o["patternProperties"] = map[string]any{g.pattern(): g.scalar()}
	case 3:
		o["propertyNames"] = map[string]any{"pattern": g.pattern(), "maxLength": g.count()}
	case 4:
		o[choose(g, "additionalProperties", "unevaluatedProperties")] = choose(g, any(false), g.scalar())
	case 5, 6:
		o[choose(g, "minProperties", "maxProperties")] = g.count()
	default:
		o["properties"] = map[string]any{g.name(): g.scalar(), g.name(): g.scalar()}
	}
}

// scalar is a schema that few values satisfy, so that counting matters.
func (g *grammar) scalar() any {
	switch g.IntN(6) {
	case 0:
		return map[string]any{"enum": []any{g.value(0), g.value(0)}}
	case 1:
		return map[string]any{"type": "boolean"}
	case 2:
		return map[string]any{"type": "integer", "minimum": g.number(), "maximum": g.number()}
	case 3:
		return map[string]any{"type": "string", "maxLength": g.count()}
	case 4:
		return true
	}
	return map[string]any{"type": g.kind()}
}

// moved changes the value of a keyword by a step, or one place inside it.
func (g *grammar) moved(keyword string, v any) any {
	switch v := v.(type) {
	case json.Number:
		switch n, err := v.Int64(); {
		case keyword == "multipleOf":
			return g.step()
		case err == nil && (n > 0 || keyword == "minimum" || keyword == "maximum"):
			return json.Number(encode(n + choose(g, int64(-1), 1)))
		case err == nil:
			return json.Number("1")
		}
		return g.number()
	case map[string]any:
		out := maps.Clone(v)
		k := choose(g, slices.Sorted(maps.Keys(v))...)
		out[k] = g.moved(k, v[k])
		return out
	case []any:
		if keyword == "enum" || keyword == "required" {
			return g.nudged(keyword, v)
		}
		out := slices.Clone(v)
		i := g.IntN(len(out))
		out[i] = g.moved(keyword, out[i])
		return out
	case string:
		if keyword == "pattern" {
			return g.pattern()
		}
		if keyword == "type" {
			return g.kind()
		}
	case bool:
		return g.scalar()
	}
	return v
}
