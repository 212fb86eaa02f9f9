package report

import (
	"fmt"

	"github.com/mcpctl/mcpctl/pkg/finding"
)

// advice tells which version the findings ask for, when it is a higher one than the server has.
func (p *page) advice(a *finding.Advice) {
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
	p.text(2, 2, span{visible(fmt.Sprintf("%s; the findings ask for %s (%s)", step, a.Next, a.Asked)), dim})
}
