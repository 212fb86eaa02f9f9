package report

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/internal/wording"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// writeVerdicts opens with what happened, then writes the findings by causes, worst first, and what they come to.
func writeVerdicts(p *page, r *Report) {
	servers := r.roster()
	var changed, quiet []Server
	for _, s := range r.Servers {
		if found := servers.found[s.Name]; len(found) == 0 {
			quiet = append(quiet, s)
		} else if len(p.wanted(found)) > 0 {
			changed = append(changed, s)
		}
	}
	causes := varied(p.causes(r.Groups), servers)
	if len(changed) == 1 {
		writeCompared(p, changed[0])
	}
	writeStory(p, r, causes)
	p.gap()
	writeCauses(p, 0, servers, causes)
	if len(changed) > 1 {
		p.gap()
		writeComparisons(p, changed)
	}
	writeUnsaved(p, quiet)
	writeFailures(p, r.Servers)
	writeUnchanged(p, r.Command, quiet)
	writeTotals(p, r, causes)
}

// wanted are the findings that are shown: waived ones only on request.
func (o Options) wanted(all []finding.Finding) []finding.Finding {
	if o.Waived {
		return all
	}
	return slices.DeleteFunc(slices.Clone(all), func(f finding.Finding) bool { return f.Waiver != nil })
}

// writeCompared is the heading of one server's findings: what was compared with what, and which version they ask for.
func writeCompared(p *page, s Server) {
	head := []span{{s.Name, bold}}
	if s.Base != "" {
		head = append(head, span{"  " + s.Base + " → " + now(s), dim})
	}
	p.text(0, 2, append(head, cost(s)...)...)
	if s.Cause != "" && !published(s.Base) { // there the two versions have been told
		p.text(2, 2, span{"why: ", dim}, span{s.Cause, bold})
	}
	writeAdvice(p, s.Version)
}

// published tells SOURCEs that are packages: each stays what it is.
func published(source string) bool {
	return strings.HasPrefix(source, "npm:") || strings.HasPrefix(source, "pypi:") || strings.HasPrefix(source, "oci:")
}

func cost(s Server) []span {
	before, now := tokenCount(s.BaseTokens), tokenCount(s.Tokens)
	if before == "" || now == "" || before == now {
		return nil
	}
	return []span{{"  " + before + " → " + now + " tokens", dim}}
}

func now(s Server) string {
	switch {
	case s.Transport != "" && !strings.HasPrefix(s.Source, "npm:"): // a package stays what it is
		return "now"
	case s.State == Absent:
		return "absent"
	}
	return cmp.Or(s.Source, "now")
}

func itemTitle(item string) string {
	switch {
	case item == "":
		return "the server itself"
	case isPolicy(item):
		return "the policy"
	}
	return item
}

// isPolicy tells the items of findings that are about the policy, such as "waiver/tool-removed".
func isPolicy(item string) bool { return strings.HasPrefix(item, "waiver/") }

func writeUnsaved(p *page, servers []Server) {
	servers = kit.Filter(servers, func(s Server) bool { return s.Unsaved })
	if p.fold > 0 && len(servers) > mostServers {
		names := kit.Map(servers, func(s Server) string { return s.Name })
		p.gap()
		p.text(0, 2, span{someOf(names, mostPlaces), bold}, span{"  no saved snapshot", yellow})
		p.hint(2, "save them: mcpctl snapshot, with the same words")
		return
	}
	for _, s := range servers {
		p.gap()
		p.text(0, 2, span{s.Name, bold}, span{"  no saved snapshot", yellow})
		p.hint(2, saveHint(s))
	}
}

// writeUnchanged tells in one line which servers gave nothing to report.
func writeUnchanged(p *page, command string, servers []Server) {
	quiet := slices.DeleteFunc(slices.Clone(servers), func(s Server) bool { return s.State != OK || s.Unsaved })
	if len(quiet) == 0 {
		return
	}
	names := kit.Map(quiet, func(s Server) string { return s.Name })
	p.gap()
	says := "nothing found: "
	if command == "diff" {
		says = "no changes: "
	}
	most := len(names)
	if p.fold > 0 {
		most = mostServers
	}
	row := []span{{says, green}, {someOf(names, most), plain}}
	if base := quiet[0].Base; len(quiet) == 1 && base != "" {
		row = append(row, span{" is as in " + base, dim})
	}
	p.text(0, 2, row...)
}

// writeAdvice tells which version the findings ask for, when it is a higher one than the server has.
func writeAdvice(p *page, a *finding.Advice) {
	if a == nil || a.Enough {
		return
	}
	step := fmt.Sprintf("version %s → %s is a %s step", a.Old, a.New, a.Made)
	switch {
	case a.Old == a.New:
		step = fmt.Sprintf("version %s did not change", a.Old)
	case a.Made == finding.None:
		step = fmt.Sprintf("version %s → %s is a step back", a.Old, a.New)
	}
	p.text(2, 2, span{fmt.Sprintf("%s; the findings ask for %s (%s)", step, a.Next, a.Asked), dim})
}

// writeTotals writes how many findings there are of each level, and what the exit status means.
func writeTotals(p *page, r *Report, causes []cause) {
	row, says := r.Summary.totals(p.Waived), Meaning(r)
	if len(causes) >= storyFrom {
		row = nil // the story has told them
	}
	if len(row) > 0 || says != "" {
		p.gap()
	}
	p.text(0, 2, row...)
	if says != "" {
		p.text(0, 2, span{"exit status " + strconv.Itoa(r.Status) + ": " + says, dim})
	}
}

