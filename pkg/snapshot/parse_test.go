package snapshot_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// keys are the keys of a list, or nil for a list that is not offered.
func keys(list snapshot.List) []string {
	if list.State == snapshot.NotOffered {
		return nil
	}
	keys := []string{}
	for _, item := range list.Items() {
		keys = append(keys, item.Key)
	}
	return keys
}

func TestParseReadsEveryShape(t *testing.T) {
	const tools = `"tools":[{"name":"b"},{"name":"a"}]`
	for name, raw := range map[string]string{
		"file":         `{"mcpctl":1,` + tools + `}`,
		"result":       `{` + tools + `,"nextCursor":null,"ttlMs":5,"cacheScope":"public","resultType":"complete","_meta":{"x":1}}`,
		"response":     `{"jsonrpc":"2.0","id":7,"result":{` + tools + `}}`,
		"result alone": `{"result":{` + tools + `}}`,
		"raw listing":  `{"package":"p","initialize":{"protocolVersion":"2025-11-25"},` + tools + `}`,
		"initialize null": `{"protocolVersion":null,"supportedVersions":null,"instructions":null,"prompts":null,"serverInfo":null,` +
			`"capabilities":null,` + tools + `}`,
	} {
		t.Run(name, func(t *testing.T) {
			s, err := snapshot.Parse([]byte(raw))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]string{"b", "a"}, keys(s.Tools)); diff != "" {
				t.Errorf("tools (-want +got):\n%s", diff)
			}
			if s.Prompts.State != snapshot.NotOffered || s.Extra != nil || s.Server != nil || s.Capabilities != nil {
				t.Errorf("prompts %v, server %s, capabilities %s and further members %v, want none", s.Prompts, s.Server, s.Capabilities,
					s.Extra)
			}
		})
	}
}

func TestParseReadsAllFields(t *testing.T) {
	s, err := snapshot.Parse([]byte(`{
		"mcpctl": 1, "protocolVersion": "2026-07-28", "supportedVersions": ["2026-07-28", "2025-11-25"],
		"serverInfo": {"name": "demo"}, "capabilities": {"tools": {}}, "instructions": "Use \u0022search\u0022.",
		"tools": [], "prompts": [{"name": "p"}], "resources": [{"uri": "file:///a"}], "resourceTemplates": [{"uriTemplate": "x://{a}"}],
		"later": {"b": 1}, "latest": 2, "ttlMs": 3, "cacheScope": "public", "resultType": "complete", "nextCursor": null, "_meta": {"x": 1}
	}`))
	if err != nil {
		t.Fatal(err)
	}
	want := &snapshot.Snapshot{
		Protocol: "2026-07-28", Supported: []string{"2026-07-28", "2025-11-25"},
		Server: json.RawMessage(`{"name": "demo"}`), Capabilities: json.RawMessage(`{"tools": {}}`),
		Instructions: `Use "search".`,
		Tools:        snapshot.NewList(snapshot.Tools, nil),
		Prompts:      snapshot.NewList(snapshot.Prompts, []json.RawMessage{json.RawMessage(`{"name": "p"}`)}),
		Resources:    snapshot.NewList(snapshot.Resources, []json.RawMessage{json.RawMessage(`{"uri": "file:///a"}`)}),
		Templates:    snapshot.NewList(snapshot.Templates, []json.RawMessage{json.RawMessage(`{"uriTemplate": "x://{a}"}`)}),
		Extra:        map[string]json.RawMessage{"later": json.RawMessage(`{"b": 1}`), "latest": json.RawMessage("2")},
	}
	if diff := cmp.Diff(want, s, cmp.AllowUnexported(snapshot.List{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"file:///a", "x://{a}"}, append(keys(s.Resources), keys(s.Templates)...)); diff != "" {
		t.Errorf("keys (-want +got):\n%s", diff)
	}
}

func TestParseRefuses(t *testing.T) {
	for raw, want := range map[string]string{
		`{"mcpctl":2,"tools":[]}`:         "at /mcpctl: the snapshot has a newer format: it has 2, and up to 1 is read",
		`{"mcpctl":"1"}`:                  `at /mcpctl: "\"1\"" is not a version of the snapshot format`,
		`{"mcpctl":0}`:                    "not a version of the snapshot format",
		`{"mcpctl":99999999999999999999}`: "newer format: it has 99999999999999999999, and",
		" \n":                             "the file is empty",
		`[]`:                              "expected a snapshot or a tools/list result",
		`{"hello":1}`:                     "expected a snapshot or a tools/list result",
		`{"tools":{}}`:                    "at /tools: not an array",
		`{"tools":[],"tools":[]}`:         "at /tools: duplicate key",
		`{"tools":[],"nextCursor":""}`:    "at /nextCursor: the list goes on",
		`{"jsonrpc":"2.0","error":{"message":"no"}}`: `at /error: the server answered with an error instead of a result: "no"`,
		`{"jsonrpc":"2.0","method":"x"}`:             "the JSON-RPC message has no result",
		`{"jsonrpc":"2.0","result":{"tools":3}}`:     "at /result/tools: not an array",
		`{"jsonrpc":"2.0","result":[]}`:              "at /result: expected a snapshot or a tools/list result",
		`{"result":{"result":{"tools":[]}}}`:         "at /result: expected a snapshot or a tools/list result",
		`{"mcpctl":1,"supportedVersions":7}`:         "at /supportedVersions: not an array",
		"{\"tools\":[{\"name\":\"a\n>>>>>>> b\"}]}":  "line 1: invalid character",
		`{"initialize":[],"tools":[]}`:               "at /initialize: not an object",
		`{"instructions":7,"tools":[]}`:              "at /instructions: expected string",
		`{"mcpctl":1,"supportedVersions":["a",1]}`:   "at /supportedVersions/1: expected string",
		`{"tools":[{"name":"a",}]}`:                  "at /tools/0: line 1: invalid character '}' at start of string (expecting '\"')",
	} {
		_, err := snapshot.Parse([]byte(raw))
		if err == nil || !strings.HasPrefix(err.Error(), "reading a snapshot: ") || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q in it", raw, err, want)
		}
	}
	if _, err := snapshot.Parse([]byte(`{"mcpctl":2}`)); !errors.Is(err, snapshot.ErrNewer) {
		t.Errorf("a newer format gives %v, which is not ErrNewer", err)
	}
}

