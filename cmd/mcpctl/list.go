package main

import (
	"context"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/mcpctl/mcpctl/internal/fleet"
	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/printable"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/internal/source"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// listCommand makes list. It shows the items of one server, and of several a row for each; with a filter the
// items that pass.
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
			option("sort", "Sort items by `ORDER`: tokens or name",
				oneOf("sort", func(order string) { view.Sort = order }, "tokens", "name")),
			kindFlag(&filter),
			option("filter", "Limit to items matching `GLOB` (or containing it)",
				text((*string)(&filter.Name))),
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
			if note := fleet.NoiseNote(surfaces); note != "" {
				p.Process.Note("%s", note)
			}
			view.Items = filter != fleet.ItemFilter{}
			view.Fleet = len(from) == 0 && len(surfaces) != 1
			r := fleet.Report("list", surfaces)
			view.Again = again(from, r)
			r.SetShard(f.ShardReport(), nil)
			return r, err
		}),
	}, p.surveyFlags())
}

// again returns the arguments of show for the first tool of a report with one server.
func again(from []source.Source, r *report.Report) string {
	if len(from) != 1 || len(r.Servers) != 1 || len(r.Servers[0].Tools) == 0 {
		return ""
	}
	tool := printable.ShellWord(snapshot.Item{Raw: r.Servers[0].Tools[0]}.Text("name"))
	if from[0].Kind == source.Command {
		return tool + " -- " + strings.Join(kit.Map(from[0].Args, printable.ShellWord), " ")
	}
	return printable.ShellWord(from[0].Word) + " " + tool
}

func kindFlag(filter *fleet.ItemFilter) cli.Flag {
	return option("kind", "Limit to `KIND`: "+strings.Join(fleet.KindWords(), ", "), text(&filter.Kind))
}
