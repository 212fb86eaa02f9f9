package report_test

import (
	"testing"

	"github.com/mcpctl/mcpctl/internal/report"
)

// TestMessage breaks messages between words only.
func TestMessage(t *testing.T) {
	const text = "hint: add one to .mcp.json, or name one: npm:PACKAGE or -- CMD"
	for columns, want := range map[int]string{
		0:  text,
		80: text,
		30: "hint: add one to .mcp.json, or\n  name one: npm:PACKAGE or --\n  CMD",
	} {
		if got := report.Message(text, columns); got != want {
			t.Errorf("%d columns:\n%s\nwant:\n%s", columns, got, want)
		}
	}
}
