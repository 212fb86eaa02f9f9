package main

import (
	"github.com/urfave/cli/v2"

	"github.com/mcpctl/mcpctl/internal/invoke"
)

func completeCommand(p program) *cli.Command {
	var o invoke.Options
	return p.invokeCommand(&cli.Command{
		Name:        "complete",
		Usage:       "ask a server what an argument may be",
		ArgsUsage:   "SOURCE prompt/NAME|template/URI-TEMPLATE ARGUMENT [PREFIX] [KEY=VALUE…] [-- CMD ARG…]",
		Description: `KEY=VALUE are arguments that are known already; servers may suggest by them.`,
		Flags:       []cli.Flag{dryRunFlag(&o)},
		Action: func(c *cli.Context) error {
			from, rest, err := p.request(c.Args().Slice(), 2, "complete what? Write mcpctl complete SOURCE prompt/NAME ARGUMENT [PREFIX], or template/URI-TEMPLATE in the place of prompt/NAME")
			if err != nil {
				return err
			}
			prefix, known := "", rest[2:]
			if len(known) > 0 {
				prefix, known = known[0], known[1:]
			}
			return invoke.Complete(c.Context, p.Process, o, from, rest[0], rest[1], prefix, known)
		},
	}, &o)
}
