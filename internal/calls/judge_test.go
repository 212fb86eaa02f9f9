package calls

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/pkg/diff"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// changes are changes of an input schema with calls that they break, and calls that they do not break.
var changes = []struct {
	name, old, new string
	breaks, passes string // arguments, separated by spaces
}{
	{"argument became required", `"a":{"type":"string"}`, `"a":{"type":"string"}}, "required":["a"], "x":{`, `{} {"b":1}`,
		`{"a":"x"} {"a":1}`},
	{"integer instead of number", `"a":{"type":"number"}`, `"a":{"type":"integer"}`, `{"a":0.5}`, `{"a":1} {"a":1.0} {} {"a":"x"}`},
	{"maximum", `"a":{"type":"integer"}`, `"a":{"type":"integer","maximum":100}`, `{"a":101} {"a":1e3}`, `{"a":100} {"a":-1}`},
	{"exclusive minimum", `"a":{"type":"number","minimum":0}`, `"a":{"type":"number","exclusiveMinimum":0}`, `{"a":0} {"a":0.0}`,
		`{"a":0.1} {"a":-1}`},
	{"enum lost a value", `"a":{"enum":["x","y",1]}`, `"a":{"enum":["x",1]}`, `{"a":"y"}`, `{"a":"x"} {"a":1.0} {"a":"z"}`},
	{"pattern", `"a":{"type":"string"}`, `"a":{"type":"string","pattern":"^[a-z]+$"}`, `{"a":"A"} {"a":""}`, `{"a":"abc"} {}`},
	{"length", `"a":{"type":"string"}`, `"a":{"type":"string","minLength":2,"maxLength":3}`, `{"a":"x"} {"a":"wxyz"}`,
		`{"a":"äö"} {"a":"xyz"}`},
	{"null is gone", `"a":{"type":["string","null"]}`, `"a":{"type":"string"}`, `{"a":null}`, `{"a":"x"} {}`},
	{"object is closed", `"a":{}`, `"a":{}}, "additionalProperties":false, "x":{`, `{"b":1} {"a":1,"c":2}`, `{"a":1} {}`},
	{"argument is gone from a closed object", `"a":{},"b":{}}, "additionalProperties":false, "x":{`,
		`"a":{}}, "additionalProperties":false, "x":{`, `{"b":1}`, `{"a":1} {} {"c":1}`},
	{"items of a list", `"a":{"type":"array","items":{"type":"number"}}`, `"a":{"type":"array","items":{"type":"integer"},"maxItems":2}`,
		`{"a":[1,0.5]} {"a":[1,2,3]}`, `{"a":[1,2]} {"a":[]} {"a":["x"]}`},
	{"deep", `"a":{"type":"object","properties":{"b":{"type":"object","properties":{"c":{"type":"integer"}}}}}`,
		`"a":{"type":"object","properties":{"b":{"type":"object","properties":{"c":{"type":"string"}}}}}`, `{"a":{"b":{"c":1}}}`,
		`{"a":{"b":{}}} {"a":{}} {"a":{"b":{"c":"x"}}}`},
	{"a reference", `"a":{"$ref":"#/$defs/n"}}, "$defs":{"n":{"type":"integer"}}, "x":{`,
		`"a":{"$ref":"#/$defs/n"}}, "$defs":{"n":{"type":"integer","multipleOf":2}}, "x":{`, `{"a":3}`, `{"a":4} {}`},
	{"two changes at once", `"a":{"type":"number"},"b":{"type":"string"}`, `"a":{"type":"integer"},"b":{"type":"string","maxLength":1}`,
		`{"a":0.5} {"b":"xx"} {"a":0.5,"b":"xx"}`, `{"a":1,"b":"x"}`},
	{"one change undoes another", `"a":{"type":"integer","minimum":0}`,
		`"a":{"anyOf":[{"type":"integer","minimum":5},{"type":"integer","maximum":4,"minimum":0}]}`, ``, `{"a":0} {"a":4} {"a":5}`},
	{"a union that only together rejects", `"a":{"anyOf":[{"type":"integer","maximum":10},{"type":"integer","minimum":5}]}`,
		`"a":{"anyOf":[{"type":"integer","maximum":4},{"type":"integer","minimum":6}]}`, `{"a":5}`, `{"a":4} {"a":6}`},
	{"one of two", `"a":{},"b":{}`, `"a":{},"b":{}}, "oneOf":[{"required":["a"]},{"required":["b"]}], "x":{`, `{} {"a":1,"b":1}`,
		`{"a":1} {"b":1}`},
	{"dependent", `"a":{},"b":{}`, `"a":{},"b":{}}, "dependentRequired":{"a":["b"]}, "x":{`, `{"a":1}`, `{"b":1} {"a":1,"b":1}`},
	{"wider", `"a":{"type":"integer"}`, `"a":{"type":["integer","string"]}`, ``, `{"a":1} {"a":"x"}`},
}

