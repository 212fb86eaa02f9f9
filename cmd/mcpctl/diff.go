package main

import (
	"github.com/urfave/cli/v2"

	"github.com/mcpctl/mcpctl/internal/compare"
	"github.com/mcpctl/mcpctl/internal/report"
)

func diffCommand(p program) *cli.Command {
	var o compare.DiffOptions
	showWaived := false
	return p.command(&cli.Command{
		Name:      "diff",
		Usage:     "what changed since the saved snapshots, and who breaks",
		ArgsUsage: "[SOURCE…] [-- CMD ARG…]",
		Description: `Compares servers with their saved snapshots, or with what --base names.
Two saved SOURCEs are compared with each other: the first is old, the second is new.`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "base", Usage: "the old side: any `SOURCE`", Destination: &o.Base},
			&cli.StringFlag{Name: "base-ref", Usage: "the old side: the same servers, started from commit `REF` in a temporary worktree", Destination: &o.Ref},
			&cli.IntFlag{Name: "versions", Usage: "a table of the last `N` releases of the one package", Destination: &o.Versions},
			&cli.BoolFlag{Name: "upgrade", Usage: "configured servers that start a package (npx, uvx, pipx), against its newest version", Destination: &o.Upgrade},
			&cli.BoolFlag{Name: "locked", Usage: "start no other package than what mcp-snapshots/mcpctl.lock.json says", Destination: &o.Locked},
			&cli.StringFlag{Name: "build", Usage: "with --base-ref, run `CMD` with the shell in both trees first", Destination: &o.Build},
			&cli.StringFlag{Name: "usage", Usage: "judge each change by the recorded calls of `RECORDS`: local, or a file of mcpctl usage export", Destination: &o.Records},
			sinceFlag(&o.Since),
		},
		Action: func(c *cli.Context) error {
			from, err := p.sources(c.Args().Slice())
			if err != nil {
				return err
			}
			o.Scope = p.scope()
			r, err := compare.Diff(c.Context, p.Process, o, from)
			return p.emit(c.Context, r, err, report.Options{Waived: showWaived, History: o.Versions > 0})
		},
	}, judgeFlags(&o.FailOn, &showWaived, "breaking"), schemaFlags(&o.Strict, &o.AssertFormats), snapshotsFlags(&p.Select), p.surveyFlags())
}
