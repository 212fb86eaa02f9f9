package accept

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpctl/mcpctl/internal/rawjson"
)

func TestEdits(t *testing.T) {
	for _, test := range []struct{ name, old, new, want string }{
		{"a member", `{"a":1,"b":2}`, `{"b":3,"a":4}`, `{"a":4,"b":2}`},
		{"a member that is new", `{"b":2}`, `{"a":4}`, `{"a":4,"b":2}`},
		{"a member that is gone", `{"a":1,"b":2}`, `{"b":3}`, `{"b":2}`},
		{"null is a value", `{"a":1}`, `{"a":null}`, `{"a":null}`},
		{"a number as written", `{"a":1}`, `{"a":1.50e3}`, `{"a":1.50e3}`},
		{"a member twice", `{"a":1,"a":2}`, `{"a":3}`, ``},
		{"no object", `"text"`, `{"a":3}`, ``},
	} {
		got, ok := take([]string{"a"})(json.RawMessage(test.old), json.RawMessage(test.new))
		if diff := cmp.Diff(test.want, canonical(t, got, ok)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

func TestPlaces(t *testing.T) {
	for _, test := range []struct{ name, place, old, new, want string }{
		{"deep", "/a/b", `{"a":{"b":1,"c":2}}`, `{"a":{"b":3,"c":4}}`, `{"a":{"b":3,"c":2}}`},
		{"in an object that was not there", "/a/b", `{}`, `{"a":{"b":3,"c":4}}`, `{"a":{"b":3}}`},
		{"the last of an object that is gone", "/a/b", `{"a":{"b":1}}`, `{}`, `{}`},
		{"one of an object that is gone", "/a/b", `{"a":{"b":1,"c":2}}`, `{}`, `{"a":{"c":2}}`},
		{"an escaped key", "/a~1b/~0", `{"a/b":{"~":1}}`, `{"a/b":{"~":2}}`, `{"a/b":{"~":2}}`},
		{"an index", "/a/1", `{"a":[1,2]}`, `{"a":[3,4]}`, `{"a":[1,4]}`},
		{"an index in arrays of two lengths", "/a/1", `{"a":[1,2]}`, `{"a":[3,4,5]}`, ``},
		{"an element by its name", "/a/y/x", `{"a":[{"name":"x","x":1},{"name":"y","x":1}]}`, `{"a":[{"name":"y","x":2},{"name":"x","x":2}]}`, `{"a":[{"name":"x","x":1},{"name":"y","x":2}]}`},
		{"an element that is new", "/a/y", `{"a":[{"name":"x"},{"name":"z"}]}`, `{"a":[{"name":"x"},{"name":"y"},{"name":"z"}]}`, `{"a":[{"name":"x"},{"name":"y"},{"name":"z"}]}`},
		{"an element that is gone", "/a/y", `{"a":[{"name":"x"},{"name":"y"}]}`, `{"a":[{"name":"x","n":1}]}`, `{"a":[{"name":"x"}]}`},
		{"of another kind on one side", "/a/b", `{"a":[1]}`, `{"a":{"b":1}}`, ``},
	} {
		got, ok := take(rawjson.Split(test.place))(json.RawMessage(test.old), json.RawMessage(test.new))
		if diff := cmp.Diff(test.want, canonical(t, got, ok)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

func TestElement(t *testing.T) {
	for _, test := range []struct{ old, new, want string }{
		{`["a"]`, `["a","b","c"]`, `["a","b"]`},
		{`["a","b"]`, `["c"]`, `["a"]`},
		{`["b"]`, `["a","b"]`, `["b"]`},
		{``, `["b","c"]`, `["b"]`},
		{`["b"]`, ``, `nothing`},
		{`["a","b"]`, ``, `["a"]`},
		{`{}`, `["b"]`, ``},
	} {
		old, new := json.RawMessage(test.old), json.RawMessage(test.new)
		if test.old == "" {
			old = nil
		}
		if test.new == "" {
			new = nil
		}
		got, ok := element(json.RawMessage(`"b"`))(old, new)
		text := canonical(t, got, ok)
		if ok && got == nil {
			text = "nothing"
		}
		if text != test.want {
			t.Errorf("b among %s as in %s: %s, want %s", test.old, test.new, text, test.want)
		}
	}
}

// canonical is a value in one spelling; empty when there is none.
func canonical(t testing.TB, raw json.RawMessage, ok bool) string {
	t.Helper()
	if !ok || raw == nil {
		return ""
	}
	text, err := rawjson.Canonical(raw)
	if err != nil {
		t.Fatalf("%s is no JSON: %v", raw, err)
	}
	return string(text)
}

// FuzzTake checks that what comes out is whole JSON, and that taking the same value over
// again changes nothing.
func FuzzTake(f *testing.F) {
	f.Add(`{"a":{"b":1}}`, `{"a":{"b":[2]}}`, "/a/b")
	f.Add(`{"a":[{"name":"x"}]}`, `{"a":[{"name":"y"},{"name":"x","z":null}]}`, "/a/y")
	f.Add(`{}`, `{"\ud800":{"":1}}`, "/\ufffd/")
	f.Add(`[1,2]`, `[3,4]`, "/1")
	f.Fuzz(func(t *testing.T, old, new, place string) {
		if len(place) > 100 || !json.Valid([]byte(old)) || !json.Valid([]byte(new)) {
			return
		}
		before, after := compact(t, old), compact(t, new)
		edit := take(rawjson.Split("/" + place))
		got, ok := edit(before, after)
		if !ok {
			return
		}
		text := canonical(t, got, ok)
		again, ok := edit(slices.Clone(got), after)
		if !ok || canonical(t, again, ok) != text {
			t.Errorf("%s, then %s", text, again)
		}
	})
}

func compact(t testing.TB, text string) json.RawMessage {
	raw, err := rawjson.Canonical(json.RawMessage(text))
	if err != nil {
		t.Skip("not read")
	}
	return raw
}
