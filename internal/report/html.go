package report

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/pkg/finding"
)

var (
	//go:embed page/style.css
	pageStyle string
	//go:embed page/filter.js
	pageScript string
	//go:embed page/page.html
	pageSource   string
	pageTemplate = sync.OnceValue(func() *template.Template {
		return template.Must(template.New("page").Funcs(template.FuncMap{"bare": bareText, "markup": markup}).
			Parse(pageSource))
	})
)

// How many causes, rows of a table and lines of a finding are seen at once; the others are folded.
const (
	openCauses = 20
	openRows   = 200
	openLines  = 10
)

// webPage is what the template of a page shows.
type webPage struct {
	document
	Policy    template.HTML
	Style     template.CSS
	Script    template.JS
	Levels    []webLevel
	Search    bool
	Causes    [][]webFinding // those of one item, or one
	Folded    [][]webFinding
	MoreTitle text
	Quiet     text
	QuietOf   text
	MoreRows  [][]text
}

type (
	webLevel struct {
		Word  string
		Count int
	}
	webFinding struct {
		documentFinding
		Heading text // of the cause, before its first finding
		Folded  []line
		Docs    []text
		Members []webMember
	}
	webMember struct {
		Places []webPlace
		Lines  []line
	}
	webPlace struct {
		Where       text
		Fingerprint string
	}
)

// writeHTML writes the report as one page without references to other files. A policy in it allows only its
// own style and script, by their hashes; causes and rows of long reports are folded.
func writeHTML(w io.Writer, r *Report, o Options) error {
	v := view{Options: o, servers: r.roster(), check: r.Command == "check", bare: true}
	causes := o.causes(r.Groups)
	p := webPage{document: documentOf(r, v, causes, math.MaxInt),
		Policy: template.HTML(
			`<meta http-equiv="Content-Security-Policy" content="default-src 'none'; base-uri 'none'; ` +
				`form-action 'none'; style-src '` + sourceHash(pageStyle) +
				`'; script-src '` + sourceHash(pageScript) + `'">`),
		Style: template.CSS(pageStyle), Script: template.JS(pageScript),
	}
	p.Causes = kit.Map(p.document.Causes, v.webCause)
	if len(r.Servers) > mostServers && len(causes) > openCauses {
		levels := kit.Map(causes[openCauses:], func(c cause) string { return levelWord(c.first()) })
		p.MoreTitle = text(quantity(len(levels), "more cause") + ": " + Tally(levels))
		p.Causes, p.Folded = p.Causes[:openCauses], p.Causes[openCauses:]
	}
	shown := min(len(p.Rows), openRows)
	p.Rows, p.MoreRows = p.Rows[:shown], p.Rows[shown:]
	words := kit.Map(o.wanted(r.Findings), levelWord)
	for _, level := range []string{"breaking", "warning", "info", "waived"} {
		if n := len(kit.Filter(words, func(word string) bool { return word == level })); n > 0 {
			p.Levels = append(p.Levels, webLevel{level, n})
		}
	}
	p.Search = len(r.Servers) > 1 && (len(p.Levels) > 0 || len(p.MoreRows) > 0)
	quiet := kit.Filter(r.Servers, func(s Server) bool {
		return r.Findings != nil && s.Error == nil && !s.Unsaved &&
			len(v.wanted(v.servers.found[s.Name])) == 0
	})
	p.Quiet, p.QuietOf = text(strings.Join(namesOf(quiet), ", ")), text(quantity(len(quiet), "server"))
	return pageTemplate().Execute(w, p)
}

func sourceHash(source string) string {
	hash := sha256.Sum256([]byte(source))
	return "sha256-" + base64.StdEncoding.EncodeToString(hash[:])
}

// bareText returns a sentence without the backticks around its names.
func bareText(s text) text { return text(strings.ReplaceAll(string(s), "`", "")) }

// webCause returns the findings of a cause with what their folds show. Many lines are folded unless something
// in them is concealed.
func (v view) webCause(c documentCause) []webFinding {
	all := kit.Map(c.Findings, func(f documentFinding) webFinding {
		out := webFinding{documentFinding: f, Members: v.webMembers(f.group)}
		if len(f.Lines) > openLines+4 && !slices.ContainsFunc(f.Lines, concealing) {
			out.Lines, out.Folded = f.Lines[:openLines], f.Lines[openLines:]
		}
		out.Docs = textsOf(each(f.group, func(f finding.Finding) string { return ruleNamed(f.Rule).Doc }))
		return out
	})
	all[0].Heading = c.Heading
	return all
}

// webMembers returns the findings of a group, those of many that show the same together.
func (v view) webMembers(g finding.Group) []webMember {
	v.Verbose = true
	evidence := func(f finding.Finding) []line {
		return slices.Concat(v.evidence(f), v.witness(f), callLines(f))
	}
	alike := kit.Group(g.Members, func(f finding.Finding) string { return fmt.Sprint(evidence(f)) })
	return kit.Map(alike, func(same []finding.Finding) webMember {
		return webMember{kit.Map(same, func(f finding.Finding) webPlace {
			return webPlace{text(strings.TrimSpace(subject(f) + " " + f.Pointer())), f.Fingerprint()}
		}), evidence(same[0])}
	})
}
