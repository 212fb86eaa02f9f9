package report

import (
	"encoding/json"
	"fmt"
	"html"
	"html/template"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/internal/printable"
	"github.com/mcpctl/mcpctl/pkg/finding"
)

// ownTag is every tag that the Markdown writer itself uses.
var ownTag = regexp.MustCompile(`</?(h3|p|b|ul|li|sub|code|pre|del|ins|details|summary|table|tr|th|td)>|<br>|<details open>|<!-- mcpctl -->`)

var character = regexp.MustCompile(`&(lt|gt|amp|#34|#39|#32|#58|#91);`)

// quiet is what stays in code, where no one is mentioned and nothing becomes a link.
var quiet = regexp.MustCompile(`(?s)<code>.*?</code>|<pre>.*?</pre>`)

// checkMarkdown fails when something got out of its place: a tag that is not ours, a tag that is not closed, a blank line
// that ends the HTML, or a mention outside of code.
func checkMarkdown(t testing.TB, out string) {
	t.Helper()
	checkVisible(t, out)
	if rest := character.ReplaceAllString(ownTag.ReplaceAllString(out, ""), ""); strings.ContainsAny(rest, "<>&") {
		t.Fatalf("markup that is not ours: %q", rest)
	}
	var open []string
	for _, tag := range ownTag.FindAllString(out, -1) {
		name := strings.Trim(strings.TrimSuffix(tag, " open>"), "</>")
		switch {
		case tag == "<br>" || tag[1] == '!':
		case tag[1] != '/':
			open = append(open, name)
		case len(open) == 0 || open[len(open)-1] != name:
			t.Fatalf("%s closes %q", tag, open)
		default:
			open = open[:len(open)-1]
		}
	}
	if len(open) > 0 {
		t.Fatalf("%q are open at the end", open)
	}
	for _, line := range strings.Split(strings.TrimSuffix(out, "\n"), "\n") {
		if strings.TrimSpace(line) == "" {
			t.Fatalf("a blank line ends the HTML: %q", out)
		}
	}
	prose := html.UnescapeString(ownTag.ReplaceAllString(quiet.ReplaceAllString(out, "x"), ""))
	if strings.ContainsAny(prose, "@#`*_[]|~\\") || strings.Contains(prose, "://") || strings.Contains(prose, "www.") {
		t.Fatalf("prose that is more than words: %q", prose)
	}
}

// TestMarkdownLimit writes more than GitHub takes: what matters most stays, and the rest is counted.
func TestMarkdownLimit(t *testing.T) {
	r := &Report{Command: "diff", Status: 1, Servers: []Server{{Name: "a", State: OK}, {Name: "b", State: OK}}, Findings: Findings{}}
	long, _ := json.Marshal(strings.Repeat("word & ", 150))
	for i := range 400 {
		r.Findings = append(r.Findings,
			finding.Finding{Rule: "note", Level: finding.Info, Server: "a", Item: fmt.Sprint("tool/i", i), Message: fmt.Sprint("thing ", i, " was added")},
			finding.Finding{Rule: "text", Level: finding.Warning, Server: "a", Item: fmt.Sprint("tool/w", i), Message: fmt.Sprint("text ", i, " changed"), Old: json.RawMessage(`"` + fmt.Sprint(i) + `"`), New: long})
	}
	for i := range 20 {
		r.Findings = append(r.Findings, finding.Finding{Rule: "gone", Level: finding.Breaking, Server: "b", Item: fmt.Sprint("tool/b", i), Message: fmt.Sprint("tool ", i, " is gone")})
	}
	out := written(t, "markdown", r, Options{})
	checkMarkdown(t, out)
	if len(out) > commentLimit || len(out) < commentLimit/2 {
		t.Errorf("%d bytes", len(out))
	}
	if n := strings.Count(out, "🔴 <b>breaking</b>"); n != 20 {
		t.Errorf("%d of 20 breaking findings", n)
	}
	shown := strings.Count(out, "🟡 <b>") + strings.Count(out, "🔵 <b>")
	if want := fmt.Sprintf("… and %d more", 800-shown); !strings.Contains(out, want) {
		t.Errorf("the note does not say %q: %s", want, out[len(out)-200:])
	}
}

