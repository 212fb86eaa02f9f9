package main

import (
	"context"

	"github.com/urfave/cli/v2"

	"github.com/mcpctl/mcpctl/internal/compare"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/internal/source"
)

// scope returns the selection of servers to compare and how to reach them.
func (p program) scope() compare.Reach { return compare.Reach{Select: p.Select, Contact: p.Contact} }

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
			option("base", "Compare with `SOURCE`, the old side", text(&o.Base)),
			option("base-ref", "Compare with the servers as of commit `REF`", text(&o.Ref)),
			option("versions", "Compare the last `N` releases of a package", number(&o.Versions, 0)),
			toggle("upgrade", "Compare packages with their newest versions", &o.Upgrade),
			toggle("locked", "Refuse packages that differ from the lock file", &o.Locked),
			option("build", "With --base-ref: run `CMD` in both trees first", text(&o.Build)),
			callsFlag(&o.Calls),
			toggle("no-examples", "Show no arguments of recorded calls", &o.NoExamples),
		},
		Action: p.about(&view, func(ctx context.Context, from []source.Source) (*report.Report, error) {
			o.Reach = p.scope()
			all, err := compare.Diff(ctx, p.Process, o, from)
			return ofDiff(all, o.Versions > 0, o.Upgrade, err)
		}),
	}, judgeFlags(&o.FailOn, &view.Waived, "breaking"), []cli.Flag{semanticsFlag(&o.Strict)},
		snapshotsFlags(&p.Select), p.surveyFlags())
}
