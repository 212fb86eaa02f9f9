package snapshot_test

import (
	"testing"

	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

func TestHidden(t *testing.T) {
	for text, want := range map[string]int{
		"plain\ttext\r\nön two lines — 漢字": 0,
		"zero\u200bwidth":                  1,
		"word\u200djoined":                 1,
		"family 👩\u200d👩\u200d👧":           0,
		"heart ❤\ufe0f and text a\ufe0f":   0,
		"selectors a\ufe0f\ufe0f\ufe0e":    2,
		"smuggled 😀\U000e0101\U000e0102":   2,
		"نمی\u200cخواهم":                   0,
		"\u200c":                           1,
		"bidi \u202e\u2066":                2,
		"marks \u200e\u200f":               2,
		"tags \U000e0041\U000e0042":        2,
		"england 🏴\U000e0067\U000e007f":    0,
		"flag with a load 🏴\U000e0041\U000e0042\U000e0043\U000e0044\U000e0045\U000e0046\U000e0047\U000e0048\U000e0049": 2,
		"escape \x1b[8m":                 1,
		"C1 \u0085":                      1,
		"soft\u00adhyphen \ufeff \u3164": 3,
	} {
		if got := snapshot.Hidden(text); len(got) != want {
			t.Errorf("%+q: hidden %U, want %d", text, got, want)
		}
	}
}
