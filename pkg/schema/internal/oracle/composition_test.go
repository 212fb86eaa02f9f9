package oracle

import (
	"encoding/json"
	"flag"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpctl/mcpctl/pkg/schema"
)

var revisions = flag.Int("revisions", tenth(4000), "how many random pairs the edits are taken together of")

// TestAllEditsAreTheNewSchema takes random pairs apart into edits. The old schema with all of them accepts exactly what
// the new schema accepts, and with none what it accepted before: of values for either, by an independent validator, and
// of all values as far as the engine decides it. A verdict on an edit rests on that, since it asks what is left once
// others are undone.
func TestAllEditsAreTheNewSchema(t *testing.T) {
	real := realSchemas(t)
	seen := map[string]int{}
	for i := range uint64(*revisions) {
		g := newGrammar(*seed<<32 + i)
		old, new := g.unions()
		switch i % 4 {
		case 2:
			old, new = g.arms(), g.arms()
		case 3:
			old, new = g.pair(real)
		}
		checkTogether(t, g, old, new, seen)
	}
	t.Logf("%v", seen)
	if seen["accepted"] < *revisions || seen["refused"] < *revisions || seen["edits"] < *revisions {
		t.Error("too little was checked")
	}
}

// TestAllEditsOfTheCorpusAreTheNewSchema asks the same of the labelled pairs.
func TestAllEditsOfTheCorpusAreTheNewSchema(t *testing.T) {
	seen := map[string]int{}
	for _, src := range sources() {
		for i, p := range load(t, src.file) {
			if p.Exclude == "" && src.semantics == schema.Strict && (full || i%10 == 0) {
				checkTogether(t, newGrammar(uint64(i)), decode(named(p.Old, p.Dialect[0])), decode(named(p.New, p.Dialect[1])), seen)
			}
		}
	}
	t.Logf("%v", seen)
	if seen["accepted"] == 0 || seen["refused"] == 0 {
		t.Error("nothing was checked")
	}
}

// checkTogether holds the old schema with all edits against the new one, and that with none against the old one.
func checkTogether(t *testing.T, g *grammar, old, new any, seen map[string]int) {
	t.Helper()
	d, _, _ := schema.DraftOf(old)
	if other, _, _ := schema.DraftOf(new); d != other {
		return // keywords that only one of them reads
	}
	before, err1 := schema.Parse(encode(old))
	after, err2 := schema.Parse(encode(new))
	x, err3 := newJudge(asJudged(old), "schema")
	y, err4 := newJudge(asJudged(new), "schema")
	if err1 != nil || err2 != nil || err3 != nil || err4 != nil {
		seen["unread"]++
		return
	}
	r := schema.Compare(t.Context(), before, after, schema.Budget{})
	all := make([]int, len(r.Edits))
	for i := range all {
		all[i] = i
	}
	seen["edits"] += len(all)
	for _, side := range []struct {
		name         string
		made, wanted *schema.Schema
		judge        *Judge
	}{{"all", r.With(all...), after, y}, {"no", r.With(), before, x}} {
		fail := func(value json.RawMessage) {
			t.Errorf("with %s edits %s is accepted: %v, by that version: %v\nold %s\nnew %s", side.name, value,
				read(side.made, decode(value)) == yes, judged(side.wanted, decode(value)) == yes, encode(old), encode(new))
		}
		for _, value := range g.valuesOf(old, new) {
			accepted, sure := side.made.Accepts(value)
			if by, err := side.judge.Valid(value); err == nil && sure {
				seen[map[bool]string{true: "accepted", false: "refused"}[by]]++
				if by != accepted {
					fail(encode(value))
					return
				}
			}
		}
		for _, pair := range [][2]*schema.Schema{{side.made, side.wanted}, {side.wanted, side.made}} {
			found := schema.Contains(t.Context(), pair[0], pair[1], schema.Budget{Semantics: schema.Strict})
			if seen[found.Verdict.String()]++; found.Verdict == schema.Incompatible && found.Witness != nil {
				fail(found.Witness)
				return
			}
		}
	}
}

