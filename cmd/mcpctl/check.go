package main

import (
	"github.com/urfave/cli/v2"

	"github.com/mcpctl/mcpctl/internal/compare"
	"github.com/mcpctl/mcpctl/internal/report"
)

func checkCommand(p program) *cli.Command {
	var o compare.CheckOptions
	showWaived := false
	return p.command(&cli.Command{
		Name:      "check",
		Usage:     "what is wrong with what servers offer: protocol, schemas, quality, cost, security",
		ArgsUsage: "[SOURCE…] [-- CMD ARG…]",
		Description: `Looks at each server and at all of them together; no tool is called. A server is asked for its lists twice, to see
whether they stay the same. What a saved snapshot holds too is no news: rules on security tell it as info.
With --usage, what recorded calls say of tools, too: those that nobody calls, calls that fail, arguments that are given wrongly or never.`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "usage", Usage: "look at the recorded calls of `RECORDS`, too: local, or a file of mcpctl usage export", Destination: &o.Records},
			sinceFlag(&o.Since),
			&cli.StringFlag{Name: "against", Usage: "hold `FILE` to the server: a server.json, the manifest.json of a bundle or a .mcpb, a server card; auto = those of this folder", Destination: &o.Against},
		},
		Action: func(c *cli.Context) error {
			from, err := p.sources(c.Args().Slice())
			if err != nil {
				return err
			}
			o.Scope = p.scope()
			r, err := compare.Check(c.Context, p.Process, o, from)
			return p.emit(c.Context, r, err, report.Options{Waived: showWaived})
		},
	}, judgeFlags(&o.FailOn, &showWaived, "warning"), snapshotsFlags(&p.Select), p.surveyFlags())
}
