package schema

import "testing"

// TestPartial: of a part of which only some facts are known it is told what they decide, and no more.
func TestPartial(t *testing.T) {
	word := Partial{Kind: "string", Low: "4", High: "6"}
	number := Partial{Kind: "integer", Low: "1200", High: "1299"}
	fraction := Partial{Kind: "fraction", Low: "48", High: "49"}
	for _, c := range []struct {
		schema string
		value  any
		want   string
	}{
		{`{"type":"string"}`, word, "accepted"},
		{`{"type":"integer"}`, word, "refused"},
		{`{"maxLength":6}`, word, "accepted"},
		{`{"maxLength":3}`, word, "refused"},
		{`{"maxLength":5}`, word, "unknown"},
		{`{"minLength":4}`, word, "accepted"},
		{`{"pattern":"^a"}`, word, "unknown"},
		{`{"format":"uuid"}`, word, "accepted"},
		{`{"enum":["abc","no",7,null]}`, word, "refused"},
		{`{"enum":["open","closed"]}`, word, "unknown"},
		{`{"enum":["open","closed"]}`, Partial{Kind: "string", Low: "4", High: "6", Except: []string{"open", "closed"}}, "refused"},
		{`{"not":{"enum":["abc"]}}`, word, "accepted"},
		{`{"not":{"pattern":"a"}}`, word, "unknown"},
		{`{"anyOf":[{"pattern":"a"},{"type":"string"}]}`, word, "accepted"},
		{`{"oneOf":[{"pattern":"a"},{"type":"integer"}]}`, word, "unknown"},
		{`{"type":"integer","multipleOf":1}`, number, "accepted"},
		{`{"multipleOf":0.5}`, number, "accepted"},
		{`{"multipleOf":5}`, number, "unknown"},
		{`{"minimum":1200}`, number, "accepted"},
		{`{"exclusiveMinimum":1200}`, number, "unknown"},
		{`{"maximum":1000}`, number, "refused"},
		{`{"exclusiveMaximum":1299}`, number, "unknown"},
		{`{"const":1250}`, number, "unknown"},
		{`{"const":1300}`, number, "refused"},
		{`{"type":"integer"}`, fraction, "refused"},
		{`{"type":"number"}`, fraction, "accepted"},
		{`{"multipleOf":0.1}`, fraction, "unknown"},
		{`{"type":"integer"}`, Partial{Kind: "number"}, "unknown"},
		{`{"type":"number"}`, Partial{Kind: "number"}, "accepted"},
		{`{"properties":{"a":{"type":"string"}},"additionalProperties":false}`, map[string]any{"a": word}, "accepted"},
		{`{"properties":{"a":{"pattern":"x"}},"required":["b"]}`, map[string]any{"a": word}, "refused"},
		{`{"required":["a"]}`, Partial{Kind: "object"}, "unknown"},
		{`{"items":{"type":"string"}}`, Partial{Kind: "object"}, "accepted"},
		{`{"type":"string"}`, Partial{Kind: "array"}, "refused"},
		{`{"uniqueItems":true}`, []any{word, word}, "unknown"},
		{`{"uniqueItems":true}`, []any{word}, "accepted"},
		{`{"contains":{"pattern":"a"}}`, []any{word}, "unknown"},
		{`{"contains":{"type":"integer"}}`, []any{word}, "refused"},
		{`{"if":{"properties":{"a":{"const":"abcd"}}},"then":{"required":["b"]}}`, map[string]any{"a": word}, "unknown"},
	} {
		faults, sure := mustParse(t, c.schema).Faults("", c.value, nil)
		got := "unknown"
		switch {
		case sure && len(faults) > 0:
			got = "refused"
		case sure:
			got = "accepted"
		}
		if accepted, certain := mustParse(t, c.schema).Accepts(c.value); accepted != (got == "accepted") || certain != sure {
			t.Errorf("%v by %s: accepted %t, sure %t, but %s", c.value, c.schema, accepted, certain, got)
		}
		if got != c.want {
			t.Errorf("%v by %s: %s %v, want %s", c.value, c.schema, got, faults, c.want)
		}
	}
}
