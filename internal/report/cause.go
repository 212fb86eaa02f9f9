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

// view is what the lines of findings depend on beside the findings.
type view struct {
	Options
	servers roster
	check   bool // values are those of the only side, and not of a change
	bare    bool // changes are marked by their style alone, for formats with marks of their own
}

// folds reports whether long texts and lists are shown in part.
func (v view) folds() bool { return v.Options.folds() && !v.bare }

// fleet reports whether there are so many servers that only the first causes are written.
func (v view) fleet() bool { return v.folds() && len(v.servers.all) > mostServers }

// cause is what is shown together: the findings of one cause, wherever they are, or all about one item.
type cause struct {
	item   string // set when it is about one item
	server string // its server
	groups []finding.Group
}

// causes are the findings that are shown: removed items first, then the worst.
func (o Options) causes(groups []finding.Group) []cause {
	var all []cause
	for _, g := range groups {
		if g.Members = o.wanted(g.Members); len(g.Members) == 0 {
			continue
		}
		one := cause{groups: []finding.Group{g}}
		if f := g.Members[0]; len(g.Items) == 1 && len(g.Servers) < 2 && f.Item != "" && !isPolicy(f.Item) {
			one.item, one.server = f.Item, f.Server
		}
		same := slices.IndexFunc(all, func(c cause) bool {
			return one.item != "" && c.item == one.item &&
				c.server == one.server
		})
		if same < 0 {
			all = append(all, one)
			continue
		}
		all[same].groups = append(all[same].groups, g)
	}
	slices.SortStableFunc(all, func(a, b cause) int { return count(b.removes()) - count(a.removes()) })
	return all
}

// removes reports whether callers break since an item is gone.
func (c cause) removes() bool {
	f := c.first()
	return rank(f) == 0 && isWholeItem(f) && f.New == nil
}

// first is the worst finding of a cause.
func (c cause) first() finding.Finding { return c.groups[0].Members[0] }

// title is what happened, and where, in one line of a summary: the worst of an item, and how much more there
// is.
func (c cause) title() string {
	g, breaks, others := c.groups[0], 0, 0
	if c.item == "" || len(c.groups) == 1 && isWholeItem(c.first()) {
		return g.Title
	}
	for _, more := range c.groups[1:] {
		breaks += count(rank(more.Members[0]) == 0)
		others += count(rank(more.Members[0]) != 0)
	}
	title := nameOf(c.first()) + ": " + lowerFirst(g.Says())
	switch {
	case breaks > 0:
		title += ", " + quantity(breaks, "more break")
	case others > 0 && rank(c.first()) != 0:
		title += ", " + quantity(others, "more finding")
	}
	return title
}

// lowerFirst is a sentence behind a colon: "The description changed" begins with a small letter there.
func lowerFirst(s string) string {
	if rest, article := strings.CutPrefix(s, "The "); article {
		return "the " + rest
	}
	return s
}

// summaryFrom is the number of causes from which on there is a summary, summaryRows how many of them it has
// beside breaks; of a fleet it has no others.
const summaryFrom, summaryRows = 3, 8

// summary returns what happened in few lines: how much, who is affected, and each break by its item.
func (v view) summary(r *Report, causes []cause) []line {
	if len(causes) < summaryFrom {
		return nil
	}
	all := lineOf(r.Summary.totals(v.Waived)...)
	if affected := affected(r.Findings); len(affected) > 0 && !v.check {
		all = append(all, lineOf(span{"affects callers of ", plain}, span{someOf(affected, 3), bold})...)
	}
	all = append(all, line{})
	for i, c := range causes {
		if left := len(causes) - i; i >= summaryRows && (rank(c.first()) > 0 || v.fleet()) && left > 1 {
			more := fmt.Sprintf("… and %d more", left)
			if !v.fleet() {
				more += ", below"
			}
			return append(all, line{indent: 2, spans: []span{{more, dim}}})
		}
		level := levelOf(c.groups[0])
		all = append(all, line{indent: 2, hang: 10,
			spans: []span{{fmt.Sprintf("%-8s", level.text), level.style}, {"  " + c.title(), plain}}})
	}
	return all
}

