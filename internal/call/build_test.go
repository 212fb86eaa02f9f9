package call

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpctl/mcpctl/internal/rawjson"
)

// everyType has a property for every way in which a type can be said.
const everyType = `{
  "type": "object", "additionalProperties": false,
  "$defs": {"Limit": {"type": "integer", "minimum": 1}, "Loop": {"$ref": "#/$defs/Loop"}, "Tree": {"type": "object", "properties": {"next": {"$ref": "#/$defs/Tree"}, "v": {"type": "number"}}}},
  "properties": {
    "text": {"type": "string"}, "n": {"type": "number"}, "i": {"type": "integer"}, "b": {"type": "boolean"}, "z": {"type": "null"},
    "e": {"enum": ["on", "off", 1, null]}, "c": {"const": "only"}, "num": {"enum": [1, 2]},
    "u": {"anyOf": [{"type": "string"}, {"type": "integer"}]}, "o": {"oneOf": [{"type": "null"}, {"$ref": "#/$defs/Limit"}]},
    "all": {"allOf": [{"type": ["string", "integer"]}, {"type": "integer"}]}, "ref": {"$ref": "#/$defs/Limit"}, "loop": {"$ref": "#/$defs/Loop"},
    "list": {"type": "array", "items": {"type": "integer"}}, "words": {"type": "array", "items": {"type": "string"}}, "either": {"type": ["array", "string"]},
    "obj": {"type": "object", "properties": {"a.b": {"type": "integer"}, "a": {"type": "object"}}}, "tree": {"$ref": "#/$defs/Tree"},
    "map": {"type": "object", "additionalProperties": {"type": "integer"}}, "any": {}, "true": true, "key[]": {"type": "integer"}
  }
}`

// TestBuild: what a person writes becomes what the schema wants, as it is written.
func TestBuild(t *testing.T) {
	for words, want := range map[string]string{
		"":                                 `{}`,
		"text=5 n=5 i=5":                   `{"text":"5","n":5,"i":5}`,
		"text=":                            `{"text":""}`,
		"text=a=b":                         `{"text":"a=b"}`,
		"n=1.50 i=1e2":                     `{"n":1.50,"i":1e2}`,
		"n=12345678901234567890.123":       `{"n":12345678901234567890.123}`,
		"i=1.5":                            `{"i":1.5}`, // a number, which the validator explains better than a text
		"i=abc":                            `{"i":"abc"}`,
		"i=+5 n=.5":                        `{"i":"+5","n":".5"}`,
		"b=true z=null":                    `{"b":true,"z":null}`,
		"b=yes":                            `{"b":"yes"}`,
		"e=on":                             `{"e":"on"}`,
		"e=1":                              `{"e":1}`,
		"e=null":                           `{"e":null}`,
		"c=only num=2":                     `{"c":"only","num":2}`,
		"u=5":                              `{"u":5}`,
		"u=1.5":                            `{"u":"1.5"}`, // no integer, and a string may be
		"u:=\"5\"":                         `{"u":"5"}`,
		"o=null":                           `{"o":null}`,
		"o=3 all=4 ref=5":                  `{"o":3,"all":4,"ref":5}`,
		"loop=x":                           `{"loop":"x"}`,
		"list=1 list=2":                    `{"list":[1,2]}`,
		"list[]=1":                         `{"list":[1]}`,
		"list=[1,2]":                       `{"list":[1,2]}`,
		"words=5 words=b":                  `{"words":["5","b"]}`,
		"either=x":                         `{"either":"x"}`,
		"either=[1]":                       `{"either":[1]}`,
		"either[]=1":                       `{"either":[1]}`,
		"obj.a.b=1":                        `{"obj":{"a.b":1}}`, // a declared name is meant before a path
		"obj.a.c=1":                        `{"obj":{"a":{"c":1}}}`,
		"tree.next.next.v=1 tree.v=2":      `{"tree":{"next":{"next":{"v":1}},"v":2}}`,
		"map.x=1 map.y=2":                  `{"map":{"x":1,"y":2}}`,
		"any={\"b\":1.0} true=[null]":      `{"any":{"b":1.0},"true":[null]}`,
		"any=text true=1":                  `{"any":"text","true":1}`,
		"key[]=1":                          `{"key[]":1}`,
		"text=<a>&é":                       `{"text":"<a>&é"}`,
		"obj:={\"a\":{\"x\":1}} obj.a.y=2": `{"obj":{"a":{"x":1,"y":2}}}`,
	} {
		var given []Argument
		for _, w := range strings.Fields(words) {
			a, err := ParseArgument(w)
			if err != nil {
				t.Fatalf("%s: %v", w, err)
			}
			given = append(given, a)
		}
		got, problems := Build(json.RawMessage(everyType), nil, given)
		if diff := cmp.Diff(want, string(got)); diff != "" || len(problems) > 0 {
			t.Errorf("%s: %v (-want +got)\n%s", words, problems, diff)
		}
	}
}

