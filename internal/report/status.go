package report

import (
	"cmp"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/printable"
	"github.com/mcpctl/mcpctl/internal/seen"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// loginStyles are the colours of the states of a login; others are dim.
var loginStyles = map[seen.LoginState]style{
	seen.LoggedIn: green, seen.Itself: green, seen.Expired: red, seen.Revoked: red}

const minute = "2006-01-02 15:04Z"

// table writes a row for each server at a URL, and then why the login of some is unknown.
func (b *Logins) table(p *page, r *reported) {
	if len(b.Servers) == 0 {
		p.line(0, span{b.Nothing, plain})
		return
	}
	p.grid(0, []column{{title: "NAME", name: true, least: 8}, {title: "LOGIN", least: 8},
		{title: "TOKEN ENDS", least: 10, drop: 2},
		{title: "SCOPES", least: 8, drop: 3}, {title: "STORE", least: 4, drop: 4},
		{title: "ISSUER", least: 12, drop: 1}}, kit.Map(b.Servers, func(s LoginServer) []span {
		l := s.Login
		if l == nil { // it could not be looked up
			return []span{{s.Name, bold}, {"unknown", red}, {}, {}, {}, {}}
		}
		ends, scopes := "", strings.Join(l.Scopes, " ")
		if !l.Expires.IsZero() {
			ends = l.Expires.UTC().Format(minute)
			if l.Renews {
				ends += ", renewed"
			}
		}
		if len(l.Wanted) > 0 {
			scopes += " (wanted: " + strings.Join(l.Wanted, " ") + ")"
		}
		return []span{{s.Name, bold}, {string(l.State), cmp.Or(loginStyles[l.State], dim)}, {ends, plain},
			{scopes, plain}, {l.Store, dim}, {l.Issuer, dim}}
	}))
	writeFailures(p, r.Servers)
}

// table writes what was saved.
func (b *Save) table(p *page, r *reported) { writeSaved(p, r, b.Servers) }

// writeSaved writes a row for each snapshot that was to be saved, then the servers that failed, and how many
// were created, updated, unchanged and skipped.
func writeSaved(p *page, r *reported, all []SaveServer) {
	saved := kit.Filter(all, func(s SaveServer) bool { return s.Saved != nil })
	styles := map[seen.Action]style{seen.Created: green, seen.Updated: yellow,
		seen.Unchanged: dim, seen.Skipped: red}
	p.grid(0, []column{{title: "NAME", name: true, least: 8}, {title: "SNAPSHOT", least: 9},
		{title: "CHANGES", least: 8, drop: 1}, {title: "FILE", least: 16, drop: 2}},
		kit.Map(saved, func(server SaveServer) []span {
			s := server.Saved
			return []span{{server.Name, bold}, {string(s.Action), styles[s.Action]}, {s.Changes(), plain},
				{kit.Join(": ", s.File, firstLine(s.Reason)), plain}}
		}))
	of := kit.Map(saved, func(s SaveServer) string { return string(s.Saved.Action) })
	writeFailures(p, r.Servers)
	p.gap()
	done := kit.Tally(of, string(seen.Created), string(seen.Updated), string(seen.Unchanged),
		string(seen.Skipped))
	p.text(0, 0, span{cmp.Or(done, "nothing to save"), plain})
}

// table writes the findings that were accepted, then what became of the files.
func (b *Accept) table(p *page, r *reported) {
	v := r.view(p.Options)
	for _, s := range r.Servers {
		if found := v.found[s.Name]; len(found) > 0 {
			p.gap()
			writeCompared(p, s)
			writeGroups(p, v, v.documentGroups(p.groups(finding.Groups(found))))
		}
	}
	p.gap()
	writeSaved(p, r, kit.Map(b.Servers,
		func(s AcceptServer) SaveServer { return SaveServer{s.Server, s.Saved} }))
}

// releases writes a row for each release of a package with what changed since the one before, or for
// each configured package with what its newest version changes.
func (b *Diff) releases(p *page, r *reported) {
	name, note, details := "SERVER", "PROBLEM", ""
	if b.History {
		name, note = "RELEASE", "MOST IMPORTANT"
		details = "each release is compared with the one before it; --verbose shows every change"
	}
	servers, changes := r.roster(), r.Summary.Breaking+r.Summary.Warning+r.Summary.Info > 0
	var rows [][]span
	for i, s := range r.Servers {
		found := servers.found[s.Name]
		row := []span{{s.Name, bold}, {}, {}, {}}
		if s.State != seen.Failed { // else its error names the release
			row[1].text, row[2].text = versionOf(s.Base), versionOf(s.Source)
		}
		tokens, says, look := tokensOf(s.Tokens, ""), problem(s), plain
		if b.History {
			row = []span{{s.Name, bold}, {}, {}, countCell(s, snapshot.Tools)}
			if rows := summaryRows(p.groups(finding.Groups(found))); len(rows) > 0 {
				says = string(rows[0].Text)
			}
		} else if s.Base == s.Source && s.State == seen.OK {
			tokens = "up to date"
		} else if s.Tokens != nil && s.BaseTokens != nil {
			tokens = estimate(*s.BaseTokens) + " → " + tokens
		}
		if details == "" && len(found) > 0 {
			one := p.Run
			one.Sources, one.Command = printable.ShellWord(s.Name), ""
			details = "Details: " + one.With("diff --upgrade")
		}
		levels := make([]span, 3)
		if s.State != seen.OK { // in a column that no width drops
			tokens, look = s.Word(), stateStyle(s.State)
		}
		if s.State != seen.Failed && (i > 0 || !b.History) {
			sum := seen.Summarize(found, nil)
			levels[0], levels[1] = numberCell(sum.Breaking, red), numberCell(sum.Warning, yellow)
			if b.History {
				levels[2] = numberCell(sum.Info, cyan)
			}
		}
		rows = append(rows, append(append(row, levels...), span{tokens, look}, span{says, plain}))
	}
	p.grid(0, []column{
		{title: name, name: true}, {title: "FROM", name: true}, {title: "TO", name: true},
		{title: "TOOLS", right: true, drop: 2}, {title: "BREAKING", right: true},
		{title: "WARNING", right: true}, {title: "INFO", right: true, drop: 3},
		{title: "TOKENS", right: b.History}, {title: note, least: 20, drop: 1}}, rows)
	writeFailures(p, r.Servers)
	if changes {
		p.below(span{details, dim})
	}
	writeMeaning(p, r, b.History)
}

// numberCell returns a number, a dash for zero.
func numberCell(n int, look style) span {
	if n == 0 {
		return span{"–", dim}
	}
	return span{strconv.Itoa(n), look}
}

// table writes a row per family and a row per rule, or everything about a single one.
func (b *Rules) table(p *page, _ *reported) {
	if len(b.Rules) == 1 {
		writeRule(p, b.Rules[0])
		return
	}
	writeFamilies(p, b.Rules)
	rows := kit.Map(b.Rules, func(rule finding.Rule) []span {
		return []span{{rule.ID, bold}, levelSpan(rule.Level.String()), {rule.Title, plain}}
	})
	p.grid(0, []column{{title: "RULE", name: true, least: 16}, {title: "LEVEL", least: 8},
		{title: "TITLE", least: 8}}, rows)
}

// writeFamilies writes how many rules begin with the same word, where at least three do.
func writeFamilies(p *page, rules []finding.Rule) {
	var rows [][]span
	for _, family := range kit.Group(rules, familyOf) {
		if len(family) < 3 {
			continue
		}
		row := []span{{familyOf(family[0]) + "-*", bold}, {strconv.Itoa(len(family)), plain}}
		for _, level := range []finding.Level{finding.Breaking, finding.Warning, finding.Info, finding.Off} {
			of := kit.Filter(family, func(rule finding.Rule) bool { return rule.Level == level })
			row = append(row, span{strconv.Itoa(len(of)), levelSpan(level.String()).style})
		}
		rows = append(rows, row)
	}
	p.grid(0, []column{{title: "FAMILY", name: true, least: 8}, {title: "RULES", right: true},
		{title: "BREAKING", right: true}, {title: "WARNING", right: true},
		{title: "INFO", right: true}, {title: "OFF", right: true}}, rows)
	p.gap()
}

// familyOf returns the first word of a rule's id.
func familyOf(rule finding.Rule) string {
	word, _, _ := strings.Cut(rule.ID, "-")
	return word
}

// writeRule writes everything about a rule: its level, title, explanation, an example and what to do instead.
func writeRule(p *page, rule finding.Rule) {
	p.line(0, span{rule.ID, bold}, span{"  ", plain}, levelSpan(rule.Level.String()))
	p.paragraph(2, rule.Title, plain)
	p.gap()
	p.paragraph(2, rule.Doc, plain)
	for _, part := range [][2]string{{"example  ", rule.Example}, {"fix  ", rule.Instead}} {
		if part[1] != "" {
			p.gap()
			p.text(2, 2, span{part[0], dim}, span{part[1], plain})
		}
	}
}

// stderrShown is how many lines of a server's stderr are shown.
const stderrShown = 12

// until returns the last day on which something holds, in words; nothing when it holds for ever.
func until(day finding.Day) string {
	if day == "" {
		return ""
	}
	return " until " + string(day)
}

// frame is a line of a stack that only leads through Node itself.
var frame = kit.Pattern(`^\s+at .*\bnode:internal/`)

// writeStderr writes what a server wrote to stderr, but one line: all of it, or the last lines without frames
// of Node.
func writeStderr(p *page, indent int, text, without string) {
	all := slices.DeleteFunc(kit.Lines(text), func(l string) bool {
		return !p.Verbose && (strings.TrimSpace(l) == without || frame().MatchString(l))
	})
	if more := len(all) - stderrShown; more > 1 && !p.Verbose {
		p.text(indent, 2, span{"… " + kit.Counted(more, "earlier line"), dim})
		all = all[more:]
	}
	for _, l := range all {
		p.text(indent, 2, span{l, dim})
	}
}

// Block is a part of what a request returned, for people.
type Block struct {
	Role    string // who says it, in a prompt; empty = no one in particular
	Label   string // stands before the text, or for what is not a text
	Failure bool   // the label says that it failed
	Text    string // shown line by line
}

// WriteBlocks writes what a request returned.
func WriteBlocks(w io.Writer, blocks []Block, o Options) {
	p := &page{Options: o}
	role, indent := "", 0
	for _, b := range blocks {
		if b.Role != role {
			role, indent = b.Role, 2*count(b.Role != "")
			p.gap()
			p.line(0, span{role, bold})
		}
		look := dim
		if b.Failure {
			look = red
		}
		if b.Label != "" {
			p.text(indent, 0, span{b.Label, look})
		}
		if b.Text == "" && b.Label != "" {
			continue
		}
		for line := range strings.SplitSeq(b.Text, "\n") {
			says := span{strings.ReplaceAll(strings.TrimRight(line, "\r"), "\t", "    "), plain}
			if strings.TrimSpace(says.text) == "" {
				p.line(indent, says)
			} else {
				p.print(wrapped(indent, says))
			}
		}
	}
	_, _ = io.WriteString(printable.Guard(w, printable.SpelledOut), p.String())
}

// wrapped returns a line that wraps at words, below its first word.
func wrapped(indent int, s span) line {
	return line{indent: indent, hang: bullet(s.text), spans: []span{s}}
}

// WriteFiles writes a line for each file: its path, and what it holds, which wraps on a terminal.
func WriteFiles(w io.Writer, files [][2]string) {
	p := &page{Options: Options{Width: host.Width(w)}}
	p.grid(0, []column{{name: true}, {hang: 2, least: 10}}, kit.Map(files, func(f [2]string) []span {
		return []span{{f[0], plain}, {f[1], plain}}
	}))
	_, _ = io.WriteString(printable.Guard(w, printable.SpelledOut), p.String())
}
