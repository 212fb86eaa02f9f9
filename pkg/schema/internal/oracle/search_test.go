package oracle

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

func readSchema(t testing.TB, text string) any {
	t.Helper()
	v, err := readValue([]byte(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

func TestFind(t *testing.T) {
	tests := []struct{ name, narrow, wide, want string }{
		{"same", `{"type":"string"}`, `{"type":"string"}`, ``},
		{"wider", `{"type":"integer"}`, `{"type":"number"}`, ``},
		{"integer", `{"type":"number"}`, `{"type":"integer"}`, `0.5`},
		{"bound", `{"type":"integer","minimum":0}`, `{"type":"integer","minimum":1}`, `0`},
		{"far bound", `{"type":"integer"}`, `{"type":"integer","maximum":100}`, `101`},
		{"multiple", `{"type":"integer","multipleOf":2}`, `{"multipleOf":6}`, `2`},
		{"enum", `{"enum":["asc","desc"]}`, `{"enum":["asc"]}`, `"desc"`},
		{"enum closed", `{"type":"string"}`, `{"enum":["asc"]}`, `"a"`},
		{"null", `{"type":["string","null"]}`, `{"type":"string"}`, `null`},
		{"length", `{"type":"string","maxLength":5}`, `{"type":"string","maxLength":3}`, `"aaaa"`},
		{"pattern", `{"type":"string","pattern":"^[a-z]+$"}`, `{"type":"string","pattern":"^[a-m]+$"}`, `"n"`},
		{"required", `{"type":"object","properties":{"q":{"type":"string"}}}`, `{"type":"object","required":["q"]}`, `{}`},
		{"real call", `{"type":"object","properties":{"query":{"type":"string"},"limit":{"type":"integer","minimum":0}},"required":["query"]}`,
			`{"type":"object","properties":{"query":{"type":"string"},"limit":{"type":"integer","minimum":1}},"required":["query"]}`,
			`{"limit":0,"query":"a"}`},
		{"shown", `{"type":"object","properties":{"query":{"type":"string","examples":["is:open"]},"n":{"type":"integer"}},"required":["query","n"]}`,
			`{"type":"object","properties":{"query":{"type":"string"},"n":{"type":"integer","minimum":5}},"required":["query","n"]}`,
			`{"n":0,"query":"is:open"}`},
		{"closed", `{"type":"object","properties":{"a":{},"b":{}},"additionalProperties":false}`,
			`{"type":"object","properties":{"a":{}},"additionalProperties":false}`, `{"b":"a"}`},
		{"items", `{"type":"array","items":{"type":"string"}}`, `{"type":"array","items":{"type":"string","minLength":1}}`, `[""]`},
		{"count", `{"type":"array"}`, `{"type":"array","maxItems":2}`, `["a","a","a"]`},
		{"unique", `{"type":"array"}`, `{"uniqueItems":true}`, `["a","a"]`},
		{"contains", `{"type":"array","items":{"type":"integer"}}`, `{"contains":{"minimum":5}}`, `[]`},
		{"many items", `{"type":"array","minItems":900,"items":{"type":"integer"}}`, `{"minItems":900,"items":{"type":"integer","maximum":3}}`, ``},
		{"deep", nested(5, `{"type":"number"}`), nested(5, `{"type":"integer"}`), ``},
		{"negation", `{"type":"object"}`, `{"not":{"required":["a"]}}`, `{"a":"a"}`},
		{"overlap", `{"type":"integer"}`, `{"oneOf":[{"minimum":5},{"maximum":7}]}`, `5`},
		{"discriminated", `{"type":"object","properties":{"k":{"enum":["x","y"]},"v":{"type":["string","integer"]}},"required":["k","v"]}`,
			`{"oneOf":[{"properties":{"k":{"const":"x"}}},{"properties":{"k":{"const":"y"},"v":{"type":"string"}}}]}`, `{"k":"y","v":0}`},
		{"recursive", `{"$defs":{"t":{"type":"object","properties":{"kids":{"type":"array","items":{"$ref":"#/$defs/t"}},"v":{}}}},"$ref":"#/$defs/t"}`,
			`{"$defs":{"t":{"type":"object","properties":{"kids":{"type":"array","items":{"$ref":"#/$defs/t"}},"v":{"type":"string"}}}},"$ref":"#/$defs/t"}`,
			`{"v":0}`},
		{"names", `{"type":"object"}`, `{"propertyNames":{"pattern":"^x-"}}`, `{"extra":"a"}`},
		{"pattern properties", `{"type":"object"}`, `{"patternProperties":{"^s_":{"type":"string"}}}`, `{"s_":0}`},
		{"dependent", `{"type":"object","properties":{"a":{},"b":{}}}`, `{"dependentRequired":{"a":["b"]}}`, `{"a":"a"}`},
		{"condition", `{"type":"object"}`, `{"if":{"required":["a"]},"then":{"required":["b"]}}`, `{"a":"a"}`},
		{"unevaluated", `{"type":"object"}`, `{"properties":{"a":{}},"unevaluatedProperties":false}`, `{"extra":"a"}`},
		{"opaque pattern", `{"type":"string"}`, `{"type":"string","pattern":"(?i:a)b"}`, ``},
		{"opaque beside", `{"properties":{"p":{"type":"string","pattern":"(?<=a)b"},"n":{"type":"number"}}}`,
			`{"properties":{"p":{"type":"string","pattern":"(?<=a)b"},"n":{"type":"integer"}}}`, `{"n":0.5}`},
		{"lookahead", `{"type":"string"}`, `{"type":"string","pattern":"^(?!.*secret)"}`, `"secret"`},
		{"anchor", `{"$defs":{"a":{"$anchor":"x","type":"integer"}},"$ref":"#x"}`, `{"$defs":{"a":{"$anchor":"x","maximum":0}},"$ref":"#x"}`, `1`},
		{"address", `{"$id":"https://e.example/r","$defs":{"a":{"$id":"s","type":"integer"}},"properties":{"p":{"$ref":"s"}}}`,
			`{"properties":{"p":{"type":"integer","minimum":0}}}`, `{"p":-1}`},
		{"property count", `{"type":"object","minProperties":1}`, `{"maxProperties":2}`, `{"a":"a","extra":"a","p0":"a"}`},
		{"many properties", `{"type":"object","minProperties":2,"properties":{"a":{"type":"integer"}},"additionalProperties":{"type":"boolean"}}`,
			`{"properties":{"a":{"minimum":0}}}`, `{"a":-1,"extra":true}`},
		{"narrow condition", `{"type":"integer","if":{"minimum":10},"then":{"multipleOf":7},"else":{"minimum":3}}`, `{"maximum":13}`, `14`},
		{"narrow dependency", `{"type":"object","required":["a"],"dependentSchemas":{"a":{"required":["b"],"properties":{"b":{"type":"integer"}}}}}`,
			`{"properties":{"b":{"maximum":0}}}`, `{"a":"a","b":1}`},
		{"negated length", `{"type":"array","not":{"maxItems":2}}`, `{"maxItems":3}`, `["a","a","a","a"]`},
		{"dynamic", `{"$dynamicAnchor":"n","type":"object","properties":{"k":{"$dynamicRef":"#n"},"v":{"type":"number"}},"additionalProperties":false}`,
			`{"$dynamicAnchor":"n","properties":{"k":{"$dynamicRef":"#n"},"v":{"type":"integer"}}}`, `{"v":0.5}`},
		{"empty narrow", `false`, `{"type":"string"}`, ``},
		{"draft-07 tuple", `{"$schema":"http://json-schema.org/draft-07/schema#","items":[{"type":"integer"}],"minItems":1,"type":"array"}`,
			`{"$schema":"http://json-schema.org/draft-07/schema#","items":[{"type":"string"}]}`, `[0]`},
		{"draft-07 reference alone", `{"$schema":"http://json-schema.org/draft-07/schema#","type":"integer"}`,
			`{"$schema":"http://json-schema.org/draft-07/schema#","definitions":{"a":true},"properties":{"a":{"$ref":"#/definitions/a","const":1}},"allOf":[{"$ref":"#/definitions/a","const":"a"}]}`, ``},
		{"unnamed tuple", `{"items":[{"type":"integer"}],"minItems":1,"type":"array"}`, `{"items":[{"type":"string"}]}`, `[0]`},
	}
	for _, test := range tests {
		narrow, wide := readSchema(t, test.narrow), readSchema(t, test.wide)
		got, tried, err := find(narrow, wide, searchOptions{})
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		if test.name == "deep" || test.name == "many items" {
			if got == nil {
				t.Errorf("%s: nothing found in %d evaluations", test.name, tried)
			}
		} else if string(got) != test.want {
			t.Errorf("%s: got %s after %d, want %s", test.name, got, tried, test.want)
		}
		again, tried2, _ := find(narrow, wide, searchOptions{})
		if string(again) != string(got) || tried != tried2 {
			t.Errorf("%s: not deterministic: %s after %d, then %s after %d", test.name, got, tried, again, tried2)
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

func TestFindDeclared(t *testing.T) {
	open := `{"type":"object","properties":{"a":{"type":"string"}}}`
	tests := []struct{ narrow, wide, want string }{
		{open, `{"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":false}`, ``},
		{open, `{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"integer"}}}`, ``},
		{open, `{"type":"object","properties":{"a":{"type":"string","minLength":1}}}`, `{"a":""}`},
		// Open in so many words declares no more names than silence; that it closes is for diff to report.
		{`{"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":true}`,
			`{"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":false}`, ``},
		{`{"type":"object"}`, `{"type":"object","additionalProperties":false}`, `{"extra":"a"}`},
		{`{"type":"array","items":` + open + `}`, `{"items":{"properties":{"b":false}}}`, ``},
		{`{"type":"array","items":` + open + `}`, `{"items":{"properties":{"a":false}}}`, `[{"a":"a"}]`},
	}
	for _, test := range tests {
		got, _, err := find(readSchema(t, test.narrow), readSchema(t, test.wide), searchOptions{Declared: true})
		if err != nil || string(got) != test.want {
			t.Errorf("%s in %s: got %s %v, want %s", test.narrow, test.wide, got, err, test.want)
		}
	}
}

func TestFindFormats(t *testing.T) {
	for _, draft := range []string{"", `"$schema":"http://json-schema.org/draft-07/schema#",`} {
		narrow, wide := readSchema(t, `{`+draft+`"type":"string"}`), readSchema(t, `{`+draft+`"type":"string","format":"date"}`)
		if got, _, err := find(narrow, wide, searchOptions{}); err != nil || got != nil {
			t.Errorf("an annotation refuted: %s %v", got, err)
		}
		if got, _, err := find(narrow, wide, searchOptions{AssertFormats: true}); err != nil || string(got) != `"a"` {
			t.Errorf("an asserted format: got %s %v", got, err)
		}
	}
}

func TestFindHints(t *testing.T) {
	got, _, err := find(readSchema(t, `{"type":"integer"}`), readSchema(t, `{"maximum":5}`), searchOptions{Hints: []json.RawMessage{[]byte("42")}})
	if err != nil || string(got) != "42" {
		t.Errorf("got %s %v, want the hint", got, err)
	}
}

func TestFindRefusesWhatItCannotJudge(t *testing.T) {
	deep := strings.Repeat(`{"items":`, 400) + "true" + strings.Repeat("}", 400)
	tests := []struct{ schema, want string }{
		{`{"$ref":"https://example.com/a"}`, "outside the document"},
		{`{"$ref":"file:///etc/passwd"}`, "outside the document"},
		{`{"type":"any"}`, "metaschema"},
		{`{"$ref":"#/$defs/none"}`, "not found"},
		{`{"minimum":1e999999999}`, "exponent"},
		{`{"enum":[` + strings.Repeat("1,", 70_000) + `1]}`, "too many"},
	}
	for _, test := range tests {
		v := schema2(t, test.schema)
		if _, _, err := find(v, true, searchOptions{}); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%.60s: error %v, want one that says %q", test.schema, err, test.want)
		}
	}
	if _, _, err := find(true, schema2(t, deep), searchOptions{}); err == nil || !strings.Contains(err.Error(), "deep") {
		t.Errorf("deep schema: %v", err)
	}
}

// schema2 decodes without the limits on what is judged.
func schema2(t *testing.T, text string) any {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatal(err)
	}
	return v
}

// overdraft is the work that one step may cost beyond the budget: an evaluation cut short on either side, and the text of
// its value.
const overdraft = 2*MaxTicks + maxBytes

func TestHostileSchemasEndSoon(t *testing.T) {
	doubling := func(combinator string) string {
		defs := `"d0":{"properties":{"x":{"type":"string"}}}`
		for i := 1; i <= 40; i++ {
			defs += fmt.Sprintf(`,"d%d":{%q:[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]}`, i, combinator, i-1, i-1)
		}
		return `{"$ref":"#/$defs/d40","$defs":{` + defs + `}}`
	}
	hostile := map[string]string{
		"anyOf":    doubling("anyOf"),
		"oneOf":    doubling("oneOf"),
		"allOf":    doubling("allOf"),
		"loop":     `{"$ref":"#"}`,
		"not loop": `{"not":{"$ref":"#"}}`,
		"required": `{"required":["a"],"properties":{"a":{"$ref":"#"}}}`,
		"long":     `{"type":"string","minLength":100000000}`,
		"many":     `{"type":"array","minItems":100000000,"items":{"type":"string"}}`,
		"wide":     `{"type":"object","minProperties":1000000}`,
		"pattern":  `{"type":"string","pattern":"(a|b)*a(a|b){800}"}`,
		"nested":   `{"type":"array","minItems":300,"items":{"type":"array","minItems":300,"items":{"type":"array","minItems":300}}}`,
	}
	for name, text := range hostile {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			endsSoon(t, text, text)
			for _, other := range []string{`true`, `{"type":"object","properties":{"x":{"minLength":1}}}`} {
				endsSoon(t, text, other)
				endsSoon(t, other, text)
			}
		})
	}
}

func endsSoon(t *testing.T, narrow, wide string) {
	t.Helper()
	s, err := newSearch(readSchema(t, narrow), readSchema(t, wide), searchOptions{})
	if err != nil {
		t.Fatal(err)
	}
	s.run()
	if s.work < -overdraft || s.tried > DefaultEvaluations {
		t.Errorf("%d evaluations, %d units of work left", s.tried, s.work)
	}
}

func FuzzFind(f *testing.F) {
	f.Add(`{"type":"integer"}`, `{"anyOf":[{"minimum":1},{"type":"string"}]}`)
	f.Add(`{"$defs":{"a":{"$ref":"#/$defs/a"}},"$ref":"#/$defs/a"}`, `{"not":{}}`)
	f.Add(`{"properties":{"a":{"items":[{},false]}},"dependencies":{"a":["b"]}}`, `{"$schema":"http://json-schema.org/draft-04/schema#","id":"#x"}`)
	f.Add(`{"contains":{"const":1},"maxContains":2}`, `{"unevaluatedItems":false,"prefixItems":[true]}`)
	f.Fuzz(func(t *testing.T, a, b string) {
		narrow, err := readValue([]byte(a))
		wide, err2 := readValue([]byte(b))
		if err != nil || err2 != nil {
			return
		}
		before := textOf(narrow) + textOf(wide)
		witness, _, err := find(narrow, wide, searchOptions{Evaluations: 200})
		if err == nil {
			confirm(t, narrow, wide, witness)
		}
		if textOf(narrow)+textOf(wide) != before {
			t.Error("a schema was changed")
		}
	})
}
