package report

import (
	"encoding/json"
	"fmt"
	"html"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	gmtext "github.com/yuin/goldmark/text"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/printable"
	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/internal/seen"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// ownHTML is the HTML that the Markdown of diff and check has.
var ownHTML = regexp.MustCompile(`^(<!-- mcpctl -->\n|<details( open)?>\n<summary>[a-z]+: \d+ causes?</summary>\n|</details>\n)$`)

// checkMarkdown reads a report as GitHub does, and fails when something got out of its place: HTML, a link, an image, a mention,
// or a word that is formatted.
func checkMarkdown(t testing.TB, out string, html bool) {
	t.Helper()
	checkVisible(t, out)
	source := []byte(out)
	depth := 0
	document := goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser().Parse(gmtext.NewReader(source))
	_ = ast.Walk(document, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.HTMLBlock:
			block := string(n.Lines().Value(source))
			if n.HasClosure() {
				block += string(n.ClosureLine.Value(source))
			}
			depth += strings.Count(block, "<details") - strings.Count(block, "</details")
			if !html || !ownHTML.MatchString(block) || depth < 0 || depth > 1 {
				t.Fatalf("HTML that is not ours: %q in %q", block, out)
			}
		case *ast.RawHTML, *ast.Link, *ast.Image, *ast.AutoLink, *extast.Strikethrough, *extast.TaskCheckBox, *ast.Blockquote,
			*ast.ThematicBreak:
			t.Fatalf("%T in %q", n, out)
		case *ast.Emphasis:
			if n.Level != 2 {
				t.Fatalf("emphasis in %q", out)
			}
		case *ast.CodeSpan:
			return ast.WalkSkipChildren, nil
		case *ast.Text:
			if words := string(n.Value(source)); strings.ContainsAny(words, "@#`*_[]|~<>") || strings.Contains(words, "://") ||
				strings.Contains(words, "www.") {
				t.Fatalf("prose that is more than words: %q in %q", words, out)
			}
		}
		return ast.WalkContinue, nil
	})
	if depth != 0 {
		t.Fatalf("a fold is open at the end: %q", out)
	}
}

// TestMarkdownLimit writes more than GitHub takes: what matters most stays, and the rest is counted.
func TestMarkdownLimit(t *testing.T) {
	found := seen.Findings{}
	long, _ := json.Marshal(strings.Repeat("word & ", 150))
	for i := range 400 {
		found = append(found,
			finding.Finding{Rule: "note", Level: finding.Info, Server: "a", Item: fmt.Sprint("tool/i", i),
				Message: fmt.Sprint("thing ", i, " was added")},
			finding.Finding{Rule: "text", Level: finding.Warning, Server: "a", Item: fmt.Sprint("tool/w", i),
				Message: fmt.Sprint("text ", i, " changed"), Old: json.RawMessage(`"` + fmt.Sprint(i) + `"`), New: long})
	}
	for i := range 20 {
		found = append(found, finding.Finding{Rule: "gone", Level: finding.Breaking, Server: "b", Item: fmt.Sprint("tool/b", i),
			Message: fmt.Sprint("tool ", i, " is gone")})
	}
	r := diffOf(1, found, DiffServer{Server: seen.Server{Name: "a", State: seen.OK}},
		DiffServer{Server: seen.Server{Name: "b", State: seen.OK}})
	out := written(t, "markdown", r, Options{})
	checkMarkdown(t, out, true)
	if len(out) > commentLimit || len(out) < commentLimit/2 {
		t.Errorf("%d bytes", len(out))
	}
	if n := strings.Count(out, "🔴 **breaking** "); n != 20 {
		t.Errorf("%d of 20 breaking findings", n)
	}
	shown := strings.Count(out, "🟡 **") + strings.Count(out, "🔵 **")
	if want := fmt.Sprintf("… and %d more", 800-shown); !strings.Contains(out, want) {
		t.Errorf("the note does not say %q: %s", want, out[len(out)-200:])
	}
}

