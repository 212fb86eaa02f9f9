package main

import (
	"context"

	"github.com/urfave/cli/v2"

	"github.com/mcpctl/mcpctl/internal/compare"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/internal/source"
)

// scope returns the selection of servers to compare and how to reach them.
func (p program) scope() compare.Scope { return compare.Scope{Select: p.Select, Contact: p.Contact} }

// diffCommand makes diff. Breaking findings fail the run unless --fail-on says otherwise, whereas check fails
// from warnings on.
func diffCommand(p program) *cli.Command {
	var o compare.DiffOptions
	var view report.Options
	return p.command(&cli.Command{
		Name:      "diff",
		Category:  "Guard",
		Usage:     "Show changes since the saved snapshots",
		ArgsUsage: "[SOURCE…] [-- CMD ARG…]",
		Description: `Compares servers with their saved snapshots, or with --base. Two packages, URLs or saved
SOURCEs are compared with each other: the first is old, the second new.`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "base", Usage: "Compare with `SOURCE`, the old side", Destination: &o.Base},
			&cli.StringFlag{Name: "base-ref", Usage: "Compare with the servers as of commit `REF`",
				Destination: &o.Ref},
			&cli.GenericFlag{Name: "versions", Usage: "Compare the last `N` releases of a package",
				Value: number(&o.Versions, 0)},
			&cli.BoolFlag{Name: "upgrade", Usage: "Compare packages with their newest versions",
				Destination: &o.Upgrade},
			&cli.BoolFlag{Name: "locked", Usage: "Refuse packages that differ from the lock file",
				Destination: &o.Locked},
			&cli.StringFlag{Name: "build", Usage: "With --base-ref: run `CMD` in both trees first",
				Destination: &o.Build},
		},
		Action: p.about(&view, func(ctx context.Context, from []source.Source) (*report.Report, error) {
			o.Scope, view.History, view.Upgrades = p.scope(), o.Versions > 0, o.Upgrade
			return compare.Diff(ctx, p.Process, o, from)
		}),
	}, callsFlags(&o.Calls, &o.NoExamples), judgeFlags(&o.FailOn, &view.Waived, "breaking"),
		schemaFlags(&o.Strict), snapshotsFlags(&p.Select), p.surveyFlags())
}
