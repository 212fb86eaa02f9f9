package report

import (
	"slices"
	"strings"
)

// totals writes how many findings there are of each level, and what the exit status means.
func (p *page) totals(r *Report) {
	sum := Summarize(r.Findings, r.Servers)
	var row []span
	for _, part := range []struct {
		n    int
		text safe
		ink  ink
	}{
		{sum.Breaking, itoa(sum.Breaking) + " breaking", red},
		{sum.Warning, quantity(sum.Warning, "warning"), yellow},
		{sum.Info, itoa(sum.Info) + " info", cyan},
		{sum.Waived, itoa(sum.Waived) + " waived" + p.hidden(), dim},
		{sum.Failed, quantity(sum.Failed, "server") + " not answered in full", red},
	} {
		if part.n == 0 {
			continue
		}
		if len(row) > 0 {
			row = append(row, span{", ", noInk})
		}
		row = append(row, span{part.text, part.ink})
	}
	says := meaning(r, sum)
	if len(row) > 0 || says != "" {
		p.gap()
	}
	if len(row) > 0 {
		p.text(0, 2, row...)
	}
	if says != "" {
		p.text(0, 2, span{"exit status " + itoa(r.Status) + ": " + says, dim})
	}
}

// hidden tells how to see what is not shown.
func (p *page) hidden() safe {
	if p.Waived {
		return ""
	}
	return " (--show-waived)"
}

// acceptable tells whether what changed can be accepted: a live server was compared with a file, not with a commit.
func (s Server) acceptable() bool { return s.Transport != "" && !strings.HasPrefix(s.Base, "git:") }

// meaning is what an exit status other than 0 tells, and what can be done.
func meaning(r *Report, sum Summary) safe {
	accept := safe("")
	if r.Command == "diff" && slices.ContainsFunc(r.Servers, Server.acceptable) {
		accept = "; accept by `mcpctl accept FINGERPRINT…`"
	}
	switch r.Status {
	case 0:
		return ""
	case 1:
		if sum.Breaking > 0 && r.Command == "diff" {
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
