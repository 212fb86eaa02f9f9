package main

import (
	"context"

	"github.com/urfave/cli/v2"

	"github.com/mcpctl/mcpctl/internal/compare"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/internal/source"
)

// checkCommand makes check, which judges servers as they are now; diff judges how they changed.
func checkCommand(p program) *cli.Command {
	var o compare.CheckOptions
	var view report.Options
	return p.command(&cli.Command{
		Name:      "check",
		Category:  "Guard",
		Usage:     "Lint servers: protocol, schemas, quality, cost, security",
		ArgsUsage: "[SOURCE…] [-- CMD ARG…]",
		Description: `
Checks each server, and all of them together. No tool is called. Security findings that the saved snapshot
already has are reported as info.`,
		Flags: []cli.Flag{
			option("against", "Check `FILE` (server.json, manifest.json, a text) against it",
				list(&o.Against)),
			callsFlag(&o.Calls),
		},
		Action: p.about(&view, func(ctx context.Context, from []source.Source) (*report.Report, error) {
			o.Reach = p.scope()
			o.Documentation = func(file string, text []byte) (compare.Documentation, error) {
				return report.ReadDocs(file, text)
			}
			return ofCheck(compare.Check(ctx, p.Process, o, from))
		}),
	}, judgeFlags(&o.FailOn, &view.Waived, "warning"), snapshotsFlags(&p.Select), p.surveyFlags())
}
