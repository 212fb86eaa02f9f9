package oracle

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/mcpctl/mcpctl/pkg/schema"
)

// A generator makes random schemas that use every keyword, and random values that report them apart: few names, few
// strings and few numbers, so that constraints meet.
type generator struct {
	*rand.Rand
	draft schema.Draft
}

func newGenerator(seed uint64) *generator {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 1)), draft: schema.Draft202012}
	if n := g.IntN(12); n < 4 {
		g.draft = schema.Draft04 + schema.Draft(n)
	}
	return g
}

var (
	someNames    = []string{"a", "b", "ab", "x-a"}
	someStrings  = []string{"", "a", "b", "ab", "aa", "abc", "x-a", "B"}
	someNumbers  = []string{"-1", "0", "1", "1.0", "1.5", "2", "3", "4", "6", "10"}
	somePatterns = []string{"^a", "b$", "^[ab]+$", "a", "^x-", "", "^.$", "[a-z]*", "^(a|ab)$"}
	someTypes    = []string{"null", "boolean", "integer", "number", "string", "array", "object"}
)

func pick[T any](g *generator, list []T) T { return list[g.IntN(len(list))] }

// document is a schema with two definitions that anything in it may refer to.
func (g *generator) document() json.RawMessage {
	o, ok := g.schema(3).(map[string]any)
	if !ok {
		o = map[string]any{"allOf": []any{true}}
	}
	if g.draft != schema.Draft202012 {
		o["$schema"] = g.draft.URI()
	}
	o["$defs"] = map[string]any{"d0": g.schema(2), "d1": g.schema(2)}
	raw, _ := json.Marshal(o)
	return raw
}

func (g *generator) schema(depth int) any {
	if n := g.IntN(20); g.draft == schema.Draft04 {
	} else if n == 0 {
		return true
	} else if n == 1 {
		return false
	}
	o := map[string]any{}
	for range 1 + g.IntN(3) {
		g.keyword(o, depth)
	}
	return o
}

func (g *generator) keyword(o map[string]any, depth int) {
	switch n := g.IntN(34); {
	case n < 5:
		o["type"] = g.types()
	case n < 8:
		o["enum"] = g.values(1+g.IntN(3), depth-1)
	case n == 8:
		o["const"] = g.value(depth - 1)
	case n == 9:
		g.bound(o, pick(g, []string{"inimum", "aximum"}))
	case n == 10:
		o["multipleOf"] = json.Number(pick(g, []string{"1", "2", "0.5", "3"}))
	case n == 11:
		o[pick(g, []string{"minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"})] = g.IntN(4)
	case n == 12:
		o["pattern"] = pick(g, somePatterns)
	case n == 13:
		o["required"] = g.names()
	case n == 14:
		o["uniqueItems"] = g.IntN(2) == 0
	case n == 15 && g.draft <= schema.Draft07:
		o["dependencies"] = map[string]any{pick(g, someNames): g.names()}
	case n == 15:
		o["dependentRequired"] = map[string]any{pick(g, someNames): g.names()}
	case depth <= 0:
		o["type"] = g.types()
	default:
		g.applicator(o, n, depth)
	}
}

func (g *generator) applicator(o map[string]any, n, depth int) {
	sub := func() any { return g.schema(depth - 1) }
	switch {
	case n < 19:
		o["properties"] = map[string]any{pick(g, someNames): sub(), pick(g, someNames): sub()}
	case n == 19:
		o["patternProperties"] = map[string]any{pick(g, somePatterns): sub()}
	case n == 20:
		o["additionalProperties"] = sub()
	case n == 21:
		o["propertyNames"] = sub()
	case n == 22 && g.draft <= schema.Draft07:
		o["dependencies"] = map[string]any{pick(g, someNames): sub()}
	case n == 22:
		o["dependentSchemas"] = map[string]any{pick(g, someNames): sub()}
	case n == 23:
		o["items"] = sub()
	case n == 24:
		g.tuple(o, []any{sub(), sub()}[:1+g.IntN(2)], sub)
	case n == 25:
		o["contains"] = sub()
		if g.IntN(2) == 0 {
			o["minContains"] = g.IntN(3)
		}
		if g.IntN(2) == 0 {
			o["maxContains"] = g.IntN(3)
		}
	case n < 29:
		o[pick(g, []string{"allOf", "anyOf", "oneOf", "anyOf", "oneOf"})] = []any{sub(), sub(), sub()}[:1+g.IntN(3)]
	case n == 29:
		o["not"] = sub()
	case n == 30:
		o["if"], o["then"] = sub(), sub()
		if g.IntN(2) == 0 {
			o["else"] = sub()
		}
	case n == 31:
		o["unevaluatedProperties"] = sub()
	case n == 32:
		o["unevaluatedItems"] = sub()
	default:
		o["$ref"] = fmt.Sprintf("#/$defs/d%d", g.IntN(2))
	}
}

// bound sets a bound of numbers, strict or not, in the spelling of the draft.
func (g *generator) bound(o map[string]any, keyword string) {
	plain, strict := "m"+keyword, "exclusiveM"+keyword
	limit := json.Number(pick(g, someNumbers))
	switch {
	case g.IntN(2) == 0:
		o[plain] = limit
	case g.draft == schema.Draft04:
		o[plain], o[strict] = limit, true
	default:
		o[strict] = limit
	}
}

// tuple sets schemas by position in the spelling of the draft.
func (g *generator) tuple(o map[string]any, prefix []any, sub func() any) {
	if g.draft == schema.Draft202012 {
		o["prefixItems"] = prefix
		return
	}
	o["items"] = prefix
	if g.IntN(2) == 0 {
		o["additionalItems"] = sub()
	}
}

func (g *generator) types() any {
	if g.IntN(3) > 0 {
		return pick(g, someTypes)
	}
	return []any{pick(g, someTypes[:4]), pick(g, someTypes[4:])}
}

func (g *generator) names() []any {
	out := []any{pick(g, someNames)}
	if other := pick(g, someNames); g.IntN(3) == 0 && other != out[0] {
		out = append(out, other)
	}
	return out
}

func (g *generator) values(n, depth int) []any {
	out := []any{}
	seen := map[string]bool{}
	for range n {
		v := g.value(depth)
		if key := strings.ReplaceAll(string(encode(v)), "1.0", "1"); !seen[key] {
			seen[key] = true
			out = append(out, v)
		}
	}
	return out
}

func (g *generator) value(depth int) any {
	switch n := g.IntN(14); {
	case n == 0:
		return nil
	case n < 3:
		return n == 1
	case n < 6:
		return json.Number(pick(g, someNumbers))
	case n < 9 || depth <= 0:
		return pick(g, someStrings)
	case n < 11:
		out := []any{}
		for range g.IntN(4) {
			out = append(out, g.value(depth-1))
		}
		return out
	}
	out := map[string]any{}
	for range g.IntN(4) {
		out[pick(g, someNames)] = g.value(depth - 1)
	}
	return out
}
