package report

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/seen"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// table writes what changed: a row for each release or package that was compared, else a summary, the groups
// in full, then servers without findings.
func (b *Diff) table(p *page, r *reported) {
	if !p.Verbose && (b.History || b.Upgrades && len(b.Servers) > 1) {
		b.releases(p, r)
		return
	}
	v := r.view(p.Options)
	changed, quiet := v.parted()
	v.page = true
	d := documentOf(r, v, p.groups(r.Groups))
	if len(changed) == 1 || !p.folds() || len(changed) <= mostServers {
		for _, s := range changed {
			writeCompared(p, s)
		}
	}
	writeSummary(p, r, d)
	writeGroups(p, v, d.Groups)
	if names, what := p.Run.unsaved(quiet); len(names) > 0 {
		p.below(span{someOf(names, mostNames), bold}, span{"  no saved snapshot", yellow})
		p.print(indented(2, advice("hint: ", what))...)
	}
	writeFailures(p, r.Servers)
	writeUnchanged(p, "no changes: ", quiet)
	writeMeaning(p, r, len(d.Summary) == 0)
}

// parted returns the servers with findings that are shown, and those without any.
func (v view) parted() (changed, quiet []server) {
	for _, s := range v.all {
		if found := v.found[s.Name]; len(found) == 0 {
			quiet = append(quiet, s)
		} else if len(v.wanted(found)) > 0 {
			changed = append(changed, s)
		}
	}
	return changed, quiet
}

// table writes the findings about what servers offer as a compiler does: each rule with the places and
// what to fix.
func (b *Check) table(p *page, r *reported) {
	v := r.view(p.Options)
	v.page = true
	changed, quiet := v.parted()
	if len(changed) == 1 {
		p.text(0, 2, append([]span{{changed[0].Name, bold}, {"  ", plain}},
			p.totals(seen.Summarize(v.found[changed[0].Name], nil))...)...)
	}
	for _, rule := range documentOf(r, v, p.groups(r.Groups)).Rules {
		p.gap()
		p.print(v.ruleLines(rule)...)
	}
	writeFailures(p, r.Servers)
	writeUnchanged(p, "nothing found: ", quiet)
	writeExpensive(p, b.Servers)
	writeMeaning(p, r, true)
}

// writeExpensive names the tools of all servers that cost most, where there are more of them than it names.
func writeExpensive(p *page, servers []CheckServer) {
	var all []seen.ToolCost
	tools := 0
	for _, s := range servers {
		tools += s.Counts[snapshot.Tools]
		for _, t := range s.Expensive {
			if len(servers) > 1 {
				t.Tool = s.Name + " " + t.Tool
			}
			all = append(all, t)
		}
	}
	if tools <= seen.MostExpensive || len(all) == 0 {
		return
	}
	slices.SortStableFunc(all, func(a, b seen.ToolCost) int { return b.Tokens - a.Tokens })
	names := kit.Map(all[:min(len(all), seen.MostExpensive)],
		func(t seen.ToolCost) string { return t.Tool + " " + estimate(t.Tokens) })
	p.below(span{"most tokens: ", dim}, span{strings.Join(names, ", "), plain})
}

// ruleLines returns the findings of one rule: a sentence for each, with its place, and how to fix them.
func (v view) ruleLines(rule documentRule) []line {
	head := []span{levelSpan(rule.Level), {"  ", plain}, {string(rule.Rule), bold}}
	if rule.Verdict != "" {
		head = append(head, span{"  " + string(rule.Verdict), dim})
	}
	all := lineOf(head...)
	for _, s := range rule.Sentences {
		all = append(all, line{indent: 2, hang: 2, spans: []span{{string(s.Says), plain}}})
		all = append(all, indented(4, s.Lines)...)
		all = append(all, indented(2, lineOf(span{string(s.Waiver), yellow}))...)
		if v.Verbose {
			all = append(all, line{indent: 2, spans: []span{{"fingerprint " + s.Fingerprint, dim}}})
		}
	}
	if rule.More > 0 {
		more := span{fmt.Sprintf("… %d more: --verbose", rule.More), dim}
		all = append(all, line{indent: 2, spans: []span{more}})
	}
	for _, fix := range rule.Fixes {
		all = append(all, indented(2, advice("fix: ", string(fix)))...)
	}
	return all
}

