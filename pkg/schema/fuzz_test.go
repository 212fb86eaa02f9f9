package schema

import (
	"encoding/json"
	"testing"
	"unicode/utf8"
)

// FuzzContains holds what must be true of any two texts: no panic, a schema contains itself, equivalence does not
// depend on the order, the same question has the same answer, and every witness is one.
func FuzzContains(f *testing.F) {
	for _, pair := range [][2]string{
		{`{"type":"integer"}`, `{"type":"number"}`},
		{`{"$ref":"#/$defs/a","$defs":{"a":{"anyOf":[{"$ref":"#"},{"type":"null"}]}}}`, `{"not":{"$ref":"#"}}`},
		{`{"properties":{"a":{"$dynamicRef":"#x"}},"$dynamicAnchor":"x"}`, `{"unevaluatedProperties":false,"allOf":[{"properties":{"a":true}}]}`},
		{`{"$schema":"http://json-schema.org/draft-04/schema#","minimum":1,"exclusiveMinimum":true}`, `{"required":7,"enum":3}`},
		{`{"items":[{"const":1}],"uniqueItems":true}`, `{"contains":{"type":"string"},"maxContains":0}`},
		{`{"patternProperties":{"^a":{"minLength":2}},"propertyNames":{"pattern":"b$"}}`, `{"oneOf":[{"required":["ab"]},{"minProperties":1}]}`},
	} {
		f.Add(pair[0], pair[1])
	}
	f.Fuzz(func(t *testing.T, first, second string) {
		if !utf8.ValidString(first) || !utf8.ValidString(second) || len(first)+len(second) > 4096 {
			t.Skip()
		}
		a, err := Parse(json.RawMessage(first))
		if err != nil {
			t.Skip()
		}
		b, err := Parse(json.RawMessage(second))
		if err != nil {
			t.Skip()
		}
		budget := Budget{Steps: 5000}
		for _, s := range []*Schema{a, b} {
			if r := Contains(t.Context(), s, s, budget); r.Verdict != Compatible {
				t.Errorf("a schema does not contain itself: %v (%s)", r.Verdict, r.Reason)
			}
		}
		if Equivalent(t.Context(), a, b, budget) != Equivalent(t.Context(), b, a, budget) {
			t.Error("equivalence depends on the order")
		}
		r, again := Contains(t.Context(), a, b, budget), Contains(t.Context(), a, b, budget)
		if r.Verdict != again.Verdict || string(r.Witness) != string(again.Witness) || r.Steps != again.Steps {
			t.Errorf("%v %s, and then %v %s", r.Verdict, r.Witness, again.Verdict, again.Witness)
		}
		if r.Witness != nil {
			v, err := decode(r.Witness)
			if err != nil || b.judge(v, false) == void || a.judge(v, false) == inhabited {
				t.Errorf("%s is no witness", r.Witness)
			}
		}
		revision := Compare(t.Context(), a, b, Budget{})
		for _, d := range []Direction{Input, Output} {
			_, changes := revision.Judge(t.Context(), d, Budget{Steps: 2000, Pool: &Pool{Left: 50_000}})
			for _, ch := range changes {
				if ch.Breaks.Witness != nil {
					revision.check(t, ch, d)
				}
			}
		}
	})
}

func TestContainsIsTransitive(t *testing.T) {
	chains := 0
	for seed := range uint64(1200) {
		g := newGenerator(seed)
		c := g.document()
		b := narrowed(t, g, c)
		a := narrowed(t, g, b)
		strict := Budget{Semantics: Strict}
		x, y, z := mustParse(t, string(a)), mustParse(t, string(b)), mustParse(t, string(c))
		if Contains(t.Context(), y, x, strict).Verdict != Compatible || Contains(t.Context(), z, y, strict).Verdict != Compatible {
			continue
		}
		chains++
		if r := Contains(t.Context(), z, x, strict); r.Verdict == Incompatible {
			t.Errorf("seed %d: %s is in %s is in %s, and yet %s", seed, a, b, c, r.Witness)
		}
	}
	if chains < 250 {
		t.Errorf("only %d chains", chains)
	}
}

// narrowed adds keywords to a schema.
func narrowed(t *testing.T, g *generator, raw json.RawMessage) json.RawMessage {
	t.Helper()
	before, err := decode(raw)
	if err != nil {
		t.Fatal(err)
	}
	more := map[string]any{}
	g.keyword(more, 1)
	o := before.(map[string]any)
	all, _ := o["allOf"].([]any)
	o["allOf"] = append(all, more)
	return json.RawMessage(jsonText(o))
}
