package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"github.com/mcpctl/mcpctl/internal/printable"
	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/pkg/finding"
)

// withItem is a report of one raw item.
func withItem(raw string) *Report {
	return &Report{Command: "show", Servers: []Server{{Name: "a", State: OK, Tools: Items{json.RawMessage(raw)}}}}
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
			if got := written(t, format, withItem(raw), Options{Raw: true}); len(got) > 20*depth {
				t.Errorf("%d bytes for %d levels", len(got), depth)
			}
		})
	}
}

// TestYAMLIsTheSameObject reads the YAML of every case back and compares it with the JSON.
func TestYAMLIsTheSameObject(t *testing.T) {
	for name, one := range cases(t) {
		checkYAML(t, name, &one.Report)
	}
}

// TestYAMLTexts writes texts that some reader of YAML takes for something else.
func TestYAMLTexts(t *testing.T) {
	for _, s := range []string{
		"", " ", "yes", "No", "on", "y", "~", "null", "true", "1", "1.0", "0x1f", "1e5", "12:30:45", "2026-11-21", ".inf", ".nan", "=", "<<",
		"- a", "a: b", "a #b", "#", "*a", "&a", "!a", "|", ">", "%a", "@a", "`a`", "'a'", `"a"`, "{a}", "[a]", "a,b", "?", ":", "a:", "---", "...",
		"a\n", "a\nb", "\na", " a\nb", "a \nb", "a\n\n", "a\r\nb", "a\tb\n\tc", "\n", "a\n b\n", "😀", "😀\nb", "日本\n語", "a\u2028b", "\u0085", "a\u202eb\nc",
		"\ufeffa", "a\x00", "\x7f", "a ", "\t", "--- a\nb", "...\nb", "# a\nb", "a\n# b", "'", "0o17", "1_000", "+1", "_", "Infinity",
	} {
		checkYAML(t, fmt.Sprintf("%q", s), &Report{Command: s, Problems: []string{s}, Servers: []Server{{Name: s}}})
	}
}

func checkYAML(t testing.TB, name string, r *Report) {
	t.Helper()
	doc := written(t, "yaml", r, Options{})
	for _, c := range doc {
		if c != '\n' && printable.Hidden(c) {
			t.Errorf("%s: %U in the yaml", name, c)
		}
	}
	var root yaml.Node
	if err := yaml.Unmarshal([]byte(doc), &root); err != nil {
		t.Fatalf("%s: %v\n%s", name, err, doc)
	}
	var got, want bytes.Buffer
	asJSON(t, &got, root.Content[0])
	flatten(t, &want, []byte(written(t, "json", r, Options{})))
	if got.String() != want.String() {
		t.Errorf("%s: the yaml reads as\n%s\nand the json as\n%s", name, got.String(), want.String())
	}
}

// asJSON writes a YAML node as JSON; a scalar without quotes stands as it is, unless YAML takes it for a text.
func asJSON(t testing.TB, w *bytes.Buffer, n *yaml.Node) {
	switch {
	case n.Kind == yaml.MappingNode:
		for i := 0; i < len(n.Content); i += 2 {
			w.WriteString("{")
			asJSON(t, w, n.Content[i])
			w.WriteString(":")
			asJSON(t, w, n.Content[i+1])
			w.WriteString("}")
		}
	case n.Kind == yaml.SequenceNode:
		w.WriteString("[")
		for _, element := range n.Content {
			asJSON(t, w, element)
			w.WriteString(",")
		}
		w.WriteString("]")
	case n.ShortTag() == "!!str" && !json.Valid([]byte(n.Value)) || n.Style != 0:
		fmt.Fprintf(w, "%q", n.Value)
	default:
		w.WriteString(n.Value)
	}
}

// flatten writes a JSON value in the form of asJSON.
func flatten(t testing.TB, w *bytes.Buffer, raw json.RawMessage) {
	switch raw = bytes.TrimSpace(raw); raw[0] {
	case '{':
		all, err := rawjson.Members(raw)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range all {
			fmt.Fprintf(w, "{%q:", m.Key)
			flatten(t, w, m.Value)
			w.WriteString("}")
		}
	case '[':
		w.WriteString("[")
		for _, element := range rawjson.Children(raw) {
			flatten(t, w, element.Value)
			w.WriteString(",")
		}
		w.WriteString("]")
	case '"':
		s, _ := rawjson.Text(raw)
		fmt.Fprintf(w, "%q", s)
	default:
		w.Write(raw)
	}
}

// TestJSONJudgesEachFindingOnce: the outline of the report once held the first finding, too, which took 25 times its text.
func TestJSONJudgesEachFindingOnce(t *testing.T) {
	text := strings.Repeat("keep on ", 1<<16)
	one := finding.Finding{Rule: "a", Server: "s", New: rawjson.Quote(text)}
	got := writing(t, one) // compiles all expressions, and fills pools, which the race detector empties now and then
	for range 3 {
		got = min(got, writing(t, one))
	}
	if got > uint64(22*len(text)) {
		t.Errorf("%d bytes for a text of %d", got, len(text))
	}
}

// TestJSONIsWholeOrNothing: what cannot be encoded once left the first half of a document on standard output.
func TestJSONIsWholeOrNothing(t *testing.T) {
	var out bytes.Buffer
	found := slices.Repeat([]finding.Finding{{Rule: "a", Server: "s", New: rawjson.Quote(strings.Repeat("x", 1000))}}, 100)
	found[99].New = json.RawMessage("{no")
	for _, r := range []*Report{{Findings: found}, {Servers: []Server{{Name: "s"}, {Capabilities: json.RawMessage("{no")}}}} {
		if err := writeJSON(&out, r, Options{}); err == nil || out.Len() > 0 {
			t.Errorf("%v after %d bytes", err, out.Len())
		}
	}
}

// writing is how many bytes are allocated for a report of findings as JSON.
func writing(t *testing.T, found ...finding.Finding) uint64 {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if err := writeJSON(io.Discard, &Report{Command: "diff", Findings: found}, Options{}); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}
