package main

import (
	"cmp"
	"context"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/match"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/pkg/check"
	"github.com/mcpctl/mcpctl/pkg/diff"
	"github.com/mcpctl/mcpctl/pkg/finding"
)

func rulesCommand(inv *invocation) *cli.Command {
	return &cli.Command{
		Name:         "rules",
		Usage:        "the rules that findings come from, or one explained",
		ArgsUsage:    "[ID]",
		Flags:        append(inv.outputFlags(), inv.reportFlags()...),
		Action:       func(c *cli.Context) error { return inv.rules(c.Context, c.Args().Slice()) },
		BashComplete: completeWords(ruleIDs()...),
	}
}

func (inv *invocation) rules(ctx context.Context, ids []string) error {
	r := &report.Report{Command: "rules"}
	for _, rule := range allRules() {
		if len(ids) == 0 || slices.Contains(ids, rule.ID) {
			r.Rules = append(r.Rules, rule)
		}
	}
	for _, id := range ids {
		if !slices.ContainsFunc(r.Rules, func(rule finding.Rule) bool { return rule.ID == id }) {
			return exit.Usagef("there is no rule %q%s: see mcpctl rules", id, match.DidYouMean(id, ruleIDs()))
		}
	}
	return inv.emit(ctx, r, report.Options{})
}

// allRules are the rules of all commands, sorted by id.
func allRules() []finding.Rule {
	rules := slices.Concat(diff.Rules(), check.Rules(), finding.PolicyRules())
	slices.SortFunc(rules, func(a, b finding.Rule) int { return cmp.Compare(a.ID, b.ID) })
	return rules
}

// ruleIDs are the ids of all rules.
func ruleIDs() []string { return idsOf(allRules()) }

func idsOf(rules []finding.Rule) []string {
	var ids []string
	for _, rule := range rules {
		ids = append(ids, rule.ID)
	}
	return ids
}
