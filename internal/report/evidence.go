package report

import (
	"strings"

	"github.com/mcpctl/mcpctl/pkg/finding"
)

// evidence are the lines that show a finding: what changed, and an instance that tells the difference. Changes are told
// by the ink, red for what is gone and green for what is new.
func evidence(f finding.Finding) [][]span {
	p := &page{bare: true}
	p.values(0, f)
	p.witness(0, f)
	return p.rows
}

// plainText is all that a finding says, for formats that have neither colour nor structure.
func plainText(f finding.Finding) string {
	p := &page{}
	p.body(0, f)
	return strings.TrimRight(p.String(), "\n")
}

// troubleText is all that is known of a failure but what the server wrote to stderr.
func troubleText(s Server, f Failure) string {
	p := &page{}
	p.paragraph(0, f.Message, noInk)
	p.hint(0, f.Hint)
	p.tolerated(s.Tolerated)
	return strings.TrimRight(p.String(), "\n")
}

// rank orders findings by how much they ask for: breaking, warning, info, waived.
func rank(f finding.Finding) int {
	if f.Waiver != nil {
		return 3
	}
	return int(finding.Breaking - f.Level)
}
