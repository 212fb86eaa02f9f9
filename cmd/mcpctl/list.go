package main

import (
	"context"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/mcpctl/mcpctl/internal/fleet"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/internal/source"
)

func listCommand(p program) *cli.Command {
	var filter fleet.ItemFilter
	var view report.Options
	return p.command(&cli.Command{
		Name:      "list",
		Category:  "Inspect",
		Aliases:   []string{"ls"},
		Usage:     "List servers, or their tools, prompts and resources",
		ArgsUsage: "[SOURCE…] [-- CMD ARG…]",
		Flags: []cli.Flag{
			kindFlag(&filter),
			&cli.StringFlag{
				Name: "filter", Usage: "Limit to items matching `GLOB` (or containing it)", Destination: (*string)(&filter.Name),
			},
		},
		Action: p.about(&view, func(ctx context.Context, from []source.Source) (*report.Report, error) {
			if err := filter.Check(); err != nil {
				return nil, err
			}
			f, err := fleet.Load(ctx, p.Process, p.Select, p.Contact, from)
			if err != nil {
				return nil, err
			}
			surfaces, err := f.List(ctx, from, filter)
			view.Items, view.Fleet = filter != fleet.ItemFilter{}, len(from) == 0
			r := fleet.Report("list", surfaces)
			r.InPart(f.Part(), nil)
			return r, err
		}),
	}, p.surveyFlags())
}

func kindFlag(filter *fleet.ItemFilter) cli.Flag {
	return &cli.StringFlag{
		Name: "kind", Usage: "Limit to `KIND`: " + strings.Join(fleet.KindWords(), ", "), Destination: &filter.Kind,
	}
}
