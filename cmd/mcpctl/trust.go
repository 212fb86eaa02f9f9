package main

import (
	"github.com/urfave/cli/v2"

	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/fleet"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/internal/trust"
)

func trustCommand(p program) *cli.Command {
	var how trusting
	return p.command(&cli.Command{
		Name:      "trust",
		Usage:     "agree to configured servers that were found and not named, as they are now",
		ArgsUsage: "[NAME…]",
		Description: `Shows what each of them would do, and remembers until that changes that it may. Starts and contacts nothing.
Files named with --config or MCPCTL_CONFIG need no trust.`,
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "dry-run", Aliases: []string{"n"}, Usage: "show what would be agreed to, and remember nothing", Destination: &how.dryRun},
			&cli.BoolFlag{Name: "list", Usage: "show every agreement of yours, whatever file it is about", Destination: &how.list},
			&cli.BoolFlag{Name: "revoke", Usage: "forget the agreements about the files that are found here", Destination: &how.revoke},
			&cli.BoolFlag{Name: "yes", Aliases: []string{"y"}, Hidden: true}, // which it takes for granted
			&cli.BoolFlag{Name: "all", Usage: "with --revoke: forget every agreement of yours", Destination: &how.all},
		},
		Action: func(c *cli.Context) error {
			r, err := how.run(p, c.Args().Slice())
			return p.emit(c.Context, r, err, report.Options{})
		},
	}, selectionFlags(&p.Select), p.outputFlags(), reportFlags(&p.Output))
}

// trusting are the flags of trust alone.
type trusting struct{ list, revoke, all, dryRun bool }

func (how trusting) run(p program, names []string) (*report.Report, error) {
	gate := trust.Gate{Process: p.Process}
	store, err := gate.Store()
	switch {
	case err != nil:
		return nil, exit.Misuse(err)
	case p.behind != nil:
		return nil, exit.Usagef(`a command on the command line needs no trust: trust takes no "--"`)
	case how.list && (how.revoke || how.dryRun), how.revoke && how.dryRun:
		return nil, exit.Usagef("--list, --revoke and --dry-run do not go together")
	case how.all && (!how.revoke || len(names) > 0):
		return nil, exit.Usagef("--all forgets every agreement: it goes with --revoke, and without names")
	case how.list:
		return store.Report(names), nil
	case how.all:
		return &report.Report{Command: "trust"}, store.Clear()
	}
	cfg, err := fleet.Read(p.Process, p.Select)
	switch {
	case how.revoke && cfg == nil: // a broken file must not keep anybody from revoking
		return nil, exit.Usagef("the configuration could not be read: forget every agreement with --revoke --all")
	case how.revoke:
		return store.RevokeFound(cfg, names)
	case err != nil:
		return nil, err
	}
	entries, err := fleet.Choose(cfg, p.Select, names)
	if err != nil {
		return nil, err
	}
	return gate.Propose(entries, len(names) == 0, how.dryRun)
}
