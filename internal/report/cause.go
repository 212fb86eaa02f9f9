package report

import (
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
	servers roster
	check   bool // values are those of the only side, not of a change
	bare    bool // changes are marked by their style alone, for formats with marks of their own
}

// folds reports whether long texts and lists are shown in part.
func (v view) folds() bool { return v.Options.folds() && !v.bare }

// cause is what is shown together: the findings of one cause, wherever they are, or all about one item.
type cause struct {
	item   string // set when it is about one item
	server string // its server
	groups []finding.Group
}

// first returns the worst finding of a cause.
func (c cause) first() finding.Finding { return c.groups[0].Members[0] }

// wanted returns the findings that are shown: waived ones only on request.
func (o Options) wanted(all []finding.Finding) []finding.Finding {
	return kit.Filter(all, func(f finding.Finding) bool { return o.Waived || f.Waiver == nil })
}

// causes returns what is shown: removed items first, then the worst.
func (o Options) causes(groups []finding.Group) []cause {
	var all []cause
	byItem := map[[2]string]int{} // index in all, by server and item
	for _, g := range groups {
		if g.Members = o.wanted(g.Members); len(g.Members) == 0 {
			continue
		}
		f := g.Members[0]
		if len(g.Items) > 1 || len(g.Servers) > 1 || f.Item == "" || isPolicy(f.Item) {
			all = append(all, cause{groups: []finding.Group{g}})
			continue
		}
		key := [2]string{f.Server, f.Item}
		i, known := byItem[key]
		if !known {
			i, byItem[key] = len(all), len(all)
			all = append(all, cause{item: f.Item, server: f.Server})
		}
		all[i].groups = append(all[i].groups, g)
	}
	removes := func(c cause) bool {
		f := c.first()
		return rank(f) == 0 && isWholeItem(f) && f.New == nil
	}
	slices.SortStableFunc(all, func(a, b cause) int { return count(removes(b)) - count(removes(a)) })
	return all
}

// title returns what happened, and where, in one line of a summary: the worst of an item, and how much more
// there is.
func (c cause) title() string {
	g, breaks := c.groups[0], 0
	if c.item == "" || len(c.groups) == 1 && isWholeItem(c.first()) {
		return g.Title
	}
	for _, more := range c.groups[1:] {
		breaks += count(rank(more.Members[0]) == 0)
	}
	title := nameOf(c.first()) + ": " + lowerFirst(g.Says())
	switch others := len(c.groups) - 1 - breaks; {
	case breaks > 0:
		title += ", " + quantity(breaks, "more break")
	case others > 0 && rank(c.first()) != 0:
		title += ", " + quantity(others, "more finding")
	}
	return title
}

// lowerFirst returns a sentence as it stands behind a colon: "the description changed".
func lowerFirst(s string) string {
	if rest, article := strings.CutPrefix(s, "The "); article {
		return "the " + rest
	}
	return s
}

// A summary is written from summaryFrom causes on; beside breaks it has at most summaryRows of them.
const summaryFrom, summaryRows = 3, 8