// TestMarkdownOfHostileServers writes the page of a server in which every text is hostile.
func TestMarkdownOfHostileServers(t *testing.T) {
	for _, s := range hostileTexts() {
		words := string(rawjson.Quote(s))
		item := json.RawMessage(strings.ReplaceAll(`{"name": @, "uri": @, "uriTemplate": @, "title": @, "description": @,
			"inputSchema": {"title": @, "properties": {@: {"description": @, "default": @, "enum": [@]}}}, "_meta": {@: @},
			"arguments": [{"name": @, "title": @, "description": @}], "annotations": {"title": @}}`, "@", words))
		server := Server{Server: seen.Server{Name: s, State: seen.OK, Offer: seen.Offer{Instructions: s,
			ServerInfo: json.RawMessage(strings.ReplaceAll(`{"name": @, "title": @, "version": @, "description": @}`, "@", words))}}}
		for _, kind := range snapshot.Kinds() {
			*server.Items(kind) = seen.Items{item}
		}
		checkMarkdown(t, written(t, "markdown", showOf(server), Options{}), false)
	}
}

// TestMarkdownKeepsEveryText checks that what is not left out is there to the last word.
func TestMarkdownKeepsEveryText(t *testing.T) {
	for _, s := range hostileTexts() {
		if strings.TrimSpace(s) == "" {
			continue
		}
		text, _ := json.Marshal(s)
		r := diffOf(0, seen.Findings{{Rule: "r", Level: finding.Info, Server: "a", Path: "/description", Message: "m", New: text}},
			DiffServer{Server: seen.Server{Name: "a"}})
		decoded := ""
		_ = json.Unmarshal(text, &decoded)
		shown := strings.ReplaceAll(written(t, "markdown", r, Options{}), "\n+ ", "\n")
		shown = strings.NewReplacer(`\x3a`, ":", `\x5b`, "[").Replace(shown)
		shown = regexp.MustCompile(`⚠ [a-z]+( comment)?: `).ReplaceAllString(shown, "")
		for _, want := range kit.Lines(decoded) {
			if !strings.Contains(shown, string(printable.Visible(want))) &&
				!strings.Contains(shown, string(printable.Visible(printable.Spaced(text)))) {
				t.Errorf("%q is not in %q", want, shown)
			}
		}
	}
}

func TestProse(t *testing.T) {
	for in, want := range map[text]string{
		"limit accepts fewer types than before": "limit accepts fewer types than before",
		`"limit" (a number), really?`:           `"limit" (a number), really?`,
		"ask @everyone about #12":               "ask `@everyone` about `#12`",
		"a_b c-d http://x y":                    "`a_b` c-d `http://x` y",
		"deadbeef GH-12 12 12345":               "`deadbeef GH-12` 12 `12345`",
		"run `mcpctl accept x` now, `y`":        "run `mcpctl accept x` now, `y`",
		"at a/b, then c/d (e/f).":               "at `a/b`, then `c/d` (`e/f`).",
		"one ` alone":                           "one  `alone`",
		"<b> & x":                               "`<b>` & x",
		"a`b``c_d":                              "a`bc_d`",
		"1. first, 3.5% of 2026-01-02 – e.g. x": "1\\. first, 3.5% of 2026-01-02 – e.g. x",
		"as `a`: b (`c d`), and/or":             "as `a`: b (`c d`), and/or",
		"- a * b":                               "`-` a `*` b",
		"a <!-- mcpctl:end --> b":               "a &lt;!-- `mcpctl:end` --&gt; b",
		"x<!--y-->":                             "`x`&lt;!--`y`--&gt;",
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
	found := seen.Findings{}
	for i := range 12 {
		found = append(found, finding.Finding{Rule: "gone", Level: finding.Breaking, Server: "s",
			Item: fmt.Sprint("tool/b", i), Path: "/inputSchema", Message: fmt.Sprint("The argument ", i, " is gone")})
	}
	for i := range 5 {
		found = append(found, finding.Finding{Rule: "note", Level: finding.Info, Server: "s",
			Item: fmt.Sprint("tool/i", i), Path: "/inputSchema", Message: fmt.Sprint("The argument ", i, " is new")})
	}
	r := diffOf(1, found, DiffServer{Server: seen.Server{Name: "s", State: seen.OK}})
	for _, format := range []string{"table", "html", "markdown"} {
		out := html.UnescapeString(regexp.MustCompile("<[^>]*>|`").ReplaceAllString(written(t, format, r, Options{}), ""))
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