// TestNoBreakWithoutAValue judges the edits of random pairs. Each break has a value that is right before and wrong now,
// by an independent validator, and where such a value is found at random, something breaks or is undecided.
func TestNoBreakWithoutAValue(t *testing.T) {
	seen := map[string]int{}
	for i := range uint64(*revisions / 8) {
		g := newGrammar(*seed<<33 + i)
		old, new := g.unions()
		if i%3 == 0 {
			old, new = g.arms(), g.arms()
		}
		x, err1 := newJudge(old, "schema")
		y, err2 := newJudge(new, "schema")
		if err1 != nil || err2 != nil {
			continue
		}
		strict := schema.Budget{Semantics: schema.Strict}
		r := schema.Compare(t.Context(), mustParse(t, string(encode(old))), mustParse(t, string(encode(new))), strict)
		for direction, sides := range map[schema.Direction][2]*Judge{schema.Input: {x, y}, schema.Output: {y, x}} {
			judged := r.Judge(t.Context(), direction, strict)
			verdicts := map[schema.Verdict]int{}
			for _, ch := range append(judged.Changes, judged.Rest...) {
				verdicts[ch.Breaks.Verdict]++
				if ch.Breaks.Verdict == schema.Incompatible &&
					(ch.Breaks.Witness == nil || disproved(sides[0], sides[1], decode(ch.Breaks.Witness)) != yes) {
					t.Errorf("edit %d breaks by %s (%s)\nold %s\nnew %s", ch.Edit, ch.Breaks.Witness, ch.Breaks.Reason, encode(old),
						encode(new))
				}
			}
			for _, value := range g.valuesOf(old, new) {
				if disproved(sides[0], sides[1], value) == yes && verdicts[schema.Incompatible]+verdicts[schema.Unknown] == 0 {
					t.Errorf("nothing breaks, but %s does\nold %s\nnew %s", encode(value), encode(old), encode(new))
					break
				}
			}
			for verdict, n := range verdicts {
				seen[verdict.String()] += n
			}
		}
	}
	t.Logf("%v", seen)
	if seen["incompatible"] == 0 || seen["unknown"]*20 > seen["incompatible"] {
		t.Errorf("too much is undecided, or nothing breaks: %v", seen)
	}
}

// TestABreakBesideChangesNoVerdict judges a random change of one member alone, and beside a break of another one: what is
// said of the first is the same.
func TestABreakBesideChangesNoVerdict(t *testing.T) {
	compared := 0
	for i := range uint64(*revisions / 8) {
		g := newGrammar(*seed<<34 + i)
		x := g.choice(2)
		y := choose(g, g.turned(x), g.choice(2))
		verdicts := func(broken any, direction schema.Direction) map[string]int {
			sides := []map[string]any{{"a": x, "b": map[string]any{"type": "string"}}, {"a": y, "b": broken}}
			if direction == schema.Output {
				sides[0]["b"], sides[1]["b"] = sides[1]["b"], sides[0]["b"]
			}
			var parsed []*schema.Schema
			for _, members := range sides {
				parsed = append(parsed, mustParse(t, string(encode(map[string]any{"type": "object", "properties": members}))))
			}
			r := schema.Compare(t.Context(), parsed[0], parsed[1], schema.Budget{})
			judged, found := r.Judge(t.Context(), direction, schema.Budget{}), map[string]int{}
			for _, ch := range judged.Changes {
				if e := r.Edits[ch.Edit]; ch.Breaks.Verdict != schema.Compatible && e.Path != "/properties/b" {
					found[string(e.Family)+" "+e.Path+" "+ch.Breaks.Verdict.String()]++
				}
			}
			for _, ch := range judged.Rest {
				found["rest "+ch.Path+" "+ch.Breaks.Verdict.String()]++
			}
			return found
		}
		for _, direction := range []schema.Direction{schema.Input, schema.Output} {
			alone := verdicts(map[string]any{"type": "string"}, direction)
			beside := verdicts(map[string]any{"type": "string", "minLength": json.Number("1")}, direction)
			if difference := cmp.Diff(alone, beside); difference != "" {
				t.Errorf("(-alone +beside a break)\n%s\nold %s\nnew %s", difference, encode(x), encode(y))
			}
			compared += len(alone)
		}
	}
	if compared < *revisions/16 {
		t.Errorf("only %d verdicts were compared", compared)
	}
}