// TestJudge compares the calls that findings affect with the table, and the table with an independent validator.
func TestJudge(t *testing.T) {
	for _, c := range changes {
		old, now := schemaOf(c.old), schemaOf(c.new)
		for arguments, breaks := range labelled(c.breaks, c.passes) {
			if got := validates(t, old, arguments) && !validates(t, now, arguments); got != breaks {
				t.Errorf("%s: %s: the validator says breaks = %v", c.name, arguments, got)
			}
			affected := false
			for _, f := range counted(t, old, now, arguments) {
				if f.Rule == "input-root-combinator-added" {
					continue // that some clients reject the tool no call shows
				}
				affected = affected || f.Calls != nil && f.Calls.Failing+f.Calls.Undecided > 0
			}
			if affected != breaks {
				t.Errorf("%s: %s: affected = %v, want %v", c.name, arguments, affected, breaks)
			}
		}
	}
}

func schemaOf(properties string) string {
	return `{"type":"object","properties":{` + properties + `}}`
}

func labelled(breaks, passes string) map[string]bool {
	all := map[string]bool{}
	for _, arguments := range strings.Fields(passes) {
		all[arguments] = false
	}
	for _, arguments := range strings.Fields(breaks) {
		all[arguments] = true
	}
	return all
}

func validates(t *testing.T, schema, arguments string) bool {
	t.Helper()
	compiler := jsonschema.NewCompiler()
	document, err := jsonschema.UnmarshalJSON(strings.NewReader(schema))
	if err != nil {
		t.Fatalf("%s: %v", schema, err)
	}
	if err := compiler.AddResource("schema.json", document); err != nil {
		t.Fatal(err)
	}
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(arguments))
	if err != nil {
		t.Fatal(err)
	}
	return compiler.MustCompile("schema.json").Validate(value) == nil
}

