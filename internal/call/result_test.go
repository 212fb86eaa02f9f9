package call

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestPieces: every type of content, and every way in which servers get them wrong.
func TestPieces(t *testing.T) {
	for raw, want := range map[string]Piece{
		`{"type":"text","text":"a"}`: {Kind: "text", Text: "a"},
		`{"type":"text"}`:            {Kind: "text", Flaw: "its text is missing"},
		`{"type":"image","mimeType":"image/png","data":"AA=="}`: {Kind: "image", MIME: "image/png",
			Data: []byte{0}},
		`{"type":"image","data":"A\nA"}`: {Kind: "image", Data: []byte{0}},
		`{"type":"audio","data":"-_8="}`: {Kind: "audio", Data: []byte{0xfb, 0xff}},
		`{"type":"audio","data":""}`:     {Kind: "audio", Data: []byte{}},
		`{"type":"audio","data":7}`:      {Kind: "audio", Flaw: "its data is a number"},
		`{"type":"image","data":"?"}`:    {Kind: "image", Flaw: "its data is not base64"},
		`{"type":"resource","resource":{"uri":"x:1","text":"t","mimeType":"text/csv"}}`: {Kind: "resource", URI: "x:1", Text: "t",
			MIME: "text/csv"},
		`{"type":"resource","resource":{"uri":"x:1","blob":"AA"}}`: {Kind: "resource", URI: "x:1", Data: []byte{0}},
		`{"type":"resource"}`: {Kind: "resource", Flaw: "its text is missing"},
		`{"type":"resource_link","uri":"x:1","name":"n","size":5,"description":"d"}`: {Kind: "resource_link", URI: "x:1", Name: "n",
			Size: "5", About: "d"},
		`{"type":"resource_link"}`: {Kind: "resource_link", Flaw: "it has no uri"},
		`{"type":"new","x":1}`:     {Kind: "new", Flaw: `its type is "new"`},
		`{}`:                       {Flaw: "its type is missing"},
		`5`:                        {Flaw: "its type is missing"},
	} {
		want.Raw = json.RawMessage(raw)
		if diff := cmp.Diff(want, piece(json.RawMessage(raw))); diff != "" {
			t.Errorf("%s (-want +got)\n%s", raw, diff)
		}
	}
}

