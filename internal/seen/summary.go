package seen

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/pkg/finding"
)

// Summary counts findings by level, and servers that could not be asked in full.
type Summary struct {
	Breaking int `json:"breaking"`
	Warning  int `json:"warning"`
	Info     int `json:"info"`
	Waived   int `json:"waived"`  // findings that a waiver excuses; they are counted nowhere else
	Unknown  int `json:"unknown"` // findings, of any level, whose verdict is "unproven"
	Failed   int `json:"failed"`  // servers whose state is "failed" or "partial"
	NotTried int `json:"-"`       // those of Failed that were not tried to the end
}

// Summarize counts findings by level, waived ones apart, and servers that could not be asked in full.
func Summarize(findings []finding.Finding, servers []Server) Summary {
	var sum Summary
	count := func(n *int, counts bool) {
		if counts {
			*n++
		}
	}
	for _, f := range findings {
		if f.Waiver != nil {
			sum.Waived++
			continue
		}
		count(&sum.Breaking, f.Level == finding.Breaking)
		count(&sum.Warning, f.Level == finding.Warning)
		count(&sum.Info, f.Level == finding.Info)
		count(&sum.Unknown, f.Verdict == finding.Unproven)
	}
	for _, s := range servers {
		count(&sum.Failed, s.State == Failed || s.State == Partial)
		count(&sum.NotTried, s.NotTried())
	}
	return sum
}

// Number is a number of a summary that is not zero.
type Number struct {
	Level string // whose colour it has: "breaking", "warning", "info" or "waived"
	Text  string // such as "2 breaking"
}

// Parts returns the numbers that are not zero.
func (s Summary) Parts() (all []Number) {
	add := func(level string, n int, text string) {
		if n > 0 {
			all = append(all, Number{level, text})
		}
	}
	add("breaking", s.Breaking, strconv.Itoa(s.Breaking)+" breaking")
	add("warning", s.Warning, kit.Counted(s.Warning, "warning"))
	add("info", s.Info, strconv.Itoa(s.Info)+" info")
	add("warning", s.Unknown, strconv.Itoa(s.Unknown)+" undecided")
	add("waived", s.Waived, strconv.Itoa(s.Waived)+" waived")
	failed := s.Failed - s.NotTried
	add("breaking", failed, kit.Counted(failed, "server")+" failed")
	add("breaking", s.NotTried, kit.Counted(s.NotTried, "server")+" not tried to the end")
	return all
}

// Incomplete returns how many of n servers could not be asked in full: "1 of 3 servers failed, 2 not tried to
// the end".
func (s Summary) Incomplete(n int) string {
	failed, all := s.Failed-s.NotTried, kit.Counted(n, "server")
	switch {
	case s.NotTried == 0:
		return fmt.Sprintf("%d of %s failed", failed, all)
	case failed == 0:
		return fmt.Sprintf("%d of %s not tried to the end", s.NotTried, all)
	}
	return fmt.Sprintf("%d of %s failed, %d not tried to the end", failed, all, s.NotTried)
}

// Words returns the numbers that are not zero in one line: "2 breaking, 1 warning".
func (s Summary) Words() string {
	return strings.Join(kit.Map(s.Parts(), func(p Number) string { return p.Text }), ", ")
}

// Levels returns how many findings of each level there are, such as "1 breaking, 2 info".
func (all Findings) Levels() string { return Summarize(all, nil).Words() }

// Findings are what the rules said, in the order in which they are shown. In JSON each carries its
// fingerprint.
type Findings []finding.Finding

// Judged is a finding with its fingerprint.
type Judged struct {
	finding.Finding
	Fingerprint string `json:"fingerprint"` // names the change for good; what `accept` takes
}

// MarshalJSON adds the fingerprint to each finding.
func (all Findings) MarshalJSON() ([]byte, error) {
	return rawjson.Encode(append([]Judged{}, kit.Map(all, WithFingerprint)...))
}

// WithFingerprint returns a finding with its fingerprint.
func WithFingerprint(f finding.Finding) Judged { return Judged{f, f.Fingerprint()} }