// writeCompared writes the heading of one server's findings: what was compared.
func writeCompared(p *page, s server) {
	head := []span{{s.Name, bold}}
	if s.Base != "" {
		head = append(head, span{"  " + compared(s), dim})
	}
	if s.Tokens != nil && s.BaseTokens != nil && *s.Tokens != *s.BaseTokens {
		head = append(head, span{"  " + estimate(*s.BaseTokens) + " → " + estimate(*s.Tokens) +
			" tokens", dim})
	}
	p.text(0, 2, head...)
	if s.Cause != "" && !published(s.Base) { // packages have their versions in the heading
		p.text(2, 2, span{"why: ", dim}, span{s.Cause, bold})
	}
}

// itemTitle returns an item as a heading names it; the empty item is the server.
func itemTitle(item string) string {
	switch {
	case item == "":
		return "the server itself"
	case isPolicy(item):
		return "the policy"
	}
	return item
}

// isPolicy reports whether a finding is about the policy: its item is such as "waiver/tool-removed".
func isPolicy(item string) bool { return strings.HasPrefix(item, "waiver/") }

// unsaved returns the names of the servers that have no saved snapshot and could be saved, and what to do.
func (c Repeat) unsaved(servers []server) (names []string, advice string) {
	all := kit.Filter(servers, func(s server) bool { return s.savable() })
	return namesOf(all), c.SaveHint(seenOf(all)...)
}

// savable reports whether a server answered in full that has no saved snapshot: others cannot be saved.
func (s server) savable() bool { return s.Unsaved && s.Error == nil }

// writeUnchanged names the servers without findings in one line.
func writeUnchanged(p *page, says string, servers []server) {
	quiet := kit.Filter(servers, func(s server) bool { return s.State == seen.OK && !s.Unsaved })
	if len(quiet) == 0 {
		return
	}
	names, most := namesOf(quiet), len(quiet)
	if p.folds() {
		most = mostServers
	}
	p.below(span{says, green}, span{someOf(names, most), plain}, span{against(quiet), dim})
}

// against returns what servers were compared with: one side, or for each server its own.
func against(servers []server) string {
	bases := kit.Distinct(kit.Map(servers, func(s server) string { return s.Base }))
	folders, suffixes := kit.Distinct(kit.Map(bases, path.Dir)), kit.Distinct(kit.Map(bases, path.Ext))
	switch {
	case slices.Contains(bases, ""):
		return ""
	case len(bases) == 1:
		return " against " + bases[0]
	case len(folders) == 1 && len(suffixes) == 1 && suffixes[0] == ".json":
		return ", each against its snapshot in " + folders[0]
	}
	return ", each against its own base"
}

// writeMeaning ends a report: how many findings of each level there are, unless that is said above, and why
// the run fails.
func writeMeaning(p *page, r *reported, totals bool) {
	var row []span
	sum, says := r.Summary, r.meaning()
	if strings.HasPrefix(says, "incomplete: ") {
		sum.Failed, sum.NotTried = 0, 0 // it says so
	}
	if totals {
		row = p.totals(sum)
	}
	if _, is := r.Body.(*Check); is && len(row) > 0 && says != "" && r.Status == exit.Findings {
		row, says = append(row, span{" (" + says + ")", dim}), ""
	}
	if len(row) > 0 && says == kit.Counted(sum.Breaking, "breaking change")+" found" {
		says = "" // the row begins with it
	}
	p.gap()
	p.text(0, 2, row...)
	p.text(0, 2, span{says, dim})
	failing := kit.Filter(r.Findings, r.failing())
	if _, is := r.Body.(*Diff); is && r.Status == exit.Findings &&
		slices.ContainsFunc(failing, r.roster().accepts) {
		p.text(0, 2, span{"accept some of them with: " + p.Run.With("accept", "FINGERPRINT…"), dim})
	}
}

// totals returns the numbers that are not zero, and how to see what is not shown: "2 breaking, 1 warning".
func (o Options) totals(s seen.Summary) (row []span) {
	for i, part := range s.Parts() {
		if part.Level == "waived" && !o.Waived {
			part.Text += " (--show-waived)"
		}
		row = append(row, span{strings.Repeat(", ", count(i > 0)), plain},
			span{part.Text, levelSpan(part.Level).style})
	}
	return row
}

// accepts reports whether accept can move a snapshot by a change.
func (all roster) accepts(f finding.Finding) bool {
	return all.named(f.Server).Movable && f.Acceptable()
}
