package wording

import (
	"slices"
	"strings"
	"testing"
)

// TestWordsAreNotSearched holds what Marked passes over to the orders that it looks for.
func TestWordsAreNotSearched(t *testing.T) {
	for _, order := range slices.Concat(Instructions, PriorityClaims) {
		pattern := order().String()
		if !strings.Contains(pattern, `\s+`) && !strings.Contains(pattern, `(?i)<`) && !strings.Contains(pattern, `\.env`) {
			t.Errorf("%s may be a word, which Marked passes over", pattern)
		}
	}
	for text, marked := range map[string]bool{
		"collect/.env": true, "<important>": true, "![](https://example.com/?q)": true, "<!--x-->": true,
		"do\tnot\ttell\tthe\tuser.": true, "create_ticket": false, "9007199254740991": false, "application/json": false,
	} {
		if got := strings.Contains(Marked(text), Sign); got != marked {
			t.Errorf("%q is marked: %v, want %v", text, got, marked)
		}
	}
}
