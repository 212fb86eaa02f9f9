package report

import (
	"crypto/sha256"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/printable"
	"github.com/mcpctl/mcpctl/internal/wording"
	"github.com/mcpctl/mcpctl/pkg/finding"
)

// view is what the lines of findings depend on besides the findings.
type view struct {
	Options
	roster
	check bool // values are those of the only side, not of a change
	takes bool // accept may take the findings
	page  bool // for a page of a terminal, whose tables are not in the document
	bare  bool // changes are marked by their style alone, for formats with marks of their own
	short bool // a line has the first names only, for formats with a bound or folds
}

// view returns what the lines of the findings of r depend on.
func (r *reported) view(o Options) view {
	_, check := r.Body.(*Check)
	_, takes := r.Body.(*Diff)
	return view{Options: o, roster: r.roster(), check: check, takes: takes}
}

// wanted returns the findings that are shown: waived ones only on request.
func (o Options) wanted(all []finding.Finding) []finding.Finding {
	return kit.Filter(all, func(f finding.Finding) bool { return o.Waived || f.Waiver == nil })
}

// groups returns the groups that are shown: removed items first, then the worst.
func (o Options) groups(all []finding.Group) []finding.Group {
	var shown []finding.Group
	for _, g := range all {
		if g.Members = o.wanted(g.Members); len(g.Members) > 0 {
			shown = append(shown, g)
		}
	}
	removes := func(g finding.Group) int {
		f := g.Members[0]
		return count(rank(f) == 0 && isWholeItem(f) && f.New == nil)
	}
	slices.SortStableFunc(shown, func(a, b finding.Group) int { return removes(b) - removes(a) })
	return shown
}

// summaryRow is a line of a summary: the worst group of an item with the number of further breaks, or a group
// that concerns several items.
type summaryRow struct {
	Level  string
	Text   text // what happened, and where
	breaks int
}

// summaryRows returns the rows of a summary, in the order of the groups.
func summaryRows(groups []finding.Group) []summaryRow {
	var rows []summaryRow
	known := map[[2]string]int{} // index in rows, by server and item
	for _, g := range groups {
		f := g.Members[0]
		row := summaryRow{Level: levelWord(f), Text: text(g.Title)}
		if len(g.Items) == 1 && len(g.Servers) == 1 && !isPolicy(f.Item) && !isWholeItem(f) {
			key := [2]string{f.Server, f.Item}
			if i, seen := known[key]; seen {
				rows[i].breaks += count(rank(f) == 0)
				continue
			}
			known[key] = len(rows)
			row.Text = text(nameOf(f) + ": " + lowerFirst(g.Says()))
		}
		rows = append(rows, row)
	}
	for i, row := range rows {
		if row.breaks > 0 {
			rows[i].Text += text(", " + kit.Counted(row.breaks, "more break"))
		}
	}
	return rows
}

// lowerFirst returns a sentence as it stands behind a colon: "the description changed".
func lowerFirst(s string) string {
	if rest, article := strings.CutPrefix(s, "The "); article {
		return "the " + rest
	}
	return s
}

// A summary is written from summaryFrom rows on; beside breaks it has at most mostRows of them.
const summaryFrom, mostRows = 3, 8

// shownRows returns the rows that a summary shows: the first ones, and every break.
func shownRows(rows []summaryRow) []summaryRow {
	if len(rows) <= mostRows+1 {
		return rows
	}
	breaks := kit.Filter(rows[mostRows:], func(row summaryRow) bool { return row.Level == "breaking" })
	return slices.Concat(rows[:mostRows], breaks)
}

// writeSummary writes what happened in few lines: how much, who is affected, and each break by its item.
func writeSummary(p *page, r *reported, d document) {
	if len(d.Summary) == 0 {
		return
	}
	p.text(0, 2, p.totals(r.Summary)...)
	if len(d.Callers) > 0 {
		p.text(0, 2, span{"affects callers of ", plain}, span{someOf(d.Callers, 3), bold})
	}
	p.gap()
	p.grid(2, make([]column, 2), kit.Map(d.Summary, func(row summaryRow) []span {
		return []span{levelSpan(row.Level), {string(row.Text), plain}}
	}))
	if d.More > 0 {
		p.text(2, 0, span{fmt.Sprintf("… and %d more, below", d.More), dim})
	}
}

// affected returns the items with a breaking finding that nothing waives, in order.
func affected(findings []finding.Finding) []string {
	found := kit.Filter(findings, func(f finding.Finding) bool {
		return rank(f) == 0 && f.Item != "" && !isPolicy(f.Item)
	})
	return kit.Distinct(kit.Map(found, nameOf))
}

