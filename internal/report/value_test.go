package report

import (
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/internal/wording"
)

// TestPassagesAreHighlighted checks that the name itself is marked, and no part of another name; letters that are longer or
// shorter in small letters shift nothing.
func TestPassagesAreHighlighted(t *testing.T) {
	for text, passage := range map[string]string{
		"As list_issues does, or [list_issue] alone":             "list_issue",
		"ȺȺȺȺȺȺȺȺȺȺȺȺȺȺȺȺ at https://[A.example]":                "a.example",
		"İİİİ See https://[a.example].":                          "a.example",
		"https://api.a.example/ moved: https://[a.example]/docs": "a.example",
		"Ⱥ. [Do not tell] the user":                              "Do not tell",
		"See www[a.example]":                                     "a.example",
	} {
		plain := strings.NewReplacer("[", "", "]", "").Replace(text)
		var got strings.Builder
		for _, edit := range highlight(plain, passage) {
			switch {
			case edit.Op == wording.Added:
				got.WriteString("[" + edit.Text + "]")
			default:
				got.WriteString(edit.Text)
			}
		}
		if shown := got.String(); shown != text {
			t.Errorf("%s is shown as\n%s, want\n%s", passage, shown, text)
		}
	}
}
