package snapshot_test

import (
	"testing"

	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

func TestHidden(t *testing.T) {
	for text, want := range map[string]int{
		"plain\ttext\r\nön two lines — 漢字":                 0,
		"zero\u200bwidth":                                  1,
		"word\u200djoined":                                 1,
		"family 👩\u200d👩\u200d👧":                           0,
		"heart ❤\ufe0f and text a\ufe0f":                   0,
		"selectors a\ufe0f\ufe0f\ufe0e":                    2,
		"smuggled 😀\U000e0101\U000e0102":                   2,
		"نمی\u200cخواهم":                                   0,
		"\u200c":                                           1,
		"dangling 👩\u200d":                                 1,
		"a letter joined a\u200d👩":                         1,
		"joined to a letter 👩\u200da":                      1,
		"\u200da joiner first":                             1,
		"👩\u200d👧 second":                                  0,
		"a flag alone 🏴\u200b":                             1,
		"\ufdff\ufe0f\ufe10\ufe0f\u2060\ufdff\u2060\ufe10": 2,
		"arrows ↔\u200d← and none \u218f\u200d\u218f":      1,
		"heart on fire ❤\ufe0f\u200d🔥":                     0,
		"a filler joined \u3164\u200d👩":                    2,
		"private \U000f0000\u200d\U000f0000":               1,
		"bidi \u202e\u2066":                                2,
		"marks \u200e\u200f":                               2,
		"tags \U000e0041\U000e0042":                        2,
		"england 🏴\U000e0067\U000e007f":                    0,
		"flag with a load 🏴\U000e0041\U000e0042\U000e0043\U000e0044\U000e0045\U000e0046\U000e0047\U000e0048\U000e0049": 2,
		"escape \x1b[8m":                 1,
		"C1 \u0085":                      1,
		"numbers \u0600\u06dd are seen":  0,
		"selector first \ufe00":          0,
		"soft\u00adhyphen \ufeff \u3164": 3,
	} {
		if got := snapshot.Hidden(text); len(got) != want {
			t.Errorf("%+q: hidden %U, want %d", text, got, want)
		}
	}
}
