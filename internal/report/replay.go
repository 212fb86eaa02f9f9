package report

import (
	"fmt"
	"slices"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/seen"
	"github.com/mcpctl/mcpctl/pkg/finding"
)

// table writes a table of the calls that were sent, then the results that are not as recorded.
func (b *Replay) table(p *page, r *reported) {
	for _, s := range b.Servers {
		if len(s.Replayed) == 0 {
			continue
		}
		p.below(span{s.Name, bold})
		p.grid(2, []column{{title: "TOOL", name: true}, {title: "CALLS", right: true},
			{title: "SAME", right: true}, {title: "DIFFERENT", right: true}, {title: "NOT SENT", right: true},
		}, kit.Map(s.Replayed, func(c seen.Replayed) []span {
			title := c.Tool
			if c.Expectation != nil {
				title += " (" + c.Expectation.String() + ")"
			}
			return []span{{title, plain}, numberCell(c.Calls, plain), numberCell(c.Same, green),
				numberCell(c.Different(), red), numberCell(c.NotSent, yellow)}
		}))
	}
	v := r.view(p.Options)
	writeGroups(p, v, v.documentGroups(p.groups(r.Groups)))
	writeFailures(p, r.Servers)
	writeMeaning(p, r, true)
}

// replayedCases returns a test for each expectation, and for the recorded calls of each tool; results that
// are not as recorded are tests of their own.
func replayedCases(
	s ReplayServer, found []finding.Finding, test func(finding.Finding) junitCase,
) []junitCase {
	var all []junitCase
	for _, c := range s.Replayed {
		one := junitCase{Class: text(s.Name), Name: text(c.Tool)}
		if c.Calls == 0 {
			one.Skipped = &junitResult{Message: "not sent"}
		}
		if c.Expectation != nil {
			one.Name = text(fmt.Sprintf("%s expected at %s", c.Tool, c.Expectation))
		}
		i := slices.IndexFunc(found, func(f finding.Finding) bool {
			return c.Expectation != nil && f.Location != nil && *f.Location == *c.Expectation
		})
		switch {
		case i >= 0:
			failed := test(found[i])
			failed.Name = one.Name
			all = append(all, failed)
		case c.Different() == 0:
			all = append(all, one)
		}
	}
	unplaced := kit.Filter(found, func(f finding.Finding) bool { return f.Location == nil })
	return append(all, kit.Map(unplaced, test)...)
}
