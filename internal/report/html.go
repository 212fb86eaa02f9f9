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
	"github.com/mcpctl/mcpctl/pkg/snapshot"
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
	Headline text
	Verdict  Verdict
	Says     text
	Allowed  string // the content security policy: our style and script, and nothing from anywhere
	Style    template.CSS
	Script   template.JS
	Problems []text
	Levels   []webLevel
	Servers  []webServer
	Header   []text
	Rows     [][]text
}

// webLevel is a level that findings have.
type webLevel struct {
	Word  string
	Count int
}

type webServer struct {
	Number         int
	Name, Compared text
	Troubles       []webTrouble
	Findings       []webFinding
	Quiet          text
}

type webTrouble struct {
	State, Stage text
	Text, Stderr multiline
}

type webFinding struct {
	Level, Fingerprint        string
	Item, Message, Rule, Hint text
	Waived, Verdict           text
	Doc                       text
	Rows                      [][]webSpan
}

// webSpan is a stretch of a line; Kind is "gone", "new" or empty.
type webSpan struct {
	Kind string
	Text text
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
		Headline: text(headline(r)), Verdict: r.Verdict, Style: template.CSS(pageStyle), Script: template.JS(pageScript),
		Allowed: fmt.Sprintf("default-src 'none'; base-uri 'none'; form-action 'none'; style-src '%s'; script-src '%s'", sourceHash(pageStyle), sourceHash(pageScript)),
		Levels:  webLevels(o.wanted(r.Findings)),
	}
	if says := meaning(r, r.Summary); says != "" {
		p.Says = text(fmt.Sprintf("Exit status %d: %s.", r.Status, strings.ReplaceAll(says, "`", "")))
	}
	for _, problem := range r.Problems {
		p.Problems = append(p.Problems, text(problem))
	}
	for _, s := range r.Servers {
		p.Servers = append(p.Servers, webServerOf(r, s, len(p.Servers), o))
	}
	if rest := o.wanted(strays(r)); len(rest) > 0 {
		p.Servers = append(p.Servers, webServer{Number: len(p.Servers), Name: "everything else", Findings: webFindings(rest, o)})
	}
	if r.Findings == nil {
		header, rows := overview(r)
		p.Header = texts(header)
		for _, row := range rows {
			p.Rows = append(p.Rows, texts(row))
		}
	}
	return p
}

func texts(all []string) []text {
	var out []text
	for _, s := range all {
		out = append(out, text(s))
	}
	return out
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
	one := webServer{Number: number, Name: text(s.Name), Findings: webFindings(o.wanted(of(s.Name, r.Findings)), o)}
	if s.Base != "" {
		one.Compared = text(s.Base) + " → " + text(now(s))
	}
	for _, f := range s.failures() {
		one.Troubles = append(one.Troubles, webTrouble{text(string(s.State)), text(f.Stage), multiline(troubleText(s, f)), multiline(f.Stderr)})
	}
	switch {
	case s.Unsaved:
		one.Quiet = "no saved snapshot; save one by mcpctl snapshot " + text(quoted(s.Name))
	case len(one.Findings)+len(one.Troubles) == 0 && r.Findings != nil:
		one.Quiet = "nothing to show"
	}
	return one
}

func webFindings(findings []finding.Finding, o Options) []webFinding {
	var all []webFinding
	for _, f := range findings {
		one := webFinding{
			Level: levelWord(f), Item: text(itemTitle(f.Item)), Message: text(oneLine(f.Message)), Rule: text(f.Rule), Hint: text(oneLine(f.Hint)), Fingerprint: f.Fingerprint(),
		}
		if f.Verdict == finding.Proved || f.Verdict == finding.Unproven {
			one.Verdict = text(f.Verdict)
		}
		if w := f.Waiver; w != nil {
			one.Waived = text("waived" + until(w.Expires) + " by " + cmp.Or(oneLine(w.Owner), "nobody named") + ": " + oneLine(w.Reason))
		}
		for _, rule := range o.Rules {
			if rule.ID == f.Rule {
				one.Doc = text(rule.Doc)
			}
		}
		for _, row := range evidence(f) {
			one.Rows = append(one.Rows, webRow(row))
		}
		all = append(all, one)
	}
	return all
}

func webRow(row []piece) []webSpan {
	kinds := map[style]string{red: "gone", green: "new"}
	var all []webSpan
	for _, s := range trimEnd(row) {
		all = append(all, webSpan{kinds[s.style], text(s.text)})
	}
	return all
}

// overview is what a command that judges nothing has to say, as a table: a row per rule, per item, or per server.
func overview(r *Report) (header []string, rows [][]string) {
	for _, rule := range r.Rules {
		rows = append(rows, []string{rule.ID, rule.Level.String(), rule.Title})
	}
	if len(rows) > 0 {
		return []string{"Rule", "Level", "Title"}, rows
	}
	for _, s := range r.Servers {
		for _, k := range snapshot.Kinds() {
			for _, raw := range *s.Items(k) {
				rows = append(rows, []string{s.Name, k.ID(key(k, raw)), firstLine(about(raw))})
			}
		}
	}
	if len(rows) > 0 {
		return []string{"Server", "Item", "Description"}, rows
	}
	for _, s := range r.Servers {
		rows = append(rows, []string{s.Name, string(s.State), s.gist()})
	}
	return []string{"Server", "State", "What is known"}, rows
}

// gist is what is known of a server, in one line.
func (s Server) gist() string {
	var parts []string
	add := func(part string) {
		if strings.TrimSpace(string(part)) != "" {
			parts = append(parts, part)
		}
	}
	if s.Saved != nil {
		add(string(s.Saved.Action))
		add(s.Saved.changes())
		add(s.Saved.file())
	}
	add(s.Transport)
	add(s.ProtocolVersion)
	for _, k := range snapshot.Kinds() {
		if n := s.Count(k); n != nil {
			add(fmt.Sprintf("%d %s", *n, strings.ToLower(string(heading(k)))))
		}
	}
	add(s.runs())
	return strings.Join(parts, ", ")
}

// headline is a whole run in one line: the command and how many findings there are.
func headline(r *Report) string {
	says := "mcpctl " + string(r.Command) + ": "
	counts := []string{}
	if words := r.Summary.words(); words != "" {
		counts = append(counts, words)
	}
	if n := unsaved(r.Servers); n > 0 {
		counts = append(counts, string(quantity(n, "server"))+" without a saved snapshot")
	}
	switch {
	case len(counts) > 0:
		return says + strings.Join(counts, ", ")
	case r.Findings != nil && r.Command == "diff":
		return says + "no changes"
	case r.Findings != nil:
		return says + "nothing found"
	}
	return says + string(quantity(len(r.Servers), "server"))
}

// unsaved is how many servers have nothing to be compared with.
func unsaved(servers []Server) int {
	n := 0
	for _, s := range servers {
		if s.Unsaved {
			n++
		}
	}
	return n
}
