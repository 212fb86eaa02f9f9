package report

import "testing"

func TestVisible(t *testing.T) {
	for in, want := range map[string]safe{
		"":                                "",
		"plain – text, 日本語 ✅":             "plain – text, 日本語 ✅",
		"\x1b[2J":                         `\x1b[2J`,
		"a\tb\r\n":                        `a\tb\r\n`,
		"\x00\x7f":                        `\x00\x7f`,
		"\u009b31m":                       "<U+009B>31m",
		"\u202egpj.exe":                   "<U+202E>gpj.exe",
		"\u2066x\u2069":                   "<U+2066>x<U+2069>",
		"a\u200bb\u200d\ufeff":            "a<U+200B>b<U+200D><U+FEFF>",
		"\U000e0041\U000e007f":            "<U+E0041><U+E007F>",
		"\u2028\u2029\u00ad":              "<U+2028><U+2029><U+00AD>",
		"\u3164\u115f\u2800":              "<U+3164><U+115F><U+2800>",
		"\xff\xc3(":                       `\xff\xc3(`,
		"⚠\ufe0f 1\ufe0f\u20e3":           "⚠ 1\u20e3",
		"a\ufe0f":                         "a<U+FE0F>",
		"⚠\ufe0f\ufe0f":                   "⚠<U+FE0F>",
		"\ufe0f":                          "<U+FE0F>",
		"\U000e0100":                      "<U+E0100>",
		"e\u0301":                         "e\u0301",
		"\u0301e":                         "<U+0301>e",
		"z\u0301\u0301\u0301\u0301\u0301": "z\u0301\u0301\u0301\u0301<U+0301>",
		"\ue000":                          "<U+E000>",
	} {
		if got := visible(in); got != want {
			t.Errorf("visible(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestWidthAndClip(t *testing.T) {
	for _, c := range []struct {
		in    safe
		limit int
		want  safe
		width int
	}{
		{"abc", 0, "abc", 3},
		{"abc", 3, "abc", 3},
		{"abcd", 3, "ab…", 3},
		{"日本語", 6, "日本語", 6},
		{"日本語", 5, "日本…", 5},
		{"日本語", 4, "日…", 3},
		{"ab cd", 4, "ab…", 3},
		{"✅ ok", 4, "✅…", 3},
		{"abc", 1, "…", 1},
		{"±—“”", 4, "±—“”", 4}, // ambiguous widths are narrow, whatever the locale
	} {
		got := clip(c.in, c.limit)
		if got != c.want || width(got) != c.width {
			t.Errorf("clip(%q, %d) = %q of width %d, want %q of width %d", c.in, c.limit, got, width(got), c.want, c.width)
		}
	}
}
