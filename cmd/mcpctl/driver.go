package main

import (
	"cmp"

	"github.com/urfave/cli/v2"

	"github.com/mcpctl/mcpctl/internal/compare"
	"github.com/mcpctl/mcpctl/internal/exit"
)

func mergeDriverCommand(p program) *cli.Command {
	return p.command(&cli.Command{
		Name:      "merge-driver",
		Usage:     "merge saved snapshots for git, which calls it",
		ArgsUsage: "BASE OURS THEIRS [PATH]",
		Description: `Two branches that changed different tools merge by themselves; what both changed is left between git's markers. To set it up:
   echo 'mcp-snapshots/*.json merge=mcpctl' >>.gitattributes
   git config merge.mcpctl.name 'mcpctl snapshots'
   git config merge.mcpctl.driver 'mcpctl merge-driver %O %A %B %P'`,
		Action: func(c *cli.Context) error {
			words := c.Args().Slice()
			if n := len(words); n != 3 && n != 4 {
				return exit.Usagef("merge-driver wants BASE OURS THEIRS [PATH], as git's %%O %%A %%B %%P: see mcpctl merge-driver --help")
			}
			return compare.Merge(c.Context, p.Process, words[0], words[1], words[2], cmp.Or(c.Args().Get(3), words[1]))
		},
	})
}