// writeSummary writes what happened in few lines: how much, who is affected, and each break by its item.
func writeSummary(p *page, r *Report, causes []cause) {
	if len(causes) < summaryFrom {
		return
	}
	p.text(0, 2, r.Summary.totals(p.Waived)...)
	if affected := affected(r.Findings); len(affected) > 0 {
		p.text(0, 2, span{"affects callers of ", plain}, span{someOf(affected, 3), bold})
	}
	p.gap()
	var rows [][]span
	for i, c := range causes {
		left := len(causes) - i
		if i >= summaryRows && left > 1 && rank(c.first()) > 0 {
			break
		}
		level := levelOf(c.groups[0])
		if c.groups[0].Waived {
			level.text = "waived"
		}
		rows = append(rows, []span{level, {c.title(), plain}})
	}
	p.grid(2, make([]column, 2), rows)
	if left := len(causes) - len(rows); left > 0 {
		p.text(2, 0, span{fmt.Sprintf("… and %d more, below", left), dim})
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

// writeCauses writes each cause with its findings. Short good news follow each other without a gap.
func writeCauses(p *page, v view, causes []cause) {
	wasBrief := false
	for _, c := range causes {
		all := v.causeLines(c)
		brief := len(all) < 2 && c.first().Level == finding.Info
		if !brief || !wasBrief {
			p.gap()
		}
		p.print(all...)
		wasBrief = brief
	}
}

// causeLines returns a cause with its findings: one heading for an item, or one for what happened in many
// places.
func (v view) causeLines(c cause) []line {
	g := c.groups[0]
	if len(c.groups) == 1 {
		title := g.Title
		if len(g.Items) > 1 && !slices.ContainsFunc(g.Members,
			func(f finding.Finding) bool { return f.Pointer() != "" }) {
			title = g.Cause // the items are named below
		}
		return v.groupLines(g, title, title)
	}
	all := lineOf(levelOf(g), span{"  " + itemTitle(c.item), bold}, span{v.of(c.server), dim})
	all = append(all, indented(2, v.signature(g.Members[0]))...)
	groups := c.groups
	if !v.Verbose {
		groups = c.once()
	}
	for _, g := range groups {
		all = append(all, indented(2, v.groupLines(g, c.item, g.Says()))...)
	}
	return all
}

// once returns the groups of a cause with every value in one place: a finding about a part of a changed text
// leaves it to the change, and so does a second finding about the same list or with the same witness. Groups
// of several findings keep theirs.
func (c cause) once() []finding.Group {
	changed, shown := map[string]bool{}, map[string]bool{"": true}
	for _, g := range c.groups {
		changed[g.Members[0].Pointer()] = changed[g.Members[0].Pointer()] || g.Members[0].Old != nil
	}
	groups := slices.Clone(c.groups)
	for i := range groups {
		f := groups[i].Members[0]
		values, witness := f.Pointer()+string(f.Old)+string(f.New), string(f.Witness)
		if strings.HasPrefix(f.Rule, "text-") && changed[f.Pointer()] || shown[values] {
			f.Old, f.New, f.Passage = nil, nil, ""
		}
		if shown[witness] {
			f.Witness = nil
		}
		if len(groups[i].Members) == 1 {
			groups[i].Members = []finding.Finding{f}
		}
		shown[values], shown[witness] = true, true
	}
	return groups
}

// of names a server where there are several.
func (v view) of(server string) string {
	if len(v.servers.all) < 2 || server == "" {
		return ""
	}
	return " (" + server + ")"
}

// headed are the columns of the heading of a group: its level, what happened, its rules, and its fingerprint.
var headed = []column{{}, {fill: true, name: true}, {drop: 1, name: true}, {name: true}}

// groupLines returns one group: what happened, where unless that is named, the values, a witness, and what to
// do.
func (v view) groupLines(g finding.Group, named, title string) []line {
	note := ""
	if len(g.Servers) == 1 && named == title {
		note = v.of(g.Servers[0])
	}
	if slices.ContainsFunc(g.Members, func(f finding.Finding) bool { return f.Verdict == finding.Unproven }) {
		note += " (" + string(finding.Unproven) + ")"
	}
	all := []line{{columns: headed, cells: [][]span{{levelOf(g)}, {{title, bold}, {note, dim}},
		{{rulesOf(v, g), dim}}, {{g.Fingerprint, dim}}}}}
	if v.Verbose && len(g.Members) > 1 {
		for _, f := range g.Members {
			all = append(all, line{indent: 2, hang: 2,
				spans: []span{{itemTitle(f.Item), bold}, {v.of(f.Server) + "  " + f.Fingerprint(), dim}}})
			all = append(all, indented(4, v.body(f))...)
		}
		return all
	}
	body := v.changes(g, named)
	if i := slices.IndexFunc(g.Members, hasWitness); i >= 0 {
		body = append(body, v.witness(g.Members[i])...)
	}
	body = append(body, groupCalls(g)...)
	for _, hint := range hintsOf(g) {
		body = append(body, advice("hint: ", hint)...)
	}
	for _, waiver := range each(g, waiverOf) {
		body = append(body, line{hang: 2, spans: []span{{waiver, yellow}}})
	}
	return append(all, indented(2, body)...)
}

func hasWitness(f finding.Finding) bool { return f.Witness != nil }

func levelOf(g finding.Group) span {
	if g.Waived {
		return span{g.Level.String(), dim}
	}
	return levelSpan(g.Level)
}

// hintsOf returns the hints of a group: of one cause the first, of items that came or went each its own.
func hintsOf(g finding.Group) []string {
	first := g.Members[0]
	switch {
	case len(each(g, ruleOf)) > 1: // what came and what went, which the title says
		return nil
	case first.Hint != "" && (first.Item == "" || first.Pointer() != ""):
		return []string{first.Hint}
	}
	return each(g, func(f finding.Finding) string { return f.Hint })
}

// Limits of a folded page: changes and calls of one cause, and names in one line.
const (
	mostChanges = 4
	mostNames   = 8
)

// changes returns what differs: the items that are called in another way, then each change once, with its
// places unless they are named already.
func (v view) changes(g finding.Group, named string) []line {
	called := map[string]bool{}
	var calls, changes [][]line
	for _, f := range g.Members {
		if name := nameOf(f); len(g.Items) > 1 && g.Level > finding.Info && !called[name] &&
			callRules().MatchString(f.Rule) {
			if call := v.signature(f); call != nil {
				called[name], calls = true, append(calls, call)
			}
		}
	}
	members, evident := g.Members, map[string]bool{}
	for _, f := range members {
		evident[nameOf(f)] = evident[nameOf(f)] || len(v.shows(g, f)) > 0
	}
	if len(g.Servers) == 1 { // an item with evidence needs no line that only names it
		members = kit.Filter(members, func(f finding.Finding) bool {
			return !evident[nameOf(f)] || len(v.shows(g, f)) > 0
		})
	}
	for _, same := range kit.Group(members, func(f finding.Finding) string { return v.changeKey(g, f) }) {
		if change := v.change(g, same, named, called); len(change) > 0 {
			changes = append(changes, change)
		}
	}
	return append(v.limited(calls), v.limited(changes)...)
}

// limited joins changes; a folded page has the first and those with concealed texts, and counts the others.
func (v view) limited(changes [][]line) (all []line) {
	hidden := 0
	for i, change := range changes {
		if v.folds() && i >= mostChanges && len(changes) > mostChanges+1 &&
			!slices.ContainsFunc(change, concealing) {
			hidden++
			continue
		}
		all = append(all, change...)
	}
	if hidden > 0 {
		all = append(all, lineOf(span{fmt.Sprintf("… %d more: --verbose", hidden), dim})...)
	}
	return all
}

// concealing reports whether a line has text that is marked as concealed.
func concealing(l line) bool {
	return slices.ContainsFunc(l.spans, func(s span) bool { return strings.Contains(s.text, wording.Sign) })
}

// changeKey returns a key that findings share if they show the same. Texts do if the same words changed.
func (v view) changeKey(g finding.Group, f finding.Finding) string {
	switch {
	case isText(f):
		key := path.Base(f.Pointer())
		for _, e := range wording.Compare(display(f.Old, f.New)) {
			if e.Op != wording.Kept {
				key += fmt.Sprintf("%d%s\x00", e.Op, e.Text)
			}
		}
		return key
	case isWholeItem(f):
		return f.Item
	}
	return fmt.Sprint(v.shows(g, f))
}

// shows returns the lines that show a finding: its values, else its sentence where that says more than its
// group.
func (v view) shows(g finding.Group, f finding.Finding) []line {
	says := strings.TrimSuffix(f.Message, ".")
	if shown := v.evidence(f); shown != nil || isSchema(f) || f.Item == "" || len(g.Members) == 1 ||
		says == g.Cause {
		return shown
	}
	return lineOf(span{says, plain})
}

// change returns one change of a group and the places of the findings that have it, on its first line if
// there is one: names of items, and servers if there are several.
func (v view) change(g finding.Group, same []finding.Finding, named string, called map[string]bool) []line {
	var names []string
	everywhere := len(kit.Distinct(kit.Map(same, nameOf))) == len(g.Items)
	for _, f := range same {
		name := nameOf(f)
		switch {
		case isWholeItem(f): // the change names it
		case isText(f) && f.Path != "" && len(g.Members) > 1:
			names = append(names, f.Place())
		case !strings.Contains(named, name) && !(everywhere && called[name]):
			names = append(names, name)
		}
	}
	names, shown := kit.Distinct(names), v.shows(g, same[0])
	servers := kit.Distinct(kit.Map(same, func(f finding.Finding) string { return f.Server }))
	if len(g.Servers) < 2 && len(shown) > 0 && len(names) > 0 {
		shown[0].spans = append([]span{{someOf(names, 1) + "  ", dim}}, shown[0].spans...)
		return shown
	}
	most := len(names) + len(servers)
	if v.folds() || v.bare {
		most = mostNames
	}
	where := []span{{someOf(names, most), plain}}
	if len(g.Servers) > 1 {
		of := join(" ", strings.Repeat(" ", count(len(names) > 0)), "of "+someOf(servers, most))
		where = append(where, span{strings.TrimPrefix(of, " "), dim})
	}
	return append(lineOf(where...), shown...)
}

// callRules are those of arguments that come, go or become optional or required.
var callRules = kit.Pattern(`^(input-[a-z-]*property|prompt-[a-z-]*argument)-(added|removed|renamed|became)`)

// signature returns how an item was and is called; without the arguments that stayed, where it takes more
// than a line.
func (v view) signature(f finding.Finding) []line {
	for _, s := range v.servers.named(f.Server).Changed {
		if s.Item != f.Item {
			continue
		}
		if v.folds() && width(printable.Visible(s.Old+" → "+s.New)) > v.Width-2 {
			s = s.Short()
		}
		return lineOf(span{s.Old, red}, span{" → ", dim}, span{s.New, green})
	}
	return nil
}

// body returns all that a finding says: its message, what changed, and what can be done.
func (v view) body(f finding.Finding) []line {
	all := kit.Map(lines(f.Message), func(l string) line {
		return line{hang: bullet(l), spans: []span{{l, plain}}}
	})
	return slices.Concat(all, v.evidence(f), v.witness(f), callLines(f), advice("hint: ", f.Hint),
		lineOf(span{waiverOf(f), yellow}))
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
	if f.Rule == finding.ResultRule {
		return replayedLines(f)
	}
	all := lineOf(span{f.Calls.String(), yellow})
	if f.Calls.Example != nil {
		all = append(all, indented(2, lineOf(span{"such as ", dim},
			span{short(printable.Spaced(f.Calls.Example)), plain}))...)
	}
	return all
}

// groupCalls returns the recorded calls that the findings of a group affect: those of one finding, or what
// each finding of a group says, with its item.
func groupCalls(g finding.Group) []line {
	members := kit.Filter(g.Members, func(f finding.Finding) bool { return f.Calls != nil })
	var all []line
	for _, alike := range kit.Group(members, func(f finding.Finding) string { return f.Calls.String() }) {
		says := callLines(alike[0])
		if len(members) > len(alike) && len(says) > 0 {
			says[0].spans = append([]span{{someOf(kit.Distinct(kit.Map(alike, nameOf)), 2) + ": ", plain}},
				says[0].spans...)
		}
		all = append(all, says...)
	}
	return all
}

// each returns the texts that the members of a group have, once each.
func each(g finding.Group, text func(finding.Finding) string) []string {
	return kit.Distinct(kit.Filter(kit.Map(g.Members, text), func(text string) bool { return text != "" }))
}

func ruleOf(f finding.Finding) string { return f.Rule }
func nameOf(f finding.Finding) string { _, name, _ := strings.Cut(f.Item, "/"); return name }

// rulesOf returns the rules of a group, on a folded page that of the worst finding.
func rulesOf(v view, g finding.Group) string {
	all := each(g, ruleOf)
	if v.folds() {
		all = all[:min(1, len(all))]
	}
	return strings.Join(all, ", ")
}

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
