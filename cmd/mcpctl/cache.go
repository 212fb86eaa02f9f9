package main

import (
	"bytes"
	"fmt"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/fleet"
	"github.com/mcpctl/mcpctl/internal/printable"
	"github.com/mcpctl/mcpctl/internal/report"
)

func cacheCommand(p program) *cli.Command {
	empty := false
	return p.command(&cli.Command{
		Name:        "cache",
		Usage:       "the packages that were fetched for npm:, pypi: and oci: SOURCEs; shows or empties them",
		Description: `Shows what is kept, the least recently used first. It can all be fetched again. Beyond 2 GiB what was used longest ago goes by itself, but nothing that was used within a day or that a running command uses.`,
		Flags:       []cli.Flag{&cli.BoolFlag{Name: "empty", Usage: "remove all of it but what running commands use", Destination: &empty}},
		Action: func(c *cli.Context) error {
			if c.Args().Present() {
				return exit.Usagef("cache takes no argument: mcpctl cache shows what is kept, mcpctl cache --empty removes it")
			}
			store, err := fleet.PackageStore(p.Process)
			if err != nil {
				return exit.Misuse(err)
			}
			entries, err := store.Entries()
			done := "kept"
			if err == nil && empty {
				kept := len(entries)
				entries, err = store.Prune(0, time.Now().Add(time.Hour))
				if kept -= len(entries); kept > 0 && err == nil {
					p.Note("running commands use %d of them: they stay until these end", kept)
				}
				done = "removed"
			}
			if err != nil {
				return err
			}
			var out bytes.Buffer
			sum := int64(0)
			for _, e := range entries {
				fmt.Fprintf(&out, "%s  %s  used %s\n", report.Visible(e.Name), printable.Size(int(e.Bytes)), e.Used.Format(time.DateOnly))
				sum += e.Bytes
			}
			fmt.Fprintf(&out, "%s %s in %s\n", printable.Size(int(sum)), done, store.Folder)
			return p.Output.Bytes(c.Context, p.Process, out.Bytes())
		},
	}, p.talkFlags())
}