// valuesOf returns values of each type, and random ones made for two schemas.
func (g *grammar) valuesOf(old, new any) []any {
	simple := []any{nil, true, json.Number("0"), json.Number("1.5"), json.Number("7"), "", "a", "abc", []any{}, []any{nil},
		map[string]any{}}
	values := slices.Clone(simple)
	for _, root := range []any{old, new} {
		o, _ := root.(map[string]any)
		properties, _ := o["properties"].(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(properties)) {
			for _, v := range simple {
				values = append(values, map[string]any{name: v}, map[string]any{name: v, "d": "a"},
					map[string]any{"a": "a", "b": "abc", "c": v})
			}
		}
		for range 6 {
			v := g.instance(root, root, 4)
			values = append(values, v, g.disturbed(v, 0))
		}
	}
	return values
}

// unions makes two schemas of an object that differ in unions: alternatives with and without null, in each other, and
// under other keywords that say the same.
func (g *grammar) unions() (old, new any) {
	object := func(members ...any) any {
		table := map[string]any{}
		for i, m := range members {
			table[[]string{"a", "b"}[i]] = m
		}
		return map[string]any{"type": "object", "properties": table}
	}
	x := g.choice(2)
	return object(x, g.choice(1)), object(choose(g, g.turned(x), g.turned(g.turned(x)), g.choice(2)), g.choice(1))
}

// arms makes an object whose members stand in several arms, some of them closed, and definitions.
func (g *grammar) arms() any {
	plain := func() any {
		return choose(g, any(map[string]any{"type": "string"}), any(map[string]any{"type": "integer"}),
			any(map[string]any{"minLength": json.Number("2")}),
			any(true), any(map[string]any{"$ref": "#/$defs/one/properties/a"}))
	}
	var object func(depth int) map[string]any
	object = func(depth int) map[string]any {
		o := map[string]any{}
		if g.chance(2) {
			o["type"] = "object"
		}
		if !g.chance(4) {
			o["properties"] = map[string]any{choose(g, "a", "b", "c"): plain(), choose(g, "a", "b", "c"): plain()}
		}
		if g.chance(3) {
			o["required"] = list(choose(g, "a", "b", "d"))
		}
		if g.chance(3) {
			o["additionalProperties"] = choose(g, any(false), any(false), any(true), plain())
		}
		if depth > 0 && !g.chance(3) {
			o["allOf"] = []any{object(depth - 1), choose(g, any(object(depth-1)), any(map[string]any{"$ref": "#/$defs/one"}))}
		}
		switch {
		case depth > 0 && g.chance(4):
			o["$ref"] = "#/$defs/" + choose(g, "one", "two")
		case depth > 0 && g.chance(5):
			o["anyOf"] = []any{object(0), object(0)}
		case g.chance(9):
			o["description"] = g.text()
		}
		return o
	}
	o := object(2)
	if g.chance(2) {
		o = map[string]any{"properties": map[string]any{"a": object(2), "b": object(1)}}
	}
	one, two := object(0), object(0)
	one["properties"] = map[string]any{"a": map[string]any{"type": "string"}}
	if g.chance(2) {
		two["allOf"] = []any{map[string]any{"$ref": "#/$defs/one"}}
	}
	o["$defs"] = map[string]any{"one": one, "two": two}
	return o
}

