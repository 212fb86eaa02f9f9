package main

import (
	"github.com/urfave/cli/v2"

	"github.com/mcpctl/mcpctl/internal/compare"
	"github.com/mcpctl/mcpctl/internal/report"
)

func snapshotCommand(p program) *cli.Command {
	var o compare.SaveOptions
	return p.command(&cli.Command{
		Name:      "snapshot",
		Usage:     "save what servers offer, a file for each",
		ArgsUsage: "[SOURCE…] [-- CMD ARG…]",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "save the snapshot of the one server to `FILE`, not into the folder (a report goes there with --report)", Destination: &o.File, TakesFile: true},
		},
		Action: func(c *cli.Context) error {
			from, err := p.sources(c.Args().Slice())
			if err != nil {
				return err
			}
			o.Scope = p.scope()
			r, err := compare.Save(c.Context, p.Process, o, from)
			return p.emit(c.Context, r, err, report.Options{})
		},
	}, snapshotsFlags(&p.Select), selectionFlags(&p.Select), formatFlags(&p.Output), p.talkFlags(), reportFlags(&p.Output), p.reachFlags())
}

// scope is which servers take part, and how they are reached.
func (p program) scope() compare.Scope { return compare.Scope{Select: p.Select, Contact: p.Contact} }
