package main

import (
	"context"

	"github.com/urfave/cli/v2"

	"github.com/mcpctl/mcpctl/internal/fleet"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/internal/source"
)

// pingCommand makes ping, which reads no lists: a server that responds passes.
func pingCommand(p program) *cli.Command {
	return p.command(&cli.Command{
		Name:      "ping",
		Category:  "Inspect",
		Usage:     "Check that servers respond",
		ArgsUsage: "[SOURCE…] [-- CMD ARG…]",
		Description: `
Connects and sends ping (server/discover since protocol 2026-07-28). Exits 3 if a server does not respond.`,
		Action: p.about(&report.Options{},
			func(ctx context.Context, from []source.Source) (*report.Report, error) {
				f, err := fleet.LoadAsking(ctx, p.Process, p.Select, p.Contact, from)
				if err != nil {
					return nil, err
				}
				targets, err := f.Resolve(ctx, from)
				if err != nil {
					return nil, err
				}
				for _, s := range from {
					if !s.Live() {
						return nil, errPingSaved(s)
					}
				}
				return ofPing(f.Ping(ctx, targets)), nil
			}),
	}, selectionFlags(&p.Select), p.outputFlags(nil), reportFlags(&p.Output),
		contactFlags(&p.Select, &p.Contact), p.parallelFlags())
}
