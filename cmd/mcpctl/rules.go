package main

import (
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/internal/seen"
)

// rulesCommand makes rules. Unknown ids are an error. Rules appear in the usual order.
func rulesCommand(p program) *cli.Command {
	return p.command(&cli.Command{
		Name:         "rules",
		Category:     "Inspect",
		Usage:        "List rules, or explain one",
		ArgsUsage:    "[ID|PATTERN]",
		BashComplete: func(c *cli.Context) { offerWords(seen.AllRuleIDs())(c) },
		Action: func(c *cli.Context) error {
			all, ids := seen.AllRules(), c.Args().Slice()
			for _, id := range ids {
				known := seen.RuleIDs(all)
				if !slices.ContainsFunc(known, func(rule string) bool { return kit.Glob(id, rule) }) {
					return errUnknownRule(id, known)
				}
			}
			var body report.Rules
			for _, rule := range all {
				matches := func(id string) bool { return kit.Glob(id, rule.ID) }
				if len(ids) == 0 || slices.ContainsFunc(ids, matches) {
					body.Rules = append(body.Rules, rule)
				}
			}
			return p.emit(c.Context, &report.Report{Command: "rules", Body: &body}, nil, report.Options{})
		},
	}, p.outputFlags(textFormats), reportFlags(&p.Output))
}
