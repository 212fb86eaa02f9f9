package report

import (
	"cmp"
	"fmt"
	"html/template"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/seen"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// document is what people read of a report in a table, in HTML, in Markdown and in the summary of a job: each
// groups and words nothing, and renders this. Its texts spell out what cannot be seen; the renderers escape.
type document struct {
	Headline, Meaning text
	Verdict           exit.Verdict
	Status            int
	Problems          []text
	Callers           []string // of items with breaking findings
	Affected          text     // the first of them
	Summary           []summaryRow
	More              int       // rows that the summary leaves out
	Compared          [][3]text // a server, its old and its new side
	Groups            []documentGroup
	Rules             []documentRule // of check on a page, in place of Groups
	Servers           []documentServer
	Header            []string
	Rows              [][]text
}

type (
	documentGroup struct {
		group              finding.Group
		Fingerprint, Level string
		Title              text
		Lines              []line
		Hints, Waivers     []text
		Rules              []text
		Verdict            text
		Accept             text // the command, if it can be accepted
		// of HTML: explanations of the rules, and findings that are folded
		Docs    []text
		Members []documentMember
	}
	// documentMember is findings of a group that show the same.
	documentMember struct {
		Places [][2]text // with their fingerprints
		Lines  []line
	}
	// documentRule is the findings of a rule at one level.
	documentRule struct {
		Level         string
		Rule, Verdict text
		Sentences     []documentSentence
		More          int // sentences that are left out
		Fixes         []text
	}
	// documentSentence is a finding with its place.
	documentSentence struct {
		Says, Waiver text
		Lines        []line
		Fingerprint  string
	}
	// documentServer is servers that did not answer for one reason, or that have no saved snapshot.
	documentServer struct {
		Index        int // of the first
		Names        text
		State        string // as it is shown
		Says         text
		Text, Stderr multiline // what can be done, and what the first one wrote
		Unsaved      text
		All          text // their names, if Names leaves some out
	}
)

// documentOf returns what a report shows of its groups.
func documentOf(r *reported, v view, groups []finding.Group) document {
	d := document{
		Headline: text(headline(r)), Meaning: text(r.meaning()),
		Verdict: r.Verdict, Status: r.Status,
		Problems: textsOf(r.Problems), Servers: documentServers(r, v),
	}
	if !v.check {
		d.Callers = affected(r.Findings)
		d.Affected = text(someOf(d.Callers, 8))
	}
	if rows := summaryRows(groups); len(rows) >= summaryFrom {
		d.Summary = shownRows(rows)
		d.More = len(rows) - len(d.Summary)
	}
	changed, _ := v.parted()
	for _, s := range changed {
		if s.Base != "" {
			d.Compared = append(d.Compared, [3]text{text(s.Name), text(s.Base), text(now(s))})
		}
	}
	if v.check && v.page {
		d.Rules = v.documentRules(v.wanted(r.Findings))
	} else {
		d.Groups = v.documentGroups(groups)
	}
	if r.Findings == nil && !v.page {
		d.Header, d.Rows = v.overview(r)
	}
	return d
}

func textsOf(all []string) []text {
	return kit.Map(all, func(s string) text { return text(s) })
}

func (v view) documentGroups(groups []finding.Group) []documentGroup {
	return kit.Map(groups, v.documentGroup)
}

// inItems matches a title that ends with the items in which something changed.
var inItems = kit.Pattern("\\bin (`[^`]+`|[0-9]+ [a-z]+)$")

// documentGroup returns what is shown of the findings with one cause.
func (v view) documentGroup(g finding.Group) documentGroup {
	first, title := g.Members[0], g.Title
	if len(g.Servers) == 1 && len(v.all) > 1 {
		title += map[bool]string{true: " of ", false: " in "}[inItems().MatchString(title)] + g.Servers[0]
	}
	out := documentGroup{
		group: g, Fingerprint: g.Fingerprint, Level: levelWord(first), Title: text(title),
		Lines: v.shown(g), Hints: textsOf(hintsOf(g)), Waivers: textsOf(each(g.Members, waiverOf)),
		Rules: textsOf(each(g.Members, ruleOf)),
	}
	if v.takes && !g.Waived && v.accepts(first) {
		out.Accept = text(v.Run.With("accept", g.Fingerprint))
	}
	if first.Verdict == finding.Proved || first.Verdict == finding.Unproven {
		out.Verdict = text(first.Verdict)
	}
	return out
}

// documentRules returns what is shown of findings by their rules, the worst level first.
func (v view) documentRules(found []finding.Finding) []documentRule {
	byRule := kit.Group(found, func(f finding.Finding) string { return levelWord(f) + f.Rule })
	slices.SortStableFunc(byRule, func(a, b []finding.Finding) int { return rank(a[0]) - rank(b[0]) })
	return kit.Map(byRule, v.documentRule)
}

// mostSentences is how many sentences about one rule a folded page has.
const mostSentences = 3

func (v view) documentRule(found []finding.Finding) documentRule {
	rule := documentRule{Level: found[0].Level.String(), Rule: text(found[0].Rule),
		Fixes: textsOf(each(found, hintOf))}
	if found[0].Verdict == finding.Unproven {
		rule.Verdict = text(finding.Unproven)
	}
	if v.folds() {
		rule.Fixes = rule.Fixes[:min(1, len(rule.Fixes))]
		if len(found) > mostSentences+1 {
			rule.More, found = len(found)-mostSentences, found[:mostSentences]
		}
	}
	rule.Sentences = kit.Map(found, func(f finding.Finding) documentSentence {
		return documentSentence{Says: text(v.sentence(f)), Waiver: text(waiverOf(f)),
			Lines: append(v.evidence(f), offLines(f)...), Fingerprint: f.Fingerprint()}
	})
	return rule
}

// sentence returns the message of a finding with its place, such as "read_file(path): the argument has no
// description".
func (v view) sentence(f finding.Finding) string {
	server, place, says := "", "", strings.TrimSuffix(f.Message, ".")
	if len(v.all) > 1 {
		server = f.Server
	}
	switch {
	case len(f.Places) > 0 && v.Verbose:
		says = f.Cause + ": " + strings.Join(f.Places, ", ")
	case len(f.Places) == 0:
		place = cmp.Or(f.Place(), f.Item)
	}
	if place+server != "" {
		says = lowerFirst(says)
	}
	return kit.Join(": ", server, place, says)
}

// markup returns lines as HTML, with what is gone and what is new marked. None is blank, which would end the
// HTML in Markdown.
func markup(all []line) template.HTML {
	rows := kit.Map(all, func(l line) string {
		row := strings.Repeat(" ", l.indent)
		for _, s := range pieces(l.spans) {
			tag := map[style]string{red: "del", green: "ins"}[s.style]
			if text := template.HTMLEscapeString(string(s.text)); tag != "" {
				row += "<" + tag + ">" + text + "</" + tag + ">"
			} else {
				row += text
			}
		}
		if strings.TrimSpace(row) == "" {
			return "&#32;"
		}
		return strings.TrimRight(row, " ")
	})
	return template.HTML(strings.Join(rows, "\n"))
}

// documentServers returns the reasons why servers did not answer, and the servers that have nothing saved.
func documentServers(r *reported, v view) []documentServer {
	var all []documentServer
	add := func(names []string, s documentServer) {
		s.Index, s.Names = v.at[names[0]], text(someOf(names, mostNames))
		if len(names) > mostNames+1 {
			s.All = text(strings.Join(names, ", "))
		}
		all = append(all, s)
	}
	for _, t := range troubles(r.Servers) {
		stderr := strings.TrimSpace(t.Stderr)
		if !strings.Contains(stderr, "\n") && strings.HasSuffix(seen.Says(t.Failure), stderr) {
			t.Stderr = "" // the reason has all of it
		}
		add(t.Names, documentServer{State: t.Word(), Says: text(oneLine(seen.Says(t.Failure))),
			Text: multiline(textOf(t.remedy(t.Failure))), Stderr: multiline(t.Stderr)})
	}
	if names, advice := v.Run.unsaved(r.Servers); len(names) > 0 {
		add(names, documentServer{Unsaved: text("no saved snapshot; " + advice)})
	}
	return all
}

func namesOf(servers []server) []string {
	return kit.Map(servers, func(s server) string { return s.Name })
}

// overview returns the table of a command that judges nothing: a row per item, else the largest table of the
// view that people read.
func (o Options) overview(r *reported) (header []string, rows [][]text) {
	for _, s := range r.Servers {
		for _, k := range snapshot.Kinds() {
			for _, raw := range *s.Items(k) {
				rows = append(rows, textsOf([]string{s.Name, k.ID(key(k, raw)), signatureOf(k, raw),
					itemCost(k, raw), kit.Join(" ", hintsInBrackets(k, raw), s.offIn(k, key(k, raw))),
					firstLine(about(raw))}))
			}
		}
	}
	if list, is := r.Body.(*Listing); len(rows) > 0 && (!is || list.Items || !list.Fleet) {
		return []string{"Server", "Item", "Arguments", "Tokens", "Hints", "Description"}, rows
	}
	rows = nil
	p := &page{Options: o, tables: func(titles []string, cells [][]text) {
		if len(cells) > len(rows) {
			header, rows = titles, cells
		}
	}}
	r.Body.table(p, r)
	return header, rows
}

// headline returns a whole run in one line: the command and how many findings there are.
func headline(r *reported) string {
	command, without, none := r.Command, "", kit.Counted(len(r.Servers), "server")
	if r.Findings != nil {
		none = "nothing found"
	}
	switch b := r.Body.(type) {
	case *Listing:
		if b.Pattern != nil { // a list of what matches
			command = "grep"
		} else if b.empty(r.Servers) {
			none = b.None
		}
	case *Rules:
		none = kit.Counted(len(b.Rules), "rule")
	case *Diff:
		if r.Findings != nil {
			none = "no changes"
		}
	}
	if n := len(kit.Filter(r.Servers, func(s server) bool { return s.Unsaved })); n > 0 {
		without = kit.Counted(n, "server") + " without a saved snapshot"
	}
	return fmt.Sprintf("%s: %s", kit.Join(", ", "mcpctl "+command, r.Shard.String()),
		cmp.Or(kit.Join(", ", r.Summary.Words(), without), none))
}
