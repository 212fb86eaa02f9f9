package main

import (
	"io"
	"os"

	"github.com/urfave/cli/v2"

	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/output"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/internal/source"
)

func reportCommand(p program) *cli.Command {
	showWaived := false
	return p.command(&cli.Command{
		Name:      "report",
		Usage:     "write a saved report again, in other formats",
		ArgsUsage: "FILE.json",
		Description: `Reads what --format json or --report json=FILE wrote, - for standard input, and contacts nothing. The exit status is 0
once the report is written: what the run came to stands in it.`,
		Flags: []cli.Flag{&cli.BoolFlag{Name: "show-waived", Usage: "show what waivers excuse, too", Destination: &showWaived}},
		Action: func(c *cli.Context) error {
			if c.NArg() != 1 {
				return exit.Usagef("report takes one file that --format json wrote, or - for standard input: see mcpctl report --help")
			}
			r, err := p.savedReport(c.Args().First())
			if err != nil {
				return err
			}
			return output.Write(c.Context, p.Process, p.Output, r, report.Options{Waived: showWaived})
		},
	}, p.outputFlags(), reportFlags(&p.Output))
}

// savedReport reads a report as the JSON format has it.
func (p program) savedReport(path string) (*report.Report, error) {
	var in io.Reader = p.In
	if path != "-" {
		file, err := os.Open(path)
		if err != nil {
			return nil, exit.Misuse(err)
		}
		defer file.Close()
		in = file
	}
	data, err := source.ReadLimited(path, in)
	if err != nil {
		return nil, err
	}
	r, err := report.Parse(data)
	if err != nil {
		return nil, exit.Usagef("reading %s: %w", path, err)
	}
	return r, nil
}
