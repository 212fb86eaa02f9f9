package call

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// TestMessages: each request as the specification has it.
func TestMessages(t *testing.T) {
	tool := Tool("a<b", json.RawMessage(`{"x":1.0}`))
	for _, c := range []struct {
		message Message
		method  string
		want    map[string]string
	}{
		{tool, "tools/call", map[string]string{"name": `"a<b"`, "arguments": `{"x":1.0}`}},
		{Prompt("p", Texts(map[string]string{"b": "2", "a": "1"})), "prompts/get", map[string]string{"name": `"p"`, "arguments": `{"a":"1","b":"2"}`}},
		{Read("x:1"), "resources/read", map[string]string{"uri": `"x:1"`}},
		{Complete(Reference{snapshot.Prompts, "p"}, "a", "b", nil), "completion/complete",
			map[string]string{"ref": `{"type":"ref/prompt","name":"p"}`, "argument": `{"name":"a","value":"b"}`}},
		{Complete(Reference{snapshot.Templates, "x:{y}"}, "y", "", map[string]string{"z": "1"}), "completion/complete",
			map[string]string{"ref": `{"type":"ref/resource","uri":"x:{y}"}`, "argument": `{"name":"y","value":""}`, "context": `{"arguments":{"z":"1"}}`}},
		{tool.Again(json.RawMessage(`{"q":{}}`), json.RawMessage(`"s"`)), "tools/call",
			map[string]string{"name": `"a<b"`, "arguments": `{"x":1.0}`, "inputResponses": `{"q":{}}`, "requestState": `"s"`}},
		{tool.Again(json.RawMessage(`{"q":{}}`), json.RawMessage(`"s"`)).Again(nil, nil), "tools/call", // nothing stays of the round before
			map[string]string{"name": `"a<b"`, "arguments": `{"x":1.0}`}},
	} {
		got := map[string]string{}
		for name, value := range c.message.Params {
			got[name] = string(value)
		}
		if diff := cmp.Diff(c.want, got); diff != "" || c.message.Method != c.method {
			t.Errorf("%s (-want +got)\n%s", c.message.Method, diff)
		}
	}
}

