package report

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/mcpctl/mcpctl/internal/printable"
)

// fileFormats are the formats that are read by something else than a terminal, each with golden files in a folder of its own.
func fileFormats() []string {
	return slices.DeleteFunc(Formats(), func(f string) bool { return slices.Contains([]string{"json", "table", "yaml"}, f) })
}

// reported are the options that the command line gives.
func told(o Options) Options {
	o.Version = "1.2.3"
	return o
}

// TestGoldenFiles writes the cases in which something is judged, or failed, in each format that has files of its own.
func TestGoldenFiles(t *testing.T) {
	for name, one := range cases(t) {
		if one.Assessed().Findings == nil && !strings.Contains(name, "list-fleet") {
			continue
		}
		for _, format := range fileFormats() {
			t.Run(format+"/"+filepath.Base(name), func(t *testing.T) {
				file := filepath.Join("testdata", "formats", format, filepath.Base(name)+".golden")
				got := written(t, format, &one.Report, told(one.Options))
				checkGolden(t, file, got)
			})
		}
	}
}

// hostileTexts are what servers send to get out of the place that a report gives them.
func hostileTexts() []string {
	return []string{
		"plain words", "\x1b[2J\x1b]0;x\x07", "\u202egpj.exe\u202c", "\u2066x\u2069", "\U000e0041\U000e007f",
		"\u200b\u2028\u2029\ufeff\u00ad",
		"::error::x", "\n::error file=a,line=1::x", "##[error]x", "\r\n##[set-output name=a]b", "%0A::error::x", "a,b:c%",
		"::stop-commands::t",
		"a | b |\n|---|", "`code` ``` ~~~", "``",
		"<script>alert(1)</script>", "</pre></details><img src=x onerror=alert(1)>", "<!-- x --> --!>",
		"]]>", "]]><x/>", "&lt;&#60;&amp",
		"@everyone #12 GH-3 https://evil.example www.evil.example a@b.example 1234567 deadbeefcafe",
		"![x](http://x) [x](javascript:x) *a* _b_ ~c~ # d", "\n\n\n", "  \n \t\n", "{{.}} ${{ github.token }} $(id)", "\xff\xfe\x00",
		"\" onmouseover=\"x", "' x='", "</style><script>", "\\u003cscript", "日本語 ✅ ⚠️ 😀", "z\u0301\u0302\u0303\u0304\u0305\u0306",
	}
}

// checkVisible fails when a text has a character that cannot be seen, other than a line break.
func checkVisible(t testing.TB, out string) {
	t.Helper()
	before := rune(0)
	for _, r := range out {
		if r != '\n' && printable.Hidden(r) && !(r == '\ufe0f' && unicode.IsSymbol(before)) {
			t.Fatalf("%U is in the output: %q", r, out)
		}
		before = r
	}
}
