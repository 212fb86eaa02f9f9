package report

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

var (
	//go:embed page/style.css
	pageStyle string
	//go:embed page/filter.js
	pageScript string
	//go:embed page/page.html
	pageSource   string
	pageTemplate = sync.OnceValue(func() *template.Template {
		return template.Must(template.New("page").Parse(pageSource))
	})
)

// How many causes and rows of a fleet are seen at once; the others are folded.
const (
	openCauses = 20
	openRows   = 200
)

// webPage is what the template shows. Its texts spell out what cannot be seen; the template escapes them.
type webPage struct {
	Policy      template.HTML
	Style       template.CSS
	Script      template.JS
	Headline    text
	Verdict     Verdict
	Status      int
	Meaning     text
	Problems    []text
	Affected    text
	Summary     []webRow
	Compared    []text
	AllCompared []text // instead of Compared where they are many
	Levels      []webLevel
	Search      bool
	Causes      []webCause
	More        []webCause
	MoreTitle   text
	Servers     []webServer
	Quiet       text
	QuietTitle  text
	Header      []string
	Rows        [][]text
	MoreRows    [][]text
	Made        text
}

type (
	webRow struct {
		Level string
		Text  text
	}
	webLevel struct {
		Word  string
		Count int
	}
	webCause struct {
		Heading  text
		Findings []webFinding
	}
	webFinding struct {
		Fingerprint, Level string
		Title              text
		Lines, Folded      template.HTML
		FoldedCount        int
		Hints, Waivers     []text
		Rules, Verdict     text
		Docs               []text
		Members            []webMember
	}
	webMember struct {
		Places []webPlace
		Lines  template.HTML
	}
	webPlace struct {
		Where       text
		Fingerprint string
	}
	webServer struct {
		Index        int
		Names        text
		State        State
		Stage        text
		Text, Stderr multiline
		Unsaved      text
		All          text
	}
)

func writeHTML(w io.Writer, r *Report, o Options) error {
	v := view{Options: o, servers: r.roster(), check: r.Command == "check", bare: true}
	causes := o.causes(r.Groups)
	p := webPage{
		Policy: template.HTML(
			`<meta http-equiv="Content-Security-Policy" content="default-src 'none'; base-uri 'none'; ` +
				`form-action 'none'; style-src '` + sourceHash(pageStyle) +
				`'; script-src '` + sourceHash(pageScript) + `'">`),
		Style: template.CSS(pageStyle), Script: template.JS(pageScript),
		Headline: text(headline(r)), Verdict: r.Verdict, Status: r.Status, Meaning: text(Meaning(r)),
		Problems: textsOf(r.Problems),
		Made:     text(madeBy(o)),
	}
	if r.Command != "check" {
		p.Affected = text(someOf(affected(r.Findings), 8))
	}
	p.addSummary(causes)
	p.addCompared(r, v)
	p.addCauses(v, causes)
	p.addServers(r, v)
	if r.Findings == nil {
		header, rows := o.overview(r)
		shown := min(len(rows), openRows)
		p.Header, p.Rows, p.MoreRows = header, kit.Map(rows[:shown], textsOf), kit.Map(rows[shown:], textsOf)
	}
	p.addFilter(r, o)
	return pageTemplate().Execute(w, p)
}

func textsOf(all []string) []text {
	return kit.Map(all, func(s string) text { return text(s) })
}

func sourceHash(source string) string {
	hash := sha256.Sum256([]byte(source))
	return "sha256-" + base64.StdEncoding.EncodeToString(hash[:])
}

// bareText returns a sentence without the backticks around its names.
func bareText(s string) text { return text(strings.ReplaceAll(s, "`", "")) }

func (p *webPage) addSummary(causes []cause) {
	if len(causes) < summaryFrom {
		return
	}
	for _, c := range causes[:min(len(causes), summaryRows)] {
		p.Summary = append(p.Summary, webRow{levelWord(c.first()), bareText(c.title())})
	}
	if more := len(causes) - len(p.Summary); more > 0 {
		p.Summary = append(p.Summary, webRow{Text: text(fmt.Sprintf("… and %d more, below", more))})
	}
}

func (p *webPage) addCompared(r *Report, v view) {
	for _, s := range r.Servers {
		if s.Base != "" && len(v.wanted(v.servers.found[s.Name])) > 0 {
			p.Compared = append(p.Compared, text(s.Name+": "+s.Base+" → "+now(s)))
		}
	}
	if len(p.Compared) > 3 {
		p.Compared, p.AllCompared = nil, p.Compared
	}
}