// TestBuildProblems: what makes no sense as it is written is named with its place.
func TestBuildProblems(t *testing.T) {
	for words, want := range map[string]string{
		"text=a text=b":      "/text is given twice",
		"txet=a":             "/txet is not an argument of this tool",
		"tree.nxt=1":         "/tree/nxt is not an argument of this tool",
		"text=a text.b=c":    "/text/b has no place: what it would be inside of is a string",
		"text:={":            `/text "{" is not valid JSON; for a text write text=`,
		"text=a text[]=b":    "/text is a string already, to which no element can be added",
		"any:=\xff":          "",
		"map.x=1 map.x=2":    "/map/x is given twice",
		"obj.a.b=1 obj.a~=2": "/obj/a~0 is not an argument of this tool",
	} {
		var given []Argument
		parsed := ""
		for _, w := range strings.Fields(words) {
			a, err := ParseArgument(w)
			if err != nil {
				parsed = err.Error()
				continue
			}
			given = append(given, a)
		}
		_, problems := Build(json.RawMessage(everyType), nil, given)
		if want == "" {
			if !strings.Contains(parsed, "not UTF-8") {
				t.Errorf("%q: parsing gives %q", words, parsed)
			}
			continue
		}
		if len(problems) != 1 || problems[0].Path+" "+problems[0].Message != want {
			t.Errorf("%q: %+v, want %s", words, problems, want)
		}
	}
	for base, want := range map[string]string{`[1]`: "an array", `"x"`: "a string", `nope`: "null", "{\"a\":\"\xff\"}": "not UTF-8"} {
		if _, problems := Build(nil, json.RawMessage(base), nil); len(problems) != 1 || !strings.Contains(problems[0].Message, want) {
			t.Errorf("%s: %+v", base, problems)
		}
	}
}

// FuzzBuild: whatever is written, the result is JSON, what was given as JSON arrives byte for byte, what was there and is
// not meant stays, and every problem has a place.
func FuzzBuild(f *testing.F) {
	f.Add(`{"properties":{"i":{"type":"integer"}}}`, `{"any":[1.0,{"b":1,"b":2}]}`, "i", "5", `{"x": 1.50}`)
	f.Add(`{"properties":{"t":{"$ref":"#"},"v":{"type":["array","null"],"items":{"enum":[1,"a"]}}}}`, `{}`, "t.t.v", "x", `[]`)
	f.Add(`{"type":"object"}`, `{"a":1,"a":2}`, "a[]", "", `1e400`)
	f.Add(`{"$ref":"#"}`, `{"z":{}}`, "a.b.c[]", "[1", `"\ud800"`)
	f.Add(`{"anyOf":[{"$ref":"#"},{"$ref":"#"}],"allOf":[{"$ref":"#"}]}`, `{}`, "a", "b", `1`)
	f.Add(`true`, `{"":{"":0}}`, ".", "null", `-0`)
	f.Fuzz(func(t *testing.T, schema, base, key, text, literal string) {
		if !utf8.ValidString(base+key+text+literal) || !json.Valid([]byte(base)) || !json.Valid([]byte(literal)) || key == "given" || strings.HasPrefix(key, "given.") || strings.HasPrefix(key, "given[]") {
			t.Skip()
		}
		before, err := rawjson.Members(json.RawMessage(base))
		if err != nil {
			t.Skip()
		}
		given := []Argument{{Key: "given", Form: Literal, Text: literal}, {Key: key, Text: text}}
		got, problems := Build(json.RawMessage(schema), json.RawMessage(base), given)
		if !json.Valid(got) {
			t.Fatalf("no JSON: %s", got)
		}
		for _, p := range problems {
			if p.Message == "" || p.Path != "" && p.Path[0] != '/' {
				t.Errorf("a problem without a place or a message: %+v", p)
			}
		}
		after := rawjson.ObjectOf(got)
		if value := string(after["given"]); value != strings.TrimSpace(literal) && !declared(schema, "given") {
			t.Errorf("JSON %s arrived as %s", literal, value)
		}
		first, _, _ := strings.Cut(strings.TrimSuffix(key, "[]"), ".")
		for _, m := range before {
			if m.Key == "given" || m.Key == key || strings.HasPrefix(key, m.Key) || m.Key == first || strings.Contains(m.Key, "\ufffd") {
				continue
			}
			if last := rawjson.ObjectOf(json.RawMessage(base))[m.Key]; string(after[m.Key]) != string(last) {
				t.Errorf("%q was %s and is %s", m.Key, last, after[m.Key])
			}
		}
		more, _ := Check(json.RawMessage(schema), got)
		for _, p := range more {
			if p.Message == "" || p.Path != "" && p.Path[0] != '/' {
				t.Errorf("a problem without a place or a message: %+v", p)
			}
		}
	})
}

func declared(schema, name string) bool { return shapeOf([]byte(schema)).declares(name) }
