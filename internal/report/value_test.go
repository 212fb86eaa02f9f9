package report

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/internal/wording"
	"github.com/mcpctl/mcpctl/pkg/finding"
)

// TestANewNameIsMarkedWhereItStands holds the mark to the name itself: not to a word of the sentence, nor to a part of another
// name; and letters that are longer or shorter in small letters shift nothing.
func TestANewNameIsMarkedWhereItStands(t *testing.T) {
	for text, says := range map[string]string{
		"Fill the form, rather than with '[fill]'.":              "The text now names the tool `fill`.",
		"As list_issues does, or [list_issue] alone":             "The text now names the tool `list_issue`.",
		"ȺȺȺȺȺȺȺȺȺȺȺȺȺȺȺȺ at https://[A.example]":                "The text now names the host a.example.",
		"İİİİ See https://[a.example].":                          "The text now names the host a.example.",
		"https://api.a.example/ moved: https://[a.example]/docs": "The text now names the host a.example.",
		"Ⱥ. [Do not tell] the user":                              `The text now says "Do not tell".`,
		"See www[a.example]":                                     "The text now names the host a.example.",
	} {
		plain := strings.NewReplacer("[", "", "]", "").Replace(text)
		var got strings.Builder
		for _, edit := range hit(finding.Finding{New: json.RawMessage(rawjson.Quote(plain)), Message: says}) {
			switch {
			case edit.Op == wording.Fresh:
				got.WriteString("[" + edit.Text + "]")
			default:
				got.WriteString(edit.Text)
			}
		}
		if shown := strings.Trim(got.String(), `"`); shown != text {
			t.Errorf("%s is shown as\n%s, want\n%s", says, shown, text)
		}
	}
}