// TestMarkdownKeepsEveryText checks that what is not left out is there to the last word.
func TestMarkdownKeepsEveryText(t *testing.T) {
	for _, s := range hostileTexts() {
		if strings.TrimSpace(s) == "" {
			continue
		}
		text, _ := json.Marshal(s)
		r := &Report{Command: "diff", Servers: []Server{{Name: "a"}}, Findings: Findings{{Rule: "r", Level: finding.Info, Server: "a", Path: "/description", Message: "m", New: text}}}
		decoded := ""
		_ = json.Unmarshal(text, &decoded)
		shown := html.UnescapeString(ownTag.ReplaceAllString(written(t, "markdown", r, Options{}), ""))
		shown = regexp.MustCompile(`⚠ [a-z]+( comment)?: `).ReplaceAllString(shown, "")
		for _, want := range lines(decoded) {
			if !strings.Contains(shown, string(printable.Visible(want))) && !strings.Contains(shown, string(printable.Visible(printable.Spaced(text)))) {
				t.Errorf("%q is not in %q", want, shown)
			}
		}
	}
}

func TestProse(t *testing.T) {
	for in, want := range map[text]template.HTML{
		"limit accepts fewer types than before": "limit accepts fewer types than before",
		`"limit" (a number), really?`:           `&#34;limit&#34; (a number), really?`,
		"ask @everyone about #12":               "ask <code>@everyone</code> about <code>#12</code>",
		"a_b c-d http://x y":                    "<code>a_b</code> c-d <code>http://x</code> y",
		"deadbeef GH-12 12 12345":               "<code>deadbeef GH-12</code> 12 <code>12345</code>",
		"run `mcpctl accept x` now, `y`":        "run <code>mcpctl accept x</code> now, <code>y</code>",
		"at a/b, then c/d (e/f).":               "at <code>a/b</code>, then <code>c/d</code> (<code>e/f</code>).",
		"one ` alone":                           "one <code> alone</code>",
		"<b> & x":                               "<code>&lt;b&gt; &amp;</code> x",
	} {
		if got := prose(in); got != want {
			t.Errorf("prose(%q) = %q, want %q", in, got, want)
		}
	}
	if !slices.Contains(Formats(), "markdown") {
		t.Error("markdown is no format")
	}
}

// TestSummaryNamesEveryBreak checks that no format folds breaks behind a number, and that other changes are
// counted.
func TestSummaryNamesEveryBreak(t *testing.T) {
	r := &Report{Command: "diff", Status: 1, Servers: []Server{{Name: "s", State: OK}}, Findings: Findings{}}
	for i := range 12 {
		r.Findings = append(r.Findings, finding.Finding{Rule: "gone", Level: finding.Breaking, Server: "s",
			Item: fmt.Sprint("tool/b", i), Path: "/inputSchema", Message: fmt.Sprint("The argument ", i, " is gone")})
	}
	for i := range 5 {
		r.Findings = append(r.Findings, finding.Finding{Rule: "note", Level: finding.Info, Server: "s",
			Item: fmt.Sprint("tool/i", i), Path: "/inputSchema", Message: fmt.Sprint("The argument ", i, " is new")})
	}
	for _, format := range []string{"table", "html", "markdown"} {
		out := html.UnescapeString(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(written(t, format, r, Options{}), ""))
		for i := range 12 {
			if want := fmt.Sprintf("b%d: the argument %d is gone", i, i); !strings.Contains(out, want) {
				t.Errorf("%s: the summary does not have %q", format, want)
			}
		}
		if !strings.Contains(out, "and 5 more") {
			t.Errorf("%s: the summary does not count what it leaves out", format)
		}
	}
}
