package oracle

import (
	"encoding/json"
	"math/rand/v2"
)

// A grammar makes random schemas over every keyword. Names, texts and numbers are few, so that constraints meet.
type grammar struct {
	*rand.Rand
	old   bool       // draft-07 instead of 2020-12
	words dictionary // that values are made of, too
}

func newGrammar(seed uint64) *grammar { return &grammar{Rand: rand.New(rand.NewPCG(seed, 0x6d6370))} }

func choose[T any](g *grammar, list ...T) T { return list[g.IntN(len(list))] }

func (g *grammar) name() string {
	if len(g.words.names) > 0 && g.chance(2) {
		return choose(g, g.words.names...)
	}
	return choose(g, "id", "name", "tags", "x-note", "", "é")
}

func (g *grammar) number() any {
	if len(g.words.numbers) > 0 && g.chance(2) {
		return choose(g, g.words.numbers...)
	}
	return json.Number(choose(g, "-2", "0", "0.5", "1", "1.0", "2", "2.5", "3", "5", "1e2"))
}
func (g *grammar) step() any { return json.Number(choose(g, "0.1", "0.5", "1", "2", "3", "1.5")) }

func (g *grammar) text() string {
	if len(g.words.texts) > 0 && g.chance(2) {
		return choose(g, g.words.texts...)
	}
	return choose(g, "", "a", "b", "ab", "A1", "x-note", "é", "🐲", "aaa")
}
func (g *grammar) count() any        { return json.Number(choose(g, "0", "1", "2", "3")) }
func (g *grammar) chance(n int) bool { return g.IntN(n) == 0 }

func (g *grammar) pattern() string {
	return choose(g, "^a", "a$", "^[a-z]+$", "^.$", "", "^x-", `\d`, "^[^a]*$", "^(ab|a)$", `^\w+$`, "^(?!a)", ".", "^é", "^a{2,3}$")
}

func (g *grammar) kind() string {
	return choose(g, "null", "boolean", "integer", "number", "string", "array", "object")
}

func (g *grammar) kinds() any {
	if g.chance(3) {
		return list(g.kind(), g.kind())
	}
	return g.kind()
}

// list is an array without repeated members, as "type" and "required" ask for.
func list(names ...string) []any {
	var out []any
	seen := map[string]bool{}
	for _, name := range names {
		if !seen[name] {
			seen[name] = true
			out = append(out, name)
		}
	}
	return out
}

// document makes a whole schema with definitions that refer to one another.
func (g *grammar) document() any {
	g.old = g.chance(6)
	o, ok := g.schema(3).(map[string]any)
	if !ok {
		return g.chance(2)
	}
	definitions := "$defs"
	if g.old {
		o["$schema"] = "http://json-schema.org/draft-07/schema#"
		definitions = "definitions"
	}
	o[definitions] = map[string]any{"one": g.schema(2), "two": g.schema(2)}
	if !g.old && g.chance(2) {
		g.named(o)
	}
	return o
}

// named gives the definitions names of other kinds, and the document references to them.
func (g *grammar) named(o map[string]any) {
	table := o["$defs"].(map[string]any)
	table["anchored"] = map[string]any{"$anchor": "plain", "allOf": []any{g.schema(2)}}
	table["dynamic"] = map[string]any{"$id": "https://example.com/list", "$dynamicAnchor": "node", "items": g.plain(1),
		"properties": map[string]any{g.name(): map[string]any{"$dynamicRef": "#node"}, g.name(): g.plain(1)}}
	table["addressed"] = map[string]any{"$id": "https://example.com/addressed", "$defs": map[string]any{"here": g.plain(1)},
		"anyOf": []any{map[string]any{"$ref": "#/$defs/here"}, g.plain(1)}}
	if g.chance(3) {
		o["$dynamicAnchor"] = "node"
	}
	o["properties"] = map[string]any{
		g.name(): map[string]any{"$ref": "#plain"},
		g.name(): map[string]any{choose(g, "$ref", "$dynamicRef"): "https://example.com/list#node"},
		g.name(): map[string]any{"$ref": "https://example.com/addressed"},
	}
}

// plain makes a schema without references, for use where the definitions of the document are out of reach.
func (g *grammar) plain(depth int) any {
	o := map[string]any{}
	for range 1 + g.IntN(3) {
		g.keyword(o, 0)
	}
	if depth > 0 && g.chance(2) {
		o["items"] = g.plain(depth - 1)
	}
	return o
}

func (g *grammar) schema(depth int) any {
	switch n := g.IntN(24); {
	case n == 0:
		return true
	case n == 1:
		return false
	case n == 2 && depth > 0:
		return g.reference()
	}
	o := map[string]any{}
	for range 1 + g.IntN(4) {
		g.keyword(o, depth)
	}
	return o
}

func (g *grammar) reference() map[string]any {
	if g.old {
		return map[string]any{"$ref": "#/definitions/" + choose(g, "one", "two")}
	}
	return map[string]any{"$ref": "#/$defs/" + choose(g, "one", "two")}
}

