package main

import (
	"encoding/json"
	"os"

	"github.com/urfave/cli/v2"

	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/files"
	"github.com/mcpctl/mcpctl/internal/report"
)

func reportCommand(inv *invocation) *cli.Command {
	showWaived := false
	return &cli.Command{
		Name:      "report",
		Usage:     "write a saved report again, in other formats",
		ArgsUsage: "FILE.json",
		Description: `Reads what --format json or --report json=FILE wrote, - for standard input, and contacts nothing. The exit status is 0
once the report is written: what the run came to stands in it.`,
		Flags: append(append(inv.outputFlags(), inv.reportFlags()...),
			&cli.BoolFlag{Name: "show-waived", Usage: "show what waivers excuse, too", Destination: &showWaived}),
		BashComplete: completeWords(), // the shell offers files
		Action:       func(c *cli.Context) error { return inv.report(c.Args().Slice(), showWaived) },
	}
}

func (inv *invocation) report(words []string, showWaived bool) error {
	if len(words) != 1 {
		return exit.Usagef("report takes one file that --format json wrote, or - for standard input: see mcpctl report --help")
	}
	r, err := inv.savedReport(words[0])
	if err != nil {
		return err
	}
	_, err = inv.publish(r, report.Options{Waived: showWaived})
	return err
}

// savedReport reads a report as the JSON format has it.
func (inv *invocation) savedReport(path string) (*report.Report, error) {
	source := inv.In
	if path != "-" {
		file, err := os.Open(path)
		if err != nil {
			return nil, exit.Misuse(err)
		}
		defer file.Close()
		source = file
	}
	data, err := files.ReadLimited(source, maxSnapshot)
	if err != nil {
		return nil, exit.Usagef("reading %s: %w", path, err)
	}
	r := new(report.Report)
	if err := json.Unmarshal(data, r); err != nil {
		return nil, exit.Usagef("reading %s: %w: a report is what --format json writes", path, err)
	}
	switch {
	case r.Mcpctl > report.Version:
		return nil, exit.Usagef("reading %s: the report has version %d, and this mcpctl knows %d: install a newer one", path, r.Mcpctl, report.Version)
	case r.Mcpctl != report.Version || r.Command == "":
		return nil, exit.Usagef("reading %s: it is no report of mcpctl, which --format json writes", path)
	}
	return r, nil
}
