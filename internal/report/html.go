package report

import (
	"bufio"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html"
	"io"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/wording"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

var (
	//go:embed page/style.css
	pageStyle string
	//go:embed page/filter.js
	pageScript string
)

// How many causes and rows of a fleet are seen at once; the others are folded.
const (
	openCauses = 20
	openRows   = 200
)

// webPage writes a report as a page. It does so without html/template, for whose sake the linker would keep every method of
// every library: a tenth of the program.
type webPage struct {
	out *bufio.Writer
	*Report
	options Options
	servers roster
	causes  []cause
	header  []string // of the rows of a command that judges nothing
	rows    [][]string
}

// put writes markup of ours with a text in the place of each %v. Whatever is no markup is escaped, for what stands between tags
// and for quoted attributes, which are all the places that there are, and what cannot be seen in a string is spelled out.
func (p *webPage) put(ours markup, texts ...any) {
	for i, t := range texts {
		switch t := t.(type) {
		case markup:
		case string:
			texts[i] = escaped(t)
		default:
			texts[i] = html.EscapeString(fmt.Sprint(t))
		}
	}
	fmt.Fprintf(p.out, string(ours), texts...)
}

// putEach writes the markup once for each text.
func (p *webPage) putEach(ours markup, texts []string) {
	for _, text := range texts {
		p.put(ours, text)
	}
}

func writeHTML(w io.Writer, r *Report, o Options) error {
	p := webPage{out: bufio.NewWriter(w), Report: r, options: o, servers: r.roster()}
	p.causes = varied(o.causes(r.Groups), p.servers)
	if r.Findings == nil {
		p.header, p.rows = overview(r)
	}
	p.writeHead()
	p.writeSummary()
	p.put("<main>\n")
	p.writeCauses()
	p.writeServers()
	p.writeRows()
	p.put("</main>\n")
	if made := madeBy(o); made != "" {
		p.put(`<footer><p class="quiet">%v</p></footer>`+"\n", made)
	}
	p.put("<script>%v</script>\n</body>\n</html>\n", markup(pageScript))
	return p.out.Flush()
}

// writeHead writes what is not seen; the policy allows our style and our script, and nothing from anywhere.
func (p *webPage) writeHead() {
	p.put("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n")
	p.put(`<meta http-equiv="Content-Security-Policy" content="default-src 'none'; base-uri 'none'; form-action 'none'; style-src '%v'; script-src '%v'">`+"\n", sourceHash(pageStyle), sourceHash(pageScript))
	p.put("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"color-scheme\" content=\"light dark\">\n")
	p.put("<title>%v</title>\n<style>%v</style>\n</head>\n<body>\n", headline(p.Report), markup(pageStyle))
}

func sourceHash(source string) string {
	hash := sha256.Sum256([]byte(source))
	return "sha256-" + base64.StdEncoding.EncodeToString(hash[:])
}

// writeSummary writes what a whole run comes to.
func (p *webPage) writeSummary() {
	p.put("<header>\n<h1 class=\"%v\">%v</h1>\n", p.Verdict, headline(p.Report))
	if says := Meaning(p.Report); says != "" {
		p.put("<p>Exit status %v: %v.</p>\n", p.Status, bareText(says))
	}
	p.putEach(`<p class="trouble">%v</p>`+"\n", p.Problems)
	if broken := broken(p.Findings); len(broken) > 0 && p.Command != "check" {
		p.put(`<p class="breaks">Breaks whoever uses %v.</p>`+"\n", someOf(broken, 8))
	}
	p.writeStory()
	p.writeCompared()
	p.writeFilter()
	p.put("</header>\n")
}

// bareText is a sentence without the backticks around its names.
func bareText(s string) string { return strings.ReplaceAll(s, "`", "") }

func (p *webPage) writeStory() {
	if len(p.causes) < storyFrom {
		return
	}
	p.put("<ul>\n")
	told := p.causes[:min(len(p.causes), storyLines-2)]
	for _, c := range told {
		level := levelWord(c.groups[0].Members[0])
		p.put(`<li><span class="level %v">%v</span> %v</li>`+"\n", level, level, bareText(c.title()))
	}
	if more := len(p.causes) - len(told); more > 0 {
		p.put("<li>… and %v more, all below</li>\n", quantity(more, "cause"))
	}
	p.put("</ul>\n")
}

// found tells whether there are findings of a server, of those that are shown.
func (p *webPage) found(s Server) bool {
	return len(p.options.wanted(p.servers.found[s.Name])) > 0
}

func (p *webPage) writeCompared() {
	found := kit.Filter(p.Servers, func(s Server) bool { return s.Base != "" && p.found(s) })
	all := kit.Map(found, func(s Server) string { return s.Name + ": " + s.Base + " → " + now(s) })
	if len(all) <= 3 {
		p.putEach(`<p class="quiet">%v</p>`+"\n", all)
		return
	}
	p.put("<details><summary>what was compared of %v servers with findings</summary>\n<pre>", len(all))
	p.putEach("%v\n", all)
	p.put("</pre></details>\n")
}

// writeFilter writes a form that the script shows: a box for each level, and a search where there is so much that one may want it.
func (p *webPage) writeFilter() {
	counts := map[string]int{}
	for _, f := range p.options.wanted(p.Findings) {
		counts[levelWord(f)]++
	}
	search := len(p.Servers) > 1 && (len(counts) > 0 || len(p.rows) > openRows)
	if len(counts) == 0 && !search {
		return
	}
	p.put(`<form id="filter" hidden>` + "\n")
	if len(counts) > 0 {
		p.put("<fieldset><legend>Level</legend>\n")
		for _, word := range []string{"breaking", "warning", "info", "waived"} {
			if n := counts[word]; n > 0 {
				p.put(`<label><input type="checkbox" name="level" value="%v" checked> <span class="level %v">%v</span> %v</label>`+"\n", word, word, word, n)
			}
		}
		p.put("</fieldset>\n")
	}
	if search {
		p.put(`<label>Search <input type="search" name="words" placeholder="server, tool, rule"></label>` + "\n")
	}
	p.put("<output></output>\n</form>\n")
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

func (p *webPage) writeCauses() {
	open := len(p.causes)
	if len(p.servers.all) > mostServers {
		open = min(open, openCauses)
	}
	for _, c := range p.causes[:open] {
		p.writeCause(c)
	}
	if more := p.causes[open:]; len(more) > 0 {
		levels := kit.Map(more, func(c cause) string { return levelWord(c.groups[0].Members[0]) })
		p.put(`<details class="more"><summary>%v: %v</summary>`+"\n", quantity(len(more), "more cause"), tally(levels))
		for _, c := range more {
			p.writeBriefly(c)
		}
		p.put("</details>\n")
	}
}

// writeCause writes what is told together.
func (p *webPage) writeCause(c cause) {
	p.put(`<section class="cause">` + "\n")
	several := len(c.groups) > 1
	if several {
		p.put("<h2>%v</h2>\n", itemTitle(c.item)+serverNote(c.server, p.servers))
	}
	told := map[string]bool{}
	for i, g := range c.once(false) {
		title := titled(g, p.servers)
		if several {
			title = g.Says()
		}
		p.writeGroup(g, title, told)
		p.writeMembers(c.groups[i])
		p.put("</details>\n</article>\n")
	}
	p.put("</section>\n")
}

// writeGroup writes a group, up to the members in its last fold.
func (p *webPage) writeGroup(g finding.Group, title string, told map[string]bool) {
	level := levelWord(g.Members[0])
	p.put(`<article class="finding" id="f-%v" data-level="%v">`+"\n"+`<h3><span class="level %v">%v</span> %v</h3>`+"\n", g.Fingerprint, level, level, level, bareText(title))
	rows := groupRows(g, g.Title, p.servers, told)
	shown := seenRows(rows)
	p.writePieces(rows[:shown], "<pre>", "</pre>\n")
	if rest := rows[shown:]; len(rest) > 0 {
		p.put("<details><summary>%v lines more</summary>", len(rest))
		p.writePieces(rest, "<pre>", "</pre></details>\n")
	}
	for _, hint := range hintsOf(g) {
		p.put(`<p class="hint">%v</p>`+"\n", bareText(hint))
	}
	p.putEach(`<p class="waiver">%v</p>`+"\n", each(g, waiverOf))
	p.put("<details><summary><code>%v</code>%v</summary>\n", rulesOf(g), verdictOf(g))
	p.putEach("<p>%v</p>\n", each(g, func(f finding.Finding) string { return p.options.ruleOf(f.Rule).Doc }))
	p.put("<p>Fingerprint <code>%v</code></p>\n", g.Fingerprint)
}

// seenRows is how many of so many lines are seen: the rest is folded, unless something in it is concealed.
func seenRows(rows [][]piece) int {
	const longRows = 14
	concealed := slices.ContainsFunc(rows, func(row []piece) bool {
		return slices.ContainsFunc(row, func(s piece) bool { return strings.Contains(string(s.text), wording.Sign) })
	})
	if len(rows) <= longRows || concealed {
		return len(rows)
	}
	return longRows - 4
}

func rulesOf(g finding.Group) string { return strings.Join(each(g, ruleOfFinding), ", ") }

// verdictOf is what stands behind the rules of a group of which it is known whether somebody breaks.
func verdictOf(g finding.Group) string {
	if v := g.Members[0].Verdict; v == finding.Proved || v == finding.Unproven {
		return ", " + string(v)
	}
	return ""
}

// writePieces writes lines, if there are any, between two pieces of markup.
func (p *webPage) writePieces(rows [][]piece, before, behind markup) {
	for i, row := range rows {
		p.put("%v%v", before, rowMarkup(row))
		if before = "\n"; i == len(rows)-1 {
			p.put(behind)
		}
	}
}

// writeMembers writes the findings of a group, those of many that show the same together.
func (p *webPage) writeMembers(g finding.Group) {
	if len(g.Members) <= mostServers {
		for _, f := range g.Members {
			p.put("<p><code>%v</code> <code>%v</code></p>\n", whereOf(f), f.Fingerprint())
			p.writePieces(evidence(f), "<pre>", "</pre>\n")
		}
		return
	}
	for _, alike := range kit.Group(g.Members, func(f finding.Finding) string { return fmt.Sprint(evidence(f)) }) {
		p.put("<pre>")
		p.putEach("%v\n", kit.Map(alike, func(f finding.Finding) string { return whereOf(f) + " " + f.Fingerprint() }))
		p.put("</pre>\n")
		p.writePieces(evidence(alike[0]), "<pre>", "</pre>\n")
	}
}

func whereOf(f finding.Finding) string {
	return strings.TrimSpace(subject(f) + " " + f.Pointer())
}

// writeBriefly writes the groups of a cause, each with its places on a line, so that ten thousand of them open in a moment.
func (p *webPage) writeBriefly(c cause) {
	for _, g := range c.groups {
		level := levelWord(g.Members[0])
		p.put(`<article class="finding" id="f-%v" data-level="%v"><h3>%v: %v</h3>`+"\n<pre>", g.Fingerprint, level, level, bareText(titled(g, p.servers)))
		p.writePieces(groupRows(g, g.Title, p.servers, map[string]bool{}), "", "\n")
		for _, hint := range hintsOf(g) {
			p.put("→ %v\n", bareText(hint))
		}
		p.putEach("%v\n", each(g, waiverOf))
		p.put("%v%v", rulesOf(g), verdictOf(g))
		for _, f := range g.Members {
			p.put("\n%v  %v", whereOf(f), f.Fingerprint())
		}
		p.put("</pre></article>\n")
	}
}

// writeServers writes a section for each server that could not be asked or compared, of a fleet for each cause; the others are named.
func (p *webPage) writeServers() {
	several := len(p.Servers) > mostServers
	if several {
		for _, t := range troubles(p.Servers) {
			p.writeServer(t.Names, "", func() {
				p.writeTrouble(t.Server, Failure{Stage: t.Stage, Message: t.says(), Hint: t.Hint, Stderr: t.Stderr})
			})
		}
	}
	var unsaved, quiet []string
	for _, s := range p.Servers {
		failures := s.failures()
		switch {
		case several && s.Unsaved:
			unsaved = append(unsaved, s.Name)
		case several && len(failures) > 0:
		case s.Unsaved:
			p.writeServer([]string{s.Name}, "no saved snapshot; save one by "+saving(s), func() { p.writeFailures(s) })
		case len(failures) > 0:
			p.writeServer([]string{s.Name}, "", func() { p.writeFailures(s) })
		case p.Findings != nil && !p.found(s):
			quiet = append(quiet, s.Name)
		}
	}
	if len(unsaved) > 0 {
		p.writeServer(unsaved, "no saved snapshot; save them by mcpctl snapshot, with the same words", func() {})
	}
	if len(quiet) > 0 {
		p.put("<details><summary>nothing to show of %v</summary>\n<p class=\"quiet\">%v</p></details>\n", quantity(len(quiet), "server"), strings.Join(quiet, ", "))
	}
}

// writeServer writes what troubles several servers, and that they have no snapshot.
func (p *webPage) writeServer(names []string, unsaved string, troubles func()) {
	p.put(`<section data-server="%v">`+"\n<h2>%v</h2>\n", p.servers.at[names[0]], someOf(names, mostPlaces))
	troubles()
	if unsaved != "" {
		p.put(`<p class="quiet">%v</p>`+"\n", unsaved)
	}
	if len(names) > mostPlaces+1 {
		p.put(`<details><summary>all of these servers</summary><p class="quiet">%v</p></details>`+"\n", strings.Join(names, ", "))
	}
	p.put("</section>\n")
}

func (p *webPage) writeFailures(s Server) {
	for _, f := range s.failures() {
		p.writeTrouble(s, f)
	}
}

func (p *webPage) writeTrouble(s Server, f Failure) {
	p.put(`<article class="trouble">`+"\n"+`<h3><span class="level breaking">%v</span> %v</h3>`+"\n<pre>%v</pre>\n", string(s.State), f.Stage, multiline(troubleText(s, f)))
	if f.Stderr != "" {
		p.put("<details><summary>stderr</summary><pre>%v</pre></details>\n", multiline(f.Stderr))
	}
	p.put("</article>\n")
}

// writeRows writes the table of a command that judges nothing.
func (p *webPage) writeRows() {
	if len(p.rows) == 0 {
		return
	}
	p.put(`<div class="wide"><table>` + "\n<thead><tr>")
	p.putEach("<th>%v</th>", p.header)
	p.put("</tr></thead>\n")
	shown := min(len(p.rows), openRows)
	p.writeBody(p.rows[:shown])
	p.put("</table></div>\n")
	if more := p.rows[shown:]; len(more) > 0 {
		p.put(`<details class="more"><summary>%v more rows</summary><div class="wide"><table>`+"\n", len(more))
		p.writeBody(more)
		p.put("</table></div></details>\n")
	}
}

func (p *webPage) writeBody(rows [][]string) {
	p.put("<tbody>\n")
	for _, row := range rows {
		p.put("<tr>")
		p.putEach("<td>%v</td>", row)
		p.put("</tr>\n")
	}
	p.put("</tbody>\n")
}

// overview is what a command that judges nothing has to say, as a table: a row per rule, per item, or per server.
func overview(r *Report) (header []string, rows [][]string) {
	if len(r.Rules) > 0 {
		return []string{"Rule", "Level", "Title"}, kit.Map(r.Rules, func(rule finding.Rule) []string { return []string{rule.ID, rule.Level.String(), rule.Title} })
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
	return []string{"Server", "State", "What is known"}, kit.Map(r.Servers, func(s Server) []string { return []string{s.Name, string(s.State), s.gist()} })
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
