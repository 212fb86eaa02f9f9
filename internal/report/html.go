package report

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"html/template"
	"io"
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
		return template.Must(template.New("page").Funcs(template.FuncMap{
			"bare":   func(s text) text { return text(strings.ReplaceAll(string(s), "`", "")) },
			"markup": markup,
			"levels": func() []string { return []string{"breaking", "warning", "info", "waived"} },
		}).Parse(pageSource))
	})
)

// searchedRows is from how many rows on a table can be searched.
const searchedRows = 200

// webPage is what the template of a page shows.
type webPage struct {
	document
	Policy  template.HTML
	Style   template.CSS
	Script  template.JS
	Levels  map[string]int // number of findings by level
	Search  bool
	Quiet   text
	QuietOf text
}

// writeHTML writes the report as one page without references to other files. A policy in it allows only its
// own style and script, by their hashes.
func writeHTML(w io.Writer, r *reported, o Options) error {
	v := r.view(o)
	v.bare, v.short = true, true
	groups := o.groups(r.Groups)
	p := webPage{document: documentOf(r, v, groups),
		Policy: template.HTML(
			`<meta http-equiv="Content-Security-Policy" content="default-src 'none'; base-uri 'none'; ` +
				`form-action 'none'; style-src '` + sourceHash(pageStyle) +
				`'; script-src '` + sourceHash(pageScript) + `'">`),
		Style: template.CSS(pageStyle), Script: template.JS(pageScript), Levels: map[string]int{},
	}
	for i, g := range groups {
		v.unfold(&p.Groups[i], g)
	}
	for _, f := range o.wanted(r.Findings) {
		p.Levels[levelWord(f)]++
	}
	p.Search = len(r.Servers) > 1 && (len(p.Levels) > 0 || len(p.Rows) > searchedRows)
	quiet := kit.Filter(r.Servers, func(s server) bool {
		return r.Findings != nil && s.Error == nil && !s.Unsaved &&
			len(v.wanted(v.found[s.Name])) == 0
	})
	p.Quiet, p.QuietOf = text(strings.Join(namesOf(quiet), ", ")), text(kit.Counted(len(quiet), "server"))
	return pageTemplate().Execute(w, p)
}

func sourceHash(source string) string {
	hash := sha256.Sum256([]byte(source))
	return "sha256-" + base64.StdEncoding.EncodeToString(hash[:])
}

// unfold sets what the fold of a group shows.
func (v view) unfold(out *documentGroup, g finding.Group) {
	out.Docs = textsOf(each(g.Members, func(f finding.Finding) string { return ruleNamed(f.Rule).Doc }))
	v.Verbose = true
	groups := groupByLines(g.Members, func(f finding.Finding) []line {
		return slices.Concat(v.evidence(f), offLines(f), v.witness(f))
	})
	out.Members = kit.Map(groups, func(a alike) documentMember {
		return documentMember{kit.Map(a.same, func(f finding.Finding) [2]text {
			return [2]text{text(strings.TrimSpace(subject(f) + " " + f.Pointer())), text(f.Fingerprint())}
		}), a.lines}
	})
}