// TestResults: what is not a result is an error, and what is one is read whatever stands beside it.
func TestResults(t *testing.T) {
	readers := map[string]func(json.RawMessage) (Result, error){"tool": ToolResult, "prompt": PromptResult, "read": ReadResult, "complete": CompleteResult}
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
		if got := messageOf(err); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

func messageOf(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestPromptAndCompletion(t *testing.T) {
	r, err := PromptResult(json.RawMessage(`{"description":"d","messages":[{"role":"user","content":{"type":"text","text":"a"}},{"role":"assistant","content":[{"type":"text","text":"b"},{"type":"text","text":"c"}]}]}`))
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
		if r, err := CompleteResult(json.RawMessage(raw)); err != nil || r.More != want || len(r.Values) != 1 {
			t.Errorf("%s: %v, %+v", raw, err, r)
		}
	}
}

// TestPromised: a tool is held to its outputSchema, unless it failed.
func TestPromised(t *testing.T) {
	schema := json.RawMessage(`{"type":"object","required":["a"]}`)
	for raw, want := range map[string]int{
		`{"structuredContent":{"a":1}}`:             0,
		`{"structuredContent":{}}`:                  1,
		`{"structuredContent":null,"content":[]}`:   1,
		`{"content":[]}`:                            1,
		`{"content":[],"isError":true}`:             0,
		`{"content":[],"structuredContent":[true]}`: 1,
	} {
		r, err := ToolResult(json.RawMessage(raw))
		if problems, sure := r.Promised(schema); err != nil || !sure || len(problems) != want {
			t.Errorf("%s: %v, sure %v, %v", raw, err, sure, problems)
		}
		if problems, sure := r.Promised(nil); !sure || len(problems) > 0 {
			t.Errorf("%s without a promise: %v", raw, problems)
		}
	}
}

// TestElicited: a form keeps the order of its server, and every way to list choices is understood.
func TestElicited(t *testing.T) {
	e := Elicited(json.RawMessage(`{"message":"m","requestedSchema":{"type":"object","required":["z"],"properties":{
		"z":{"type":"string","title":"Z","description":"d"}, "e":{"type":"string","enum":["a","b"],"enumNames":["A"]},
		"o":{"type":"string","oneOf":[{"const":"x","title":"X"}],"default":"x"}, "m":{"type":"array","items":{"enum":["p","q"]}}}}}`))
	var got []string
	for _, f := range e.Fields {
		line := f.Name
		for _, c := range f.Choices {
			line += " " + c.Value + "=" + c.Title
		}
		if f.Required {
			line += " required"
		}
		if f.Many {
			line += " many"
		}
		got = append(got, line+string(f.Default))
	}
	if diff := cmp.Diff([]string{"z required", "e a=A b=", `o x=X"x"`, "m p= q= many"}, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	for text, want := range map[string]string{"p, q": `["p","q"] `, "p,x": `["p","x"] /1`, `["q"]`: `["q"] `} {
		value, problems := e.Fields[3].Value(text)
		place := ""
		if len(problems) > 0 {
			place = problems[0].Path
		}
		if string(value)+" "+place != want {
			t.Errorf("%q is %s %s, want %s", text, value, place, want)
		}
	}
	news := Elicited(json.RawMessage(`{"requestedSchema":{"properties":{"n":{"type":"boolean"}}}}`)).Fields[0]
	for text, want := range map[string]string{"y": "true", " Yes": "true", "no": "false", "true": "true", "maybe": `"maybe"`} {
		if value, problems := news.Value(text); string(value) != want || (len(problems) > 0) != (text == "maybe") {
			t.Errorf("%q is %s, %v, want %s", text, value, problems, want)
		}
	}
	accepted := Accepted(e.Fields, []json.RawMessage{json.RawMessage(`"1"`), nil, nil, json.RawMessage(`["p"]`)})
	if string(accepted) != `{"action":"accept","content":{"z":"1","m":["p"]}}` {
		t.Errorf("accepted is %s", accepted)
	}
	if u := Elicited(json.RawMessage(`{"mode":"url","url":"https://a.example:8/x"}`)); u.Host != "a.example:8" || len(u.Fields) > 0 {
		t.Errorf("%+v", u)
	}
	responses := Responses([]Question{{Key: "b"}, {Key: "a"}}, []json.RawMessage{Declined, Cancelled})
	if string(responses) != `{"b":{"action":"decline"},"a":{"action":"cancel"}}` || Responses(nil, nil) != nil {
		t.Errorf("responses are %s", responses)
	}
	if string(Consented) != `{"action":"accept"}` {
		t.Errorf("consent is %s", Consented)
	}
	if got := Visits(json.RawMessage(`{"elicitations":[{"url":"https://a"},{"x":1},{"url":"https://b"}]}`)); len(got) != 2 {
		t.Errorf("visits are %v", got)
	}
}

// TestCheckPrompt: the arguments of a prompt are held against what it declares.
func TestCheckPrompt(t *testing.T) {
	declared := snapshot.Item{Raw: json.RawMessage(`{"arguments":[{"name":"a","required":true},{"name":"b"}]}`)}
	for text, want := range map[string]string{"a": "", "a b": "", "b": "/a is required, and missing", "a c": "/c is not an argument of this prompt"} {
		values := map[string]string{}
		for _, name := range strings.Fields(text) {
			values[name] = ""
		}
		got := ""
		for _, p := range CheckPrompt(declared, values) {
			got += p.Path + " " + p.Message
		}
		if got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
		if problems := CheckPrompt(snapshot.Item{Raw: json.RawMessage(`{}`)}, values); len(problems) > 0 {
			t.Errorf("a prompt that declares nothing takes %v", problems)
		}
	}
}

// TestParseArgument: the four forms, and what is none of them.
func TestParseArgument(t *testing.T) {
	for text, want := range map[string]Argument{
		"a=b=c":     {"a", Converted, "b=c"},
		"a=":        {"a", Converted, ""},
		"a:=1":      {"a", Literal, "1"},
		"a@=f":      {"a", FromText, "f"},
		"a:=@f":     {"a", FromJSON, "f"},
		"a=@f":      {"a", Converted, "@f"}, // a handle such as @ada is a text
		"a.b[]=c":   {"a.b[]", Converted, "c"},
		"a b=c d":   {"a b", Converted, "c d"},
		"a@b=c":     {"a@b", Converted, "c"},
		"http://x=": {"http://x", Converted, ""},
	} {
		got, err := ParseArgument(text)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got)\n%s", text, err, diff)
		}
	}
	for _, text := range []string{"", "a", "=", "=x", ":=1", "@=f", ":=@f", "a=\xff"} {
		if a, err := ParseArgument(text); err == nil {
			t.Errorf("%q is %+v", text, a)
		}
	}
	for form, want := range map[Form]Form{FromText: Converted, FromJSON: Literal, Converted: Converted} {
		a := Argument{"k", form, "f"}
		name, file := a.File()
		if got := a.Of([]byte("x")); got.Form != want || got.Text != "x" || file != (form >= FromText) || file && name != "f" {
			t.Errorf("%v becomes %+v, a file %v", form, got, file)
		}
	}
}
