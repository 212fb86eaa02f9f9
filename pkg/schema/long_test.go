package schema

import (
	"encoding/json"
	"testing"

	"github.com/mcpctl/mcpctl/internal/rawjson"
)

// TestLongValues reads values that are not written out, and the same ones written out, by many schemas: each answer is the same,
// or open.
func TestLongValues(t *testing.T) {
	schemas := []string{
		`{"minLength":4}`, `{"minLength":5}`, `{"maxLength":3}`, `{"maxLength":4}`, `{"const":"aaaa"}`, `{"enum":["aaa","b",1,null]}`,
		`{"pattern":"^a*$"}`, `{"type":"string"}`, `{"type":["array","object"]}`, `{"oneOf":[{"minLength":4},{"maxLength":3}]}`,
		`{"not":{"minLength":4}}`,
		`{"minItems":4}`, `{"minItems":5}`, `{"maxItems":3}`, `{"maxItems":4}`, `{"uniqueItems":true}`, `{"items":{"type":"integer"}}`,
		`{"items":{"type":["integer","string"]}}`, `{"prefixItems":[{"type":"string"},{"type":"integer"},{"maximum":1},{"minimum":2}]}`,
		`{"prefixItems":[true,true,true,true,false]}`, `{"prefixItems":[true,true,true,false]}`,
		`{"prefixItems":[{"type":"string"}],"items":{"maximum":1}}`,
		`{"contains":{"const":1},"minContains":3}`, `{"contains":{"const":1},"minContains":4}`, `{"contains":{"const":1},"maxContains":2}`,
		`{"contains":{"const":1},"maxContains":3}`, `{"contains":{"type":"string"}}`, `{"const":["x",1,1,1]}`,
		`{"minProperties":4}`, `{"minProperties":5}`, `{"maxProperties":3}`, `{"maxProperties":4}`, `{"required":["a"]}`,
		`{"required":["b"]}`,
		`{"properties":{"a":{"type":"string"},"b":{"type":"string"}}}`, `{"properties":{"a":{"type":"integer"}}}`,
		`{"properties":{"a":true},"additionalProperties":{"type":"integer"}}`,
		`{"properties":{"a":true},"additionalProperties":{"type":"string"}}`,
		`{"properties":{"a":true},"additionalProperties":false}`, `{"additionalProperties":{"type":["integer","string"]}}`,
		`{"propertyNames":{"maxLength":5}}`, `{"patternProperties":{"^extra":{"type":"string"}}}`,
		`{"patternProperties":{"^a$":{"type":"string"}}}`,
		`{"anyOf":[{"properties":{"a":true}},{"required":["zz"]}],"unevaluatedProperties":false}`,
	}
	values := []struct {
		long any
		text string
	}{
		{longText(4), `"aaaa"`},
		{longList{[]any{"x", json.Number("1")}, 4}, `["x",1,1,1]`},
		{longList{[]any{longText(4)}, 2}, `["aaaa","aaaa"]`},
		{longObject{map[string]any{"a": "x"}, 4, json.Number("1")}, `{"a":"x","extra":1,"extra2":1,"extra3":1}`},
		{longObject{map[string]any{"a": longText(4)}, 2, longList{[]any{nil}, 2}}, `{"a":"aaaa","extra":[null,null]}`},
	}
	known := 0
	for _, text := range schemas {
		s := mustParse(t, text)
		for _, v := range values {
			written, err := rawjson.Decode([]byte(v.text))
			if err != nil {
				t.Fatal(err)
			}
			want, got := soonMeter(1<<20).accepts(yes(s.plain), written), soonMeter(1<<20).accepts(yes(s.plain), v.long)
			if known += order(got != unsure); got != unsure && got != want {
				t.Errorf("%s of %s: %v, written out %v", text, v.text, got, want)
			}
		}
	}
	if all := len(schemas) * len(values); known < all*9/10 {
		t.Errorf("%d of %d answers", known, all)
	}
}