// choice makes a union, or one of its alternatives.
func (g *grammar) choice(depth int) any {
	plain := func() any {
		return choose[any](g, map[string]any{"type": "string"}, map[string]any{"type": "number"}, map[string]any{"type": "integer"},
			map[string]any{"type": "boolean"}, map[string]any{"type": "string", "minLength": json.Number("2")},
			map[string]any{"const": "a"}, map[string]any{"enum": []any{"a", nil}}, map[string]any{"type": []any{"string", "null"}},
			map[string]any{"type": []any{"integer", "string"}}, map[string]any{"type": "null"}, map[string]any{"const": nil},
			map[string]any{"enum": []any{"a", "abc", json.Number("7")}}, map[string]any{"minimum": json.Number("1")},
			map[string]any{"type": "object", "properties": map[string]any{"k": map[string]any{"const": choose(g, "x", "y", "z")}},
				"required": []any{"k"}}, map[string]any{})
	}
	if depth == 0 || g.chance(3) {
		return plain()
	}
	of := func(n int) []any {
		var list []any
		for range n {
			list = append(list, g.choice(depth-1))
		}
		if g.chance(2) {
			list = slices.Insert(list, g.IntN(n+1), any(map[string]any{"type": "null"}))
		}
		return list
	}
	switch g.IntN(10) {
	case 0:
		return map[string]any{"allOf": of(1)}
	case 1:
		return map[string]any{"not": map[string]any{"const": nil}, choose(g, "anyOf", "oneOf"): of(2)}
	case 2:
		return map[string]any{"type": []any{"string", "null"}, "anyOf": of(2)}
	}
	return map[string]any{choose(g, "anyOf", "oneOf"): of(1 + g.IntN(3))}
}

// turned changes a union in one place: an alternative joins, leaves or changes, or the keyword does.
func (g *grammar) turned(schema any) any {
	o, _ := schema.(map[string]any)
	out := maps.Clone(o)
	for _, k := range []string{"anyOf", "oneOf", "allOf"} {
		list, is := o[k].([]any)
		if !is {
			continue
		}
		list = slices.Clone(list)
		i := g.IntN(len(list))
		switch n := g.IntN(6); {
		case n == 0 && len(list) > 1:
			list = slices.Delete(list, i, i+1)
		case n == 1:
			list[i] = g.turned(list[i])
		case n == 2:
			list[i] = g.choice(1)
		case n == 3:
			delete(out, k)
			k = choose(g, "anyOf", "oneOf")
		case n == 4:
			list = slices.Insert(list, i, any(map[string]any{"type": "null"}))
		default:
			list = slices.Insert(list, i, g.choice(0))
		}
		out[k] = list
		return out
	}
	switch {
	case g.chance(3):
		return g.choice(1)
	case g.chance(2):
		return map[string]any{choose(g, "anyOf", "oneOf"): []any{schema, map[string]any{"type": "null"}}}
	case o["type"] == "string":
		out["type"] = []any{"string", "null"}
		return out
	}
	return map[string]any{choose(g, "anyOf", "oneOf"): []any{schema, g.choice(0)}}
}

// TestUnevaluatedIsReadAsByTheValidator compares what is said of objects by unevaluatedProperties beside parts that speak
// of names only for some values, with a value in hand.
func TestUnevaluatedIsReadAsByTheValidator(t *testing.T) {
	seen := map[bool]int{}
	for i := range uint64(tenth(1000)) {
		g := newGrammar(i)
		root := g.parted(2)
		root["unevaluatedProperties"] = choose(g, any(false), any(map[string]any{"type": "string"}))
		root["$defs"] = map[string]any{"one": g.parted(0), "two": g.parted(0)}
		judge, err := newJudge(root, "schema")
		if err != nil {
			t.Fatal(err)
		}
		s := mustParse(t, string(encode(root)))
		for range 12 {
			value := map[string]any{}
			for _, name := range []string{"a", "b", "c", "x-d"} {
				if g.chance(2) {
					value[name] = choose(g, any("a"), any(json.Number("1")), any(nil))
				}
			}
			by, err := judge.Valid(value)
			if accepted, sure := s.Accepts(value); err == nil && (!sure || accepted != by) {
				t.Fatalf("%s: accepted %v, sure %v, the validator says %v\n%s", encode(value), accepted, sure, by, encode(root))
			}
			seen[by]++
		}
	}
	if seen[true] < tenth(1000) || seen[false] < tenth(1000) {
		t.Errorf("too little was checked: %v", seen)
	}
}

