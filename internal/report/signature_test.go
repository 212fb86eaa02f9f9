package report

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

func TestShape(t *testing.T) {
	for in, want := range map[string]string{
		``:                                      "any",
		`{}`:                                    "any",
		`true`:                                  "any",
		`false`:                                 "never",
		`17`:                                    "any",
		`{"type":"integer"}`:                    "integer",
		`{"type":["string","null"]}`:            "string | null",
		`{"type":[]}`:                           "any",
		`{"type":7}`:                            "any",
		`{"const":1e400}`:                       "1e400",
		`{"enum":["a",1,null]}`:                 `"a" | 1 | null`,
		`{"enum":[1,2,3,4,5,6]}`:                "1 | 2 | 3 | 4 | 5 | 6",
		`{"enum":[1,2,3,4,5,6,7]}`:              "1 | 2 | 3 | 4 | 5 | …",
		`{"enum":[]}`:                           "never",
		`{"$ref":"#/$defs/Issue"}`:              "Issue",
		`{"$ref":"#"}`:                          "this",
		`{"$ref":"https://example.com/a.json"}`: "a.json",
		`{"anyOf":[{"type":"string"},{"type":"string","format":"uri"},{"type":"null"}]}`: "string | null",
		`{"oneOf":[]}`: "any",
		`{"allOf":[{"$ref":"#/$defs/A"},{"$ref":"#/$defs/B"}]}`: "A & B",
		`{"type":"array"}`:                                                              "array",
		`{"type":"array","items":{"type":"string"}}`:                                    "string[]",
		`{"type":"array","items":{"enum":["a","b"]}}`:                                   `("a" | "b")[]`,
		`{"items":{"items":{"items":{"type":"string"}}}}`:                               "array[][]",
		`{"type":"array","prefixItems":[{"type":"string"},{"type":"number"}]}`:          "[string, number]",
		`{"type":"object"}`:                                                             "object",
		`{"type":"object","additionalProperties":{"type":"number"}}`:                    "map of number",
		`{"type":"object","additionalProperties":false}`:                                "object",
		`{"properties":{"b":{"type":"string"},"a":{"type":"number"}},"required":["a"]}`: "{a: number, b?}",
		`{"type":"object","properties":{"x":{"type":"object","properties":{"y":{"type":"object","properties":{"z":true}}}}}}`: "{x?: " +
			"{y?: {…}}}",
		`{"type":"object","properties":{"a":{},"b":{},"c":{},"d":{},"e":{},"f":{},"g":{},"h":{}}}`: "{a?: any, b?: any, c?: any, d?: " +
			"any, e?: any, f?: any, …}",
		`{"type":"object","properties":{"a":{"type":"string"}},"anyOf":[{"required":["a"]}]}`: "{a?}",
	} {
		if got := shape(json.RawMessage(in), shapeDepth); got != want {
			t.Errorf("shape(%s) = %s, want %s", in, got, want)
		}
	}
}

// TestShapeEnds takes a schema that is nested deeper than anyone would read.
func TestShapeEnds(t *testing.T) {
	const deep = 3000
	for _, part := range []string{`{"items":`, `{"anyOf":[`, `{"allOf":[`, `{"type":"object","properties":{"a":`} {
		ends := strings.NewReplacer("{", "}", "[", "]")
		tail := ""
		for _, c := range part {
			if strings.ContainsRune("{[", c) {
				tail = ends.Replace(string(c)) + tail
			}
		}
		schema := strings.Repeat(part, deep) + "true" + strings.Repeat(tail, deep)
		if got := shape(json.RawMessage(schema), shapeDepth); len(got) > 100 {
			t.Errorf("%s… gives %.200s", part, got)
		}
	}
}

func TestSignature(t *testing.T) {
	for _, c := range []struct {
		kind snapshot.Kind
		item string
		want string
	}{
		{snapshot.Tools, `{"inputSchema":{"properties":{"limit":{"type":"integer"},"query":{"type":"string"}},"required":["query"]}}`,
			"query, limit?: integer"},
		{snapshot.Tools, `{"inputSchema":{"required":"query","properties":{"query":{"type":"string"}}}}`, "query?"},
		{snapshot.Tools, `{"inputSchema":true}`, ""},
		{snapshot.Tools, `[]`, ""},
		{snapshot.Prompts, `{"arguments":[{"name":"a"},{"name":"b","required":true},{"name":"c","required":"yes"},7]}`, "b, a?, c?, ?"},
		{snapshot.Resources, `{"uri":"x://a"}`, ""},
		{snapshot.Tools,
			`{"name":"t","inputSchema":{"type":"object","properties":{"b":{"type":"string"}},"required":["a"],"$ref":"#/$defs/My%20Base",` +
				`"allOf":[{"properties":{"c":{"type":"integer"},"b":{}}}],"$defs":{"My Base":{"properties":{"a":{"type":"string"}}}}}}`,
			"a, b?, c?: integer"},
		{snapshot.Tools,
			`{"name":"t","inputSchema":{"type":"object","allOf":[{"properties":{"a":{"type":"string"}},"additionalProperties":false},` +
				`{"properties":{"b":{"type":"string"}}}]}}`, "a?"},
		{snapshot.Tools, `{"name":"t","inputSchema":{"allOf":[{"$ref":"#"},{"$ref":"#"}],"properties":{"a":{"type":"string"}}}}`, "a?"},
	} {
		if got := signatureOf(c.kind, json.RawMessage(c.item)); got != c.want {
			t.Errorf("signature(%s, %s) = %q, want %q", c.kind, c.item, got, c.want)
		}
	}
}

func TestKind(t *testing.T) {
	for in, want := range map[string]string{
		`{"type":"integer","minimum":1,"maximum":100}`:            "integer, minimum 1, maximum 100",
		`{"type":"number","exclusiveMinimum":0,"multipleOf":0.5}`: "number, exclusiveMinimum 0, multipleOf 0.5",
		`{"type":"string","maxLength":5,"pattern":"^a"}`:          "string, maxLength 5, pattern ^a",
		`{"type":"array","minItems":1}`:                           "array, minItems 1",
		`{"type":"integer","maximum":12345678901234567890}`:       "integer, maximum 12345678901234567890",
	} {
		if got := typeOf(parameter{Schema: json.RawMessage(in)}); got != want {
			t.Errorf("kind of %s is %q, want %q", in, got, want)
		}
	}
}
