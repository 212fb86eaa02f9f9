package main

import (
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/mcpctl/mcpctl/internal/fleet"
	"github.com/mcpctl/mcpctl/internal/report"
)

func listCommand(p program) *cli.Command {
	var filter fleet.ItemFilter
	items := false
	return p.command(&cli.Command{
		Name:      "list",
		Usage:     "what servers offer: a row per server, or per item",
		ArgsUsage: "[SOURCE…] [-- CMD ARG…]",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "items", Usage: "a row per item, also for several servers", Destination: &items},
			kindFlag(&filter),
			&cli.StringFlag{Name: "filter", Usage: "only items whose name or URI matches `GLOB`", Destination: (*string)(&filter.Name)},
		},
		Action: func(c *cli.Context) error {
			from, err := p.sources(c.Args().Slice())
			if err == nil {
				err = filter.Check()
			}
			if err != nil {
				return err
			}
			f, err := fleet.Load(c.Context, p.Process, p.Select, p.Contact, from)
			if err != nil {
				return err
			}
			surfaces, err := f.Survey(c.Context, from)
			filter.Fill(surfaces)
			asked := items || filter != fleet.ItemFilter{}
			r := fleet.Report("list", surfaces)
			r.InPart(f.Part(), nil)
			return p.emit(c.Context, r, err, report.Options{Items: asked, Fleet: len(from) == 0})
		},
	}, p.surveyFlags())
}

func kindFlag(filter *fleet.ItemFilter) cli.Flag {
	return &cli.StringFlag{Name: "kind", Usage: "only " + strings.Join(fleet.KindWords(), ", "), Destination: &filter.Kind}
}