// someOf returns the first of some names, and how many there are besides.
func someOf(names []string, most int) string {
	if len(names) <= most+1 {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

// writeGroups writes each group with its findings. Short good news follow each other without a gap.
func writeGroups(p *page, v view, groups []documentGroup) {
	wasBrief := false
	for _, g := range groups {
		all := v.groupLines(g)
		brief := len(all) < 2 && g.group.Level == finding.Info
		if !brief || !wasBrief {
			p.gap()
		}
		p.print(all...)
		wasBrief = brief
	}
}

// of names a server where there are several.
func (v view) of(server string) string {
	if len(v.all) < 2 || server == "" {
		return ""
	}
	return " (" + server + ")"
}

// headed are the columns of the heading of a group: its level, what happened, its rules, and its fingerprint.
var headed = []column{{}, {fill: true, name: true}, {drop: 1, name: true}, {name: true}}

// groupLines returns one group: what happened, where, the values, a witness, and what to do.
func (v view) groupLines(d documentGroup) []line {
	g, note := d.group, ""
	if len(g.Servers) == 1 {
		note = v.of(g.Servers[0])
	}
	if slices.ContainsFunc(g.Members, func(f finding.Finding) bool { return f.Verdict == finding.Unproven }) {
		note += " (" + string(finding.Unproven) + ")"
	}
	rules := kit.Map(d.Rules, func(rule text) string { return string(rule) })
	if v.folds() {
		rules = rules[:min(1, len(rules))]
	}
	level := levelSpan(d.Level)
	level.text = g.Level.String() // also of waived findings
	all := []line{{columns: headed, cells: [][]span{{level}, {{g.Title, bold}, {note, dim}},
		{{strings.Join(rules, ", "), dim}}, {{g.Fingerprint, dim}}}}}
	if v.Verbose && len(g.Members) > 1 {
		for _, f := range g.Members {
			all = append(all, line{indent: 2, hang: 2,
				spans: []span{{itemTitle(f.Item), bold}, {v.of(f.Server) + "  " + f.Fingerprint(), dim}}})
			all = append(all, indented(4, v.body(f))...)
		}
		return all
	}
	body := d.Lines
	for _, hint := range d.Hints {
		body = append(body, advice("hint: ", string(hint))...)
	}
	for _, waiver := range d.Waivers {
		body = append(body, line{hang: 2, spans: []span{{string(waiver), yellow}}})
	}
	return append(all, indented(2, body)...)
}

// hintsOf returns the hints of a group; none of a rename, which its title has.
func hintsOf(g finding.Group) []string {
	if len(each(g.Members, ruleOf)) > 1 {
		return nil
	}
	return each(g.Members, hintOf)
}

// Limits of a folded page: changes of one group, and names in one line.
const (
	mostChanges = 4
	mostNames   = 8
)

// shown returns the lines that show a group: the calls that changed, each change once with its places, and a
// witness. A folded page has the first changes and those with concealed texts.
func (v view) shown(g finding.Group) []line {
	var blocks [][]line
	called := map[string]bool{}
	for _, f := range g.Members {
		if call := v.signature(g, f); call != nil && !called[f.Server+f.Item] {
			called[f.Server+f.Item] = true
			blocks = append(blocks, call)
		}
	}
	changes := groupByLines(g.Members, func(f finding.Finding) []line { return v.change(g, f) })
	for _, c := range changes {
		same, lines := c.same, c.lines
		if len(lines) == 0 { // the calls show it
			same = kit.Filter(same, func(f finding.Finding) bool { return !called[f.Server+f.Item] })
		}
		if block := v.placed(g, same, lines); len(block) > 0 {
			blocks = append(blocks, block)
		}
	}
	var all []line
	hidden, fold := 0, v.folds() && len(blocks) > mostChanges+1
	for i, block := range blocks {
		if fold && i >= mostChanges && !slices.ContainsFunc(block, concealing) {
			hidden++
			continue
		}
		all = append(all, block...)
	}
	if hidden > 0 {
		all = append(all, lineOf(span{fmt.Sprintf("… %d more: --verbose", hidden), dim})...)
	}
	for _, f := range g.Members {
		if f.Witness != nil {
			return append(all, v.witness(f)...)
		}
	}
	return all
}

// alike are findings that the same lines show.
type alike struct {
	lines []line
	same  []finding.Finding
}

// groupByLines groups findings that the same lines show. The lines of each are made once: it may take long.
func groupByLines(all []finding.Finding, linesOf func(f finding.Finding) []line) (groups []alike) {
	index := map[[sha256.Size]byte]int{} // in groups
	for _, f := range all {
		lines := linesOf(f)
		sum := sha256.Sum256(fmt.Append(nil, lines))
		i, known := index[sum]
		if !known {
			i, index[sum], groups = len(groups), len(groups), append(groups, alike{lines: lines})
		}
		groups[i].same = append(groups[i].same, f)
	}
	return groups
}

// concealing reports whether a line has text that is marked as concealed.
func concealing(l line) bool {
	return slices.ContainsFunc(l.spans, func(s span) bool { return strings.Contains(s.text, wording.Sign) })
}

// change returns the evidence of a finding, else its sentence where that says more than its group and the
// call that is shown.
func (v view) change(g finding.Group, f finding.Finding) []line {
	says := strings.TrimSuffix(f.Message, ".")
	if shown := v.evidence(f); shown != nil || f.Item == "" || len(g.Members) == 1 || says == g.Cause ||
		v.signature(g, f) != nil {
		return append(shown, offLines(f)...)
	}
	return append(lineOf(span{says, plain}), offLines(f)...)
}

// placed returns the lines of findings that show the same, with their places before the first: names of items
// and arguments, and servers if there are several. What the title or the lines name is left out.
func (v view) placed(g finding.Group, same []finding.Finding, lines []line) []line {
	var names, servers []string
	for _, f := range same {
		servers = append(servers, f.Server)
		name := nameOf(f)
		if isReadText(f) && len(g.Members) > 1 {
			name = f.Place()
		}
		if !isWholeItem(f) && (len(g.Items) > 1 || name != nameOf(f)) {
			names = append(names, name)
		}
	}
	names, servers = kit.Distinct(names), kit.Distinct(servers)
	most := len(same)
	if v.folds() || v.short {
		most = mostNames
	}
	switch {
	case len(same) == 0:
		return nil
	case len(g.Servers) > 1:
		where := someOf(names, most) + " of " + someOf(servers, most)
		return append(lineOf(span{strings.TrimPrefix(where, " "), dim}), lines...)
	case len(lines) == 0:
		return lineOf(span{someOf(names, most), plain})
	case len(names) > 0:
		lines[0].spans = append([]span{{someOf(names, 1) + "  ", dim}}, lines[0].spans...)
	}
	return lines
}

// longestCalls bounds the calls that are shown at each finding of their item.
const longestCalls = 4000

// signature returns how the item of a finding was and is called, if an argument changed that the finding is
// about; without the other arguments, where it takes more than a line. Good news needs no call, and one of
// hundreds of arguments helps no reader.
func (v view) signature(g finding.Group, f finding.Finding) []line {
	for _, s := range v.named(f.Server).Changed {
		if g.Level == finding.Info || s.Item != f.Item || f.Member != "" ||
			len(s.Old)+len(s.New) > longestCalls || !concerns(s, path.Base(f.Path)) {
			continue
		}
		if v.folds() && width(printable.Visible(s.Old+" → "+s.New)) > v.Width-2 {
			s.Old, s.New = omitShared(s.Old, s.New), omitShared(s.New, s.Old)
		}
		return lineOf(span{s.Old, red}, span{" → ", dim}, span{s.New, green})
	}
	return nil
}

// body returns all that a finding says: its message, what changed, and what can be done.
func (v view) body(f finding.Finding) []line {
	return slices.Concat(paragraph(f.Message, plain), v.evidence(f), offLines(f), v.witness(f),
		advice("hint: ", f.Hint), lineOf(span{waiverOf(f), yellow}))
}

// witness returns a value that one side accepts and the other does not.
func (v view) witness(f finding.Finding) []line {
	if f.Witness == nil {
		return nil
	}
	says := "valid before, invalid now: "
	if strings.HasPrefix(f.Path, "/outputSchema") {
		says = "valid now, invalid before: "
	}
	return lineOf(span{says, plain}, span{short(printable.Spaced(f.Witness)), yellow})
}

// callLines returns the recorded calls that a finding affects, and one of them.
func callLines(f finding.Finding) []line {
	if f.Calls == nil {
		return nil
	}
	example := short(printable.Spaced(f.Calls.Example))
	if f.Rule == finding.ResultRule {
		says := "called with "
		if f.Calls.Total > 1 {
			says = fmt.Sprintf("in %d of %s, such as ", f.Calls.Failing, kit.Counted(f.Calls.Total, "call"))
		}
		return lineOf(span{says, dim}, span{example, plain})
	}
	all := lineOf(span{f.Calls.String(), yellow})
	if example != "" {
		all = append(all, indented(2, lineOf(span{"such as ", dim}, span{example, plain}))...)
	}
	return all
}

// each returns the texts that some findings have, once each.
func each(found []finding.Finding, text func(finding.Finding) string) []string {
	return kit.Distinct(kit.Filter(kit.Map(found, text), func(text string) bool { return text != "" }))
}

func hintOf(f finding.Finding) string { return f.Hint }
func ruleOf(f finding.Finding) string { return f.Rule }
func nameOf(f finding.Finding) string { return finding.Name(f.Item) }

// waiverOf returns what excuses a finding, in one line.
func waiverOf(f finding.Finding) string {
	w, by := f.Waiver, ""
	if w == nil {
		return ""
	}
	if w.Owner != "" {
		by = " by " + firstLine(w.Owner)
	}
	return "waived" + by + until(w.Expires) + ": " + firstLine(w.Reason)
}
