package main

import (
	"github.com/urfave/cli/v2"

	"github.com/mcpctl/mcpctl/internal/fleet"
	"github.com/mcpctl/mcpctl/internal/report"
)

// showCommand makes show. It needs a SOURCE, whereas list shows all servers without one.
func showCommand(p program) *cli.Command {
	raw := false
	return p.command(&cli.Command{
		Name:        "show",
		Category:    "Inspect",
		Aliases:     []string{"inspect"},
		Usage:       "Show details of a server, tool, prompt or resource",
		ArgsUsage:   "SOURCE [ITEM…] [-- CMD ARG…]",
		Description: `An ITEM is a name or URI, or one with its kind in front: tool/create_issue.`,
		Flags:       []cli.Flag{toggle("raw", "Include the raw JSON", &raw)},
		Action: func(c *cli.Context) error {
			source, wanted := oneSource(p, c.Args().Slice())
			from, err := p.sources(source)
			if err == nil && len(from) == 0 {
				err = errNoServer
			}
			if err != nil {
				return err
			}
			f, err := fleet.LoadAsking(c.Context, p.Process, p.Select, p.Contact, from)
			if err != nil {
				return err
			}
			surfaces, err := f.Survey(c.Context, from)
			if err == nil {
				err = fleet.Show(surfaces, wanted)
			}
			return p.emit(c.Context, fleet.Report("show", surfaces), err,
				report.Options{Raw: raw, Chosen: len(wanted) > 0})
		},
	}, p.surveyFlags())
}
