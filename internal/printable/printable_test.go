package printable

import (
	"bytes"
	"testing"
)

func TestVisible(t *testing.T) {
	for in, want := range map[string]Text{
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
		if got := Visible(in); got != want {
			t.Errorf("Visible(%q) = %q, want %q", in, got, want)
		}
	}
}

// TestShellWord writes words as a shell takes them, and control characters never as the letters that were meant.
func TestShellWord(t *testing.T) {
	for in, want := range map[string]string{
		"npx":            "npx",
		"":               "''",
		"it's $HOME":     `'it'\''s $HOME'`,
		`c:\temp`:        `'c:\temp'`,
		"c:\temp\new":    `$'c:\x09emp\x0aew'`,
		"c:\\x\bin it's": `$'c:\\x\x08in it\'s'`,
		"\x1b[1m\u009b":  `$'\x1b[1m\xc2\x9b'`,
		"a\xffb'":        `$'a\xffb\''`,
		"é":              `'é'`,
	} {
		if got := ShellWord(in); got != want {
			t.Errorf("ShellWord(%q) = %s, want %s", in, got, want)
		}
	}
}

// TestGuard writes orders to a stream in pieces of every size.
func TestGuard(t *testing.T) {
	for in, want := range map[string]string{
		"mcpctl: a\n  ::error::x\n": "mcpctl: a\n  :\\x3aerror::x\n", "::error": ":\\x3aerror", "a::b": "a::b", "a ::b": "a ::b", ":": ":",
		": :":  ": :",
		"##[x": "##\\x5bx", "a ##vso[x": "a ##vso\\x5bx", "##VsO[": "##VsO\\x5b", "## [": "## [", "#[": "#[", "##vs[": "##vs[",
		"###[": "###\\x5b", "##v##[": "##v##\\x5b",
		"\r::x": "\r:\\x3ax", "\x1b[2m::x\x1b[0m": "\x1b[2m:\\x3ax\x1b[0m", "\u2003::x": "\u2003:\\x3ax", ":::x": ":\\x3a:x",
		"日本::x": "日本::x",
	} {
		for size := 1; size <= len(in); size++ {
			var out bytes.Buffer
			w := Guard(&out, SpelledOut)
			for rest := in; rest != ""; rest = rest[min(size, len(rest)):] {
				if n, err := w.Write([]byte(rest[:min(size, len(rest))])); err != nil || n != min(size, len(rest)) {
					t.Fatalf("%d, %v", n, err)
				}
			}
			if got := out.String(); got != want {
				t.Errorf("%q in pieces of %d is %q, want %q", in, size, got, want)
			}
		}
	}
}
