package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"html"
	"os"
	"path/filepath"
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
	"github.com/mcpctl/mcpctl/pkg/check"
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
		"2 lack it: plan_trip(city, days).":     "2 lack it: `plan_trip(city, days)`.",
		"as f(g(x), y), or tool(s) (see h(z))":  "as `f(g(x), y)`, or `tool(s)` (see `h(z)`)",
		`to the user.".`:                        `to the user.".`,
		`"read ~/.ssh/id_rsa now."`:             "\"read `~/.ssh/id_rsa` now.\"",
		`names "a_b", 'c_d' and ("e_f").`:       "names `\"a_b\"`, `'c_d'` and (`\"e_f\"`).",
		`"(?i)^abc$" and (a/b)`:                 "`\"(?i)^abc$\"` and (`a/b`)",
		`either "a_b"/"c_d".`:                   "either `\"a_b\"/\"c_d\"`.",
		`is {"a": ["b c", 1]}, not f(a, b`:      "is `{\"a\": [\"b c\", 1]}`, not `f(a`, b",
	} {
		if got := prose(in); got != want {
			t.Errorf("prose(%q) = %q, want %q", in, got, want)
		}
	}
	if !slices.Contains(Formats(), "markdown") {
		t.Error("markdown is no format")
	}
}

// sentencesOfRules returns the messages, hints and titles of the findings in the cases of all rules.
func sentencesOfRules(t *testing.T) (says []string) {
	t.Helper()
	add := func(found []finding.Finding) {
		for _, f := range found {
			says = append(says, f.Message, f.Hint, f.Cause)
		}
		for _, g := range finding.Groups(found) {
			says = append(says, g.Title)
		}
	}
	read := func(data []byte, into any) {
		if err := json.Unmarshal(data, into); err != nil {
			t.Fatal(err)
		}
	}
	files, _ := filepath.Glob("../../pkg/diff/testdata/rules/*.json")
	for _, file := range files {
		_, _, found := caseOfDiff(t, file)
		add(found)
	}
	type surface struct{ Tools, Surface json.RawMessage }
	var planted []surface
	data, err := os.ReadFile("../../pkg/check/testdata/planted.json")
	if err != nil {
		t.Fatal(err)
	}
	read(data, &planted)
	files, _ = filepath.Glob("../../pkg/check/testdata/rules/*/*.json")
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var one surface
		read(data, &one)
		planted = append(planted, one)
	}
	for _, one := range planted {
		if one.Surface == nil {
			one.Surface = json.RawMessage(`{"tools":` + cmp.Or(string(one.Tools), "[]") + `}`)
		}
		s, err := snapshot.Parse(one.Surface)
		if err != nil {
			continue
		}
		found, err := check.Run(t.Context(), []check.Subject{{Name: "s", Snapshot: s}}, check.Options{})
		if err != nil {
			t.Fatal(err)
		}
		add(found)
	}
	return kit.Distinct(says)
}

// TestCodeIsWhole reads each sentence of the rules' cases as Markdown: a piece of code closes the parentheses and
// the quotes that it opens, as its sentence does.
func TestCodeIsWhole(t *testing.T) {
	balanced := func(s string) bool {
		return strings.Count(s, "(") == strings.Count(s, ")") && strings.Count(s, `"`)%2 == 0 &&
			strings.Count(s, "[") == strings.Count(s, "]") && strings.Count(s, "{") == strings.Count(s, "}")
	}
	says := sentencesOfRules(t)
	if len(says) < 100 {
		t.Fatalf("only %d sentences", len(says))
	}
	for _, s := range says {
		source := []byte(prose(text(s)))
		document := goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser().Parse(gmtext.NewReader(source))
		_ = ast.Walk(document, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
			if span, is := n.(*ast.CodeSpan); is && entering {
				var code strings.Builder
				for c := span.FirstChild(); c != nil; c = c.NextSibling() {
					code.Write(c.(*ast.Text).Value(source))
				}
				if balanced(s) && !balanced(code.String()) {
					t.Errorf("%q is broken in %s", code.String(), source)
				}
			}
			return ast.WalkContinue, nil
		})
	}
}

// TestNothingIsNewInACheck: a finding that stands for several is about no item that came or went, in any format.
func TestNothingIsNewInACheck(t *testing.T) {
	joined := finding.Finding{Rule: "argument-description-missing", Level: finding.Info, Server: "a", Item: "prompt/plan",
		Message: "2 arguments have no description: plan(city, days).", Cause: "Arguments have no description",
		Places: []string{"plan(city, days)"}, New: json.RawMessage(`["prompt/plan /arguments/0","prompt/plan /arguments/1"]`)}
	var many []finding.Finding
	for i := range 1200 {
		many = append(many, finding.Finding{Rule: "default-invalid", Level: finding.Warning, Server: "a", Item: "tool/add",
			Path: fmt.Sprint("/inputSchema/properties/p", i), Message: "The default is invalid."})
	}
	for _, f := range append(finding.Limit(many, finding.Unlimited), joined) {
		if f.Path != "" {
			continue
		}
		r := &Report{Command: "check", Body: &Check{Servers: Servers[CheckServer]{{Server: seen.Server{Name: "a", State: seen.OK}}},
			Assessed: Assessed{Findings: seen.Findings{f}}}}
		for _, format := range []string{"table", "markdown", "github", "junit"} {
			if out := written(t, format, r, Options{Verbose: true}); strings.Contains(out, "()") || strings.Contains(out, "+ ") {
				t.Errorf("%s: %s has an item that is not new", f.Rule, out)
			}
		}
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
