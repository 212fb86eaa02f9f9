package report

import (
	"bytes"
	"encoding/json"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/internal/seen"
	"github.com/mcpctl/mcpctl/pkg/finding"
)

// withItem is a report of one raw item.
func withItem(raw string) *Report {
	return &Report{Command: "show", Body: &Show{Raw: true, Servers: []Server{
		{Server: seen.Server{Name: "a", State: seen.OK, Offer: seen.Offer{Tools: seen.Items{json.RawMessage(raw)}}}}}}}
}

// TestRawStaysRaw writes values that a detour over Go values would change.
func TestRawStaysRaw(t *testing.T) {
	for _, raw := range []string{
		`12345678901234567890`, `1e400`, `-0.0`, `1.10`, `0.1e-7`,
		`{"b": 1, "a": 2, "b": 3}`, `"<script>&"`, `"\ud800"`, `"\u00e9\/"`, `{}`, `[]`, `{"": []}`, `null`,
	} {
		got := written(t, "json", withItem(raw), Options{})
		var want bytes.Buffer
		if err := json.Compact(&want, []byte(raw)); err != nil {
			t.Fatal(err)
		}
		var flat bytes.Buffer
		if err := json.Compact(&flat, []byte(got)); err != nil {
			t.Fatalf("%s: %v", raw, err)
		}
		if !strings.Contains(flat.String(), `"tools":[`+want.String()+`]`) {
			t.Errorf("%s is not in %s", want.String(), flat.String())
		}
	}
}

// TestJSONEscapesTheInvisible checks what the bytes are and that the value is the same.
func TestJSONEscapesTheInvisible(t *testing.T) {
	got := written(t, "json", withItem("\"\u202e \u009b \U000e0041 \u2028 é 日 ✅ 😀\xff\""), Options{})
	want := `"\u202e \u009b \udb40\udc41 \u2028 é 日 ✅ 😀\ufffd"`
	if !strings.Contains(got, want) {
		t.Errorf("%s is not in %s", want, got)
	}
}

// TestJSONLooksLikeIndent compares with encoding/json's own layout.
func TestJSONLooksLikeIndent(t *testing.T) {
	for name, one := range cases(t) {
		if strings.Contains(name, "hostile") {
			continue // those have escapes that encoding/json does not write
		}
		got := written(t, "json", &one.Report, Options{})
		var want bytes.Buffer
		if err := json.Indent(&want, []byte(got), "", "  "); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want.String(), got); diff != "" {
			t.Errorf("%s: -want +got:\n%s", name, diff)
		}
	}
}

// TestDeepValues takes the deepest value that a snapshot may hold.
func TestDeepValues(t *testing.T) {
	const depth = 9_000
	raw := strings.Repeat(`{"a":[`, depth/2) + strings.Repeat(`]}`, depth/2)
	for _, format := range Formats() {
		t.Run(format, func(t *testing.T) {
			if got := written(t, format, withItem(raw), Options{}); len(got) > 20*depth {
				t.Errorf("%d bytes for %d levels", len(got), depth)
			}
		})
	}
}

// TestJSONIsWholeOrNothing: what cannot be encoded once left the first half of a document on standard output.
func TestJSONIsWholeOrNothing(t *testing.T) {
	var out bytes.Buffer
	found := slices.Repeat([]finding.Finding{{Rule: "a", Server: "s", New: rawjson.Quote(strings.Repeat("x", 1000))}}, 100)
	found[99].New = json.RawMessage("{no")
	for _, r := range []*Report{diffOf(0, found), listOf(Server{Server: seen.Server{Name: "s"}},
		Server{Server: seen.Server{Offer: seen.Offer{Capabilities: json.RawMessage("{no")}}})} {
		for name, write := range map[string]func(io.Writer, *reported, Options) error{"json": writeJSON, "yaml": writeYAML} {
			if err := write(&out, r.complete(), Options{}); err == nil || out.Len() > 0 {
				t.Errorf("%s: %v after %d bytes", name, err, out.Len())
			}
		}
	}
}
