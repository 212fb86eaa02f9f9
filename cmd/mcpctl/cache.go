package main

import (
	"bytes"
	"fmt"
	"text/tabwriter"
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
		Description: `Shows what is kept, the least recently used first. It can all be fetched again; beyond 2 GiB what was not used for a day goes by itself.`,
		Flags:       []cli.Flag{&cli.BoolFlag{Name: "empty", Usage: "remove all of it", Destination: &empty}},
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
				entries, err = store.Prune(0, time.Now().Add(time.Hour))
				done = "removed"
			}
			if err != nil {
				return err
			}
			var out bytes.Buffer
			table := tabwriter.NewWriter(&out, 0, 0, 2, ' ', 0)
			sum := int64(0)
			for _, e := range entries {
				fmt.Fprintf(table, "%s\t%s\tused %s\n", report.Visible(e.Name), printable.Size(int(e.Bytes)), e.Used.Format(time.DateOnly))
				sum += e.Bytes
			}
			_ = table.Flush() // into memory
			fmt.Fprintf(&out, "%s %s in %s\n", printable.Size(int(sum)), done, store.Folder)
			return p.Output.Bytes(c.Context, p.Process, out.Bytes())
		},
	}, p.talkFlags())
}
