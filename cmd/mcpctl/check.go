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
With --conformance a server is also asked what no client would ask – methods, versions, headers and sessions that do not exist – and must
answer as the specification has it, in both eras if it speaks both.
With --usage, what recorded calls say of tools, too: those that nobody calls, calls that fail, arguments that are given wrongly or never.`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "usage", Usage: "look at the recorded calls of `RECORDS`, too: local, or a file of mcpctl usage export", Destination: &o.Records},
			sinceFlag(&o.Since),
			&cli.GenericFlag{Name: "against", Usage: "hold `FILE` or URL to the server: a server.json, the manifest.json of a bundle or a .mcpb, a server card, a README; auto = those of this folder (repeatable)", Value: (*list)(&o.Against), TakesFile: true},
			&cli.BoolFlag{Name: "fix", Usage: "bring the files of --against in step with the server first: version, title, tools and prompts", Destination: &o.Fix},
			&cli.BoolFlag{Name: "read-skills", Usage: "read the SKILL.md of each skill, and look at what it says and whether it is what is listed", Destination: &o.ReadSkills},
			&cli.BoolFlag{Name: "conformance", Usage: "ask each server on purpose whether it keeps to the specification", Destination: &o.Conformance},
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
