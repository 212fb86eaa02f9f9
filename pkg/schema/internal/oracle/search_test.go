package oracle

import (
	"encoding/json"
	"fmt"
	"testing"
)

func readSchema(t testing.TB, text string) any {
	t.Helper()
	v := decode([]byte(text))
	if err := Check(v); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

func TestFind(t *testing.T) {
	tests := []struct {
		name, narrow, wide string
		found              bool
	}{
		{"same", `{"type":"string"}`, `{"type":"string"}`, false},
		{"wider", `{"type":"integer"}`, `{"type":"number"}`, false},
		{"integer", `{"type":"number"}`, `{"type":"integer"}`, true},
		{"bound", `{"type":"integer","minimum":0}`, `{"type":"integer","minimum":1}`, true},
		{"far bound", `{"type":"integer"}`, `{"type":"integer","maximum":100}`, true},
		{"multiple", `{"type":"integer","multipleOf":2}`, `{"multipleOf":6}`, true},
		{"enum", `{"enum":["asc","desc"]}`, `{"enum":["asc"]}`, true},
		{"enum closed", `{"type":"string"}`, `{"enum":["asc"]}`, true},
		{"null", `{"type":["string","null"]}`, `{"type":"string"}`, true},
		{"length", `{"type":"string","maxLength":5}`, `{"type":"string","maxLength":3}`, true},
		{"pattern", `{"type":"string","pattern":"^[a-z]+$"}`, `{"type":"string","pattern":"^[a-m]+$"}`, true},
		{"required", `{"type":"object","properties":{"q":{"type":"string"}}}`, `{"type":"object","required":["q"]}`, true},
		{"real call", `{"type":"object","properties":{"query":{"type":"string"},"limit":{"type":"integer","minimum":0}},"required":["query"]}`,
			`{"type":"object","properties":{"query":{"type":"string"},"limit":{"type":"integer","minimum":1}},"required":["query"]}`, true},
		{"shown", `{"type":"object","properties":{"query":{"type":"string","examples":["is:open"]},"n":{"type":"integer"}},"required":["query","n"]}`,
			`{"type":"object","properties":{"query":{"type":"string"},"n":{"type":"integer","minimum":5}},"required":["query","n"]}`, true},
		{"closed", `{"type":"object","properties":{"a":{},"b":{}},"additionalProperties":false}`,
			`{"type":"object","properties":{"a":{}},"additionalProperties":false}`, true},
		{"items", `{"type":"array","items":{"type":"string"}}`, `{"type":"array","items":{"type":"string","minLength":1}}`, true},
		{"count", `{"type":"array"}`, `{"type":"array","maxItems":2}`, true},
		{"unique", `{"type":"array"}`, `{"uniqueItems":true}`, true},
		{"contains", `{"type":"array","items":{"type":"integer"}}`, `{"contains":{"minimum":5}}`, true},
		{"many items", `{"type":"array","minItems":900,"items":{"type":"integer"}}`, `{"minItems":900,"items":{"type":"integer","maximum":3}}`, true},
		{"deep", nested(5, `{"type":"number"}`), nested(5, `{"type":"integer"}`), true},
		{"negation", `{"type":"object"}`, `{"not":{"required":["a"]}}`, true},
		{"overlap", `{"type":"integer"}`, `{"oneOf":[{"minimum":5},{"maximum":7}]}`, true},
		{"discriminated", `{"type":"object","properties":{"k":{"enum":["x","y"]},"v":{"type":["string","integer"]}},"required":["k","v"]}`,
			`{"oneOf":[{"properties":{"k":{"const":"x"}}},{"properties":{"k":{"const":"y"},"v":{"type":"string"}}}]}`, true},
		{"recursive", `{"$defs":{"t":{"type":"object","properties":{"kids":{"type":"array","items":{"$ref":"#/$defs/t"}},"v":{}}}},"$ref":"#/$defs/t"}`,
			`{"$defs":{"t":{"type":"object","properties":{"kids":{"type":"array","items":{"$ref":"#/$defs/t"}},"v":{"type":"string"}}}},"$ref":"#/$defs/t"}`, true},
		{"names", `{"type":"object"}`, `{"propertyNames":{"pattern":"^x-"}}`, true},
		{"pattern properties", `{"type":"object"}`, `{"patternProperties":{"^s_":{"type":"string"}}}`, true},
		{"dependent", `{"type":"object","properties":{"a":{},"b":{}}}`, `{"dependentRequired":{"a":["b"]}}`, true},
		{"condition", `{"type":"object"}`, `{"if":{"required":["a"]},"then":{"required":["b"]}}`, true},
		{"unevaluated", `{"type":"object"}`, `{"properties":{"a":{}},"unevaluatedProperties":false}`, true},
		{"opaque pattern", `{"type":"string"}`, `{"type":"string","pattern":"(?i:a)b"}`, false},
		{"opaque beside", `{"properties":{"p":{"type":"string","pattern":"(?<=a)b"},"n":{"type":"number"}}}`,
			`{"properties":{"p":{"type":"string","pattern":"(?<=a)b"},"n":{"type":"integer"}}}`, true},
		{"lookahead", `{"type":"string"}`, `{"type":"string","pattern":"^(?!.*secret)"}`, true},
		{"anchor", `{"$defs":{"a":{"$anchor":"x","type":"integer"}},"$ref":"#x"}`, `{"$defs":{"a":{"$anchor":"x","maximum":0}},"$ref":"#x"}`, true},
		{"address", `{"$id":"https://e.example/r","$defs":{"a":{"$id":"s","type":"integer"}},"properties":{"p":{"$ref":"s"}}}`,
			`{"properties":{"p":{"type":"integer","minimum":0}}}`, true},
		{"property count", `{"type":"object","minProperties":1}`, `{"maxProperties":2}`, true},
		{"many properties", `{"type":"object","minProperties":2,"properties":{"a":{"type":"integer"}},"additionalProperties":{"type":"boolean"}}`,
			`{"properties":{"a":{"minimum":0}}}`, true},
		{"narrow condition", `{"type":"integer","if":{"minimum":10},"then":{"multipleOf":7},"else":{"minimum":3}}`, `{"maximum":13}`, true},
		{"narrow dependency", `{"type":"object","required":["a"],"dependentSchemas":{"a":{"required":["b"],"properties":{"b":{"type":"integer"}}}}}`,
			`{"properties":{"b":{"maximum":0}}}`, true},
		{"negated length", `{"type":"array","not":{"maxItems":2}}`, `{"maxItems":3}`, true},
		{"dynamic", `{"$dynamicAnchor":"n","type":"object","properties":{"k":{"$dynamicRef":"#n"},"v":{"type":"number"}},"additionalProperties":false}`,
			`{"$dynamicAnchor":"n","properties":{"k":{"$dynamicRef":"#n"},"v":{"type":"integer"}}}`, true},
		{"empty narrow", `false`, `{"type":"string"}`, false},
		{"draft-07 tuple", `{"$schema":"http://json-schema.org/draft-07/schema#","items":[{"type":"integer"}],"minItems":1,"type":"array"}`,
			`{"$schema":"http://json-schema.org/draft-07/schema#","items":[{"type":"string"}]}`, true},
		{"draft-07 reference alone", `{"$schema":"http://json-schema.org/draft-07/schema#","type":"integer"}`,
			`{"$schema":"http://json-schema.org/draft-07/schema#","definitions":{"a":true},"properties":{"a":{"$ref":"#/definitions/a","const":1}},"allOf":[{"$ref":"#/definitions/a","const":"a"}]}`, false},
		{"unnamed tuple", `{"items":[{"type":"integer"}],"minItems":1,"type":"array"}`, `{"items":[{"type":"string"}]}`, true},
	}
	for _, test := range tests {
		narrow, wide := readSchema(t, test.narrow), readSchema(t, test.wide)
		got, tried, err := find(narrow, wide, 0)
		if err != nil || (got != nil) != test.found {
			t.Errorf("%s: got %s %v after %d, want one: %v", test.name, got, err, tried, test.found)
			continue
		}
		confirm(t, narrow, wide, got)
	}
}

// nest puts a schema below n required properties and arrays of at least three.
func nested(n int, inner string) string {
	for range n {
		inner = fmt.Sprintf(`{"type":"object","required":["a","b"],"properties":{"b":{"type":"string"},"a":{"type":"array","minItems":3,"items":%s}}}`, inner)
	}
	return inner
}

func confirm(t testing.TB, narrow, wide any, witness json.RawMessage) {
	t.Helper()
	if witness == nil {
		return
	}
	v := readSchema(t, string(witness))
	if ok, err := valid(narrow, v); !ok || err != nil {
		t.Errorf("%s is not accepted by the narrow schema: %v", witness, err)
	}
	if ok, err := valid(wide, v); ok || err != nil {
		t.Errorf("%s is not rejected by the wide schema: %v", witness, err)
	}
}