// affected are the items with a breaking finding that nothing waives, in order.
func affected(findings []finding.Finding) []string {
	found := kit.Filter(findings, func(f finding.Finding) bool {
		return rank(f) == 0 && f.Item != "" &&
			!isPolicy(f.Item)
	})
	return kit.Distinct(kit.Map(found, nameOf))
}

// someOf are the first of some names, and how many there are besides.
func someOf(names []string, most int) string {
	if len(names) <= most+1 {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
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
	for _, g := range c.once(v.Verbose) {
		all = append(all, indented(2, v.groupLines(g, c.item, g.Says()))...)
	}
	return all
}

// once are the groups of a cause with every value in one place: a finding about a part of a changed text
// leaves it to the change, and so does a second finding about the same list or with the same witness. With
// all of them every finding keeps its values.
func (c cause) once(all bool) []finding.Group {
	changed, shown := map[string]bool{}, map[string]bool{}
	for _, g := range c.groups {
		f := &g.Members[0]
		changed[f.Pointer()] = changed[f.Pointer()] || f.Old != nil
	}
	groups := slices.Clone(c.groups)
	for i := range groups {
		f := groups[i].Members[0]
		values := f.Pointer() + string(f.Old) + string(f.New)
		isPart := strings.HasPrefix(f.Rule, "text-") && changed[f.Pointer()]
		if isPart || shown[values] {
			f.Old, f.New, f.Passage = nil, nil, ""
		}
		if shown[string(f.Witness)] {
			f.Witness = nil
		}
		if !all && len(groups[i].Members) == 1 {
			groups[i].Members = []finding.Finding{f}
		}
		shown[values], shown[string(f.Witness)] = true, f.Witness != nil
	}
	return groups
}

// of names a server where there are several.
func (v view) of(server string) string {
	if len(v.servers.all) < 2 || server == "" {
		return ""
	}
	return "  of " + server
}

// groupLines returns one group: what happened, where unless that is named, the values, a witness, and what to
// do.
func (v view) groupLines(g finding.Group, named, title string) []line {
	note := ""
	if len(g.Servers) == 1 && named == title {
		note = v.of(g.Servers[0])
	}
	if slices.ContainsFunc(g.Members, func(f finding.Finding) bool { return f.Verdict == finding.Unproven }) {
		note += "  " + string(finding.Unproven)
	}
	all := []line{{hang: 2, spans: []span{levelOf(g), {"  ", plain}, {title, bold}, {note, dim}},
		right: []span{{rulesOf(v, g) + "  " + g.Fingerprint, dim}, {g.Fingerprint, dim}}}}
	if v.Verbose && len(g.Members) > 1 {
		for _, f := range g.Members {
			all = append(all, line{indent: 2, hang: 2,
				spans: []span{{itemTitle(f.Item), bold}, {v.of(f.Server) + "  " + f.Fingerprint(), dim}}})
			all = append(all, indented(4, v.body(f))...)
		}
		return all
	}
	all = append(all, indented(2, v.changes(g, named))...)
	for _, f := range g.Members {
		if f.Witness != nil {
			all = append(all, indented(2, v.witness(f))...)
			break
		}
	}
	all = append(all, indented(2, groupCalls(g, v.folds()))...)
	for _, hint := range hintsOf(g) {
		all = append(all, indented(2, advice("hint: ", hint))...)
	}
	for _, waiver := range each(g, waiverOf) {
		all = append(all, line{indent: 2, hang: 2, spans: []span{{waiver, yellow}}})
	}
	return all
}

func levelOf(g finding.Group) span {
	if g.Waived {
		return span{g.Level.String(), dim}
	}
	return levelSpan(g.Level)
}

// hintsOf are the hints of a group: those of one cause as its first finding says it, of items that came or
// went each its own.
func hintsOf(g finding.Group) []string {
	first := g.Members[0]
	switch {
	case len(each(g, ruleOfFinding)) > 1: // what came and what went, of which the title says what it is
		return nil
	case first.Item == "" || first.Pointer() != "":
		return slices.DeleteFunc([]string{first.Hint}, func(hint string) bool { return hint == "" })
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
	called, calls := callsOf(v, g)
	all := v.limited(calls, "")
	same := kit.Group(g.Members, func(f finding.Finding) string { return v.changeKey(g, f) })
	changes := kit.Map(same, func(members []finding.Finding) []line {
		return v.change(g, members, named,
			called)
	})
	return append(all, v.limited(slices.DeleteFunc(changes,
		func(change []line) bool { return len(change) == 0 }), "")...)
}

// limited joins the first of some changes, and those with concealed texts; on a folded page it counts the
// others.
func (v view) limited(changes [][]line, what string) (all []line) {
	for i, change := range changes {
		if left := len(changes) - i; v.folds() && i >= mostChanges && left > 1 &&
			!slices.ContainsFunc(change, concealing) {
			return append(all, lineOf(span{fmt.Sprintf("… %d more%s: --verbose", left, what), dim})...)
		}
		all = append(all, change...)
	}
	return all
}

// callsOf are the signatures of items with other arguments than before, where a group has several items, and
// the names of these.
func callsOf(v view, g finding.Group) (called map[string]bool, all [][]line) {
	called = map[string]bool{}
	for _, f := range g.Members {
		if name := nameOf(f); len(g.Items) > 1 && g.Level > finding.Info && !called[name] &&
			callRules().MatchString(f.Rule) {
			if call := v.signature(f); call != nil {
				called[name], all = true, append(all, call)
			}
		}
	}
	return called, all
}

// concealing reports whether a line has text that is marked as concealed.
func concealing(l line) bool {
	return slices.ContainsFunc(l.spans, func(s span) bool { return strings.Contains(s.text, wording.Sign) })
}

// changeKey is the same for findings that show the same. Texts show the same where the same words changed.
func (v view) changeKey(g finding.Group, f finding.Finding) string {
	switch {
	case isText(f):
		return path.Base(f.Pointer()) + changedWords(f)
	case isWholeItem(f):
		return f.Item
	}
	return fmt.Sprint(v.shows(g, f))
}

// shows are the lines that show a finding: its values, else its sentence where that says more than its group.
func (v view) shows(g finding.Group, f finding.Finding) []line {
	says := strings.TrimSuffix(f.Message, ".")
	if shown := v.evidence(f); shown != nil || isSchema(f) || f.Item == "" || len(g.Members) == 1 ||
		says == g.Cause {
		return shown
	}
	return lineOf(span{says, plain})
}

// changedWords are the words that left a text and those that joined it.
func changedWords(f finding.Finding) string {
	var words strings.Builder
	for _, e := range wording.Compare(display(f.Old, f.New)) {
		if e.Op != wording.Kept {
			fmt.Fprintf(&words, "%d%s\x00", e.Op, e.Text)
		}
	}
	return words.String()
}

// change returns one change of a group and the places of the findings that have it: names of items, and
// servers if there are several.
func (v view) change(g finding.Group, members []finding.Finding, named string,
	called map[string]bool) []line {
	var names []string
	everywhere := len(kit.Distinct(kit.Map(members, nameOf))) == len(g.Items)
	for _, f := range members {
		name := nameOf(f)
		switch {
		case isWholeItem(f): // the change names it
		case isText(f) && f.Path != "" && len(g.Members) > 1:
			names = append(names, placeOf(f))
		case !strings.Contains(named, name) && !(everywhere && called[name]):
			names = append(names, name)
		}
	}
	return v.where(g, kit.Distinct(names), kit.Distinct(kit.Map(members, serverOf)), v.shows(g, members[0]))
}

// where returns a change with its places: on its first line if they are few, else on a line of their own.
func (v view) where(g finding.Group, names, servers []string, shown []line) []line {
	most := len(names) + len(servers)
	if v.folds() || v.bare {
		most = mostNames
	}
	if len(g.Servers) < 2 && len(shown) > 0 && len(names) > 0 {
		head := shown[0]
		head.spans = append([]span{{someOf(names, 1) + "  ", dim}}, head.spans...)
		return append([]line{head}, shown[1:]...)
	}
	where := []span{{someOf(names, most), plain}}
	if len(g.Servers) > 1 {
		where = append(where, span{strings.Repeat(" ", min(1, len(names))) + "of " +
			someOf(servers, most), dim})
	}
	return append(lineOf(where...), shown...)
}

// callRules are those of arguments that come, go or become optional or required.
var callRules = kit.Pattern(`^(input-[a-z-]*property|prompt-[a-z-]*argument)-(added|removed|renamed|became)`)

// signature returns how an item was and is called; without the arguments that stayed, where it takes more
// than a line.
func (v view) signature(f finding.Finding) []line {
	changed := v.servers.named(f.Server).Changed
	at := slices.IndexFunc(changed, func(c SignatureChange) bool { return c.Item == f.Item })
	if at < 0 {
		return nil
	}
	s := changed[at]
	if v.folds() && width(printable.Visible(s.Old+" → "+s.New)) > v.Width-2 {
		s = s.Short()
	}
	return lineOf(span{s.Old, red}, span{" → ", dim}, span{s.New, green})
}

// body returns all that a finding says: its message, what changed, and what can be done.
func (v view) body(f finding.Finding) []line {
	all := kit.Map(lines(f.Message), func(
		l string) line {
		return line{hang: bullet(l), spans: []span{{l, plain}}}
	})
	all = append(all, v.evidence(f)...)
	all = append(all, v.witness(f)...)
	all = append(all, callLines(f)...)
	all = append(all, advice("hint: ", f.Hint)...)
	return append(all, lineOf(span{waiverText(f.Waiver), yellow})...)
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
	style := yellow
	switch {
	case f.Calls.Unaffected():
		style = green
	case f.Calls.Failing > 0:
		style = red
	}
	all := lineOf(span{f.Calls.String(), style})
	if f.Calls.Example != nil {
		all = append(all, indented(2, lineOf(span{"such as ", dim},
			span{short(printable.Spaced(f.Calls.Example)), plain}))...)
	}
	return all
}

// groupCalls returns the recorded calls that the findings of a group affect: those of one finding, or what
// each finding of a group says, with its item.
func groupCalls(g finding.Group, folds bool) []line {
	members := kit.Filter(g.Members, func(f finding.Finding) bool { return f.Calls != nil })
	var all []line
	for _, alike := range kit.Group(members, func(f finding.Finding) string { return f.Calls.String() }) {
		if folds && len(all) >= mostChanges {
			return append(all, lineOf(span{"… more recorded calls: --verbose", dim})...)
		}
		says := callLines(alike[0])
		if len(members) > len(alike) && len(says) > 0 {
			says[0].spans = append([]span{{someOf(kit.Distinct(kit.Map(alike, nameOf)), 2) + ": ", plain}},
				says[0].spans...)
		}
		all = append(all, says...)
	}
	return all
}

// each are the texts that the members of a group have, once each.
func each(g finding.Group, says func(finding.Finding) string) []string {
	texts := kit.Map(g.Members, says)
	return kit.Filter(kit.Distinct(texts), func(text string) bool { return text != "" })
}

func ruleOfFinding(f finding.Finding) string { return f.Rule }
func serverOf(f finding.Finding) string      { return f.Server }
func nameOf(f finding.Finding) string        { _, name, _ := strings.Cut(f.Item, "/"); return name }
func waiverOf(f finding.Finding) string      { return waiverText(f.Waiver) }

// rulesOf are the rules of a group, on a folded page that of the worst finding.
func rulesOf(v view, g finding.Group) string {
	all := each(g, ruleOfFinding)
	if v.folds() {
		all = all[:min(1, len(all))]
	}
	return strings.Join(all, ", ")
}

// placeOf is the place of a finding as a call: "browser_wait_for(time)".
func placeOf(f finding.Finding) string {
	if strings.Count(f.Pointer(), "/") < 2 {
		return nameOf(f)
	}
	return nameOf(f) + "(" + path.Base(f.Path) + ")"
}

func waiverText(w *finding.Waiver) string {
	if w == nil {
		return ""
	}
	by := ""
	if w.Owner != "" {
		by = " by " + firstLine(w.Owner)
	}
	return "waived" + by + until(w.Expires) + ": " + firstLine(w.Reason)
}
