package main

import (
	"context"
	"os"

	"github.com/urfave/cli/v2"

	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/output"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/internal/source"
	"github.com/mcpctl/mcpctl/internal/store"
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
			r, err := p.savedReport(c.Context, c.Args().First())
			if err != nil {
				return err
			}
			return output.Write(c.Context, p.Process, p.Output, r, report.Options{Waived: showWaived})
		},
	}, p.outputFlags(), reportFlags(&p.Output))
}

// savedFile reads a file that somebody named, which may be a pipe of the shell; - is standard input.
func (p program) savedFile(ctx context.Context, path string) ([]byte, error) {
	switch {
	case path == "-":
		return source.ReadLimited(path, p.In)
	case store.Is(path):
		return store.Read(ctx, p.Process, path, source.MaxSize)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return source.ReadLimited(path, file)
}

// savedReport reads a report as the JSON format has it.
func (p program) savedReport(ctx context.Context, path string) (*report.Report, error) {
	data, err := p.savedFile(ctx, path)
	if err != nil {
		return nil, exit.Misuse(err)
	}
	r, err := report.Parse(data)
	if err != nil {
		return nil, exit.Usagef("reading %s: %w", path, err)
	}
	return r, nil
}
