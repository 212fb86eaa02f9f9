package main

import (
	"context"
	"errors"
	"io/fs"

	"github.com/urfave/cli/v2"

	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/internal/source"
)

// reportCommand makes report, which shows a saved report again. It exits with 0 even if that has findings.
func reportCommand(p program) *cli.Command {
	var view report.Options
	return p.command(&cli.Command{
		Name:      "report",
		Category:  "Inspect",
		Usage:     "Convert a saved report",
		ArgsUsage: "FILE.json",
		Description: `
Reads a report that --format json or --report json=FILE wrote, - for standard input. Exits 0.`,
		Flags: []cli.Flag{waivedFlag(&view.Waived)},
		Action: func(c *cli.Context) error {
			if c.NArg() != 1 {
				return errReportFile
			}
			r, err := p.savedReport(c.Context, c.Args().First())
			if err != nil {
				return err
			}
			return report.WriteOutput(c.Context, p.Process, p.Output, r, view)
		},
	}, p.outputFlags(nil), reportFlags(&p.Output))
}

// savedReport reads a report as the JSON format has it, from standard input if its name is -.
func (p program) savedReport(ctx context.Context, path string) (*report.Report, error) {
	var data []byte
	var err error
	if path == "-" {
		data, err = source.ReadLimited(path, p.In)
	} else {
		data, err = source.ReadNamed(ctx, path)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errNoReport(err)
	}
	if err != nil {
		return nil, exit.Misuse(err)
	}
	r, err := host.Await(ctx, func() (*report.Report, error) { return report.Parse(data, emptyBody) })
	if err != nil {
		return nil, exit.Usagef("reading %s: %w", path, err)
	}
	return r, nil
}
