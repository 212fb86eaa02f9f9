package schema

import "testing"

func TestContainsSaysWhereAValueIsRejected(t *testing.T) {
	for name, c := range map[string]struct{ narrow, wide, path, instance, reason string }{
		"type in a property":       {`{"type":"object","properties":{"a":{"type":"number"}}}`, `{"properties":{"a":{"type":"integer"}}}`, "/properties/a/type", "/a", "type"},
		"missing":                  {`{"type":"object"}`, `{"required":["a"]}`, "/required", "", `required: "a" is missing`},
		"undeclared":               {`{"type":"object","properties":{"a":true},"required":["a"]}`, `{"properties":{"b":true},"additionalProperties":false}`, "/additionalProperties", "/a", `additionalProperties: "a" is not allowed`},
		"through a reference":      {`{"type":"array","items":{"type":"string"},"minItems":1}`, `{"items":{"$ref":"#/$defs/s"},"$defs":{"s":{"type":"string","maxLength":0}}}`, "/$defs/s/maxLength", "/0", "maxLength"},
		"the only branch in reach": {`{"type":"string"}`, `{"anyOf":[{"type":"integer"},{"type":"string","minLength":3}]}`, "/anyOf/1/minLength", "", "minLength"},
		"no branch in reach":       {`{"type":"boolean"}`, `{"anyOf":[{"type":"integer"},{"type":"string"}]}`, "/anyOf", "", "anyOf"},
		"not":                      {`{"const":1}`, `{"not":{"type":"integer"}}`, "/not", "", "not"},
		"then":                     {`{"type":"object","required":["a"]}`, `{"if":{"required":["a"]},"then":{"required":["b"]}}`, "/then/required", "", `required: "b" is missing`},
		"a dependency":             {`{"type":"object","required":["a"]}`, `{"dependentRequired":{"a":["b"]}}`, "/dependentRequired", "", `dependentRequired: "b" is missing`},
		"unevaluated":              {`{"type":"object","required":["a"]}`, `{"unevaluatedProperties":false}`, "/unevaluatedProperties", "/a", `unevaluatedProperties: "a" is not allowed`},
		"the tuple of draft-07":    {`{"items":[{"type":"string"}],"minItems":1,"type":"array"}`, `{"$schema":"http://json-schema.org/draft-07/schema#","items":[{"maxLength":0}]}`, "/items/0/maxLength", "/0", "maxLength"},
		"false":                    {`true`, `false`, "", "", "the schema as a whole"},
	} {
		t.Run(name, func(t *testing.T) {
			r := Contains(t.Context(), mustParse(t, c.wide), mustParse(t, c.narrow), Budget{Semantics: Strict})
			if r.Verdict != Incompatible || r.Path != c.path || r.Instance != c.instance || r.Reason != c.reason {
				t.Errorf("%v at %q in %q: %q (%s)", r.Verdict, r.Path, r.Instance, r.Reason, r.Witness)
			}
		})
	}
}
