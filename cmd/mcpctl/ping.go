package main

import (
	"time"

	"github.com/urfave/cli/v2"

	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/fleet"
	"github.com/mcpctl/mcpctl/internal/report"
)

func pingCommand(p program) *cli.Command {
	count, second := 1, time.Second
	pause := &second
	return p.command(&cli.Command{
		Name:      "ping",
		Usage:     "ask servers whether they answer, and how fast",
		ArgsUsage: "[SOURCE…] [-- CMD ARG…]",
		Description: `Connects, and sends ping; since protocol version 2026-07-28, which has no ping, server/discover. Without a SOURCE every
configured server is asked. The exit status is 3 when one of them does not answer.`,
		Flags: []cli.Flag{
			&cli.IntFlag{Name: "count", Aliases: []string{"n"}, Usage: "ping `N` times over the same connection", Value: 1, Destination: &count},
			&cli.GenericFlag{Name: "interval", Usage: "wait a `DURATION` between two pings", Value: &duration{&pause}},
		},
		Action: func(c *cli.Context) error {
			from, err := p.sources(c.Args().Slice())
			if err == nil && count < 1 {
				err = exit.Usagef("--count is at least 1")
			}
			if err != nil {
				return err
			}
			f, err := fleet.Load(c.Context, p.Process, p.Select, p.Contact, from)
			if err != nil {
				return err
			}
			targets, err := f.Resolve(c.Context, from)
			if err != nil {
				return err
			}
			return p.emit(c.Context, fleet.Report("ping", f.Ping(c.Context, targets, count, *pause)), nil, report.Options{})
		},
	}, selectionFlags(&p.Select), p.outputFlags(), reportFlags(&p.Output), contactFlags(&p.Select, &p.Contact), p.parallelFlags())
}
