package report

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode"

	"github.com/mcpctl/mcpctl/internal/printable"
)

// FuzzWriteBlocks: nothing that a server puts into a result reaches the terminal as anything but text, and every line of
// a text is there.
func FuzzWriteBlocks(f *testing.F) {
	f.Add("plain", "a/b")
	f.Add("\x1b[2J\u202e\n\tx", "\x9b")
	f.Add("{\"a\":\"\u2028\"}", "\u200b")
	f.Fuzz(func(t *testing.T, text, word string) {
		var out bytes.Buffer
		WriteBlocks(&out, []Block{{Text: text}, {Role: word, Text: text}, {Role: word, Label: word, Text: text},
			{Label: word, Failure: true}}, Options{Width: 80})
		for _, c := range out.String() {
			if c != '\n' && (unicode.IsControl(c) || unicode.In(c, unicode.Bidi_Control) || printable.Hidden(c) && c != ' ') {
				t.Fatalf("%U reaches the terminal in %q", c, out.String())
			}
		}
		if strings.Count(out.String(), "\n") < 2*len(strings.Split(text, "\n")) {
			t.Errorf("lines of %q are missing in %q", text, out.String())
		}
	})
}

// TestTextsOfSchema reports texts that a model reads from properties that are called like their keywords.
func TestTextsOfSchema(t *testing.T) {
	lines := view{}.textsWithin(nil, json.RawMessage(`{"title": "a", "properties": {"description": {"description": "b",
		"items": {"title": "c"}}, "properties": {"type": "object", "properties": {"title": {"const": "no text", "title": "d"}}}},
		"anyOf": [{"$comment": "e"}], "title": "f"}`), "")
	if got, want := textOf(lines), "  - a\n  - description: b\n  - description: c\n  - title: d\n  - e\n  - f"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
