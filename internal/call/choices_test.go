package call

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestEveryChoiceIsNamed names all values that a schema lists, however it lists them.
func TestEveryChoiceIsNamed(t *testing.T) {
	tests := map[string]struct{ schema, value, want string }{
		"oneOf of const": {`{"oneOf":[{"const":"low","type":"string"},{"const":"mid"},{"const":"high"}]}`, `"urgent"`,
			`"urgent" is not allowed; use "low", "mid", "high"`},
		"with titles": {`{"anyOf":[{"const":"t1","title":"First"},{"const":"t2","title":"Second"}]}`, `"zzz"`,
			`use "t1" (First), "t2" (Second)`},
		"of another type": {`{"oneOf":[{"const":"low","type":"string"},{"const":"high","type":"string"}]}`, `5`,
			`5 is not allowed; use "low", "high"`},
		"behind references": {`{"$defs":{"A":{"const":"a"},"B":{"enum":["b","c"]}},"oneOf":[{"$ref":"#/$defs/A"},{"$ref":"#/$defs/B"}]}`,
			`"x"`, `use "a", "b", "c"`},
		"or null":        {`{"anyOf":[{"enum":["a","b"]},{"type":"null"}]}`, `"x"`, `use "a", "b", null`},
		"more than five": {`{"enum":["a","b","c","d","e","f","g"]}`, `"x"`, `use "a", "b", "c", "d", "e", "f", "g"`},
		"or another type": {`{"oneOf":[{"const":"auto","title":"Auto"},{"type":"integer"}]}`, `"x"`,
			`"x" is not allowed; use "auto" (Auto), a value of type integer`},
		"or a part of it": {`{"anyOf":[{"enum":["a","b"]},{"type":"integer","minimum":3}]}`, `"x"`,
			`"x" is not allowed; use "a", "b", a value of type integer`},
		"numbers":    {`{"oneOf":[{"const":1},{"const":2,"title":"Two"}]}`, `3`, `3 is not allowed; use 1, 2 (Two)`},
		"a near one": {`{"oneOf":[{"const":"low"},{"const":"high"}]}`, `"hihg"`, `use "low", "high"`},
	}
	for name, test := range tests {
		problems, sure := Check([]byte(test.schema), json.RawMessage(test.value))
		if !sure || len(problems) != 1 || !strings.Contains(problems[0].Message, test.want) {
			t.Errorf("%s: %v, %v, want %s", name, problems, sure, test.want)
		}
	}
}

// TestChoicesAreTakenByTitle reads what a person types in a form: the value of a choice, or its title.
func TestChoicesAreTakenByTitle(t *testing.T) {
	f := formOf(json.RawMessage(`{"requestedSchema":{"type":"object","properties":{
		"level":{"oneOf":[{"const":"low","title":"Can wait"},{"const":"high","title":"low"}]},
		"size":{"oneOf":[{"const":1,"title":"Small"},{"const":2,"title":"Large"}]},
		"word":{"type":"string","enum":["a","b"],"enumNames":["Alpha","Beta"]},
		"many":{"type":"array","items":{"anyOf":[{"const":"r","title":"Red"},{"const":"b","title":"Blue"}]}}}}}`))
	for _, test := range [][3]string{
		{"level", "can wait", `"low"`}, {"level", "low", `"low"`}, {"level", "high", `"high"`}, {"size", "Large", "2"}, {"size", "1", "1"},
		{"word", " beta ", `"b"`}, {"many", "Red, b", `["r","b"]`},
	} {
		for _, field := range f.fields {
			if field.name != test[0] {
				continue
			}
			if value, problems := field.value(test[1]); string(value) != test[2] || len(problems) > 0 {
				t.Errorf("%s: %q is %s with %v, want %s", test[0], test[1], value, problems, test[2])
			}
		}
	}
}
