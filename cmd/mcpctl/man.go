package main

import (
	"github.com/urfave/cli/v2"
)

// manCommand makes man, which the help does not show; its page is generated from the commands.
func manCommand(p program) *cli.Command {
	return p.command(&cli.Command{
		Name:     "man",
		Category: "Set up",
		Usage:    "Write the manual page, mcpctl(1)",
		Hidden:   true,
		Action: func(c *cli.Context) error {
			if c.Args().Present() {
				return errManArgument
			}
			page, err := c.App.ToManWithSection(1)
			if err != nil {
				return err
			}
			return p.Output.Bytes(c.Context, p.Process, []byte(page))
		},
	}, outputFlag(&p.Output))
}
