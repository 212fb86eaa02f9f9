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

	"github.com/mcpctl/mcpctl/internal/lists"
	"github.com/mcpctl/mcpctl/internal/wording"
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
	Made     text // when and of what, and by which version
	Breaks   text
	Story    []webLine
	Levels   []webLevel
	Servers  []webServer // those with something of their own to say
	Quiet    []text      // the names of those without findings
	Search   bool        // whether there is so much that one may want to search
	Compared []text
	Causes   []webCause
	More     []webGroup // those of a fleet that are folded, in few words
	MoreSays text
	Header   []text
	Rows     [][]text
	MoreRows [][]text // those that are folded
}

// How many causes and rows of a fleet are seen at once; the others are folded.
const (
	openCauses = 20
	openRows   = 200
)

type webLevel struct {
	Word  string
	Count int
}

type webLine struct {
	Level string
	Title text
}

type webServer struct {
	Number   int
	Name     text
	Troubles []webTrouble
	Unsaved  text
	All      text // the names of all, where Name has only the first
}

type webTrouble struct {
	State, Stage text
	Text, Stderr multiline
}

// webCause is what is told together; Item is empty for a single group.
type webCause struct {
	Item   text
	Groups []webGroup
}

type webGroup struct {
	Level, Fingerprint    string
	Title, Rules, Verdict text
	Hints, Waivers, Docs  []text
	Rows, Rest            [][]piece
	Members               []webMember
}

type webMember struct {
	Fingerprint string
	Where       text
	Many        []text // where and fingerprint of all that have these rows in common, in place of those of one
	Rows        [][]piece
}

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
	if says := Meaning(r); says != "" {
		p.Says = bareText(fmt.Sprintf("Exit status %d: %s.", r.Status, says))
	}
	p.Problems = texts(r.Problems)
	servers := r.roster()
	p.addServers(r, servers, o)
	p.addCauses(r, servers, o)
	p.Made = text(madeBy(o))
	if r.Findings == nil {
		header, rows := overview(r)
		p.Header = texts(header)
		for i, row := range rows {
			if i < openRows {
				p.Rows = append(p.Rows, texts(row))
			} else {
				p.MoreRows = append(p.MoreRows, texts(row))
			}
		}
	}
	p.Search = len(r.Servers) > 1 && (p.Levels != nil || len(p.MoreRows) > 0)
	return p
}

func texts(all []string) []text {
	return lists.Map(all, func(s string) text { return text(s) })
}

// bareText is a sentence without the backticks around its names.
func bareText(s string) text { return text(strings.ReplaceAll(s, "`", "")) }

func sourceHash(source string) string {
	hash := sha256.Sum256([]byte(source))
	return "sha256-" + base64.StdEncoding.EncodeToString(hash[:])
}

func webLevels(findings []finding.Finding) []webLevel {
	counts := map[string]int{}
	for _, f := range findings {
		counts[levelWord(f)]++
	}
	var all []webLevel
	for _, word := range []string{"breaking", "warning", "info", "waived"} {
		if counts[word] > 0 {
			all = append(all, webLevel{word, counts[word]})
		}
	}
	return all
}

// madeBy names the version of mcpctl, the time and the commit, as far as the caller gave them.
func madeBy(o Options) string {
	when, commit := "", ""
	if !o.Made.IsZero() {
		when = o.Made.UTC().Format(minute)
	}
	if o.Commit != "" {
		commit = "commit " + o.Commit
	}
	if o.Version+when+commit == "" {
		return ""
	}
	return join(", ", strings.TrimSpace("mcpctl "+o.Version), when, commit)
}

// addServers adds a section for each server that could not be asked or compared, of a fleet for each cause; the others are named.
func (p *webPage) addServers(r *Report, servers roster, o Options) {
	several := len(r.Servers) > mostServers
	var unsaved []string
	if several {
		for _, t := range troubles(r.Servers) {
			one := webTrouble{text(t.State), text(t.Stage), multiline(troubleText(t.Server, Failure{Message: t.says(), Hint: t.Hint})), multiline(t.Stderr)}
			p.Servers = append(p.Servers, webServers(servers, t.Names, webServer{Troubles: []webTrouble{one}}))
		}
	}
	for i, s := range r.Servers {
		one := webServer{Number: i, Name: text(s.Name)}
		for _, f := range s.failures() {
			one.Troubles = append(one.Troubles, webTrouble{text(string(s.State)), text(f.Stage), multiline(troubleText(s, f)), multiline(f.Stderr)})
		}
		if s.Unsaved {
			one.Unsaved = text("no saved snapshot; save one by " + saving(s))
		}
		found := len(o.wanted(servers.found[s.Name])) > 0
		switch {
		case several && s.Unsaved:
			unsaved = append(unsaved, s.Name)
		case several && len(one.Troubles) > 0:
		case len(one.Troubles) > 0 || s.Unsaved:
			p.Servers = append(p.Servers, one)
		case !found && r.Findings != nil:
			p.Quiet = append(p.Quiet, one.Name)
		}
		if found && s.Base != "" {
			p.Compared = append(p.Compared, text(s.Name+": "+s.Base+" → "+now(s)))
		}
	}
	if len(unsaved) > 0 {
		p.Servers = append(p.Servers, webServers(servers, unsaved, webServer{Unsaved: "no saved snapshot; save them by mcpctl snapshot, with the same words"}))
	}
}

