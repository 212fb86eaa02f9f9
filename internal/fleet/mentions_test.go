package fleet

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
)

// TestMentions holds which texts of an item are looked at: names of members too, those that are repeated, and the deepest.
func TestMentions(t *testing.T) {
	deep := strings.Repeat(`{"d":"x","a":`, 9000) + `"found"` + strings.Repeat("}", 9000)
	for raw, want := range map[string]bool{
		`{"a":"found","a":"b"}`: true, `{"found":1e999}`: true, `["\u0066ound"]`: true, deep: true, `{"a":["foun",1e999,null]}`: false,
		``: false,
	} {
		if got := mentions(json.RawMessage(raw), regexp.MustCompile("found")); got != want {
			t.Errorf("%.40s: %v", raw, got)
		}
	}
}