// addFilter adds a form that the script shows: a box for each level, and a search where there is much to look
// through.
func (p *webPage) addFilter(r *Report, o Options) {
	words := kit.Map(o.wanted(r.Findings), levelWord)
	for _, same := range kit.Group(words, func(word string) string { return word }) {
		p.Levels = append(p.Levels, webLevel{same[0], len(same)})
	}
	order := []string{"breaking", "warning", "info", "waived"}
	slices.SortFunc(p.Levels, func(a, b webLevel) int {
		return slices.Index(order, a.Word) - slices.Index(order, b.Word)
	})
	p.Search = len(r.Servers) > 1 && (len(p.Levels) > 0 || len(p.MoreRows) > 0)
}

// madeBy names the version of mcpctl, the time and the commit, as far as they are known.
func madeBy(o Options) string {
	when, program, commit := "", o.Version, o.Commit
	if !o.Made.IsZero() {
		when = o.Made.UTC().Format(minute)
	}
	if commit != "" {
		commit = "commit " + commit
	}
	if program+when+commit != "" {
		program = strings.TrimSpace("mcpctl " + program)
	}
	return join(", ", program, when, commit)
}

func (p *webPage) addCauses(v view, causes []cause) {
	open := len(causes)
	if len(v.servers.all) > mostServers {
		open = min(open, openCauses)
	}
	p.Causes = kit.Map(causes[:open], func(c cause) webCause { return webCauseOf(v, c) })
	if more := causes[open:]; len(more) > 0 {
		levels := kit.Map(more, func(c cause) string { return levelWord(c.first()) })
		p.MoreTitle = text(quantity(len(more), "more cause") + ": " + tally(levels))
		p.More = kit.Map(more, func(c cause) webCause { return webCauseOf(v, c) })
	}
}

func webCauseOf(v view, c cause) (out webCause) {
	several := len(c.groups) > 1
	if several {
		out.Heading = text(itemTitle(c.item) + v.of(c.server))
	}
	for i, g := range c.once(false) {
		title := titled(g, v.servers)
		if several {
			title = g.Says()
		}
		one := webFindingOf(v, g, title)
		one.Members = webMembersOf(v, c.groups[i])
		out.Findings = append(out.Findings, one)
	}
	return out
}

// titled returns the title of a group, with its server where there are several.
func titled(g finding.Group, servers roster) string {
	if len(g.Servers) == 1 && len(servers.all) > 1 {
		return g.Title + " of " + g.Servers[0]
	}
	return g.Title
}

func webFindingOf(v view, g finding.Group, title string) webFinding {
	rows := v.shown(g)
	seen := seenRows(rows)
	return webFinding{
		Fingerprint: g.Fingerprint, Level: levelWord(g.Members[0]), Title: bareText(title),
		Lines: preRows(rows[:seen]), Folded: preRows(rows[seen:]), FoldedCount: len(rows) - seen,
		Hints: kit.Map(hintsOf(g), bareText), Waivers: textsOf(each(g, waiverOf)),
		Rules: text(rulesOf(v, g)), Verdict: text(verdictOf(g)),
		Docs: textsOf(each(g, func(f finding.Finding) string { return v.ruleOf(f.Rule).Doc })),
	}
}

// shown returns the lines that show a group, for formats that have a fold and marks of their own.
func (v view) shown(g finding.Group) []line {
	v.bare = true
	all := v.changes(g, g.Title)
	if at := slices.IndexFunc(g.Members, func(f finding.Finding) bool { return f.Witness != nil }); at >= 0 {
		all = append(all, v.witness(g.Members[at])...)
	}
	return append(all, groupCalls(g, v.folds())...)
}

// preRows returns lines as the text of a preformatted block.
func preRows(all []line) template.HTML {
	return template.HTML(strings.Join(kit.Map(all, func(l line) string { return string(l.markup()) }), "\n"))
}

// seenRows returns how many of so many lines are seen: the rest is folded, unless something in it is
// concealed.
func seenRows(rows []line) int {
	const longRows = 14
	if len(rows) <= longRows || slices.ContainsFunc(rows, concealing) {
		return len(rows)
	}
	return longRows - 4
}

// verdictOf returns the verdict of a group, if it is known whether callers break.
func verdictOf(g finding.Group) string {
	if v := g.Members[0].Verdict; v == finding.Proved || v == finding.Unproven {
		return ", " + string(v)
	}
	return ""
}

// webMembersOf returns the findings of a group, those of many that show the same together.
func webMembersOf(v view, g finding.Group) []webMember {
	v.Verbose, v.bare = true, true
	evidence := func(f finding.Finding) []line {
		return slices.Concat(v.evidence(f), v.witness(f), callLines(f))
	}
	var all []webMember
	for _, alike := range kit.Group(g.Members,
		func(f finding.Finding) string { return fmt.Sprint(evidence(f)) }) {
		all = append(all, webMember{kit.Map(alike, func(f finding.Finding) webPlace {
			return webPlace{text(strings.TrimSpace(subject(f) + " " + f.Pointer())), f.Fingerprint()}
		}), preRows(evidence(alike[0]))})
	}
	return all
}

