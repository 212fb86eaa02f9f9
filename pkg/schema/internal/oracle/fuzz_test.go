package oracle

import (
	"encoding/json"
	"testing"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/pkg/schema"
)

// FuzzContains holds what must be true of any two texts: no panic, a schema contains itself, equivalence does not
// depend on the order, the same question has the same answer, and every witness is one.
func FuzzContains(f *testing.F) {
	for _, pair := range [][2]string{
		{`{"type":"integer"}`, `{"type":"number"}`},
		{`{"$ref":"#/$defs/a","$defs":{"a":{"anyOf":[{"$ref":"#"},{"type":"null"}]}}}`, `{"not":{"$ref":"#"}}`},
		{`{"properties":{"a":{"$dynamicRef":"#x"}},"$dynamicAnchor":"x"}`,
			`{"unevaluatedProperties":false,"allOf":[{"properties":{"a":true}}]}`},
		{`{"$schema":"http://json-schema.org/draft-04/schema#","minimum":1,"exclusiveMinimum":true}`, `{"required":7,"enum":3}`},
		{`{"items":[{"const":1}],"uniqueItems":true}`, `{"contains":{"type":"string"},"maxContains":0}`},
		{`{"patternProperties":{"^a":{"minLength":2}},"propertyNames":{"pattern":"b$"}}`,
			`{"oneOf":[{"required":["ab"]},{"minProperties":1}]}`},
	} {
		f.Add(pair[0], pair[1])
	}
	f.Fuzz(func(t *testing.T, first, second string) {
		if !utf8.ValidString(first) || !utf8.ValidString(second) || len(first)+len(second) > 4096 {
			t.Skip()
		}
		a, err := schema.Parse(json.RawMessage(first))
		if err != nil {
			t.Skip()
		}
		b, err := schema.Parse(json.RawMessage(second))
		if err != nil {
			t.Skip()
		}
		budget := schema.Budget{Steps: 5000}
		for _, s := range []*schema.Schema{a, b} {
			if r := schema.Contains(t.Context(), s, s, budget); r.Verdict != schema.Compatible {
				t.Errorf("a schema does not contain itself: %v (%s)", r.Verdict, r.Reason)
			}
		}
		if schema.Equivalent(t.Context(), a, b, budget) != schema.Equivalent(t.Context(), b, a, budget) {
			t.Error("equivalence depends on the order")
		}
		r, again := schema.Contains(t.Context(), a, b, budget), schema.Contains(t.Context(), a, b, budget)
		if r.Verdict != again.Verdict || string(r.Witness) != string(again.Witness) || r.Steps != again.Steps {
			t.Errorf("%v %s, and then %v %s", r.Verdict, r.Witness, again.Verdict, again.Witness)
		}
		if r.Witness != nil {
			v := decode(r.Witness)
			if judged(b, v) == no || judged(a, v) == yes {
				t.Errorf("%s is no witness", r.Witness)
			}
		}
		revision := schema.Compare(t.Context(), a, b, schema.Budget{})
		for _, d := range []schema.Direction{schema.Input, schema.Output} {
			judged := revision.Judge(t.Context(), d, schema.Budget{Steps: 2000, Pool: &schema.Pool{Left: 50_000}})
			for _, ch := range append(judged.Changes, judged.Rest...) {
				checkChange(t, revision, ch, d)
			}
		}
	})
}