// keyword adds a random keyword to a schema.
func (g *grammar) keyword(o map[string]any, depth int) {
	families := []func(map[string]any, int){g.general, g.numeric, g.textual, g.objectShape}
	if depth > 0 {
		families = append(families, g.general, g.object, g.object, g.array, g.logic, g.logic)
	}
	families[g.IntN(len(families))](o, depth)
}

func (g *grammar) general(o map[string]any, depth int) {
	switch g.IntN(8) {
	case 0:
		o["const"] = g.value(depth - 1)
	case 1, 2:
		o["enum"] = []any{g.value(0), g.value(0), g.value(depth - 1)}[:1+g.IntN(3)]
	case 3:
		o[choose(g, "title", "description", "$comment")] = g.text()
	default:
		o["type"] = g.kinds()
	}
}

func (g *grammar) numeric(o map[string]any, _ int) {
	if g.chance(4) {
		o["multipleOf"] = g.step()
		return
	}
	o[choose(g, "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")] = g.number()
}

func (g *grammar) textual(o map[string]any, _ int) {
	switch g.IntN(6) {
	case 0:
		o["format"] = choose(g, "date", "email", "uri", "unknown")
	case 1:
		o[choose(g, "contentEncoding", "contentMediaType")] = choose(g, "base64", "application/json")
	case 2, 3:
		o["pattern"] = g.pattern()
	default:
		o[choose(g, "minLength", "maxLength")] = g.count()
	}
}

// objectShape adds a keyword about objects or arrays that holds no schema.
func (g *grammar) objectShape(o map[string]any, _ int) {
	switch g.IntN(5) {
	case 0:
		o[choose(g, "minProperties", "maxProperties", "minItems", "maxItems")] = g.count()
	case 1:
		o["uniqueItems"] = !g.chance(4)
	case 2:
		key := "dependentRequired"
		if g.old {
			key = "dependencies"
		}
		o[key] = map[string]any{g.name(): list(g.name())}
	default:
		o["required"] = list(g.name(), g.name())[:1]
	}
}

func (g *grammar) object(o map[string]any, depth int) {
	sub := func() any { return g.schema(depth - 1) }
	switch g.IntN(9) {
	case 0:
		o["additionalProperties"] = choose(g, any(false), any(true), sub())
	case 1:
		o["patternProperties"] = map[string]any{g.pattern(): sub(), g.pattern(): sub()}
	case 2:
		o["propertyNames"] = sub()
	case 3:
		key := "dependentSchemas"
		if g.old {
			key = "dependencies"
		}
		o[key] = map[string]any{g.name(): sub()}
	case 4:
		if !g.old {
			o["unevaluatedProperties"] = choose(g, any(false), sub())
		}
	default:
		properties := map[string]any{}
		for range 1 + g.IntN(3) {
			properties[g.name()] = sub()
		}
		o["properties"] = properties
	}
}

func (g *grammar) array(o map[string]any, depth int) {
	sub := func() any { return g.schema(depth - 1) }
	tuple := []any{sub(), sub()}[:1+g.IntN(2)]
	switch n := g.IntN(7); {
	case n == 0 && g.old:
		o["items"], o["additionalItems"] = tuple, sub()
	case n == 0:
		o["prefixItems"] = tuple
	case n == 1:
		o["contains"] = sub()
		if !g.old && g.chance(2) {
			o["minContains"] = g.count()
		}
		if !g.old && g.chance(2) {
			o["maxContains"] = g.count()
		}
	case n == 2 && !g.old:
		o["unevaluatedItems"] = choose(g, any(false), sub())
	default:
		o["items"] = sub()
	}
}

func (g *grammar) logic(o map[string]any, depth int) {
	sub := func() any { return g.schema(depth - 1) }
	switch g.IntN(7) {
	case 0:
		o["not"] = sub()
	case 1:
		o["if"] = sub()
		o[choose(g, "then", "else")] = sub()
		if g.chance(2) {
			o["then"] = sub()
		}
	case 2:
		o["allOf"] = []any{sub(), sub()}
	case 3, 4:
		o["oneOf"] = []any{sub(), sub(), sub()}[:1+g.IntN(3)]
	default:
		o["anyOf"] = []any{sub(), sub(), sub()}[:1+g.IntN(3)]
	}
}

// value makes a random instance.
func (g *grammar) value(depth int) any {
	if len(g.words.values) > 0 && g.chance(4) {
		return choose(g, g.words.values...)
	}
	switch n := g.IntN(10); {
	case n < 3:
		return g.text()
	case n < 6:
		return g.number()
	case n == 6:
		return choose(g, any(nil), any(true), any(false))
	case depth <= 0:
		return choose(g, any([]any{}), any(map[string]any{}), any(nil), any("a"))
	case n == 7:
		items := []any{}
		for range g.IntN(4) {
			items = append(items, g.value(depth-1))
		}
		return items
	}
	o := map[string]any{}
	for range g.IntN(4) {
		o[g.name()] = g.value(depth - 1)
	}
	return o
}