func TestParseConflicts(t *testing.T) {
	for raw, want := range map[string]string{
		"{\n<<<<<<< HEAD\n  \"mcpctl\": 1\n=======\n  \"mcpctl\": 1,\n>>>>>>> theirs\n}\n": "a conflict is marked on line 2",
		"\ufeff<<<<<<< HEAD\n{}\n=======\n{ \n>>>>>>> theirs\n":                            "a conflict is marked on line 1",
	} {
		if _, err := snapshot.Parse([]byte(raw)); !errors.Is(err, snapshot.ErrConflict) || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", raw, err, want)
		}
	}
	for _, raw := range []string{"<<<<<<< HEAD\n", "{\n>>>>>>> theirs\n", "{"} {
		if _, err := snapshot.Parse([]byte(raw)); err == nil || errors.Is(err, snapshot.ErrConflict) {
			t.Errorf("%q: error %v, want another one", raw, err)
		}
	}
	if _, err := snapshot.Parse([]byte(`{"tools":[{"name":"a","description":"\n<<<<<<< a\n>>>>>>> b\n"}]}`)); err != nil {
		t.Errorf("markers inside a text: %v", err)
	}
}

func TestByteOrderMark(t *testing.T) {
	file := []byte("\ufeff{\n  \"tools\": [\n    {\"name\": \"a\"}\n  ]\n}\n")
	s, err := snapshot.Parse(file)
	if err != nil || s.Tools.Absent("a") {
		t.Errorf("read %v, %v", s, err)
	}
	if line := snapshot.NewLines(file, "").Of("tool/a", ""); line != 3 {
		t.Errorf("the tool is on line %d, want 3", line)
	}
}

func TestOddItems(t *testing.T) {
	s, err := snapshot.Parse(
		[]byte(`{"tools":[{"name":"good"},{"title":"x"},7,null,{"name":""},{"name":3},{"name":"twice"},{"name":"twice"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"good", "", "", "", "", "", "twice", "twice"}, keys(s.Tools)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestKeyOfErrors(t *testing.T) {
	for _, test := range []struct {
		kind      snapshot.Kind
		raw, want string
	}{
		{snapshot.Tools, `7`, "a tool is not an object"},
		{snapshot.Prompts, `{}`, "a prompt has no name"},
		{snapshot.Resources, `{"name":"a"}`, "a resource has no uri"},
		{snapshot.Templates, `{"uriTemplate":""}`, "the uriTemplate of a template is not a text of at least one character"},
		{snapshot.Tools, `{"name":`, "reading a tool: at /name: unexpected end of text"},
		{snapshot.Tools, `{"name":"a","x":}`, "reading a tool: at /x: line 1: invalid character '}' at start of value"},
	} {
		if _, err := snapshot.KeyOf(test.kind, json.RawMessage(test.raw)); err == nil || err.Error() != test.want {
			t.Errorf("%s: error %v, want %q", test.raw, err, test.want)
		}
	}
	if key, err := snapshot.KeyOf(snapshot.Tools, json.RawMessage(`{"name":"a","name":"b\u0021"}`)); key != "b!" || err != nil {
		t.Errorf("the key is %q, %v; the last name of an object holds", key, err)
	}
}

func TestItemViews(t *testing.T) {
	item := snapshot.Item{
		Raw: json.RawMessage(
			`{"name":"n","annotations":{"title":"A"},"description":"d","inputSchema":{"type":"object"},"outputSchema":true,` +
				`"arguments":[1]}`)}
	skill := snapshot.Item{Raw: json.RawMessage(`{"uri":"skill://s","frontmatter":{"name":"S","description":"D"}}`)}
	got := []string{
		item.Title(), item.Description(), string(item.Field("outputSchema")), string(item.Field("none")), item.Text("name"),
		item.Text("arguments"),
		snapshot.Item{Raw: json.RawMessage(`{"name":"n","title":"T"}`)}.Title(),
		snapshot.Item{Raw: json.RawMessage(`{"name":"n","title":7}`)}.Title(),
		snapshot.Item{Raw: json.RawMessage(`7`)}.Title(), skill.Title(), skill.Description(),
	}
	want := []string{"A", "d", "true", "", "n", "", "T", "n", "", "S", "D"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestParseLimit: a file is read as far as a server is.
func TestParseLimit(t *testing.T) {
	list := func(n int) []byte { return []byte(`{"tools":[` + strings.Repeat("1,", n-1) + "1]}") }
	if s, err := snapshot.Parse(list(snapshot.MostItems)); err != nil || len(s.Tools.Items()) != snapshot.MostItems {
		t.Errorf("at the bound: %v", err)
	}
	if _, err := snapshot.Parse(list(snapshot.MostItems + 1)); err == nil ||
		err.Error() != "reading a snapshot: at /tools: the list has more than 100000 items" {
		t.Errorf("above it: %v", err)
	}
}
