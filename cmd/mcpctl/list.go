package main

import (
	"context"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/mcpctl/mcpctl/internal/compare"
	"github.com/mcpctl/mcpctl/internal/fleet"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/internal/source"
)

// listCommand makes list. It shows the items of one server, and of several a row for each; with a filter the
// items that pass.
func listCommand(p program) *cli.Command {
	var filter fleet.ItemFilter
	var body report.Listing
	var view report.Options
	return p.command(&cli.Command{
		Name:      "list",
		Category:  "Inspect",
		Aliases:   []string{"ls"},
		Usage:     "List servers, or their tools, prompts and resources",
		ArgsUsage: "[SOURCE…] [-- CMD ARG…]",
		Flags: []cli.Flag{
			option("sort", "Sort items or servers by `ORDER`: tokens or name",
				oneOf("sort", func(order string) { body.Sort = order }, "tokens", "name")),
			kindFlag(&filter),
			option("filter", "Limit to items matching `GLOB` (or containing it)",
				text((*string)(&filter.Name))),
		},
		Action: p.about(&view, func(ctx context.Context, from []source.Source) (*report.Report, error) {
			if err := filter.Check(); err != nil {
				return nil, err
			}
			f, err := fleet.LoadAsking(ctx, p.Process, p.Select, p.Contact, from)
			if err != nil {
				return nil, err
			}
			surfaces, err := f.List(ctx, from, filter)
			if note := fleet.NoiseNote(surfaces); note != "" {
				p.Process.Note("%s", note)
			}
			body.Servers, body.Items = onlySeen(surfaces), filter != fleet.ItemFilter{}
			body.None = filter.None()
			body.Fleet = len(from) == 0 && len(surfaces) != 1
			r := ofSurfaces("list", surfaces, &body)
			body.Shard = compare.ShardOfRun(p.Process, f, r.Status, nil)
			return r, err
		}),
	}, p.surveyFlags())
}

func kindFlag(filter *fleet.ItemFilter) cli.Flag {
	return option("kind", "Limit to `KIND`: "+strings.Join(fleet.KindWords(), ", "), text(&filter.Kind))
}
