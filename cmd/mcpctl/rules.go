package main

import (
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/mcpctl/mcpctl/internal/report"
)

// rulesCommand makes rules. Unknown identifiers are an error, and those given are shown in the usual order.
func rulesCommand(p program) *cli.Command {
	return p.command(&cli.Command{
		Name:         "rules",
		Category:     "Inspect",
		Usage:        "List rules, or explain one",
		ArgsUsage:    "[ID]",
		BashComplete: offerWords(report.RuleIDs(report.AllRules())),
		Action: func(c *cli.Context) error {
			all, ids := report.AllRules(), c.Args().Slice()
			for _, id := range ids {
				if known := report.RuleIDs(all); !slices.Contains(known, id) {
					return errUnknownRule(id, known)
				}
			}
			r := &report.Report{Command: "rules"}
			for _, rule := range all {
				if len(ids) == 0 || slices.Contains(ids, rule.ID) {
					r.Rules = append(r.Rules, rule)
				}
			}
			return p.emit(c.Context, r, nil, report.Options{})
		},
	}, p.outputFlags(), reportFlags(&p.Output))
}
