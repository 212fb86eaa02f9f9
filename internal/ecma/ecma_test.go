package ecma

import (
	"encoding/json"
	"os"
	"slices"
	"testing"
)

// newer is syntax of ECMAScript 2025, and names of properties, which an older engine refuses and this reader does not.
var newer = []string{"(?i:abc)", "(?s:.)", "(?<a>b)(?<a>c)", "(?<a>b)|(?<a>c)", `\p{Foo}`}

// TestPatternsAreReadAsECMAScriptDoes compares with what new RegExp of Node.js 20 said of each pattern, with its flag u
// and without.
func TestPatternsAreReadAsECMAScriptDoes(t *testing.T) {
	data, err := os.ReadFile("testdata/patterns.json")
	if err != nil {
		t.Fatal(err)
	}
	var rows []struct {
		Pattern        string
		Unicode, Plain bool
	}
	if err := json.Unmarshal(data, &rows); err != nil || len(rows) < 80 {
		t.Fatalf("%d patterns, %v", len(rows), err)
	}
	for _, row := range rows {
		for mode, read := range map[Mode]bool{Unicode: row.Unicode, Plain: row.Plain} {
			if fault := Read(row.Pattern, mode).Fault; (fault == "") != read && !(fault == "" && slices.Contains(newer, row.Pattern)) {
				t.Errorf("%s, mode %v: %q, and ECMAScript reads it: %v", row.Pattern, mode, fault, read)
			}
		}
	}
}