// totals are the numbers that are not zero, and how to see what is not shown: "2 breaking, 1 warning".
func (s Summary) totals(waived bool) []span {
	note := " waived (--show-waived)"
	if waived {
		note = " waived"
	}
	var row []span
	for _, part := range []struct {
		n     int
		text  string
		style style
	}{
		{s.Breaking, strconv.Itoa(s.Breaking) + " breaking", red},
		{s.Warning, quantity(s.Warning, "warning"), yellow},
		{s.Info, strconv.Itoa(s.Info) + " info", cyan},
		{s.Waived, strconv.Itoa(s.Waived) + note, dim},
		{s.Failed, quantity(s.Failed, "server") + " not answered in full", red},
	} {
		if part.n == 0 {
			continue
		}
		if len(row) > 0 {
			row = append(row, span{", ", plain})
		}
		row = append(row, span{part.text, part.style})
	}
	return row
}

func (s Summary) words() string {
	var b strings.Builder
	for _, part := range s.totals(true) {
		b.WriteString(part.text)
	}
	return b.String()
}

// acceptable tells whether what changed can be accepted: a live server was compared with a file, not with a commit or a package.
func (s Server) acceptable() bool {
	return s.Transport != "" && !strings.HasPrefix(s.Base, "git:") && !published(s.Base)
}

// Meaning is what the exit status of a report tells when it is not 0, and what can be done.
func Meaning(r *Report) string {
	accept := ""
	failing := r.failing()
	fails := func(f finding.Finding) bool { return failing(f) && f.Acceptable() }
	if r.Command == "diff" && slices.ContainsFunc(r.Servers, Server.acceptable) && slices.ContainsFunc(r.Findings, fails) {
		accept = "; accept by `mcpctl accept FINGERPRINT…`"
	}
	switch r.Status {
	case 0:
		return ""
	case 1:
		if Summarize(r.Findings, nil).Breaking > 0 && r.Command == "diff" {
			return "breaking changes found" + accept
		}
		return "findings at or above the threshold" + accept
	case 3:
		return "the answer is incomplete, since not every server could be asked in full"
	case 4:
		return "nothing is saved to compare with"
	case 130, 143:
		return "interrupted; what was finished is shown"
	}
	return "wrong usage or configuration"
}

func writeHistory(p *page, r *Report) {
	g := grid{columns: []column{{title: "RELEASE", name: true, least: 10}, {title: "TOOLS", right: true}, {title: "TOKENS", right: true},
		{title: "BREAKING", right: true}, {title: "WARNING", right: true}, {title: "INFO", right: true}, {title: "MOST IMPORTANT", least: 20, brief: true, drop: 1}}}
	servers := r.roster()
	for i, s := range r.Servers {
		found := servers.found[s.Name]
		sum, most := Summarize(found, nil), problem(s)
		if causes := p.causes(finding.Groups(found)); len(causes) > 0 {
			most = causes[0].title()
		}
		row := []span{{s.Name, bold}, countCell(s, snapshot.Tools), {tokenCount(s.Tokens), plain}}
		for _, level := range []struct {
			n     int
			style style
		}{{sum.Breaking, red}, {sum.Warning, yellow}, {sum.Info, cyan}} {
			cell := span{"-", dim}
			if level.n > 0 {
				cell = span{strconv.Itoa(level.n), level.style}
			}
			if i == 0 {
				cell = span{}
			}
			row = append(row, cell)
		}
		g.rows = append(g.rows, append(row, span{most, plain}))
	}
	p.grid(0, g)
	writeFailures(p, r.Servers)
	if r.Summary.Breaking+r.Summary.Warning+r.Summary.Info > 0 {
		p.gap()
		p.text(0, 2, span{"each release against the one before it; --verbose shows every change", dim})
	}
	writeTotals(p, r, nil)
}

// alike joins the findings that show the same, so that it is shown once. Texts show the same where the same words changed.
func alike(members []finding.Finding) [][]finding.Finding {
	var all [][]finding.Finding
	at := map[string]int{}
	for _, f := range members {
		key := strings.Join([]string{path.Base(f.Pointer()), string(f.Old), string(f.New)}, "\x00")
		switch {
		case isSpoken(f):
			key = f.Message
		case f.Pointer() == "" && f.Item != "":
			key += "\x00" + f.Item
		case isSchema(f) && f.New == nil:
			key = "gone"
		}
		i, known := at[key]
		if !known && len(members) > 1 && isText(f) {
			words := path.Base(f.Pointer()) + changedWords(f)
			if i, known = at[words]; !known {
				at[words] = len(all)
			}
		}
		if !known {
			i, all = len(all), append(all, nil)
		}
		at[key] = i
		all[i] = append(all[i], f)
	}
	return all
}

// isSpoken tells whether the sentence of a finding says all of a change of values.
func isSpoken(f finding.Finding) bool {
	return f.Item != "" && f.Pointer() != "" && !isText(f) && !isSchema(f) && saysAll(f)
}

// isText tells whether a text became another one that is shown by its words.
func isText(f finding.Finding) bool {
	before, isText := rawjson.Text(f.Old)
	after, both := rawjson.Text(f.New)
	return isText && both && !(isShort(before) && isShort(after))
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
