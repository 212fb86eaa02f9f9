package syntax_test

import (
	"testing"

	"github.com/mcpctl/mcpctl/internal/syntax"
)

// TestEdit changes what is named and no other byte: comments, spacing and trailing commas stay as people wrote them.
func TestEdit(t *testing.T) {
	tool := []syntax.Member{{Key: "name", Value: "new"}, {Key: "description", Value: "<b>"}}
	for name, c := range map[string]struct {
		data    string
		changes []syntax.Change
		want    string // empty = an error
	}{
		"a text":            {"{ \"a\" :\t\"x\", // why\n \"b\": 1.0 }\n", []syntax.Change{{Pointer: "/a", Value: "<y>\n"}}, "{ \"a\" :\t\"<y>\\n\", // why\n \"b\": 1.0 }\n"},
		"a list of texts":   {`{"a": [1]}`, []syntax.Change{{Pointer: "/a", Value: []string{"x"}}}, `{"a": ["x"]}`},
		"what goes":         {"{\"a\": [\n  1,\n  2, // two\n  3\n]}", []syntax.Change{{Pointer: "/a/2"}, {Pointer: "/a/0"}}, "{\"a\": [\n  2 // two\n  ]}"},
		"on lines":          {"{\"a\": [\n  {\n    \"x\": 1\n  }\n]}", []syntax.Change{{Pointer: "/a/-", Value: tool}}, "{\"a\": [\n  {\n    \"x\": 1\n  },\n  {\n    \"name\": \"new\",\n    \"description\": \"<b>\"\n  }\n]}"},
		"on one line":       {"{\"a\": [\n  {\"x\": 1, \"y\": 2},\n]}", []syntax.Change{{Pointer: "/a/-", Value: tool}}, "{\"a\": [\n  {\"x\": 1, \"y\": 2},\n  {\"name\": \"new\", \"description\": \"<b>\"},\n]}"},
		"into an empty one": {`{"a": []}`, []syntax.Change{{Pointer: "/a/-", Value: tool}}, `{"a": [{"name": "new", "description": "<b>"}]}`},
		"not there":         {`{"a": 1}`, []syntax.Change{{Pointer: "/b", Value: "x"}}, ""},
		"no list":           {`{"a": 1}`, []syntax.Change{{Pointer: "/a/-", Value: tool}}, ""},
		"no JSON":           {`{`, nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := syntax.Edit([]byte(c.data), c.changes)
			if string(got) != c.want || (err == nil) != (c.want != "") {
				t.Errorf("got %q, %v, want %q", got, err, c.want)
			}
		})
	}
}
