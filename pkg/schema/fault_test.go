package schema

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpctl/mcpctl/internal/rawjson"
)

// TestFaults: a fault has its place, its reason, and what a message to a person needs.
func TestFaults(t *testing.T) {
	for _, c := range []struct {
		schema, value string
		want          []Fault
	}{
		{`{"type":"integer"}`, `1.0`, nil},
		{`{"type":"integer"}`, `"a"`, []Fault{{"", "expected integer, got string", "type", nil, []string{"integer"}, false}}},
		{`{"properties":{"a/b":{"maximum":5}}}`, `{"a/b":6}`,
			[]Fault{{"/a~1b", `violates "maximum"`, "maximum", nil, []string{"5"}, false}}},
		{`{"required":["a","b"],"additionalProperties":false}`, `{"c":1}`, []Fault{
			{"", `violates "required"`, "required", []string{"a", "b"}, nil, false},
			{"", `violates "additionalProperties"`, "additionalProperties", []string{"c"}, nil, false},
		}},
		{`{"enum":["a",1.50,null]}`, `"x"`, []Fault{{"", "expected one of the allowed values", "enum", nil, []string{`"a"`, "1.50", "null"},
			false}}},
		{`{"anyOf":[{"type":"string"},{"type":"null"}]}`, `1`,
			[]Fault{{"", "expected string, got number", "type", nil, []string{"string", "null"}, true}}},
		{`{"anyOf":[{"properties":{"a":{"type":"string"}}},{"required":["b"]}]}`, `{"a":1}`,
			[]Fault{{"/a", "expected string, got number", "type", nil, []string{"string"}, true}}},
		{`{"minLength":2,"pattern":"^a"}`, `"b"`, []Fault{
			{"", `violates "minLength"`, "minLength", nil, []string{"2"}, false},
			{"", `violates "pattern"`, "pattern", nil, []string{"^a"}, false},
		}},
		{`{"format":"email"}`, `"nobody"`, nil},
		{`{"items":{"type":"string"}}`, `[1,"a",true]`, []Fault{
			{"/0", "expected string, got number", "type", nil, []string{"string"}, false},
			{"/2", "expected string, got boolean", "type", nil, []string{"string"}, false},
		}},
		{`{"prefixItems":[{"type":"string"},{"type":"integer"}],"items":{"type":"null"}}`, `["a","b",1]`, []Fault{
			{"/1", "expected integer, got string", "type", nil, []string{"integer"}, false},
			{"/2", "expected null, got number", "type", nil, []string{"null"}, false},
		}},
		{`{"$schema":"http://json-schema.org/draft-04/schema#","format":"email","maximum":5,"exclusiveMaximum":true}`, `5`,
			[]Fault{{"", `violates "exclusiveMaximum"`, "exclusiveMaximum", nil, []string{"5"}, false}}},
		{`{"$schema":"https://json-schema.org/draft/2020-12/schema","dependencies":{"a":{"properties":{"b":{}}}},` +
			`"unevaluatedProperties":false}`, `{"b":1}`,
			[]Fault{{"", `violates "unevaluatedProperties"`, "unevaluatedProperties", []string{"b"}, nil, false}}},
	} {
		value, err := rawjson.Decode([]byte(c.value))
		if err != nil {
			t.Fatal(err)
		}
		got, sure := mustParse(t, c.schema).Faults("", value, nil)
		if diff := cmp.Diff(c.want, got, cmp.AllowUnexported(Fault{})); diff != "" || !sure {
			t.Errorf("%s of %s: sure %v (-want +got)\n%s", c.value, c.schema, sure, diff)
		}
	}
}

// TestUnsure: what cannot be reported is not a fault.
func TestUnsure(t *testing.T) {
	var defs []string
	for i := range 20 {
		defs = append(defs, fmt.Sprintf(`"d%d":{"anyOf":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%[2]d"},{"$ref":"#/$defs/d%[2]d"}]}`, i,
			i+1))
	}
	for name, schema := range map[string]string{
		"a pattern that is not read": `{"pattern":"(?i:a)b"}`,
		"a reference to nowhere":     `{"$ref":"#/x"}`,
		"another document":           `{"$ref":"https://example.com/"}`,
		"too many steps":             `{"$ref":"#/$defs/d0","$defs":{"d20":{"type":"integer"},` + strings.Join(defs, ",") + `}}`,
	} {
		if found, sure := mustParse(t, schema).Faults("", "a", nil); sure || len(found) > 0 {
			t.Errorf("%s: sure %v, %v", name, sure, found)
		}
	}
	if found, sure := mustParse(t, `{"enum":["`+strings.Repeat("a", maxBytes)+`"]}`).Faults("", "a", nil); sure || len(found) > 0 {
		t.Errorf("a schema of any size is read: sure %v, %v", sure, found)
	}
}

// TestMeta: schemas are reported from what is none, in every dialect, by whichever spelling of its address.
func TestMeta(t *testing.T) {
	for named, want := range map[string]Draft{
		"": Draft202012,
		"https://json-schema.org/draft/2020-12/schema": Draft202012,
		"https://json-schema.org/draft/2019-09/schema": Draft201909,
		"http://json-schema.org/draft-07/schema#":      Draft07,
		"http://json-schema.org/draft-06/schema#":      Draft06,
		"https://json-schema.org/draft-04/schema":      Draft04,
	} {
		schema := map[string]any{"type": "strin"}
		if named != "" {
			schema["$schema"] = named
		}
		draft, _, known := DraftOf(schema)
		if !known || draft != want {
			t.Errorf("%q is %v, known %v", named, draft, known)
			continue
		}
		if found, sure := Meta(draft).Faults("", schema, nil); !sure || len(found) == 0 || found[0].Path != "/type" {
			t.Errorf("%q: sure %v, %v", named, sure, found)
		}
	}
	if _, dialect, known := DraftOf(map[string]any{"$schema": "https://example.com/mine"}); known || dialect != "https://example.com/mine" {
		t.Errorf("an unknown dialect is %s, known %v", dialect, known)
	}
}

// TestManyFaultsAreFew reports at most maxFaults of very many faults.
func TestManyFaultsAreFew(t *testing.T) {
	const n = 20_000
	s := mustParse(t, `{"additionalProperties":{"anyOf":[{"type":"string"},{"type":"boolean"},{"type":"object","required":["a"]}]}}`)
	value := map[string]any{}
	for i := range n {
		value[fmt.Sprint("p", i)] = json.Number("1")
	}
	found, sure := s.Faults("", value, nil)
	if len(found) != maxFaults || !sure || !slices.Equal(found[0].Want, []string{"string", "boolean", "object"}) {
		t.Fatalf("%d faults (%v), the first of them %v", len(found), sure, found[:1])
	}
}

// TestFaultsBelowALongName: the place of each fault is written out and paid for, so that reporting them ends.
func TestFaultsBelowALongName(t *testing.T) {
	members := map[string]any{}
	for i := range 2000 {
		members[fmt.Sprintf("a%d", i)] = json.Number("1")
	}
	for length, sure := range map[int]bool{60: true, 60_000: false} {
		inner := map[string]any{"properties": members}
		found, got := Meta(Draft202012).Faults("", map[string]any{"properties": map[string]any{strings.Repeat("k", length): inner}}, nil)
		if got != sure || len(found) > 0 != sure {
			t.Errorf("%d: %d faults, %v", length, len(found), got)
		}
	}
}
