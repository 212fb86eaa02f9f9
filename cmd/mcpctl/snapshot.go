package main

import (
	"context"

	"github.com/urfave/cli/v2"

	"github.com/mcpctl/mcpctl/internal/compare"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/internal/source"
)

// snapshotCommand makes snapshot. When the snapshot itself goes to standard output, the report goes to
// standard error.
func snapshotCommand(p program) *cli.Command {
	var o compare.SaveOptions
	return p.command(&cli.Command{
		Name:      "snapshot",
		Category:  "Guard",
		Usage:     "Save server snapshots",
		ArgsUsage: "[SOURCE…] [-- CMD ARG…]",
		Flags: []cli.Flag{
			option("output, o", "Write the snapshot of one server to `FILE` (- for stdout)", text(&o.File)),
		},
		Action: p.about(&report.Options{},
			func(ctx context.Context, from []source.Source) (*report.Report, error) {
				o.Reach = p.scope()
				r, err := ofSave(compare.Save(ctx, p.Process, o, from))
				if o.File == "-" { // where the snapshot is
					p.Out = p.Err
				}
				return r, err
			}),
	}, snapshotsFlags(&p.Select), selectionFlags(&p.Select),
		p.formatFlags(printing, report.Formats(), "table"),
		p.talkFlags(), reportFlags(&p.Output), p.reachFlags())
}
