package main

import (
	"cmp"
	"context"

	"github.com/urfave/cli/v2"

	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/pkg/diff"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/report"
)

func diffCommand(inv *invocation) *cli.Command {
	var how comparison
	return &cli.Command{
		Name:      "diff",
		Usage:     "what changed since the saved snapshots, and who breaks",
		ArgsUsage: "[SOURCE…] [-- CMD ARG…]",
		Description: `Compares servers with their saved snapshots, or with what --base names.
Two saved SOURCEs are compared with each other: the first is old, the second is new.`,
		Flags: inv.reachFlags(append(inv.savedFlags(),
			&cli.StringFlag{Name: "base", Usage: "the old side: any `SOURCE`", Destination: &how.base},
			&cli.StringFlag{Name: "fail-on", Usage: "status 1 from this level on: breaking, warning, info, any or never", Destination: &how.failOn},
			&cli.StringFlag{Name: "semantics", Usage: "what callers send: declared properties only, or strict = anything the schema allows", Value: "declared", Destination: &how.semantics},
			&cli.BoolFlag{Name: "assert-formats", Usage: "take format in schemas for a constraint", Destination: &how.AssertFormats},
		)...),
		Action: func(c *cli.Context) error { return inv.diff(c.Context, c.Args().Slice(), how) },
	}
}

// comparison says how to compare, and what fails.
type comparison struct {
	diff.Options
	base, failOn, semantics string
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
	if how.Strict = how.semantics == "strict"; !how.Strict && how.semantics != "declared" {
		return usagef("--semantics is declared or strict, not %q", how.semantics)
	}
	cfg, err := inv.load(now)
	if err != nil {
		return err
	}
	threshold, err := thresholdOf(how.failOn, cfg)
	if err != nil {
		return err
	}
	pairs, err := inv.pairs(ctx, cfg, old, now)
	if err != nil {
		return err
	}
	return inv.emit(ctx, diffReport(pairs, how.Options, threshold), report.Options{})
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
		return nil, nil, usagef("compare %q with what? name two snapshots, old and new, or the old one with --base", targets[0].word)
	}
	return nil, targets, nil
}

// thresholdOf is the level from which a diff fails: the flag, else mcpctl.yaml, else breaking.
func thresholdOf(failOn string, cfg *config.Config) (finding.Threshold, error) {
	if failOn == "" {
		return cmp.Or(cfg.Project.FailOn, finding.FailOnBreaking), nil
	}
	threshold, err := finding.ParseThreshold(failOn)
	if err != nil {
		return threshold, usagef("--fail-on: %w", err)
	}
	return threshold, nil
}

// diffReport compares the pairs and judges what was found.
func diffReport(pairs []pair, options diff.Options, threshold finding.Threshold) *report.Report {
	r := &report.Report{Command: "diff", Findings: report.Findings{}}
	var surfaces []surface
	unsaved := false
	for _, p := range pairs {
		s := p.now
		s.Base, s.Unsaved = p.old.Source, p.missing
		unsaved = unsaved || p.missing
		if p.old.Error != nil && s.Error == nil {
			s.State, s.Error = report.Failed, p.old.Error
		}
		surfaces, r.Servers = append(surfaces, s), append(r.Servers, s.Server)
		if p.old.snapshot == nil || s.snapshot == nil {
			continue
		}
		options.Server, options.Unavailable = s.Name, s.unavailable
		r.Findings = append(r.Findings, diff.Compare(p.old.snapshot, s.snapshot, options)...)
	}
	finding.Sort(r.Findings)
	r.Status = diffStatus(status(surfaces), r.Findings, threshold, unsaved)
	return r
}

// diffStatus is the worst that holds: incomplete answers, then findings, then nothing to compare with.
func diffStatus(reached int, findings []finding.Finding, threshold finding.Threshold, unsaved bool) int {
	if reached != statusOK {
		return reached
	}
	for _, f := range findings {
		if threshold.Fails(f.Level) {
			return statusFindings
		}
	}
	if unsaved {
		return statusNoBaseline
	}
	return statusOK
}