// TestUnevaluatedItemsAreReadAsByTheValidator does the same for arrays and unevaluatedItems, and decides whether one such
// schema contains another: what is said to be contained accepts none of the values that the other one refuses.
func TestUnevaluatedItemsAreReadAsByTheValidator(t *testing.T) {
	seen, verdicts := map[bool]int{}, map[schema.Verdict]int{}
	for i := range uint64(tenth(3000)) {
		g := newGrammar(i)
		make := func() (*schema.Schema, *Judge) {
			root := g.tuples(2)
			root["unevaluatedItems"] = choose(g, any(false), any(map[string]any{"type": "string"}))
			root["$defs"] = map[string]any{"one": g.tuples(0), "two": g.tuples(0)}
			judge, err := newJudge(root, "schema")
			if err != nil {
				t.Fatal(err)
			}
			return mustParse(t, string(encode(root))), judge
		}
		narrow, judge := make()
		wide, other := make()
		contained := schema.Contains(t.Context(), wide, narrow, schema.Budget{Semantics: schema.Strict})
		verdicts[contained.Verdict]++
		for range 24 {
			value := []any{}
			for range g.IntN(5) {
				value = append(value, choose(g, any("a"), any(json.Number("1")), any(nil)))
			}
			by, err := judge.Valid(value)
			if accepted, sure := narrow.Accepts(value); err == nil && (!sure || accepted != by) {
				t.Fatalf("%s: accepted %v, sure %v, the validator says %v\n%s", encode(value), accepted, sure, by, narrow.Raw())
			}
			seen[by]++
			if within, err := other.Valid(value); err == nil && by && !within && contained.Verdict == schema.Compatible {
				t.Fatalf("%s is not contained\nwide %s\nnarrow %s", encode(value), wide.Raw(), narrow.Raw())
			}
		}
	}
	if t.Log(seen, verdicts); seen[true] < tenth(5000) || seen[false] < tenth(5000) || verdicts[schema.Compatible] < tenth(200) {
		t.Errorf("too little was checked: %v, %v", seen, verdicts)
	}
}

// tuples makes a schema with items in several parts.
func (g *grammar) tuples(depth int) map[string]any {
	o := map[string]any{}
	for n := range g.IntN(3) {
		o["prefixItems"] = slices.Repeat([]any{g.oneType()}, n+1)
	}
	if g.chance(8) {
		o["items"] = g.oneType()
	}
	if g.chance(5) {
		o["contains"] = g.oneType()
	}
	if depth == 0 {
		return o
	}
	return g.combined(o, "unevaluatedItems", func() any { return g.tuples(depth - 1) })
}

// parted makes a schema with properties in several parts.
func (g *grammar) parted(depth int) map[string]any {
	o := map[string]any{}
	for range g.IntN(3) {
		o["properties"] = map[string]any{choose(g, "a", "b", "c"): g.oneType(), choose(g, "a", "b"): g.oneType()}
	}
	if g.chance(4) {
		o["required"] = list(choose(g, "a", "b", "c"))
	}
	if g.chance(6) {
		o["patternProperties"] = map[string]any{"^x-": g.oneType()}
	}
	if depth == 0 {
		return o
	}
	return g.combined(o, "unevaluatedProperties", func() any { return g.parted(depth - 1) })
}

// oneType makes a schema of one type, or of any value.
func (g *grammar) oneType() any {
	return choose(g, any(true), any(map[string]any{"type": "string"}), any(map[string]any{"type": "integer"}))
}

// combined adds one or two combinations of further schemas to a schema: of what they leave, unevaluated speaks.
func (g *grammar) combined(o map[string]any, unevaluated string, sub func() any) map[string]any {
	for range 1 + g.IntN(2) {
		switch g.IntN(7) {
		case 0:
			o["allOf"] = []any{sub(), sub()}
		case 1, 2:
			o[choose(g, "anyOf", "oneOf")] = []any{sub(), sub()}
		case 3:
			o["if"], o["then"], o["else"] = sub(), sub(), sub()
		case 4:
			o["dependentSchemas"] = map[string]any{choose(g, "a", "b"): sub()}
		case 5:
			o["anyOf"] = []any{map[string]any{"$ref": "#/$defs/" + choose(g, "one", "two")}, sub()}
		case 6:
			o["allOf"] = []any{map[string]any{unevaluated: g.oneType()}, sub()}
		}
	}
	return o
}
