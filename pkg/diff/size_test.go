package diff_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/pkg/diff"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// TestChangedBytes counts what one side has and the other has not, however it is written and in whatever order.
func TestChangedBytes(t *testing.T) {
	const whole = `{"mcpctl":1,"instructions":"Hi.","serverInfo":{"name":"s"},"capabilities":{"x":{}},"supportedVersions":["1"],` +
		`"more":[1],"tools":[{"name":"a","title":"A"},{"name":"b"}],"prompts":[{"name":"p"}]}`
	for new, want := range map[string]int{
		whole: 0,
		strings.Replace(whole, `{"name":"a","title":"A"},{"name":"b"}`, `{"name":"b"},{"title":"\u0041", "name":"a"}`, 1): 0,
		strings.Replace(whole, `"Hi."`, `"Hello."`, 1): len(
			`"Hi.""Hello."`),
		strings.Replace(whole, `{"x":{}}`, `{"xy":{}}`, 1): len(`{"x":{}}{"xy":{}}`),
		strings.Replace(whole, `["1"]`, `["1","2"]`, 1):    len(`["1"]["1","2"]`),
		strings.Replace(whole, `[1]`, `[2]`, 1):            len("[1][2]"),
		strings.Replace(whole, `"s"`, `"t"`, 1):            2 * len(`{"name":"s"}`),
		strings.Replace(whole, `,{"name":"b"}`, ``, 1):     len(`{"name":"b"}`),
		strings.Replace(whole, `"title":"A"`, `"t":1`, 1):  len(`{"name":"a","title":"A"}{"name":"a","t":1}`),
		strings.Replace(whole, `{"name":"p"}`, `7,"p"`, 1): len(`{"name":"p"}7"p"`),
	} {
		if got := diff.ChangedBytes(parse(t, whole), parse(t, new)); got != want {
			t.Errorf("%s: %d bytes differ, want %d", new, got, want)
		}
	}
}

// TestOnlyWhatDiffersIsTooLarge: a large surface of which little changed is compared, and one of which too
// much did is not.
func TestOnlyWhatDiffersIsTooLarge(t *testing.T) {
	long := strings.Repeat("a", diff.MostBytes*3/4)
	old, new := parse(t, oneTool), parse(t, twoTools)
	old.Instructions, new.Instructions = long, long
	if found := compared(t, old, new, diff.Options{}); len(found) != 1 {
		t.Errorf("%d findings, want the tool that is new", len(found))
	}
	new.Instructions = strings.Repeat("b", diff.MostBytes*3/4)
	found, err := diff.Compare(t.Context(), old, new, diff.Options{})
	if large, ok := errors.AsType[*diff.TooLargeError](err); !ok || found != nil || large.Bytes < 2*len(long) {
		t.Errorf("%d findings, %v", len(found), err)
	}
	if found := compared(t, nil, new, diff.Options{}); len(found) != 1 {
		t.Errorf("%d findings of a server that is new, want one", len(found))
	}
}

// TestHeadersThatClientsSend: over HTTP an argument may ask for a header if it is a plain value at a place
// that is always the same.
func TestHeadersThatClientsSend(t *testing.T) {
	surface := func(schema string) *snapshot.Snapshot {
		return parse(t, `{"mcpctl":1,"protocolVersion":"2026-07-28","capabilities":{"tools":{}},"tools":[{"name":"t","inputSchema":`+schema+
			`}]}`)
	}
	for schema, sent := range map[string]bool{
		`{"type":"object","properties":{"a":{"type":"string","x-mcp-header":"Region"}}}`:                                      true,
		`{"type":"object","properties":{"a":{"type":"integer","x-mcp-header":"Region"}}}`:                                     true,
		`{"type":"object","properties":{"a":{"type":"boolean","x-mcp-header":"Region"}}}`:                                     true,
		`{"type":"object","properties":{"a":{"type":"object","properties":{"b":{"type":"string","x-mcp-header":"Region"}}}}}`: true,
		`{"type":"object","properties":{"x-mcp-header":{"type":"string"}}}`:                                                   true,
		`{"type":"object","properties":{"a":{"type":"number","x-mcp-header":"Region"}}}`:                                      false,
		`{"type":"object","properties":{"a":{"type":"array","items":{"type":"string","x-mcp-header":"Region"}}}}`:             false,
		`{"type":"object","properties":{"a":{"type":"string","x-mcp-header":"two words"}}}`:                                   false,
		`{"type":"string","x-mcp-header":"Region"}`:                                                                           false,
		`{"type":"object","properties":{"a":{"type":"string","x-mcp-header":"X"},"b":{"type":"string","x-mcp-header":"x"}}}`:  false,
	} {
		plain := strings.NewReplacer(`,"x-mcp-header":"Region"`, "", `,"x-mcp-header":"two words"`, "", `,"x-mcp-header":"X"`, "",
			`,"x-mcp-header":"x"`, "", `"x-mcp-header":{`, `"a":{`).Replace(schema)
		hidden := false
		for _, f := range compared(t, surface(plain), surface(schema), diff.Options{}) {
			hidden = hidden || f.Rule == "tool-hidden-from-http-clients"
		}
		if hidden == sent {
			t.Errorf("%s: hidden from clients: %v", schema, hidden)
		}
	}
}

// TestBareListHasNoOtherKinds: what a bare tools/list result does not hold is neither new nor gone on
// the other side.
func TestBareListHasNoOtherKinds(t *testing.T) {
	bare := parse(t, `{"tools":[{"name":"a"}]}`)
	for _, declared := range []string{`{"tools":{},"prompts":{}}`, `{}`} {
		whole := parse(t, `{"mcpctl":1,"capabilities":`+declared+`,"tools":[{"name":"a"}],"prompts":[{"name":"p"}]}`)
		for name, sides := range map[string][2]*snapshot.Snapshot{"before": {bare, whole}, "now": {whole, bare}} {
			var places []string
			for _, f := range compared(t, sides[0], sides[1], diff.Options{}) {
				if f.Rule != "comparison-scope-differs" {
					t.Errorf("bare %s, %s: %s %s", name, declared, f.Rule, f.Item)
				}
				places = append(places, f.Path)
			}
			if want := []string{"/prompts", "/serverInfo"}; !slices.Equal(places, want) {
				t.Errorf("bare %s, %s: %q are told not to be compared, want %q", name, declared, places, want)
			}
		}
	}
}
