package main

import (
	"context"
	"errors"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/pkg/check"
	"github.com/mcpctl/mcpctl/pkg/diff"
	"github.com/mcpctl/mcpctl/pkg/finding"
)

func diffCommand(inv *invocation) *cli.Command {
	var how comparison
	return &cli.Command{
		Name:      "diff",
		Usage:     "what changed since the saved snapshots, and who breaks",
		ArgsUsage: "[SOURCE…] [-- CMD ARG…]",
		Description: `Compares servers with their saved snapshots, or with what --base names.
Two saved SOURCEs are compared with each other: the first is old, the second is new.`,
		Flags: inv.reachFlags(slices.Concat(inv.savedFlags(), how.schemaFlags(), []cli.Flag{
			&cli.StringFlag{Name: "base", Usage: "the old side: any `SOURCE`", Destination: &how.base},
			&cli.StringFlag{Name: "base-ref", Usage: "the old side: the same servers, started from commit `REF` in a temporary worktree", Destination: &how.from.ref},
			&cli.StringFlag{Name: "build", Usage: "with --base-ref, run `CMD` with the shell in both trees first", Destination: &how.from.build},
			&cli.StringFlag{Name: "fail-on", Usage: "status 1 from this level on: breaking, warning, info, any or never", Destination: &how.failOn},
			&cli.BoolFlag{Name: "show-waived", Usage: "show in the table what waivers excuse, too", Destination: &how.showWaived},
		})...),
		Action: func(c *cli.Context) error { return inv.diff(c.Context, c.Args().Slice(), how) },
	}
}

// comparison says how to compare, and what fails.
type comparison struct {
	diff.Options
	from                    rebuilt // diff alone
	base, failOn, semantics string
	showWaived              bool
}

// schemaFlags choose how schemas are compared.
func (how *comparison) schemaFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "semantics", Usage: "what callers send: declared properties only, or strict = anything the schema allows", Value: "declared", Destination: &how.semantics},
		&cli.BoolFlag{Name: "assert-formats", Usage: "take format in schemas for a constraint", Destination: &how.AssertFormats},
	}
}

func (inv *invocation) diff(ctx context.Context, words []string, how comparison) error {
	targets, err := inv.targets(words)
	if err != nil {
		return err
	}
	old, now, err := sides(targets, how.base)
	if err != nil {
		return err
	}
	if err := errors.Join(how.from.check(how.base), how.settle()); err != nil {
		return err
	}
	cfg, err := inv.load(ctx, now)
	if err != nil {
		return err
	}
	policy, err := policyOf(cfg.Project.Policy, how.failOn)
	if err != nil {
		return err
	}
	how.ItemBudget = cfg.Project.Budgets.ItemBytes
	pairs, err := inv.pairsOf(ctx, cfg, how.from, old, now)
	if err != nil {
		return err
	}
	r := &report.Report{Command: "diff", FailOn: policy.FailOn}
	scope := scopeOf(cfg, pairs, diff.Rules())
	inv.doubtOverrides(cfg, scope)
	r.Findings = policy.Apply(compare(pairs, how.Options, policy), scope, inv.Now)
	r.Servers, r.Status = failOn(diffServers(pairs), policy), diffStatus(pairs, policy.Fails(r.Findings))
	advise(r, pairs)
	return inv.emit(ctx, r, report.Options{Waived: how.showWaived})
}

// pairsOf brings the two sides of a diff together.
func (inv *invocation) pairsOf(ctx context.Context, cfg *config.Config, from rebuilt, old, now []target) ([]pair, error) {
	if from.ref != "" {
		return inv.rebuiltPairs(ctx, cfg, from, now)
	}
	return inv.pairs(ctx, cfg, old, now)
}

// settle reads the flags that choose how schemas are compared.
func (how *comparison) settle() error {
	if how.Strict = how.semantics == "strict"; !how.Strict && how.semantics != "declared" {
		return exit.Usagef("--semantics is declared or strict, not %q", how.semantics)
	}
	return nil
}

// sides are the old and the new SOURCEs of a diff; no old one means the saved snapshots.
func sides(targets []target, base string) (old, now []target, err error) {
	saved := 0
	for _, t := range targets {
		if !t.live() {
			saved++
		}
	}
	switch {
	case base != "":
		return []target{parseTarget(base)}, targets, nil
	case len(targets) == 2 && saved == 2:
		return targets[:1], targets[1:], nil
	case saved > 0:
		return nil, nil, exit.Usagef("compare %q with what? name two snapshots, old and new, or the old one with --base", targets[0].word)
	}
	return nil, targets, nil
}

// compare is what changed from the old to the new side of all pairs.
func compare(pairs []pair, options diff.Options, policy finding.Policy) []finding.Finding {
	beLean(pairs)
	var findings []finding.Finding
	for _, p := range pairs {
		findings = append(findings, p.compare(options, policy)...)
	}
	return findings
}

// compare is what changed in one pair; nothing when a side of it is not known.
func (p pair) compare(options diff.Options, policy finding.Policy) []finding.Finding {
	if !p.old.known() || !p.now.known() {
		return nil
	}
	options.Absence = p.why
	options.Server, options.Enable = p.now.Name, policy.Enabled(p.now.Name)
	return diff.Compare(p.old.snapshot, p.now.snapshot, options)
}

// diffServers are the servers of a diff as the report shows them.
func diffServers(pairs []pair) []report.Server {
	var servers []report.Server
	for _, p := range pairs {
		s := p.result().Server
		s.BaseTokens, s.Tokens = p.tokens()
		servers = append(servers, s)
	}
	return servers
}

// tokens are what the two sides cost in a prompt; nil where that is not known.
func (p pair) tokens() (old, now *int) {
	if !p.old.priced() || !p.now.priced() {
		return p.old.tokens(), p.now.tokens()
	}
	both := check.TokensOf(p.old.snapshot, p.now.snapshot)
	return &both[0], &both[1]
}

// result is the new side, or the failure of the old one.
func (p pair) result() surface {
	s := p.now
	s.Base, s.Unsaved = p.old.Source, p.missing
	if p.old.Error != nil && s.Error == nil {
		s.State, s.Error, s.Tolerated = report.Failed, p.old.Error, p.old.Tolerated
	}
	return s
}

// diffStatus is the worst that holds: incomplete answers, then findings, then nothing to compare with.
func diffStatus(pairs []pair, fails bool) int {
	var surfaces []surface
	unsaved := false
	for _, p := range pairs {
		surfaces, unsaved = append(surfaces, p.result()), unsaved || p.missing
	}
	switch reached := status(surfaces); {
	case reached != exit.OK:
		return reached
	case fails:
		return exit.Findings
	case unsaved:
		return exit.NoBaseline
	}
	return exit.OK
}