// addServers adds a section for each reason why servers did not answer, and for each that has nothing saved;
// the servers without findings are named.
func (p *webPage) addServers(r *Report, v view) {
	add := func(names []string, s webServer) {
		s.Index, s.Names = v.servers.at[names[0]], text(someOf(names, mostNames))
		if len(names) > mostNames+1 {
			s.All = text(strings.Join(names, ", "))
		}
		p.Servers = append(p.Servers, s)
	}
	for _, t := range troubles(r.Servers) {
		add(t.Names, webServer{State: t.State, Stage: text(t.Stage),
			Text: multiline(troubleText(t.Server, t.Failure)), Stderr: multiline(t.Stderr)})
	}
	for _, u := range unsaved(r.Servers) {
		add(u.names, webServer{Unsaved: bareText(u.advice)})
	}
	quiet := kit.Filter(r.Servers, func(s Server) bool {
		return r.Findings != nil && s.Error == nil && !s.Unsaved &&
			len(v.wanted(v.servers.found[s.Name])) == 0
	})
	names := kit.Map(quiet, func(s Server) string { return s.Name })
	p.Quiet, p.QuietTitle = text(strings.Join(names, ", ")), text(quantity(len(quiet), "server"))
}

// unsavedServers are servers without a saved snapshot, and what to do about them.
type unsavedServers struct {
	names  []string
	advice string
}

// unsaved returns the servers without a saved snapshot, each for itself unless they are many.
func unsaved(servers []Server) []unsavedServers {
	all := kit.Filter(servers, func(s Server) bool { return s.Unsaved })
	if len(all) > mostServers {
		return []unsavedServers{{kit.Map(all, func(s Server) string { return s.Name }),
			"no saved snapshot; save them with `mcpctl snapshot` and the same arguments"}}
	}
	return kit.Map(all, func(s Server) unsavedServers {
		return unsavedServers{[]string{s.Name}, "no saved snapshot; save one with `" + saving(s) + "`"}
	})
}

// overview returns what a command that judges nothing has to say, as a table: a row per rule, per item, or
// per server.
func (o Options) overview(r *Report) (header []string, rows [][]string) {
	if len(r.Rules) > 0 {
		return []string{"Rule", "Level", "Title"}, kit.Map(r.Rules, func(rule finding.Rule) []string {
			return []string{rule.ID, rule.Level.String(), rule.Title}
		})
	}
	for _, s := range r.Servers {
		if o.Fleet && !o.Items {
			break
		}
		for _, k := range snapshot.Kinds() {
			for _, raw := range *s.Items(k) {
				cost := ""
				if n := itemTokens(k, raw); n > 0 {
					cost = estimate(n)
				}
				rows = append(rows, []string{s.Name, k.ID(key(k, raw)), signatureOf(k, raw), cost,
					hintsInBrackets(k, raw), firstLine(about(raw))})
			}
		}
	}
	if len(rows) > 0 {
		return []string{"Server", "Item", "Arguments", "Tokens", "Hints", "Description"}, rows
	}
	if r.Command != "list" {
		return []string{"Server", "State", "What is known"}, kit.Map(r.Servers, func(s Server) []string {
			return []string{s.Name, string(s.State), s.gist()}
		})
	}
	return []string{"Name", "Status", "Transport", "Tools", "Tokens", "Time", "Problem"},
		kit.Map(r.Servers, func(s Server) []string {
			return []string{s.Name, string(s.State), transport(s), countCell(s, snapshot.Tools).text,
				tokensOf(s.Tokens), elapsed(s.ElapsedMs), problem(s)}
		})
}

// gist returns what is known of a server, in one line.
func (s Server) gist() string {
	saved, counts := "", ""
	if s.Saved != nil {
		saved = join(", ", string(s.Saved.Action), s.Saved.changes(), s.Saved.file())
	}
	for _, k := range snapshot.Kinds() {
		if n := s.Count(k); n != nil {
			counts = join(", ", counts, fmt.Sprintf("%d %s", *n, strings.ToLower(heading(k))))
		}
	}
	return join(", ", saved, s.Transport, s.ProtocolVersion, counts, s.runs())
}

// headline returns a whole run in one line: the command and how many findings there are.
func headline(r *Report) string {
	unsaved, without := 0, ""
	for _, s := range r.Servers {
		unsaved += count(s.Unsaved)
	}
	if unsaved > 0 {
		without = quantity(unsaved, "server") + " without a saved snapshot"
	}
	says := join(", ", r.Summary.words(), without)
	switch {
	case says != "":
	case r.Findings != nil && r.Command == "diff":
		says = "no changes"
	case r.Findings != nil:
		says = "nothing found"
	default:
		says = quantity(len(r.Servers), "server")
	}
	return join(", ", "mcpctl "+r.Command, r.Shard.String()) + ": " + says
}
