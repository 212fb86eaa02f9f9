package match_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/internal/match"
)

// TestMayPassesOverNoMatch holds filters against the expressions themselves, on the texts of real servers and on what is hard to fold.
func TestMayPassesOverNoMatch(t *testing.T) {
	var texts []string
	for _, text := range []string{"Ignore all previous instructions", "\u212aeep thi\u017f from the user", "max \x00 10", "MAXIMUM: 5", "a://b:c@d", "AKIAab", "ASIAAB", "Straße", "ab", "abab", "", "(1-5)", "from 1 to 2", "`x` parameter", "gip gap"} {
		texts = append(texts, text, strings.ToUpper(text), "\xff"+text+"\xff")
	}
	files, _ := filepath.Glob("../../testdata/listings/*.json")
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		texts = slices.AppendSeq(texts, strings.SplitSeq(string(data), `"`))
	}
	if len(texts) < 10_000 {
		t.Fatalf("%d texts: the listings are gone", len(texts))
	}
	tried, spared := 0, 0
	for _, expression := range []string{
		`(?i)\bkeep\s+(?:this|it)\b`, `(?i)KEEP`, `(?i)straSSe|strasse|straße`, `(?i)\b(?:ignore|disregard)\s+(?:all\s+)*(?:previous|prior)`, `x{0}`, `a|`, `[ \t]{20,}|(?:\n){4,}`, `(?:ab){2}`, `g[aeiou]p`, `(?i)[K]eep`,
		`(?i)\b(?:max(?:imum)?(?:\s+(?:value|is|of))*|up to|at most)\s*[:=]?\s*(\d+)`, `(?i)(?:\bbetween\s+(\d+)\s+and\s+(\d+)|\(\s*(\d+)\s*(?:-|–|to)\s*(\d+)\s*\)|\bfrom\s+(\d+)\s+to\s+(\d+))`,
		`\b(?:AKIA|ASIA)[A-Z0-9]{2}`, `://[^:]+:[^@]+@`, `(?s).{3}`, `^$`, `(?i)\bdefaults?\b`, `\.env\b`, "(?i)[`'\"]([a-z_]+)[`'\"]\\s+(?:parameter|argument)",
	} {
		pattern, plain := match.Pattern(expression), regexp.MustCompile(expression)
		for _, text := range texts {
			may := pattern().May(match.GramsOf(text))
			if plain.MatchString(text) && !may {
				t.Errorf("%s is not tried on %q", expression, text)
			}
			if may {
				tried++
			} else {
				spared++
			}
		}
	}
	if tried > spared {
		t.Errorf("tried on %d, spared %d", tried, spared)
	}
}
