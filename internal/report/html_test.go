package report

import (
	"html"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// webTag is any tag; ownWebTag is one that the page's template has, with the values of its attributes.
var (
	webTag    = regexp.MustCompile(`<[^>]*>`)
	ownWebTag = regexp.MustCompile(
		`^<(?:!DOCTYPE html|/?(?:html|head|body|header|main|title|style|script|h1|h2|h3|p|small|code|pre|del|ins|details|summary|` +
			`fieldset|legend|label|span|form|output|section|article|footer|ul|li|div|table|thead|tbody|tr|th|td)|` +
			`html lang="en"|meta [a-z-]+="[^"]*"(?: content="[^"]*")?|h1 class="[a-z]*"|p ` +
			`class="(?:trouble|hint|waiver|quiet|breaks)"|form id="filter" hidden|` +
			`input type="checkbox" name="level" value="[a-z]+" checked|input type="search" name="words" placeholder="server, tool, ` +
			`rule"|span class="level [a-z]+"|section data-server="[0-9]+"|section class="cause"|article class="trouble"|article ` +
			`class="finding" id="f-[0-9a-f]{12}" data-level="[a-z]+"|div class="wide")>$`)
	webBlock = regexp.MustCompile(`(?s)<(style|script)>.*?</(?:style|script)>`)
)

// checkHTML fails when something got out of its place: a tag that the template does not have, one that is not closed, or
// a script, a style or an address that is not ours.
func checkHTML(t testing.TB, out string) {
	t.Helper()
	checkVisible(t, out)
	if n := len(webBlock.FindAllString(out, -1)); n != 2 || !strings.Contains(out, "<style>"+pageStyle+"</style>") ||
		!strings.Contains(out, "<script>"+pageScript+"</script>") {
		t.Fatalf("%d styles and scripts", n)
	}
	rest := webBlock.ReplaceAllString(out, "")
	var open []string
	for _, tag := range webTag.FindAllString(rest, -1) {
		if !ownWebTag.MatchString(tag) {
			t.Fatalf("a tag that is not ours: %q", tag)
		}
		name := strings.Trim(strings.Fields(tag)[0], "</>")
		switch {
		case slices.Contains([]string{"!DOCTYPE", "meta", "input"}, name):
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
	if bare := webTag.ReplaceAllString(rest, ""); strings.ContainsAny(bare, "<>") {
		t.Fatalf("a bracket that is no tag: %q", bare)
	}
}

// TestHTMLRequestsNothing checks that nothing is fetched, and that the policy allows our style and script alone.
func TestHTMLRequestsNothing(t *testing.T) {
	for _, one := range cases(t) {
		out := written(t, "html", &one.Report, told(one.Options))
		checkHTML(t, out)
		for _, never := range []string{"src=", "href=", "url(", "@import", "fetch(", "innerHTML", "unsafe-", "style="} {
			if strings.Contains(out, never) && !strings.Contains(written(t, "json", &one.Report, Options{}), never) {
				t.Errorf("%s is on the page", never)
			}
		}
		policy := html.UnescapeString(out[strings.Index(out, "Content-Security-Policy"):][:400])
		for _, want := range []string{"default-src 'none'", "style-src '" + sourceHash(pageStyle) + "'",
			"script-src '" + sourceHash(pageScript) + "'"} {
			if !strings.Contains(policy, want) {
				t.Errorf("the policy lacks %s: %s", want, policy)
			}
		}
	}
}
