package main

import (
	"github.com/urfave/cli/v2"

	"github.com/mcpctl/mcpctl/internal/invoke"
)

func readCommand(p program) *cli.Command {
	var o invoke.Options
	return p.invokeCommand(&cli.Command{
		Name:        "read",
		Usage:       "read a resource",
		ArgsUsage:   "SOURCE URI [KEY=VALUE…] [-- CMD ARG…]",
		Description: `A URI template (RFC 6570) is expanded with the values: mcpctl read tickets tickets://{id} id=7.`,
		Flags:       askFlags(&o),
		Action: func(c *cli.Context) error {
			from, rest, err := p.request(c.Args().Slice(), 1, "read what? Write mcpctl read SOURCE URI; mcpctl list SOURCE shows resources and templates")
			if err != nil {
				return err
			}
			return invoke.Read(c.Context, p.Process, o, from, rest[0], rest[1:])
		},
	}, &o)
}
