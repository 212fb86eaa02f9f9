package main

import (
	"github.com/urfave/cli/v2"

	"github.com/mcpctl/mcpctl/internal/compare"
	"github.com/mcpctl/mcpctl/internal/report"
)

func snapshotCommand(p program) *cli.Command {
	return p.command(&cli.Command{
		Name:      "snapshot",
		Usage:     "save what servers offer, a file for each",
		ArgsUsage: "[SOURCE…] [-- CMD ARG…]",
		Action: func(c *cli.Context) error {
			from, err := p.sources(c.Args().Slice())
			if err != nil {
				return err
			}
			r, err := compare.Save(c.Context, p.Process, p.scope(), from)
			return p.emit(c.Context, r, err, report.Options{})
		},
	}, p.snapshotsFlags(), p.surveyFlags())
}

// scope is which servers take part, and how they are reached.
func (p program) scope() compare.Scope { return compare.Scope{Select: p.Select, Contact: p.Contact} }
