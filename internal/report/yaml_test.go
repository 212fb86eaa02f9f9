package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/mcpctl/mcpctl/internal/printable"
	"github.com/mcpctl/mcpctl/internal/rawjson"
)

// TestYAMLIsTheSameObject reads the YAML of every case back and compares it with the JSON.
func TestYAMLIsTheSameObject(t *testing.T) {
	for name, one := range cases(t) {
		checkYAML(t, name, &one.Report)
	}
}

// TestYAMLQuotes checks that texts are quoted if YAML 1.1, YAML 1.2 or Ruby reads them as another type.
func TestYAMLQuotes(t *testing.T) {
	for _, s := range []string{
		"", "y", "N", "yes", "No", "ON", "off", "true", "FALSE", "tRUE", "~", "null", "nULL", "=", "<<", ":a",
		"0", "-0", "+1", "007", "08", "1_000", "1,000", "99999999999999999999999", "1.", ".5", "-0.5", "1e5",
		"1.5E-9", "7686e0246389", "-1e400", "1.e999", ".5e999", "0x1f", "0XFFFFFFFFFFFFFFFFFFFFFF", "0o17",
		"0o7777777777777777777777777", "0b2", "-0b1", "12:30:45", "1:30", "190:20:30.15", ".inf", "-.INF", ".NaN",
		"2026-11-21", "2026-1-2", "2026-99-99", "2026-11-21T10:00:00Z", "2026-11-21 10:00:00 +2",
	} {
		if got := yamlText(t, s); got != `"`+s+`"` {
			t.Errorf("%q is written as %s", s, got)
		}
	}
	for _, s := range []string{
		"a", "1.2.3", "v1", "085e21bdcac5", "e5", "x:1", "no one", "3 tools", "12:30 UTC", "Infinity", "a=b",
	} {
		if got := yamlText(t, s); got != s {
			t.Errorf("%q is written as %s", s, got)
		}
	}
}

// yamlText returns a text in YAML.
func yamlText(t *testing.T, s string) string {
	t.Helper()
	var out strings.Builder
	if err := putYAML(&out, "k", yamlNode(rawjson.Quote(s))); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSuffix(strings.TrimPrefix(out.String(), "k: "), "\n")
}

// everywhere is a value with a text as keys and values, long ones too, over lines and where all stands on one.
func everywhere(s string) string {
	text, long := string(rawjson.Quote(s)), string(rawjson.Quote(s+strings.Repeat("k", 128)))
	one := `{` + text + `:` + text + `,` + long + `:{"a":[` + text + `,[` + text + `,{}],{` + text + `:[]}]},"b":{` + long + `:` + text +
		`}}`
	return one[:len(one)-1] + `,"c":` + strings.Repeat(`[`, flowDepth) + one + strings.Repeat(`]`, flowDepth) + `}`
}

// FuzzYAML reads any value back as the library reads it.
func FuzzYAML(f *testing.F) {
	for _, text := range []string{
		"", " ", "yes", "No", "on", "y", "~", "null", "true", "1", "1.0", "0x1f", "1e5", "12:30:45", "2026-11-21", ".inf", ".nan", "=",
		"<<",
		"- a", "a: b", "a #b", "#", "*a", "&a", "!a", "|", ">", "%a", "@a", "`a`", "'a'", `"a"`, "{a}", "[a]", "a,b", "?", ":", "a:", "---",
		"...",
		"a\n", "a\nb", "\na", " a\nb", "a \nb", "a\n\n", "a\r\nb", "a\tb\n\tc", "\n", "a\n b\n", "😀", "😀\nb", "日本\n語", "a\u2028b", "\u0085",
		"a\u202eb\nc",
		"\ufeffa", "a\x00", "\x7f", "a ", "\t", "--- a\nb", "...\nb", "# a\nb", "a\n# b", "'", "0o17", "1_000", "+1", "_", "Infinity",
	} {
		f.Add(everywhere(text))
	}
	for _, raw := range []string{everywhere("a, b"), everywhere("x\n\n"), `[[[]],{},-1.50E+3,1e400,null,true,"\ud800"]`,
		`{"":{"":[{"a":1,"b":[2]}]}}`, strings.Repeat("[", 40) + strings.Repeat("]", 40)} {
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		value := json.RawMessage(raw)
		if !json.Valid(value) {
			value = json.RawMessage(everywhere(raw))
		}
		checkYAML(t, "fuzz", withItem(string(value)))
	})
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
		if _, err := strconv.ParseFloat(string(raw), 64); errors.Is(err, strconv.ErrRange) {
			raw = rawjson.Quote(string(raw)) // readers would take it for infinity
		}
		w.Write(raw)
	}
}
