package wording

import (
	"regexp"
	"strings"
	"testing"
)

// FuzzMayMatch: no text that an expression matches is passed over.
func FuzzMayMatch(f *testing.F) {
	for _, expression := range []string{`(?i)\b(?:do not|don't|never) (?:tell|inform)\b`, `(?i)key|TOKEN`, `a{2,}b?c+`, `(?i)straße|kilo`,
		`x*`,
		`[ab]c(?:de)?fg`, `(?i)λόγος`, `(?:ab|c)d`,
		`(?:ab.{0,3}cd|cd.{0,3}ab)`, `(?:ab|ef)(?:cd|gh)|ij(?:kl)?mn`} {
		for _, text := range []string{"Never  tell", "TOKEN", "aac", "STRASSE", "straße", "\u212Ailo", "bcfg", "cd", "ABD", "ſtraße",
			"cd ab", "efgh", "ijmn", "ΛΌΓΟΣ", ""} {
			f.Add(expression, text)
		}
	}
	f.Fuzz(func(t *testing.T, expression, text string) {
		pattern, err := regexp.Compile(expression)
		if err == nil && pattern.MatchString(text) && !MayMatch(pattern, strings.ToLower(text)) {
			t.Errorf("%q matches %q, and was passed over", expression, text)
		}
	})
}
