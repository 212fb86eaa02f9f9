package main

import (
	"github.com/urfave/cli/v2"

	"github.com/mcpctl/mcpctl/internal/fleet"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/internal/source"
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
			named, wanted := oneSource(p, c.Args().Slice())
			from, err := p.sources(named)
			if err == nil && len(from) == 0 {
				err = errNoServer
			}
			body := &report.Show{Raw: raw, Chosen: len(wanted) > 0}
			if err == nil {
				name := from[0].Word
				if body.AdHoc = from[0].Kind != source.Configured; body.AdHoc {
					name = ""
				}
				err = report.CheckDocs(p.Process, p.Output, name, body.Chosen)
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
			body.Servers = onlySeen(surfaces)
			return p.emit(c.Context, ofSurfaces("show", surfaces, body), err, report.Options{})
		},
	}, p.surveyFlags())
}
