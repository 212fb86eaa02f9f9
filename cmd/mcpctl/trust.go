package main

import (
	"context"

	"github.com/urfave/cli/v2"

	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/fleet"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/internal/trust"
)

// trustCommand makes trust, which only changes what is trusted; servers start when a later command needs
// them.
func trustCommand(p program) *cli.Command {
	var how trusting
	return p.command(&cli.Command{
		Name:      "trust",
		Category:  "Set up",
		Usage:     "Trust servers found in configuration files",
		ArgsUsage: "[NAME…]",
		Description: `
Shows what each server would do, asks in a terminal, and remembers the answer until that changes.
Without a terminal, or where CI is set, it trusts them without asking; --dry-run only shows them.
Contacts nothing. A NAME is shown whole, however long.
Files named with --config or MCPCTL_CONFIG need no trust.`,
		Flags: []cli.Flag{
			toggle("dry-run, n", "Show what would be trusted; store nothing", &how.dryRun),
			toggle("list", "List all trusted servers", &how.list),
			toggle("revoke", "Revoke trust in the servers found here", &how.revoke),
			&cli.BoolFlag{Name: "yes", Aliases: []string{"y"}, Hidden: true, Destination: &how.yes},
			toggle("all", "With --revoke: revoke all trust", &how.all),
		},
		Action: func(c *cli.Context) error {
			r, err := how.run(c.Context, p, c.Args().Slice())
			if err != nil {
				return err
			}
			return p.emit(c.Context, ofTrust(r, how.nothing(c.NArg() > 0)), nil, report.Options{})
		},
	}, selectionFlags(&p.Select), p.outputFlags(valueFormats), reportFlags(&p.Output))
}

// trusting are the flags of trust alone.
type trusting struct{ list, revoke, all, dryRun, yes bool }

// nothing returns what is said of no decision; empty = the flags are not about decisions.
func (how trusting) nothing(named bool) string {
	switch {
	case !how.list && !how.revoke:
		return ""
	case named:
		return "no trusted servers of that name"
	case how.list || how.all:
		return "no trusted servers"
	}
	return "no trusted servers found here"
}

// run checks that the flags fit together and does what they say. Revoking needs no readable configuration
// when it is for all servers.
func (how trusting) run(ctx context.Context, p program, names []string) (*trust.Result, error) {
	gate := trust.Gate{Process: p.Process}
	store, err := gate.Store()
	switch {
	case err != nil:
		return nil, exit.Misuse(err)
	case p.behind != nil:
		return nil, errNoCommands
	case how.list && (how.revoke || how.dryRun), how.revoke && how.dryRun:
		return nil, errTrustFlags
	case how.all && (!how.revoke || len(names) > 0):
		return nil, errTrustAll
	case how.list:
		return store.Report(names), nil
	case how.all:
		return store.RevokeAll()
	}
	cfg, err := fleet.Read(ctx, p.Process, p.Select)
	switch {
	case how.revoke && cfg == nil: // a broken file must not keep anybody from revoking
		return nil, errRevoke
	case how.revoke:
		return store.RevokeFound(ctx, cfg, names)
	case err != nil:
		return nil, err
	}
	entries, err := fleet.Choose(cfg, p.Select, names)
	if err != nil {
		return nil, err
	}
	return gate.Propose(ctx, entries, len(names) > 0, how.yes, how.dryRun)
}
