package call

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpctl/mcpctl/internal/rawjson"
)

// everyType has a property for every way to give a type.
const everyType = `{
  "type": "object", "additionalProperties": false,
  "$defs": {"Limit": {"type": "integer", "minimum": 1}, "Loop": {"$ref": "#/$defs/Loop"}, "Tree": {"type": "object", "properties": ` +
	`{"next": {"$ref": "#/$defs/Tree"}, "v": {"type": "number"}}}},
  "properties": {
    "text": {"type": "string"}, "n": {"type": "number"}, "i": {"type": "integer"}, "b": {"type": "boolean"}, "z": {"type": "null"},
    "e": {"enum": ["on", "off", 1, null]}, "c": {"const": "only"}, "num": {"enum": [1, 2]},
    "u": {"anyOf": [{"type": "string"}, {"type": "integer"}]}, "o": {"oneOf": [{"type": "null"}, {"$ref": "#/$defs/Limit"}]},
    "all": {"allOf": [{"type": ["string", "integer"]}, {"type": "integer"}]}, "ref": {"$ref": "#/$defs/Limit"}, "loop": {"$ref": ` +
	`"#/$defs/Loop"},
    "list": {"type": "array", "items": {"type": "integer"}}, "words": {"type": "array", "items": {"type": "string"}}, "either": {"type": ` +
	`["array", "string"]},
    "obj": {"type": "object", "properties": {"a.b": {"type": "integer"}, "a": {"type": "object"}}}, "tree": {"$ref": "#/$defs/Tree"},
    "map": {"type": "object", "additionalProperties": {"type": "integer"}}, "any": {}, "true": true, "key[]": {"type": "integer"}
  }
}`

// parsed reads words that name no file.
func parsed(t *testing.T, words string) (given []argument) {
	for _, word := range strings.Fields(words) {
		a, file, err := parseArgument(word)
		if err != nil || file != "" {
			t.Fatalf("%s: %v, file %q", word, err, file)
		}
		given = append(given, a)
	}
	return given
}

// TestBuild converts arguments to what the schema wants.
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
		got, problems := build(json.RawMessage(everyType), nil, parsed(t, words))
		if diff := cmp.Diff(want, string(got)); diff != "" || len(problems) > 0 {
			t.Errorf("%s: %v (-want +got)\n%s", words, problems, diff)
		}
	}
}

// TestBuildProblems names mistakes with their places.
func TestBuildProblems(t *testing.T) {
	for words, want := range map[string]string{
		"text=a text=b":      "/text is given twice",
		"txet=a":             `/txet is not an argument of this tool (did you mean "text"?)`,
		"tree.nxt=1":         "/tree/nxt is not an argument of this tool",
		"text=a text.b=c":    "/text/b has no place: what it would be inside of is a string",
		"text:={":            `/text "{" is not valid JSON; for a text write text=`,
		"text=a text[]=b":    "/text is a string already, to which no element can be added",
		"map.x=1 map.x=2":    "/map/x is given twice",
		"obj.a.b=1 obj.a~=2": "/obj/a~0 is not an argument of this tool",
	} {
		_, problems := build(json.RawMessage(everyType), nil, parsed(t, words))
		if len(problems) != 1 || problems[0].Path+" "+problems[0].Message != want {
			t.Errorf("%q: %+v, want %s", words, problems, want)
		}
	}
	for base, want := range map[string]string{`[1]`: "an array", `"x"`: "a string", `nope`: "null", "{\"a\":\"\xff\"}": "not UTF-8"} {
		if _, problems := build(nil, json.RawMessage(base), nil); len(problems) != 1 || !strings.Contains(problems[0].Message, want) {
			t.Errorf("%s: %+v", base, problems)
		}
	}
}

// TestParseArgument reads the four forms and refuses other words.
func TestParseArgument(t *testing.T) {
	for word, want := range map[string]struct {
		argument
		file string
	}{
		"a=b=c":     {argument{"a", "b=c", false}, ""},
		"a=":        {argument{"a", "", false}, ""},
		"a:=1":      {argument{"a", "1", true}, ""},
		"a@=f":      {argument{"a", "f", false}, "f"},
		"a:=@f":     {argument{"a", "@f", true}, "f"},
		"a=@f":      {argument{"a", "@f", false}, ""}, // a handle such as @ada is a text
		"a.b[]=c":   {argument{"a.b[]", "c", false}, ""},
		"a@b=c":     {argument{"a@b", "c", false}, ""},
		"http://x=": {argument{"http://x", "", false}, ""},
	} {
		if a, file, err := parseArgument(word); a != want.argument || file != want.file || err != nil {
			t.Errorf("%s: %+v, %q, %v", word, a, file, err)
		}
	}
	for _, word := range []string{"", "a", "=", "=x", ":=1", "@=f", ":=@f", "a=\xff"} {
		if a, _, err := parseArgument(word); err == nil {
			t.Errorf("%q is %+v", word, a)
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
		if !utf8.ValidString(base+key+text+literal) || !json.Valid([]byte(base)) || !json.Valid([]byte(literal)) || key == "given" ||
			strings.HasPrefix(key, "given.") || strings.HasPrefix(key, "given[]") {
			t.Skip()
		}
		before, err := rawjson.Members(json.RawMessage(base))
		if err != nil {
			t.Skip()
		}
		given := []argument{{"given", literal, true}, {key, text, false}}
		got, problems := build(json.RawMessage(schema), json.RawMessage(base), given)
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

// TestExpand: templates are filled in, and what is missing outside of a query is reported.
func TestExpand(t *testing.T) {
	for template, want := range map[string]string{
		"x:one":                  "x:one",
		"tickets://{id}":         "tickets://7",
		"t://{+path}/{id}{?q,r}": "t:///a/b/7",
		"t://{id}{#frag}":        "t://7 | frag is required but missing",
		"t://{id:1}/{list*}":     "t://7/ | list is required but missing",
		"t://{":                  "t://{ | is not a URI template",
	} {
		values := map[string]string{}
		for name, value := range map[string]string{"id": "7", "path": "/a/b"} {
			if strings.Contains(template, "{"+name) || strings.Contains(template, "{+"+name) {
				values[name] = value
			}
		}
		got, problems := expand(template, values)
		for _, p := range problems {
			message, _, _ := strings.Cut(p.Message, ":")
			got += strings.TrimRight(" | "+p.Path+" "+message, " ")
		}
		if diff := cmp.Diff(want, strings.ReplaceAll(got, "|  ", "| ")); diff != "" {
			t.Errorf("%s (-want +got)\n%s", template, diff)
		}
	}
}
