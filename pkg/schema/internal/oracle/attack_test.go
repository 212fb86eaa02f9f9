package oracle

import (
	"encoding/json"
	"testing"
)

// TestAttack shows that the random values find what they are made to find: a value that one schema accepts and
// the other rejects.
func TestAttack(t *testing.T) {
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
		{"real call",
			`{"type":"object","properties":{"query":{"type":"string"},"limit":{"type":"integer","minimum":0}},"required":["query"]}`,
			`{"type":"object","properties":{"query":{"type":"string"},"limit":{"type":"integer","minimum":1}},"required":["query"]}`, true},
		{"shown", `{"type":"object","properties":{"query":{"type":"string","examples":["is:open"]},"n":{"type":"integer"}},` +
			`"required":["query","n"]}`,
			`{"type":"object","properties":{"query":{"type":"string"},"n":{"type":"integer","minimum":5}},"required":["query","n"]}`, true},
		{"closed", `{"type":"object","properties":{"a":{},"b":{}},"additionalProperties":false}`,
			`{"type":"object","properties":{"a":{}},"additionalProperties":false}`, true},
		{"items", `{"type":"array","items":{"type":"string"}}`, `{"type":"array","items":{"type":"string","minLength":1}}`, true},
		{"count", `{"type":"array"}`, `{"type":"array","maxItems":2}`, true},
		{"unique", `{"type":"array"}`, `{"uniqueItems":true}`, true},
		{"contains", `{"type":"array","items":{"type":"integer"}}`, `{"contains":{"minimum":5}}`, true},
		{"negation", `{"type":"object"}`, `{"not":{"required":["a"]}}`, true},
		{"overlap", `{"type":"integer"}`, `{"oneOf":[{"minimum":5},{"maximum":7}]}`, true},
		{"discriminated", `{"type":"object","properties":{"k":{"enum":["x","y"]},"v":{"type":["string","integer"]}},"required":["k","v"]}`,
			`{"oneOf":[{"properties":{"k":{"const":"x"}}},{"properties":{"k":{"const":"y"},"v":{"type":"string"}}}]}`, true},
		{"recursive",
			`{"$defs":{"t":{"type":"object","properties":{"kids":{"type":"array","items":{"$ref":"#/$defs/t"}},"v":{}}}},` +
				`"$ref":"#/$defs/t"}`,
			`{"$defs":{"t":{"type":"object","properties":{"kids":{"type":"array","items":{"$ref":"#/$defs/t"}},"v":{"type":"string"}}}},` +
				`"$ref":"#/$defs/t"}`, true},
		{"names", `{"type":"object"}`, `{"propertyNames":{"pattern":"^x-"}}`, true},
		{"pattern properties", `{"type":"object"}`, `{"patternProperties":{"^s_":{"type":"string"}}}`, true},
		{"dependent", `{"type":"object","properties":{"a":{},"b":{}}}`, `{"dependentRequired":{"a":["b"]}}`, true},
		{"condition", `{"type":"object"}`, `{"if":{"required":["a"]},"then":{"required":["b"]}}`, true},
		{"unevaluated", `{"type":"object"}`, `{"properties":{"a":{}},"unevaluatedProperties":false}`, true},
		{"opaque pattern", `{"type":"string"}`, `{"type":"string","pattern":"(?i:a)b"}`, false},
		{"opaque beside", `{"properties":{"p":{"type":"string","pattern":"(?<=a)b"},"n":{"type":"number"}}}`,
			`{"properties":{"p":{"type":"string","pattern":"(?<=a)b"},"n":{"type":"integer"}}}`, true},
		{"lookahead", `{"type":"string"}`, `{"type":"string","pattern":"^(?!.*secret)"}`, true},
		{"anchor", `{"$defs":{"a":{"$anchor":"x","type":"integer"}},"$ref":"#x"}`,
			`{"$defs":{"a":{"$anchor":"x","maximum":0}},"$ref":"#x"}`, true},
		{"address", `{"$id":"https://e.example/r","$defs":{"a":{"$id":"s","type":"integer"}},"properties":{"p":{"$ref":"s"}}}`,
			`{"properties":{"p":{"type":"integer","minimum":0}}}`, true},
		{"property count", `{"type":"object","minProperties":1}`, `{"maxProperties":2}`, true},
		{"many properties",
			`{"type":"object","minProperties":2,"properties":{"a":{"type":"integer"}},"additionalProperties":{"type":"boolean"}}`,
			`{"properties":{"a":{"minimum":0}}}`, true},
		{"narrow condition", `{"type":"integer","if":{"minimum":10},"then":{"multipleOf":7},"else":{"minimum":3}}`, `{"maximum":13}`, true},
		{"narrow dependency",
			`{"type":"object","required":["a"],"dependentSchemas":{"a":{"required":["b"],"properties":{"b":{"type":"integer"}}}}}`,
			`{"properties":{"b":{"maximum":0}}}`, true},
		{"negated length", `{"type":"array","not":{"maxItems":2}}`, `{"maxItems":3}`, true},
		{"dynamic", `{"$dynamicAnchor":"n","type":"object","properties":{"k":{"$dynamicRef":"#n"},"v":{"type":"number"}},` +
			`"additionalProperties":false}`,
			`{"$dynamicAnchor":"n","properties":{"k":{"$dynamicRef":"#n"},"v":{"type":"integer"}}}`, true},
		{"empty narrow", `false`, `{"type":"string"}`, false},
		{"draft-07 tuple", `{"$schema":"http://json-schema.org/draft-07/schema#","items":[{"type":"integer"}],"minItems":1,"type":"array"}`,
			`{"$schema":"http://json-schema.org/draft-07/schema#","items":[{"type":"string"}]}`, true},
		{"draft-07 reference alone", `{"$schema":"http://json-schema.org/draft-07/schema#","type":"integer"}`,
			`{"$schema":"http://json-schema.org/draft-07/schema#","definitions":{"a":true},"properties":{"a":{"$ref":"#/definitions/a",` +
				`"const":1}},"allOf":[{"$ref":"#/definitions/a","const":"a"}]}`, false},
		{"unnamed tuple", `{"items":[{"type":"integer"}],"minItems":1,"type":"array"}`, `{"items":[{"type":"string"}]}`, true},
	}
	for number, test := range tests {
		narrow, wide := decode([]byte(test.narrow)), decode([]byte(test.wide))
		n, err1 := newJudge(narrow, "schema")
		w, err2 := newJudge(wide, "schema")
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		var c run
		var value json.RawMessage
		for seed := 0; seed < 20 && value == nil; seed++ {
			value = c.attack(newGrammar(uint64(100*number+seed)), narrow, wide, n, w)
		}
		if (value != nil) != test.found {
			t.Errorf("%s: %s after %d values, want one: %v", test.name, value, c.checks, test.found)
		}
	}
}