// webServers is one that stands for several.
func webServers(servers roster, names []string, one webServer) webServer {
	one.Number, one.Name = servers.at[names[0]], text(someOf(names, mostPlaces))
	if len(names) > mostPlaces+1 {
		one.All = text(strings.Join(names, ", "))
	}
	return one
}

func (p *webPage) addCauses(r *Report, servers roster, o Options) {
	causes := varied(o.causes(r.Groups), servers)
	if broken := broken(r.Findings); len(broken) > 0 && r.Command != "check" {
		p.Breaks = text("Breaks whoever uses " + someOf(broken, 8) + ".")
	}
	for i, c := range causes {
		if len(causes) >= storyFrom && i < storyLines-2 {
			p.Story = append(p.Story, webLine{levelWord(c.groups[0].Members[0]), bareText(c.title())})
		}
		if i >= openCauses && len(servers.all) > mostServers {
			p.More = append(p.More, briefly(servers, o, c)...)
			continue
		}
		one := webCause{}
		if len(c.groups) > 1 {
			one.Item = text(itemTitle(c.item) + serverNote(c.server, servers))
		}
		told := map[string]bool{}
		for i, g := range c.once(false) {
			group := webGroupOf(servers, o, g, told)
			if one.Item != "" {
				group.Title = bareText(g.Says())
			}
			group.Members = webMembers(c.groups[i])
			one.Groups = append(one.Groups, group)
		}
		p.Causes = append(p.Causes, one)
	}
	if len(p.More) > 0 {
		levels := lists.Map(causes[openCauses:], func(c cause) string { return levelWord(c.groups[0].Members[0]) })
		p.MoreSays = text(quantity(len(levels), "more cause") + ": " + tally(levels))
	}
	if more := len(causes) - len(p.Story); len(p.Story) > 0 && more > 0 {
		p.Story = append(p.Story, webLine{"", text(fmt.Sprintf("… and %s more, all below", quantity(more, "cause")))})
	}
}

// briefly are the groups of a cause, each with its places on a line, so that ten thousand of them open in a moment.
func briefly(servers roster, o Options, c cause) []webGroup {
	var all []webGroup
	for _, g := range c.groups {
		one := webGroupOf(servers, o, g, map[string]bool{})
		for _, f := range g.Members {
			one.Members = append(one.Members, webMember{Fingerprint: f.Fingerprint(), Where: whereOf(f)})
		}
		one.Rows, one.Rest = append(one.Rows, one.Rest...), nil
		all = append(all, one)
	}
	return all
}

// longRows is from how many lines on the rest is folded, unless something in it is concealed.
const longRows = 14

func webGroupOf(servers roster, o Options, g finding.Group, told map[string]bool) webGroup {
	first := g.Members[0]
	one := webGroup{
		Level: levelWord(first), Fingerprint: g.Fingerprint, Title: bareText(titled(g, servers)), Rules: text(strings.Join(each(g, ruleOfFinding), ", ")),
		Waivers: texts(each(g, waiverOf)), Rows: groupRows(g, g.Title, servers, told),
		Docs: texts(each(g, func(f finding.Finding) string { return ruleOf(f.Rule, o.Rules).Doc })),
	}
	for _, hint := range hintsOf(g) {
		one.Hints = append(one.Hints, bareText(hint))
	}
	if first.Verdict == finding.Proved || first.Verdict == finding.Unproven {
		one.Verdict = text(first.Verdict)
	}
	concealed := slices.ContainsFunc(one.Rows, func(row []piece) bool {
		return slices.ContainsFunc(row, func(s piece) bool { return strings.Contains(string(s.text), wording.Sign) })
	})
	if len(one.Rows) > longRows && !concealed {
		one.Rows, one.Rest = one.Rows[:longRows-4], one.Rows[longRows-4:]
	}
	return one
}

func whereOf(f finding.Finding) text {
	return text(strings.TrimSpace(subject(f) + " " + f.Pointer()))
}

// webMembers are the findings of a group, those of many that show the same together.
func webMembers(g finding.Group) []webMember {
	var all []webMember
	at := map[string]int{}
	for _, f := range g.Members {
		one := webMember{Fingerprint: f.Fingerprint(), Where: whereOf(f), Rows: evidence(f)}
		if len(g.Members) > mostServers {
			key := fmt.Sprint(one.Rows)
			if i, known := at[key]; known {
				all[i].Many = append(all[i].Many, one.Where+" "+text(one.Fingerprint))
				continue
			}
			at[key], one.Many = len(all), []text{one.Where + " " + text(one.Fingerprint)}
		}
		all = append(all, one)
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

// headline is a whole run in one line: the command and how many findings there are.
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
	return join(", ", "mcpctl "+r.Command, r.Part.words()) + ": " + says
}
