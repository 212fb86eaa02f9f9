package check

import (
	"cmp"

	"github.com/mcpctl/mcpctl/pkg/finding"
)

// mitigation is why a finding has a lower level than its rule.
type mitigation int

const (
	describesItsUse mitigation = iota // the text says what the tool does with a file, and orders nothing
	withoutOrder                      // the text names a file, and does not read like an order
	leavesOut                         // the text is right, and not complete
	alreadyAccepted                   // the saved snapshot has it as well
)

// lowerLevels are all levels of this package that are not those of rules.json.
var lowerLevels = map[mitigation]finding.Level{
	describesItsUse: finding.Info,
	withoutOrder:    finding.Warning,
	leavesOut:       finding.Info,
	alreadyAccepted: finding.Info,
}

func lowered(f finding.Finding, why mitigation) finding.Finding {
	f.Level = lowerLevels[why]
	return f
}

// ranked returns a finding of the rule with its level, unless it was lowered.
func (r *row) ranked(f finding.Finding) finding.Finding {
	f.Rule, f.Level = r.ID, cmp.Or(f.Level, r.Level)
	return f
}
