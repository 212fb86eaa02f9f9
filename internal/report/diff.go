package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/pkg/finding"
)

// verdicts writes findings by server and item, then what they come to.
func (p *page) verdicts(r *Report) error {
	var quiet []Server
	for _, s := range r.Servers {
		found := of(s.Name, r.Findings)
		if len(found) == 0 {
			quiet = append(quiet, s)
			continue
		}
		if found = p.wanted(found); len(found) == 0 {
			continue
		}
		p.gap()
		p.compared(s)
		p.advice(s.Version)
		p.findings(found)
	}
	p.strays(r)
	p.unsaved(quiet)
	p.failures(r.Servers)
	p.unchanged(r.Command, quiet)
	p.totals(r)
	return nil
}

// of are the findings of one server.
func of(server string, all []finding.Finding) []finding.Finding {
	var found []finding.Finding
	for _, f := range all {
		if f.Server == server {
			found = append(found, f)
		}
	}
	return found
}

// wanted are the findings that are shown: waived ones only on request.
func (p *page) wanted(all []finding.Finding) []finding.Finding {
	if p.Waived {
		return all
	}
	return slices.DeleteFunc(slices.Clone(all), func(f finding.Finding) bool { return f.Waiver != nil })
}

// strays writes the findings that belong to no server of the report.
func (p *page) strays(r *Report) {
	if found := p.wanted(strays(r)); len(found) > 0 {
		p.gap()
		p.findings(found)
	}
}

// strays are the findings that belong to no server of the report, such as those about a whole fleet.
func strays(r *Report) []finding.Finding {
	known := func(f finding.Finding) bool {
		return slices.ContainsFunc(r.Servers, func(s Server) bool { return s.Name == f.Server })
	}
	return slices.DeleteFunc(slices.Clone([]finding.Finding(r.Findings)), known)
}

// compared is the heading of one server's findings: what was compared with what.
func (p *page) compared(s Server) {
	head := []span{{visible(s.Name), bold}}
	if s.Base != "" {
		head = append(head, span{"  " + visible(s.Base) + " → " + visible(now(s)), dim})
	}
	p.text(0, 2, append(head, cost(s)...)...)
}

// cost is how the number of tokens changed.
func cost(s Server) []span {
	if s.Tokens == nil || s.BaseTokens == nil || *s.Tokens == *s.BaseTokens {
		return nil
	}
	return []span{{safe(fmt.Sprintf("  %d → %d tokens (%+d)", *s.BaseTokens, *s.Tokens, *s.Tokens-*s.BaseTokens)), dim}}
}

// now is where the newer side came from.
func now(s Server) string {
	if s.Transport != "" {
		return "now"
	}
	if s.State == Absent {
		return "absent"
	}
	if s.Source != "" {
		return s.Source
	}
	return "now"
}

func (p *page) findings(all []finding.Finding) {
	for i, f := range all {
		if i == 0 || f.Item != all[i-1].Item {
			if i > 0 {
				p.gap()
			}
			p.text(2, 2, span{itemTitle(f.Item), bold})
		}
		p.finding(f)
	}
}

func itemTitle(item string) safe {
	switch {
	case item == "":
		return "the server itself"
	case isPolicy(item):
		return "the policy"
	}
	return visible(item)
}

// isPolicy tells the items of findings that are about the policy, such as "waiver/tool-removed".
func isPolicy(item string) bool { return strings.HasPrefix(item, "waiver/") }

func (p *page) finding(f finding.Finding) {
	head := []span{{safe(fmt.Sprintf("%-8s", f.Level)), levelInk(f.Level)}, {"  ", noInk}, {visible(f.Rule), bold}}
	if f.Verdict == finding.Proved || f.Verdict == finding.Unproven {
		head = append(head, span{"  " + safe(f.Verdict), dim})
	}
	p.text(4, 2, append(head, span{"  " + safe(f.Fingerprint()), dim})...)
	p.body(6, f)
}

// body writes what a finding says: its message, what changed, and what can be done.
func (p *page) body(indent int, f finding.Finding) {
	for _, l := range lines(f.Message) {
		p.text(indent, 0, span{l, noInk})
	}
	p.values(indent, f)
	p.witness(indent, f)
	p.hint(indent, f.Hint)
	p.waiver(indent, f.Waiver)
}

// waiver tells why a finding does not count.
func (p *page) waiver(indent int, w *finding.Waiver) {
	if w == nil {
		return
	}
	by := safe("")
	if w.Owner != "" {
		by = " by " + firstLine(w.Owner)
	}
	p.text(indent, 2, span{"waived" + by + until(w.Expires) + ": " + firstLine(w.Reason), yellow})
}

// witness writes an instance that was right before and is wrong now.
func (p *page) witness(indent int, f finding.Finding) {
	if f.Witness == nil {
		return
	}
	says := safe("accepted before, rejected now: ")
	if strings.HasPrefix(f.Path, "/outputSchema") {
		says = "ruled out before, possible now: "
	}
	p.text(indent, 2, span{says, noInk}, span{short(compact(f.Witness)), yellow})
}

// unsaved tells which servers have nothing to be compared with.
func (p *page) unsaved(servers []Server) {
	for _, s := range servers {
		if !s.Unsaved {
			continue
		}
		p.gap()
		p.text(0, 2, span{visible(s.Name), bold}, span{"  no saved snapshot", yellow})
		p.hint(2, "save one: mcpctl snapshot "+quoted(s.Name))
	}
}

// unchanged tells in one line which servers gave nothing to report.
func (p *page) unchanged(command string, servers []Server) {
	quiet := slices.DeleteFunc(slices.Clone(servers), func(s Server) bool { return s.State != OK || s.Unsaved })
	if len(quiet) == 0 {
		return
	}
	var names []safe
	for _, s := range quiet {
		names = append(names, visible(s.Name))
	}
	p.gap()
	says := safe("nothing found: ")
	if command == "diff" {
		says = "no changes: "
	}
	row := []span{{says, green}, {join(names, ", "), noInk}}
	if base := quiet[0].Base; len(quiet) == 1 && base != "" {
		row = append(row, span{" is as in " + visible(base), dim})
	}
	p.text(0, 2, row...)
}

func join(parts []safe, separator string) safe {
	var all []string
	for _, part := range parts {
		all = append(all, string(part))
	}
	return safe(strings.Join(all, separator))
}
