package report

import (
	"cmp"

	"github.com/mcpctl/mcpctl/pkg/finding"
)

// Findings are what the rules said, in the order in which they are shown: by server, item, path and rule.
// In JSON each carries its fingerprint.
type Findings []finding.Finding

// judged is a finding as JSON shows it.
type judged struct {
	finding.Finding
	Fingerprint string `json:"fingerprint"` // names the change for good; what `accept` takes
}

// fails tells whether a finding makes the run fail.
func (r *Report) fails(f finding.Finding) bool {
	threshold := cmp.Or(r.FailOn, finding.FailOnBreaking)
	for _, s := range r.Servers {
		if s.Name == f.Server && s.FailOn != "" {
			threshold = s.FailOn
		}
	}
	return f.Waiver == nil && threshold.Fails(f.Level)
}

// Summarize counts findings by level, waived ones apart, and servers that could not be asked in full.
func Summarize(findings []finding.Finding, servers []Server) Summary {
	var sum Summary
	for _, f := range findings {
		sum.count(f)
	}
	for _, s := range servers {
		if s.State == Failed || s.State == Partial {
			sum.Failed++
		}
	}
	return sum
}

func (s *Summary) count(f finding.Finding) {
	if f.Waiver != nil {
		s.Waived++
		return
	}
	switch f.Level {
	case finding.Breaking:
		s.Breaking++
	case finding.Warning:
		s.Warning++
	case finding.Info:
		s.Info++
	}
	if f.Verdict == finding.Unproven {
		s.Unknown++
	}
}
