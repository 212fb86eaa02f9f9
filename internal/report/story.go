package report

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/printable"
	"github.com/mcpctl/mcpctl/internal/signature"
	"github.com/mcpctl/mcpctl/internal/wording"
	"github.com/mcpctl/mcpctl/pkg/finding"
)

// cause is what is told together: the findings of one cause, wherever they are, or what else happened to one item.
type cause struct {
	item   string // set when it is about one item
	server string // its server
	groups []finding.Group
}

// causes are the findings that are shown, worst first. What happened once is told with what else happened to its item.
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
		same := slices.IndexFunc(all, func(c cause) bool { return one.item != "" && c.item == one.item && c.server == one.server })
		if same < 0 {
			all = append(all, one)
			continue
		}
		all[same].groups = append(all[same].groups, g)
	}
	return all
}

// level is that of the worst.
func (c cause) level() span { return levelOf(c.groups[0]) }

func levelOf(g finding.Group) span {
	if g.Waived {
		return span{g.Level.String(), dim}
	}
	return span{g.Level.String(), levelStyle(g.Level)}
}

func (c cause) title() string {
	if len(c.groups) == 1 {
		return c.groups[0].Title
	}
	_, name, _ := strings.Cut(c.item, "/")
	return fmt.Sprintf("%s and %s in `%s`", c.groups[0].Says(), quantity(len(c.groups)-1, "more finding"), name)
}

// storyFrom is from how many causes on there is a story, storyLines how many lines it may have.
const storyFrom, storyLines = 3, 10

// groupRows are the lines that show a group, for formats that have a fold and marks of their own.
func groupRows(g finding.Group, named string, servers roster, told map[string]bool) [][]piece {
	p := &page{bare: true, told: told}
	writeChanges(p, 0, named, g, servers)
	writeExample(p, 0, g)
	return p.rows
}

// writeStory tells in at most ten lines what happened and who breaks.
func writeStory(p *page, r *Report, causes []cause) {
	if len(causes) < storyFrom {
		return
	}
	told := &page{Options: p.Options}
	told.text(0, 2, r.Summary.totals(p.Waived)...)
	if broken := broken(r.Findings); len(broken) > 0 && r.Command != "check" {
		told.text(0, 2, span{"breaks whoever uses ", plain}, span{someOf(broken, 4), bold})
	}
	for i, c := range causes {
		line := &page{Options: p.Options}
		line.text(2, 10, span{fmt.Sprintf("%-8s", c.level().text), c.level().style}, span{"  " + c.title(), plain})
		if used := strings.Count(told.String()+line.String(), "\n"); used >= storyLines && (used > storyLines || i < len(causes)-1) {
			told.text(2, 10, span{"… and " + quantity(len(causes)-i, "cause") + " more" + ", below", dim})
			break
		}
		told.WriteString(line.String())
	}
	p.gap()
	p.WriteString(told.String())
	if p.told != nil {
		p.told["story"] = true
	}
}

