package main

import (
	"github.com/urfave/cli/v2"

	"github.com/mcpctl/mcpctl/internal/invoke"
)

func promptCommand(p program) *cli.Command {
	var o invoke.Options
	return p.invokeCommand(&cli.Command{
		Name:        "prompt",
		Usage:       "fill in a prompt and show its messages",
		ArgsUsage:   "SOURCE NAME [KEY=VALUE…] [-- CMD ARG…]",
		Description: `Every argument of a prompt is a text; key@=FILE reads it from a file.`,
		Flags:       askFlags(&o),
		Action: func(c *cli.Context) error {
			from, rest, err := p.request(c.Args().Slice(), 1, "which prompt? Write mcpctl prompt SOURCE NAME [KEY=VALUE…]; mcpctl list SOURCE shows the prompts")
			if err != nil {
				return err
			}
			return invoke.Prompt(c.Context, p.Process, o, from, rest[0], rest[1:])
		},
	}, &o)
}
