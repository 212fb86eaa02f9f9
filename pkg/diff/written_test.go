package diff_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/pkg/diff"
	"github.com/mcpctl/mcpctl/pkg/finding"
)

// TestWhatServersSendArrivesAsWritten holds old and new of findings to the bytes that the servers sent: keys
// in their order, numbers and texts in their spelling. Only white space may differ.
func TestWhatServersSendArrivesAsWritten(t *testing.T) {
	const old = `{"protocolVersion":"2026-07-28","capabilities":{"tools":{}},"tools":[{"name":"t","description":"d",` +
		`"inputSchema":{"type":"object","properties":{
		"gone":{"type":"string","minLength":1.0,"description":"x","default":{"z":1.50,"a":1e2}},
		"range":{"type":"number","maximum":10.0, "minimum":1e0},
		"choice":{"enum":["x",{"z":1,"a":1}]}, "header":{"type":"string","x-mcp-header":"A"},
		"note":{"description":"says \u0041","examples":[{"z":1,"a":2}]},"two":{"type":"string"},
		"pairs":{"type":"object","patternProperties":{"^x":{"type":"string","maxLength":1e1}}}},"required":["gone"]}},
		{"name":"u","inputSchema":{"z":{"z":1,"a":2},"anyOf":[{"type":"object","$ref":"#/$defs/far"}],"$defs":{"far":{}}}},
		{"name":"v","inputSchema":{"type":"object","title":"<v>","required":[ "a" ] }}]}`
	const new = `{"protocolVersion":"2026-07-28","capabilities":{"tools":{}},"tools":[{"name":"t","description":"d",` +
		`"inputSchema":{"type":"object","properties":{
		"range":{"type":"number","minimum":2e0,"maximum":7.0,"default":{"z":1.50,"a":1e2}},
		"fresh":{"type":"string","pattern":"<\u0041(","default":"\u0041"},"two":{"type":"string","default":"\u0041"},
		"choice":{"enum":[{"y":1.0,"a":1}]}, "header":{"type":"string","x-mcp-header":{"z":1,"a":2.0}},
		"note":{"description":"says <b>","examples":[{"z":1.0,"a":3}]},
		"pairs":{"type":"object","patternProperties":{"^y":{"type":"string","maxLength":1e1}}},
		"wrong":{"type":{"z":1.0,"a":2}}},"required":["fresh","two"]}},
		{"name":"u","inputSchema":{"z":{"z":1,"a":2.5},"anyOf":[{"type":"object","$ref":"#/$defs/gone"}]}},
		{"name":"v","inputSchema":{"type":"object","title":"<w>","required":[ "a", "b" ] }}]}`
	findings := compared(t, parse(t, old), parse(t, new), diff.Options{Enable: []string{"*"}})
	told := 0
	for _, f := range findings {
		for _, side := range []struct {
			text  string
			value json.RawMessage
		}{{old, f.Old}, {new, f.New}} {
			if side.value != nil && (side.value[0] == '{' || side.value[0] == '[' || strings.Contains(f.Pointer(), "default")) {
				told++
				asWritten(t, f, side.text, side.value)
			}
		}
	}
	if told < 15 {
		t.Errorf("%d values were told", told)
	}
}

// asWritten finds a value in what a server sent, or the members of a value that joins several keywords.
func asWritten(t *testing.T, f finding.Finding, text string, value json.RawMessage) {
	var sent, got bytes.Buffer
	if json.Compact(&sent, []byte(text)) != nil || json.Compact(&got, value) != nil {
		t.Fatalf("%s: no JSON: %s", f.Rule, value)
	}
	parts := []rawjson.Member{{Value: got.Bytes()}}
	if !bytes.Contains(sent.Bytes(), got.Bytes()) {
		parts = rawjson.Children(got.Bytes())
	}
	for _, part := range parts {
		if !bytes.Contains(sent.Bytes(), part.Value) {
			t.Errorf("%s %s: %s was never sent", f.Rule, f.Pointer(), got.Bytes())
		}
	}
}
