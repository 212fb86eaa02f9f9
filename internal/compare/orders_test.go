package compare_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpctl/mcpctl/pkg/check"
	"github.com/mcpctl/mcpctl/pkg/diff"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// The places of a text in a listing, for %s. The first tool and the lists are there on both sides.
var placesOfOrders = []string{
	`"tools": [{"name": "t", "description": %s}]`,
	`"tools": [{"name": "t", "title": %s}]`,
	`"tools": [{"name": "t", "annotations": {"title": %s}}]`,
	`"tools": [{"name": "t", "_meta": {"x.example/note": [%s]}}]`,
	`"tools": [{"name": "t", "inputSchema": {"properties": {"a": {"description": %s}}}}]`,
	`"tools": [{"name": "t", "inputSchema": {"properties": {"a": {"enum": ["b", %s]}}}}]`,
	`"tools": [{"name": "t", "inputSchema": {"properties": {"a": {"default": %s}}}}]`,
	`"tools": [{"name": "t", "inputSchema": {"properties": {"a": {"examples": [%s]}}}}]`,
	`"tools": [{"name": "t", "inputSchema": {"properties": {%s: {"type": "string"}}}}]`,
	`"tools": [{"name": "t", "outputSchema": {"$defs": {"a": {"const": %s}}}}]`,
	`"tools": [{"name": "t", "description": %s, "description": "Adds."}]`,
	`"tools": [%s]`,
	`"prompts": [{"name": "p", "arguments": [{"name": "a", "description": %s}]}]`,
	`"resources": [{"uri": "file:///a", "name": "a", "description": %s}]`,
	`"resourceTemplates": [{"uriTemplate": "file:///{a}", "name": %s}]`,
	`"instructions": %s`,
	`"serverInfo": {"name": "s", "version": "1", "title": %s}`,
}

// disguisesOfOrders write a text in other ways.
var disguisesOfOrders = []func(text string) string{
	func(text string) string { return text },
	func(text string) string { return strings.ReplaceAll(text, "o", "о") },
	func(text string) string { return strings.ReplaceAll(text, " ", "\u200b") },
	func(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) },
	func(text string) string { return strings.ReplaceAll(text, " ", " <b>") },
	func(text string) string { return strings.ReplaceAll(text, " ", "_") },
	func(text string) string { return "`" + text },
	func(text string) string { return text + strings.Repeat(" More of it.", 500) },
}

// TestOneWordAboutOrders: check of a listing and diff of a change, of a new item and of a new server have the same level for the
// same text, wherever it is and however it is written.
func TestOneWordAboutOrders(t *testing.T) {
	file, err := os.ReadFile("../wording/testdata/orders.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	every := 1
	if os.Getenv("MCPCTL_FULL") == "" {
		every = 4
	}
	levels := map[finding.Level]int{}
	n := 0
	for line := range bytes.Lines(file) {
		if n++; n%every != 0 {
			continue
		}
		var row struct{ Text string }
		if err := json.Unmarshal(line, &row); err != nil {
			t.Fatal(err)
		}
		text := disguisesOfOrders[n/every%len(disguisesOfOrders)](row.Text)
		quoted, _ := json.Marshal(text)
		place := placesOfOrders[n/every%len(placesOfOrders)]
		with := listing(t, fmt.Sprintf(place, quoted))
		want := worstOrder(checked(t, with))
		got := map[string]finding.Level{
			"a change":   worstOrder(differences(t, listing(t, fmt.Sprintf(place, `"Adds."`)), with)),
			"a new item": worstOrder(differences(t, listing(t, `"tools": []`), with)),
			"new server": worstOrder(differences(t, nil, with)),
		}
		if diff := cmp.Diff(map[string]finding.Level{"a change": want, "a new item": want, "new server": want}, got); diff != "" {
			t.Errorf("%q in %s: check has %v: -want +got:\n%s", text, place, want, diff)
		}
		levels[want]++
	}
	if levels[finding.Breaking] < 20 || levels[finding.Warning] < 20 || levels[finding.Off] < 20 {
		t.Errorf("only so many have each level: %v", levels)
	}
}

// listing returns a snapshot that has all lists.
func listing(t *testing.T, with string) *snapshot.Snapshot {
	t.Helper()
	text := `"protocolVersion": "2025-11-25", "capabilities": {"tools": {}, "prompts": {}, "resources": {}}`
	for _, member := range []string{`"serverInfo": {"name": "s", "version": "1"}`, `"tools": []`, `"prompts": []`, `"resources": []`,
		`"resourceTemplates": []`} {
		if name, _, _ := strings.Cut(member, ":"); !strings.HasPrefix(with, name+":") {
			text += ", " + member
		}
	}
	s, err := snapshot.Parse([]byte("{" + text + ", " + with + "}"))
	if err != nil {
		t.Fatalf("%s: %v", with, err)
	}
	return s
}

func checked(t *testing.T, s *snapshot.Snapshot) []finding.Finding {
	t.Helper()
	found, err := check.Run(t.Context(), []check.Subject{{Snapshot: s}}, check.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func differences(t *testing.T, old, new *snapshot.Snapshot) []finding.Finding {
	t.Helper()
	found, err := diff.Compare(t.Context(), old, new, diff.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// worstOrder returns the highest level of the findings about orders; Off for none.
func worstOrder(found []finding.Finding) (worst finding.Level) {
	for _, f := range found {
		switch f.Rule {
		case "text-hides-order", "text-instructs-model", "text-claims-priority", "text-instruction-cue-added":
			worst = max(worst, f.Level)
		}
	}
	return worst
}
