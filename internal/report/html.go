package report

import (
	"cmp"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"strings"

	"github.com/mcpctl/mcpctl/pkg/finding"
)

var (
	//go:embed page/page.html
	pageTemplate string
	//go:embed page/style.css
	pageStyle string
	//go:embed page/filter.js
	pageScript string
)

// webPage is what the page shows. Every text of it is escaped by html/template for the place where it stands.
type webPage struct {
	Headline string
	Verdict  Verdict
	Says     string
	Allowed  string // the content security policy: our style and script, and nothing from anywhere
	Style    template.CSS
	Script   template.JS
	Problems []safe
	Levels   []webLevel
	Servers  []webServer
	Header   []safe
	Rows     [][]safe
}

// webLevel is a level that findings have.
type webLevel struct {
	Word  string
	Count int
}

type webServer struct {
	Number         int
	Name, Compared safe
	Troubles       []webTrouble
	Findings       []webFinding
	Quiet          safe
}

type webTrouble struct {
	State, Stage safe
	Text, Stderr string
}

type webFinding struct {
	Level, Fingerprint        string
	Item, Message, Rule, Hint safe
	Waived, Verdict           safe
	Doc                       string
	Rows                      [][]webSpan
}

// webSpan is a stretch of a line; Kind is "gone", "new" or empty.
type webSpan struct {
	Kind string
	Text safe
}

// writeHTML writes one page that needs nothing else.
func writeHTML(w io.Writer, r *Report, o Options) error {
	page, err := template.New("page").Parse(pageTemplate)
	if err != nil {
		return err
	}
	return page.Execute(w, webPageOf(r, o))
}

func webPageOf(r *Report, o Options) webPage {
	p := webPage{
		Headline: headline(r), Verdict: r.Verdict, Style: template.CSS(pageStyle), Script: template.JS(pageScript),
		Allowed: fmt.Sprintf("default-src 'none'; base-uri 'none'; form-action 'none'; style-src '%s'; script-src '%s'", sourceHash(pageStyle), sourceHash(pageScript)),
		Levels:  webLevels((&page{Options: o}).wanted(r.Findings)),
	}
	if says := meaning(r, r.Summary); says != "" {
		p.Says = fmt.Sprintf("Exit status %d: %s.", r.Status, strings.ReplaceAll(string(says), "`", ""))
	}
	for _, problem := range r.Problems {
		p.Problems = append(p.Problems, visible(problem))
	}
	for _, s := range r.Servers {
		p.Servers = append(p.Servers, webServerOf(r, s, len(p.Servers), o))
	}
	if rest := (&page{Options: o}).wanted(strays(r)); len(rest) > 0 {
		p.Servers = append(p.Servers, webServer{Number: len(p.Servers), Name: "everything else", Findings: webFindings(rest, o)})
	}
	if r.Findings == nil {
		p.Header, p.Rows = overview(r)
	}
	return p
}

// sourceHash names a script or a style in a content security policy.
func sourceHash(source string) string {
	hash := sha256.Sum256([]byte(source))
	return "sha256-" + base64.StdEncoding.EncodeToString(hash[:])
}

func webLevels(findings []finding.Finding) []webLevel {
	var all []webLevel
	for _, word := range []string{"breaking", "warning", "info", "waived"} {
		n := 0
		for _, f := range findings {
			if levelWord(f) == word {
				n++
			}
		}
		if n > 0 {
			all = append(all, webLevel{word, n})
		}
	}
	return all
}

func webServerOf(r *Report, s Server, number int, o Options) webServer {
	one := webServer{Number: number, Name: visible(s.Name), Findings: webFindings((&page{Options: o}).wanted(of(s.Name, r.Findings)), o)}
	if s.Base != "" {
		one.Compared = visible(s.Base) + " → " + visible(now(s))
	}
	for _, f := range s.failures() {
		one.Troubles = append(one.Troubles, webTrouble{visible(string(s.State)), visible(f.Stage), troubleText(s, f), paragraphs(f.Stderr)})
	}
	switch {
	case s.Unsaved:
		one.Quiet = "no saved snapshot; save one by mcpctl snapshot " + visible(quoted(s.Name))
	case len(one.Findings)+len(one.Troubles) == 0 && r.Findings != nil:
		one.Quiet = "nothing to show"
	}
	return one
}

func webFindings(findings []finding.Finding, o Options) []webFinding {
	var all []webFinding
	for _, f := range findings {
		one := webFinding{
			Level: levelWord(f), Item: itemTitle(f.Item), Message: oneLine(f.Message), Rule: visible(f.Rule), Hint: oneLine(f.Hint), Fingerprint: f.Fingerprint(),
		}
		if f.Verdict == finding.Proved || f.Verdict == finding.Unproven {
			one.Verdict = safe(f.Verdict)
		}
		if w := f.Waiver; w != nil {
			one.Waived = "waived" + until(w.Expires) + " by " + cmp.Or(oneLine(w.Owner), "nobody named") + ": " + oneLine(w.Reason)
		}
		for _, rule := range o.Rules {
			if rule.ID == f.Rule {
				one.Doc = rule.Doc
			}
		}
		for _, row := range evidence(f) {
			one.Rows = append(one.Rows, webRow(row))
		}
		all = append(all, one)
	}
	return all
}

func webRow(row []span) []webSpan {
	kinds := map[ink]string{red: "gone", green: "new"}
	var all []webSpan
	for _, s := range trimEnd(row) {
		all = append(all, webSpan{kinds[s.ink], s.text})
	}
	return all
}