// broken are the items with a breaking finding that nothing waives, in order.
func broken(findings []finding.Finding) []string {
	found := kit.Filter(findings, func(f finding.Finding) bool {
		return f.Level == finding.Breaking && f.Waiver == nil && f.Item != "" && !isPolicy(f.Item)
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

// writeCauses writes each cause with its findings. Between small ones that are good news there is no gap.
// Of a fleet the first are written, and how many there are besides.
func writeCauses(p *page, indent int, servers roster, causes []cause) {
	short := false
	for i, c := range causes {
		if p.fold > 0 && len(servers.all) > mostServers && i == mostServers {
			words := kit.Map(causes[i:], func(c cause) string { return levelWord(c.groups[0].Members[0]) })
			p.gap()
			p.text(0, 2, span{fmt.Sprintf("… and %s: %s; --verbose shows all", quantity(len(words), "more cause"), tally(words)), dim})
			return
		}
		one := p.part()
		writeCause(one, indent, servers, c)
		was := short
		if short = strings.Count(one.String(), "\n") < 3 && c.level().text == "info"; i > 0 && !(short && was) {
			p.gap()
		}
		p.add(one)
	}
}

func writeCause(p *page, indent int, servers roster, c cause) {
	if len(c.groups) == 1 {
		g := c.groups[0]
		title := g.Title
		if len(g.Items) > 1 && !slices.ContainsFunc(g.Members, func(f finding.Finding) bool { return f.Pointer() != "" }) {
			title = g.Cause // what came or went is named below
		}
		writeGroup(p, indent, levelOf(g), g, title, title, servers)
		return
	}
	p.text(indent, 2, c.level(), span{"  " + itemTitle(c.item), bold}, span{serverNote(c.server, servers), dim})
	writeSignature(p, indent+2, c.groups[0].Members[0], servers)
	for _, g := range c.once(p.Verbose) {
		writeGroup(p, indent+2, levelOf(g), g, c.item, g.Says(), servers)
	}
}

// once are the groups of a cause with every text in one place: what only speaks of a changed text leaves it to the change.
func (c cause) once(all bool) []finding.Group {
	changed := map[string]bool{}
	for _, g := range c.groups {
		f := &g.Members[0]
		changed[f.Pointer()] = changed[f.Pointer()] || f.Old != nil
	}
	groups := slices.Clone(c.groups)
	for i := range groups {
		if f := groups[i].Members[0]; strings.HasPrefix(f.Rule, "text-") && len(groups[i].Members) == 1 && changed[f.Pointer()] && !all {
			f.New = nil
			groups[i].Members = []finding.Finding{f}
		}
	}
	return groups
}

func titled(g finding.Group, servers roster) string {
	if len(g.Servers) == 1 && len(servers.all) > 1 {
		return g.Title + " of " + g.Servers[0]
	}
	return g.Title
}

func serverNote(name string, servers roster) string {
	if len(servers.all) < 2 || name == "" {
		return ""
	}
	return "  of " + name
}

// writeGroup writes one group: what happened, where unless that is named, the values once each, and an instance.
func writeGroup(p *page, indent int, level span, g finding.Group, named, title string, servers roster) {
	note := ""
	if undecided(g) {
		note = "  " + string(finding.Unproven)
	}
	if len(g.Servers) == 1 && named == title {
		note = serverNote(g.Servers[0], servers) + note
	}
	head := []span{level, {"  ", plain}, {title, bold}, {note + rulesNote(p, indent, level.text+title+note, g) + "  " + g.Fingerprint, dim}}
	p.text(indent, 2, head...)
	indent += 2
	if p.Verbose && len(g.Members) > 1 {
		for _, f := range g.Members {
			p.text(indent, 2, span{itemTitle(f.Item), bold}, span{serverNote(f.Server, servers) + "  " + f.Fingerprint(), dim})
			writeBody(p, indent+2, f)
		}
		return
	}
	writeChanges(p, indent, named, g, servers)
	writeExample(p, indent, g)
	for _, hint := range hintsOf(g) {
		p.hint(indent, hint)
	}
	for _, waiver := range each(g, waiverOf) {
		p.text(indent, 2, span{waiver, yellow})
	}
}

// rulesNote names the rules of a group that are new on the page; a folded page names one, where it takes no line of its own.
func rulesNote(p *page, indent int, line string, g finding.Group) string {
	note := ""
	for i, rule := range each(g, ruleOfFinding) {
		room := p.room(indent) - width(printable.Visible(line+rule+g.Fingerprint)) - 6
		if p.fold > 0 && (i > 0 || room < 0 && p.told["story"]) || p.known("rule", rule) {
			continue
		}
		note += "  " + rule
	}
	return note
}

// hintsOf is what can be done next, if the findings say that: those of one cause as the first of them says it, which is shown
// with its witness. Of what was perhaps renamed the title says it.
func hintsOf(g finding.Group) []string {
	switch first := g.Members[0]; {
	case strings.Contains(g.Cause, " was perhaps renamed to "):
		return nil
	case first.Item != "" && first.Pointer() == "": // of items that came or went, each speaks of its own
		return each(g, func(f finding.Finding) string { return f.Hint })
	case first.Hint != "":
		return []string{first.Hint}
	}
	return nil
}

// mostChanges is how many different changes of one cause a folded page shows; more of whole items, and where callers break.
const mostChanges = 3

// writeChanges writes what differs, each change once, with its places.
func writeChanges(p *page, indent int, title string, g finding.Group, servers roster) {
	all, folded, first := alike(g.Members), 0, ""
	for i, same := range all {
		one := p.part()
		if i == 1 {
			title += first // the first change has named them
		}
		if i == 0 && len(all) > 1 && len(each(finding.Group{Members: same}, itemOf)) == len(g.Items) {
			first = " " + strings.Join(g.Items, " ")
		}
		spoken := len(all) > 1 && isSpoken(same[0])
		at := writeWhere(one, indent, title, g, same, servers, spoken)
		if spoken {
			one.text(indent, 2, append(at, span{strings.TrimSuffix(same[0].Message, "."), plain})...)
		} else {
			writeChange(one, indent, same[0], at...)
		}
		most := mostChanges + count(same[0].Pointer() == "") + 2*count(g.Level == finding.Breaking) + count(isText(same[0]))
		many := i >= most && len(all) > most+1
		if p.fold > 0 && many && !strings.Contains(one.String(), wording.Sign) {
			folded++
			continue
		}
		p.add(one)
	}
	if folded > 0 {
		p.text(indent, 2, span{"… " + quantity(folded, "change") + " more: --verbose", dim})
	}
}

// writeExample shows by an instance that something breaks, once on a page, and once for each rule on a folded one.
func writeExample(p *page, indent int, g finding.Group) {
	for _, f := range g.Members {
		switch {
		case f.Witness == nil:
			continue
		case p.fold > 0 && (p.known("witness", f.Rule) || p.known("witness", g.Level.String()+f.Item)), p.known("witness", string(f.Witness)):
		default:
			writeWitness(p, indent, f)
		}
		return
	}
}

// each is what the members of a group say of themselves, once each.
func each(g finding.Group, says func(finding.Finding) string) []string {
	texts := kit.Map(g.Members, says)
	return kit.Filter(kit.Distinct(texts), func(text string) bool { return text != "" })
}

func ruleOfFinding(f finding.Finding) string { return f.Rule }
func itemOf(f finding.Finding) string        { return f.Item }
func nameOf(f finding.Finding) string        { _, name, _ := strings.Cut(f.Item, "/"); return name }
func waiverOf(f finding.Finding) string      { return waiverText(f.Waiver) }

// undecided tells whether it could not be decided of one of them whether callers break.
func undecided(g finding.Group) bool {
	return slices.ContainsFunc(g.Members, func(f finding.Finding) bool { return f.Verdict == finding.Unproven })
}

// placeOf is the place of a change as a call: "browser_wait_for(time)".
func placeOf(f finding.Finding) string {
	if strings.Count(f.Pointer(), "/") < 2 {
		return nameOf(f)
	}
	return nameOf(f) + "(" + path.Base(f.Path) + ")"
}

// On a folded page: places named of one change, calls shown where they are more, places before a change on its line.
const (
	mostPlaces = 8
	mostCalls  = 4
	mostBefore = 1
)

// writeWhere tells where something happened, unless the title does: signatures of items that are called otherwise now, names
// of others, servers where they are several. A few places are returned, to stand before what changed.
func writeWhere(p *page, indent int, named string, g finding.Group, members []finding.Finding, servers roster, inline bool) []span {
	var names, of []string
	calls := 0
	inline = inline || isText(members[0]) || isSchema(members[0]) && members[0].Old == nil
	room := len(members)
	switch {
	case room == 1 && len(g.Items) > 1: // what changed says it
		room = 0
	case p.fold > 0 && room > mostCalls+1:
		room = mostCalls
	}
	for _, f := range members {
		of = appendNew(of, f.Server)
		name := nameOf(f)
		switch {
		case (f.Old == nil) != (f.New == nil) && f.Pointer() == "" && f.Item != "": // the change itself names it
		case calls < room && (len(g.Items) == 1 || !strings.Contains(named, name)) && p.callChanged(f, servers):
			writeSignature(p, indent, f, servers)
			calls++
			named += " " + name
		case isText(f) && f.Path != "" && len(g.Members) > 1:
			names = appendNew(names, placeOf(f))
		case !strings.Contains(named, name):
			names = appendNew(names, name)
		}
	}
	if len(g.Items) == 1 && len(names) == 1 && !inline {
		names[0] = itemTitle(g.Items[0])
	}
	if inline && len(g.Servers) < 2 && len(names) > 0 {
		return []span{{someOf(names, mostBefore) + "  ", dim}}
	}
	most := mostPlaces
	if p.fold == 0 {
		most = len(names) + len(of)
	}
	where := []span{{someOf(names, most), plain}}
	if list := strings.Join(of, " "); len(g.Servers) > 1 && !p.known("servers", g.Fingerprint+list) {
		switch {
		case p.known("servers", list):
			most = 1 // the whole list stands above
		case p.bare:
			most = mostPlaces // the page has it in its folds
		}
		where = append(where, span{strings.Repeat(" ", min(1, len(names))) + "of " + someOf(of, most), dim})
	}
	p.text(indent, 2, where...)
	return nil
}

// callRules are those of arguments that come, go or need not be there.
var callRules = kit.Pattern(`^(input-[a-z-]*property|prompt-[a-z-]*argument)-(added|removed|renamed|became)`)

// callChanged tells whether a finding is about an argument of an item that is called otherwise now and was not shown yet.
func (p *page) callChanged(f finding.Finding, servers roster) bool {
	call, known := signatureChange(f, servers)
	return known && strings.Count(f.Path, "/") <= 3 && callRules().MatchString(f.Rule) && !p.told["call "+call.Old+call.New]
}

func signatureChange(f finding.Finding, servers roster) (signature.Change, bool) {
	changed := servers.named(f.Server).Changed
	if at := slices.IndexFunc(changed, func(c signature.Change) bool { return c.Item == f.Item }); at >= 0 {
		return changed[at], true
	}
	return signature.Change{}, false
}

// writeSignature writes how an item was and is called, once; without arguments that stayed, where it takes more than a line.
func writeSignature(p *page, indent int, f finding.Finding, servers roster) {
	s, known := signatureChange(f, servers)
	if !known || p.known("call", s.Old+s.New) {
		return
	}
	if room := p.room(indent); !p.Verbose && room > 0 && width(printable.Visible(s.Old+" → "+s.New)) > room {
		s = s.Short()
	}
	p.text(indent, 2, span{s.Old, red}, span{" → ", dim}, span{s.New, green})
}

// writeBody writes what a finding says: its message, what changed, and what can be done.
func writeBody(p *page, indent int, f finding.Finding) {
	p.paragraph(indent, f.Message, plain)
	writeChange(p, indent, f)
	writeWitness(p, indent, f)
	p.hint(indent, f.Hint)
	p.text(indent, 2, span{waiverText(f.Waiver), yellow})
}

// writeWitness writes an instance that the one side takes and the other does not.
func writeWitness(p *page, indent int, f finding.Finding) {
	if f.Witness == nil {
		return
	}
	says := "fits the old schema, not the new one: "
	if strings.HasPrefix(f.Path, "/outputSchema") {
		says = "fits the new schema, not the old one: "
	}
	if p.known("witness", says) {
		says = "for example: "
	}
	p.text(indent, 2, span{says, plain}, span{short(printable.Spaced(f.Witness)), yellow})
	if p.Verbose && len(f.AlsoBy) > 0 {
		p.text(indent, 4, span{"refused for another reason, too: " + strings.Join(f.AlsoBy, "; "), dim})
	}
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
