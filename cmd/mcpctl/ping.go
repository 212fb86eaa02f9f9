package main

import (
	"context"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/mcpctl/mcpctl/internal/fleet"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/internal/source"
)

func pingCommand(p program) *cli.Command {
	times, second := 1, time.Second
	pause := &second
	return p.command(&cli.Command{
		Name:        "ping",
		Usage:       "Check that servers respond",
		ArgsUsage:   "[SOURCE…] [-- CMD ARG…]",
		Description: `Connects and sends ping (server/discover since protocol 2026-07-28). Exits 3 if a server does not respond.`,
		Flags: []cli.Flag{
			&cli.GenericFlag{Name: "count", Aliases: []string{"n"}, Usage: "Ping `N` times over the same connection", Value: count(&times), DefaultText: "1"},
			&cli.GenericFlag{Name: "interval", Usage: "Wait `DURATION` between two pings", Value: duration(&pause), DefaultText: "1s"},
		},
		Action: p.about(&report.Options{}, func(ctx context.Context, from []source.Source) (*report.Report, error) {
			f, err := fleet.Load(ctx, p.Process, p.Select, p.Contact, from)
			if err != nil {
				return nil, err
			}
			targets, err := f.Resolve(ctx, from)
			if err != nil {
				return nil, err
			}
			return fleet.Report("ping", f.Ping(ctx, targets, times, *pause)), nil
		}),
	}, selectionFlags(&p.Select), p.outputFlags(), reportFlags(&p.Output), contactFlags(&p.Select, &p.Contact), p.parallelFlags())
}
