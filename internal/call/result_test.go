package call

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestPieces: every type of content, and every way in which servers get them wrong.
func TestPieces(t *testing.T) {
	for raw, want := range map[string]Content{
		`{"type":"text","text":"a"}`: {Kind: Text, Text: "a"},
		`{"type":"text"}`:            {Kind: Text, Flaw: "its text is missing"},
		`{"type":"image","mimeType":"image/png","data":"AA=="}`:                         {Kind: Image, MIME: "image/png", Data: []byte{0}},
		`{"type":"image","data":"A\nA"}`:                                                {Kind: Image, Data: []byte{0}},
		`{"type":"audio","data":"-_8="}`:                                                {Kind: Audio, Data: []byte{0xfb, 0xff}},
		`{"type":"audio","data":""}`:                                                    {Kind: Audio, Data: []byte{}},
		`{"type":"audio","data":7}`:                                                     {Kind: Unknown, Flaw: "its data is a number"},
		`{"type":"image","data":"?"}`:                                                   {Kind: Unknown, Flaw: "its data is not base64"},
		`{"type":"resource","resource":{"uri":"x:1","text":"t","mimeType":"text/csv"}}`: {Kind: Resource, URI: "x:1", Text: "t", MIME: "text/csv"},
		`{"type":"resource","resource":{"uri":"x:1","blob":"AA"}}`:                      {Kind: Resource, URI: "x:1", Data: []byte{0}},
		`{"type":"resource"}`:                                                           {Kind: Resource, Flaw: "its text is missing"},
		`{"type":"resource_link","uri":"x:1","name":"n","size":5,"description":"d"}`:    {Kind: Link, URI: "x:1", Name: "n", Size: "5", About: "d"},
		`{"type":"resource_link"}`:                                                      {Kind: Link, Flaw: "it has no uri"},
		`{"type":"new","x":1}`:                                                          {Kind: Unknown, Flaw: `its type is "new"`},
		`{}`:                                                                            {Kind: Unknown, Flaw: "its type is missing"},
		`5`:                                                                             {Kind: Unknown, Flaw: "its type is missing"},
	} {
		want.Raw = json.RawMessage(raw)
		if diff := cmp.Diff(want, piece(json.RawMessage(raw))); diff != "" {
			t.Errorf("%s (-want +got)\n%s", raw, diff)
		}
	}
}

// TestExtension: names of files follow from a table, and never from what a server would like.
func TestExtension(t *testing.T) {
	for mime, want := range map[string]string{"image/png": ".png", "Image/PNG; q=1": ".png", "": ".bin", "../../etc": ".bin", "text/x-sh": ".bin"} {
		if got := (Content{MIME: mime, Data: []byte{}}).Extension(); got != want {
			t.Errorf("%q gives %s, want %s", mime, got, want)
		}
	}
	if got := (Content{MIME: "application/x-sh"}).Extension(); got != ".txt" {
		t.Errorf("a text gives %s", got)
	}
}

// TestNeeds: a question is reported from a result, whatever stands beside it.
func TestNeeds(t *testing.T) {
	for raw, want := range map[string]struct {
		need  InputRequest
		asked bool
		fails bool
	}{
		`{"content":[]}`:                                     {},
		`{"resultType":"complete"}`:                          {},
		`{"resultType":"input_required"}`:                    {asked: true, fails: true},
		`{"resultType":"input_required","requestState":"s"}`: {need: InputRequest{State: json.RawMessage(`"s"`)}, asked: true},
		`{"resultType":"input_required","inputRequests":{"b":{"method":"roots/list"},"a":{"method":"elicitation/create","params":{"x":1.0}}}}`: {
			need:  InputRequest{Requests: []Question{{Key: "b", Method: "roots/list"}, {Key: "a", Method: "elicitation/create", Params: json.RawMessage(`{"x":1.0}`)}}},
			asked: true,
		},
	} {
		need, asked, err := InputRequested(json.RawMessage(raw))
		if diff := cmp.Diff(want.need, need); diff != "" || asked != want.asked || (err != nil) != want.fails {
			t.Errorf("%s: asked %v, %v (-want +got)\n%s", raw, asked, err, diff)
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
			r.Pieces = append(r.Pieces, Content{Kind: Text, Text: text})
		}
		if got := r.RepeatsStructured(); got != test.want {
			t.Errorf("%s with %q: RepeatsStructured = %v", test.structured, test.texts, got)
		}
	}
}

// FuzzResults: no result of a server is too odd to be read or refused.
func FuzzResults(f *testing.F) {
	f.Add(`{"content":[{"type":"text","text":"a"}],"structuredContent":{"a":1e400},"isError":true}`)
	f.Add(`{"messages":[{"role":"user","content":{"type":"image","data":"="}}],"contents":[{"uri":"","blob":"AA"}],"completion":{"values":["a",1],"total":9}}`)
	f.Add(`{"resultType":"input_required","inputRequests":{"":{"params":{"requestedSchema":{"properties":{"a":{"items":{"oneOf":[{"const":1}]}}}}}}}}`)
	f.Fuzz(func(t *testing.T, text string) {
		raw := json.RawMessage(text)
		for _, read := range []func(json.RawMessage) (Result, error){ToolResult, PromptResult, ReadResult, CompleteResult} {
			r, _ := read(raw)
			if string(r.Raw) != text {
				t.Errorf("the raw result is %q", r.Raw)
			}
			r.RepeatsStructured()
			for _, p := range r.Pieces {
				p.Bytes()
			}
		}
		need, _, _ := InputRequested(raw)
		for _, q := range need.Requests {
			for _, field := range Elicited(q.Params).Fields {
				if value, _ := field.Value(text); !json.Valid(value) {
					t.Errorf("%q became %s, which is not valid JSON", text, value)
				}
			}
		}
	})
}