// counted returns the breaking and warning findings of a changed input schema, with the one recorded call.
func counted(t *testing.T, old, now, arguments string) []finding.Finding {
	t.Helper()
	side := func(schema string) *snapshot.Snapshot {
		s, err := snapshot.Parse([]byte(`{"tools":[{"name":"t","inputSchema":` + schema + `}]}`))
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	var j Counter
	found, err := diff.Compare(t.Context(), side(old), side(now), diff.Options{Server: "s"}.Counting(
		j.Server([]string{"s"}, []string{"t"})))
	if err != nil {
		t.Fatal(err)
	}
	p := host.Process{Dir: t.TempDir()}
	call := `{"tool":"t","arguments":` + arguments + `}`
	if err := os.WriteFile(filepath.Join(p.Dir, "calls"), []byte(call), 0o600); err != nil {
		t.Fatal(err)
	}
	if met, err := j.Read(t.Context(), p, "calls", true); err != nil || !met {
		t.Fatal(met, err)
	}
	return found
}

// TestEach reads every form of a line, and names the line of a mistake.
func TestEach(t *testing.T) {
	read := func(text string) string {
		var all []string
		err := eachCall(t.Context(), strings.NewReader(text), "f", func(c Call) error {
			all = append(all, fmt.Sprintf("%d %s %s %s %s", c.Line, c.Server, c.Tool, c.Client, c.Arguments))
			return nil
		})
		if err != nil {
			all = append(all, err.Error())
		}
		return strings.Join(all, "\n")
	}
	for text, want := range map[string]string{
		"": "",
		"\n \r\n" + `{"tool":"a","arguments":{}}`: "3  a  {}",
		`{"tool":"a"}`:                             `f:1: missing "arguments"`,
		`{"arguments":{}}`:                         `f:1: missing "tool"`,
		`{"tool":1,"arguments":{}}`:                `f:1: "tool": expected string, got a number`,
		`{"tool":"a","arguments":[]}`:              `f:1: "arguments": expected object, got an array`,
		`{"tool":"a","arguments":{},"result":"x"}`: `f:1: "result": expected object, got a string`,
		strings.Repeat("x", maxLine+1):             "f:1: line longer than 32 MiB",
		`{"tool":"a","arguments":{"a":` + strings.Repeat("[", 20000): "f:1: invalid JSON: at /arguments/a" +
			strings.Repeat("/0", 10) + "/…: nesting exceeds 10000 levels",
		`{"resourceSpans":[` + strings.Repeat("{},", maxObjects) + `{}]}`: "f:1: more than 1000000 objects in a line of traces",
		`{"tool":"a","arguments":{},"time":"today"}`: `f:1: "time": expected RFC 3339 such as 2026-11-20T09:30:00Z, ` +
			`got "today"`,
	} {
		if diff := cmp.Diff(want, read(text)); diff != "" {
			t.Errorf("%.80q (-want +got):\n%s", text, diff)
		}
	}
}

// TestTraces reads calls out of traces: attributes as values and as texts, a client's and a server's span once.
func TestTraces(t *testing.T) {
	attribute := func(key, value string) string {
		return fmt.Sprintf(`{"key":%q,"value":%s}`, key, value)
	}
	spans := func(all ...string) string {
		return `{"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"shop"}}]},` +
			`"scopeSpans":[{"spans":[` + strings.Join(all, ",") + `]}]}]}`
	}
	span := func(head string, attributes ...string) string {
		attributes = append(attributes, attribute("mcp.method.name", `{"stringValue":"tools/call"}`),
			attribute("gen_ai.tool.name", `{"stringValue":"find"}`))
		return `{` + head + `"attributes":[` + strings.Join(attributes, ",") + `]}`
	}
	text := spans(
		span(`"spanId":"a","kind":3,`, attribute("gen_ai.tool.call.arguments", `{"stringValue":"{\"n\":1}"}`)),
		span(`"spanId":"b","parentSpanId":"a","kind":2,`),
		span(`"spanId":"c","kind":"SPAN_KIND_SERVER","startTimeUnixNano":"1762160400000000000",`,
			attribute("gen_ai.tool.call.arguments", `{"kvlistValue":{"values":[{"key":"n","value":{"intValue":"7"}},`+
				`{"key":"all","value":{"arrayValue":{"values":[{"boolValue":true},{"doubleValue":0.5}]}}}]}}`)),
		span(`"spanId":"d","kind":2,`),
	)
	var got []string
	err := eachCall(t.Context(), strings.NewReader(text), "f", func(c Call) error {
		got = append(got, fmt.Sprintf("%s|%s|%s|%s", c.Server, c.Client, c.Arguments, c.Time.UTC().Format("2006")))
		return nil
	})
	want := []string{`|shop|{"n":1}|0001`, `shop||{"all":[true,0.5],"n":7}|2025`, `shop|||0001`}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

// FuzzEach never panics on a line, and never gives a call without a tool.
func FuzzEach(f *testing.F) {
	f.Add(`{"tool":"a","arguments":{}}`)
	f.Add(`{"resourceSpans":[{"scopeSpans":[{"spans":[{"attributes":[{"key":"mcp.method.name","value":{}}]}]}]}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		_ = eachCall(t.Context(), strings.NewReader(text), "f", func(c Call) error {
			if c.Tool == "" {
				t.Error("a call without a tool")
			}
			return nil
		})
	})
}

// TestSchema: what is appended is as docs/calls.schema.json has it, and is read again.
func TestSchema(t *testing.T) {
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	lines := compiler.MustCompile("../../docs/calls.schema.json")
	p := host.Process{Dir: t.TempDir(), Now: time.Date(2026, 11, 20, 9, 30, 0, 0, time.UTC)}
	err := Append(p, "calls.jsonl", "s", "t", json.RawMessage(`{"a":"<\u00e9>"}`), json.RawMessage("{\n\"content\": []}"))
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(p.Dir, "calls.jsonl"))
	if err != nil || strings.Count(string(text), "\n") != 1 {
		t.Fatalf("%s, %v", text, err)
	}
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(string(text)))
	if err != nil || lines.Validate(value) != nil {
		t.Errorf("%s: %v, %v", text, err, lines.Validate(value))
	}
	err = eachCall(t.Context(), strings.NewReader(string(text)), "f", func(c Call) error {
		if c.Server != "s" || c.Tool != "t" || !c.Time.Equal(p.Now) || c.Client != "mcpctl" {
			t.Errorf("%+v", c)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
