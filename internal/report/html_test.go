package report

import (
	"encoding/json"
	"fmt"
	"html"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// webTag is any tag; ownWebTag is one that the page's template has, with the values of its attributes.
var (
	webTag    = regexp.MustCompile(`<[^>]*>`)
	ownWebTag = regexp.MustCompile(`^<(?:!DOCTYPE html|/?(?:html|head|body|header|main|title|style|script|h1|h2|h3|p|small|code|pre|del|ins|details|summary|fieldset|legend|label|span|form|select|option|output|section|article|div|table|thead|tbody|tr|th|td)|` +
		`html lang="en"|meta [a-z-]+="[^"]*"(?: content="[^"]*")?|h1 class="[a-z]*"|p class="(?:trouble|hint|waiver|quiet)"|form id="filter"|label class="server"|select name="server"|option value="[0-9]*"|` +
		`input type="checkbox" name="level" value="[a-z]+" checked|span class="level [a-z]+"|section data-server="[0-9]+"|article class="trouble"|article class="finding" id="f-[0-9a-f]{12}" data-level="[a-z]+"|div class="wide")>$`)
	webBlock = regexp.MustCompile(`(?s)<(style|script)>.*?</(?:style|script)>`)
)

// checkHTML fails when something got out of its place: a tag that the template does not have, one that is not closed, or
// a script, a style or an address that is not ours.
func checkHTML(t testing.TB, out string) {
	t.Helper()
	checkVisible(t, out)
	if n := len(webBlock.FindAllString(out, -1)); n != 2 || !strings.Contains(out, "<style>"+pageStyle+"</style>") || !strings.Contains(out, "<script>"+pageScript+"</script>") {
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

func FuzzHTML(f *testing.F) {
	for _, s := range hostileTexts() {
		f.Add(s, `{"a":[1,"</pre><script>"]}`)
	}
	f.Fuzz(func(t *testing.T, s, raw string) {
		value := json.RawMessage(raw)
		if !json.Valid(value) {
			value, _ = json.Marshal(s)
		}
		for _, command := range []string{"list", s} {
			r := filled(command, s, value)
			if command == "list" {
				r.Findings = nil
			}
			checkHTML(t, written(t, "html", r, Options{Waived: true}))
		}
	})
}

// TestHTMLAsksNobody checks that nothing is fetched, and that the policy allows our style and script alone.
func TestHTMLAsksNobody(t *testing.T) {
	for _, one := range cases(t) {
		out := written(t, "html", &one.Report, told(one.Options))
		checkHTML(t, out)
		for _, never := range []string{"src=", "href=", "url(", "@import", "fetch(", "innerHTML", "unsafe-", "style="} {
			if strings.Contains(out, never) && !strings.Contains(written(t, "json", &one.Report, Options{}), never) {
				t.Errorf("%s is on the page", never)
			}
		}
		policy := html.UnescapeString(out[strings.Index(out, "Content-Security-Policy"):][:400])
		for _, want := range []string{"default-src 'none'", "style-src '" + sourceHash(pageStyle) + "'", "script-src '" + sourceHash(pageScript) + "'"} {
			if !strings.Contains(policy, want) {
				t.Errorf("the policy lacks %s: %s", want, policy)
			}
		}
	}
}

// TestHTMLLayout checks what stands where: a section per server, in it an article per finding, and a box per level.
func TestHTMLLayout(t *testing.T) {
	for name, one := range cases(t) {
		if one.Findings == nil || one.Options.Waived {
			continue
		}
		out := written(t, "html", &one.Report, Options{Waived: true})
		sections := strings.Split(out, "<section ")[1:]
		for i, s := range one.Servers {
			if want := fmt.Sprintf("data-server=\"%d\">\n<h2>", i); !strings.HasPrefix(sections[i], want) {
				t.Errorf("%s: section %d begins %.60q", name, i, sections[i])
			}
			if got, want := strings.Count(sections[i], `class="finding"`), len(of(s.Name, one.Findings)); got != want {
				t.Errorf("%s: %d findings of %s, want %d", name, got, s.Name, want)
			}
		}
		if got, want := strings.Count(out, `class="finding"`), len(one.Findings); got != want {
			t.Errorf("%s: %d findings, want %d", name, got, want)
		}
		for _, f := range one.Findings {
			article := fmt.Sprintf(`id="f-%s" data-level="%s"`, f.Fingerprint(), levelWord(f))
			if !strings.Contains(out, article) || !strings.Contains(out, `name="level" value="`+levelWord(f)+`"`) {
				t.Errorf("%s: no %s, or no box for it", name, article)
			}
		}
	}
}