// TestResults: what is not a result is an error, and what is one is read whatever stands beside it.
func TestResults(t *testing.T) {
	readers := map[string]func(json.RawMessage) (Result, error){"tool": toolResult, "prompt": promptResult, "read": readResult,
		"complete": completeResult}
	for text, want := range map[string]string{
		`tool []`:                               "the result of tools/call is an array, not an object",
		`tool {}`:                               `the result of tools/call has no list: "content" is missing`,
		`tool {"content":"x"}`:                  `the result of tools/call has no list: "content" is a string`,
		`tool {"structuredContent":{"a":1}}`:    "",
		`tool {"content":[],"resultType":"x"}`:  `the result of tools/call has the unknown resultType "x"`,
		`tool {"content":[],"resultType":5}`:    "the result of tools/call has the unknown resultType a number",
		`prompt {}`:                             `the result of prompts/get has no list: "messages" is missing`,
		`prompt "x"`:                            "the result of prompts/get is a string, not an object",
		`read {}`:                               `the result of resources/read has no list: "contents" is missing`,
		`read null`:                             "the result of resources/read is null, not an object",
		`complete {"completion":{}}`:            `the result of completion/complete has no list: "values" is missing`,
		`complete 5`:                            "the result of completion/complete is a number, not an object",
		`complete {"completion":{"values":[]}}`: "",
	} {
		reader, raw, _ := strings.Cut(text, " ")
		_, err := readers[reader](json.RawMessage(raw))
		if err == nil && want != "" || err != nil && err.Error() != want {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

func TestPromptAndCompletion(t *testing.T) {
	r, err := promptResult(
		json.RawMessage(
			`{"description":"d","messages":[{"role":"user","content":{"type":"text","text":"a"}},{"role":"assistant",` +
				`"content":[{"type":"text","text":"b"},{"type":"text","text":"c"}]}]}`))
	said := ""
	for _, p := range r.Pieces {
		said += p.Role + ":" + p.Text + " "
	}
	if err != nil || said != "user:a assistant:b assistant:c " || r.Description != "d" {
		t.Errorf("%v, %q, %q", err, said, r.Description)
	}
	for raw, want := range map[string]string{
		`{"completion":{"values":["a"],"total":1}}`:      "",
		`{"completion":{"values":["a"],"total":9}}`:      "1 of 9 values",
		`{"completion":{"values":["a"],"hasMore":true}}`: "1 values of more",
	} {
		if r, err := completeResult(json.RawMessage(raw)); err != nil || r.More != want || len(r.Values) != 1 {
			t.Errorf("%s: %v, %+v", raw, err, r)
		}
	}
}

// TestForm: a form keeps the order of its server, and every way to list choices is understood.
func TestForm(t *testing.T) {
	e := formOf(json.RawMessage(`{"message":"m","requestedSchema":{"type":"object","required":["z"],"properties":{
		"z":{"type":"string","title":"Z","description":"d"}, "e":{"type":"string","enum":["a","b"],"enumNames":["A"]},
		"o":{"type":"string","oneOf":[{"const":"x","title":"X"}],"default":"x"}, "m":{"type":"array","items":{"enum":["p","q"]}}}}}`))
	var got []string
	for _, f := range e.fields {
		line := f.name
		for _, c := range f.choices {
			line += " " + c.value + "=" + c.title
		}
		if f.required {
			line += " required"
		}
		if f.list {
			line += " many"
		}
		got = append(got, line+string(f.preset))
	}
	if diff := cmp.Diff([]string{"z required", "e a=A b=", `o x=X"x"`, "m p= q= many"}, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	for text, want := range map[string]string{"p, q": `["p","q"] `, "p,x": `["p","x"] /1`, `["q"]`: `["q"] `} {
		value, problems := e.fields[3].value(text)
		place := ""
		if len(problems) > 0 {
			place = problems[0].Path
		}
		if string(value)+" "+place != want {
			t.Errorf("%q is %s %s, want %s", text, value, place, want)
		}
	}
	news := formOf(json.RawMessage(`{"requestedSchema":{"properties":{"n":{"type":"boolean"}}}}`)).fields[0]
	for text, want := range map[string]string{"y": "true", " Yes": "true", "no": "false", "true": "true", "maybe": `"maybe"`} {
		if value, problems := news.value(text); string(value) != want || (len(problems) > 0) != (text == "maybe") {
			t.Errorf("%q is %s, %v, want %s", text, value, problems, want)
		}
	}
}

// TestRepeatsStructured compares texts with structured content, also where a library has wrapped it in an
// object.
func TestRepeatsStructured(t *testing.T) {
	for _, test := range []struct {
		structured string
		texts      []string
		want       bool
	}{
		{`{"a":1,"b":[{}]}`, []string{"{\n  \"b\": [{}],\n  \"a\": 1\n}"}, true},
		{`{"a":1}`, []string{"one", `{"a": 1}`}, true},
		{`{"a":1}`, []string{`{"a": 2}`}, false},
		{`{"a":1}`, []string{"a is 1"}, false},
		{`{"result":"sunny"}`, []string{"sunny"}, true},
		{`{"result":"5"}`, []string{"5"}, true},
		{`{"result":5}`, []string{"5"}, true},
		{`{"result":"sunny"}`, []string{"rainy"}, false},
		{`{"result":"sunny","wind":3}`, []string{"sunny"}, false},
		{`{"result":["a",{"b":1}]}`, []string{"a", `{"b": 1}`}, true},
		{`{"result":["a","b"]}`, []string{"a"}, false},
		{`{"result":[]}`, nil, false},
		{`{}`, nil, false},
	} {
		r := Result{Structured: json.RawMessage(test.structured)}
		for _, text := range test.texts {
			r.Pieces = append(r.Pieces, Piece{Kind: "text", Text: text})
		}
		if got := r.RepeatsStructured(); got != test.want {
			t.Errorf("%s with %q: RepeatsStructured = %v", test.structured, test.texts, got)
		}
	}
}

// FuzzResults reads anything as a result, and as a form.
func FuzzResults(f *testing.F) {
	f.Add(`{"content":[{"type":"text","text":"a"}],"structuredContent":{"a":1e400},"isError":true}`)
	f.Add(`{"messages":[{"role":"user","content":{"type":"image","data":"="}}],"contents":[{"uri":"","blob":"AA"}],` +
		`"completion":{"values":["a",1],"total":9}}`)
	f.Add(`{"requestedSchema":{"properties":{"a":{"type":"array","items":{"oneOf":[{"const":1}]}}}}}`)
	f.Fuzz(func(t *testing.T, text string) {
		raw := json.RawMessage(text)
		for _, read := range []func(json.RawMessage) (Result, error){toolResult, promptResult, readResult, completeResult} {
			r, _ := read(raw)
			if string(r.Raw) != text {
				t.Errorf("the raw result is %q", r.Raw)
			}
			r.RepeatsStructured()
			for _, p := range r.Pieces {
				p.Bytes()
			}
		}
		for _, field := range formOf(raw).fields {
			if value, _ := field.value(text); !json.Valid(value) {
				t.Errorf("%q became %s, which is not valid JSON", text, value)
			}
		}
	})
}
