package main

import (
	"context"
	"path/filepath"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/match"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/internal/trust"
)

// trusting are the flags of trust alone.
type trusting struct{ list, revoke, all, dryRun bool }

func trustCommand(inv *invocation) *cli.Command {
	var how trusting
	return &cli.Command{
		Name:      "trust",
		Usage:     "agree to configured servers that were found and not named, as they are now",
		ArgsUsage: "[NAME…]",
		Description: `Shows what each of them would do, and remembers until that changes that it may. Starts and contacts nothing.
Files named with --config or MCPCTL_CONFIG need no trust.`,
		Flags: slices.Concat([]cli.Flag{
			&cli.BoolFlag{Name: "dry-run", Aliases: []string{"n"}, Usage: "show what would be agreed to, and remember nothing", Destination: &how.dryRun},
			&cli.BoolFlag{Name: "list", Usage: "show every agreement of yours, whatever file it is about", Destination: &how.list},
			&cli.BoolFlag{Name: "revoke", Usage: "forget the agreements about the files that are found here", Destination: &how.revoke},
			&cli.BoolFlag{Name: "all", Usage: "with --revoke: forget every agreement of yours", Destination: &how.all},
		}, inv.configFlags(), inv.outputFlags(), inv.reportFlags()),
		Action: func(c *cli.Context) error { return inv.trust(c.Context, c.Args().Slice(), how) },
	}
}

func (inv *invocation) trust(ctx context.Context, names []string, how trusting) error {
	store, err := inv.agreements()
	if err == nil {
		err = how.check(inv, names)
	}
	if err != nil {
		return exit.Misuse(err)
	}
	r := &report.Report{Command: "trust"}
	switch {
	case how.list:
		err = listAgreements(r, store, names)
	case how.revoke && how.all:
		err = store.Clear()
	case how.revoke:
		err = inv.revoke(r, store, names)
	default:
		err = inv.trustFound(r, names, how.dryRun)
	}
	if err != nil {
		return err
	}
	return inv.emit(ctx, r, report.Options{})
}

// check finds flags that do not go together.
func (how trusting) check(inv *invocation, names []string) error {
	switch {
	case inv.command != nil:
		return exit.Usagef(`a command on the command line needs no trust: trust takes no "--"`)
	case how.list && (how.revoke || how.dryRun), how.revoke && how.dryRun:
		return exit.Usagef("--list, --revoke and --dry-run do not go together")
	case how.all && (!how.revoke || len(names) > 0):
		return exit.Usagef("--all forgets every agreement: it goes with --revoke, and without names")
	}
	return nil
}

// trustFound records agreements to the entries that need one, or to those with names.
func (inv *invocation) trustFound(r *report.Report, names []string, dryRun bool) error {
	entries, err := inv.found(names)
	if err != nil {
		return err
	}
	if !dryRun {
		if err := inv.keep(entries); err != nil {
			return err
		}
	}
	for _, e := range entries {
		s := inv.proposed(e)
		if s.Trust == "" && !dryRun {
			s.Trust = report.Trusted // asked for by name, for runs that send more
		}
		r.Servers = append(r.Servers, s)
	}
	return nil
}

// proposed is an entry as a person decides about it, whatever else it may lack.
func (inv *invocation) proposed(e config.Entry) report.Server {
	s := inv.described(e)
	s.State, s.Error, s.MoreErrors = report.OK, nil, nil
	return s
}

// found are the entries that need trust; with names, all found ones that are called that.
func (inv *invocation) found(names []string) ([]config.Entry, error) {
	cfg, err := inv.read(nil)
	if err != nil {
		return nil, err
	}
	entries, err := cfg.Select(names)
	if err != nil {
		return nil, exit.Misuse(withHint(err))
	}
	if entries, err = inv.only.entries(cfg, entries); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(slices.Clone(entries), func(e config.Entry) bool {
		return !e.NeedsTrust()
	}), nil
}

// revoke forgets what was agreed to about the files that are read here, be a server still in them or not.
func (inv *invocation) revoke(r *report.Report, store trust.Store, names []string) error {
	cfg, _ := inv.read(nil) // a broken file must not keep anybody from revoking
	if cfg == nil {
		return exit.Usagef("the configuration could not be read: forget every agreement with --revoke --all")
	}
	kept, _ := store.List() // those that cannot be read hold for nothing
	if err := revocable(cfg, kept, names); err != nil {
		return err
	}
	for _, a := range kept {
		if !revokes(cfg, a, names) {
			continue
		}
		if err := store.Revoke(a.File, a.Server); err != nil {
			return err
		}
		r.Servers = append(r.Servers, report.Server{Name: a.Server, State: report.OK, Source: a.File, Trust: report.Untrusted})
	}
	for _, e := range cfg.Entries { // also what cannot be read
		if len(names) == 0 || slices.Contains(names, e.Server.Name) {
			if err := store.Revoke(subject(e).File, subject(e).Server); err != nil {
				return err
			}
		}
	}
	return nil
}

// revocable finds a name that neither a server nor an agreement here has: who mistyped it would think that it is revoked.
func revocable(cfg *config.Config, kept []trust.Agreement, names []string) error {
	var known []string
	for _, e := range cfg.Entries {
		known = append(known, e.Server.Name)
	}
	for _, a := range kept {
		if revokes(cfg, a, nil) {
			known = append(known, a.Server)
		}
	}
	for _, name := range names {
		if !slices.Contains(known, name) {
			return exit.Usagef("there is nothing to revoke about %q here%s: mcpctl trust --list shows every agreement", name, match.DidYouMean(name, known))
		}
	}
	return nil
}

// revokes tells whether an agreement is about a file that is read here, and about one of these names, if there are any.
func revokes(cfg *config.Config, a trust.Agreement, names []string) bool {
	here := slices.ContainsFunc(cfg.Files, func(file string) bool { return absolute(file) == a.File }) ||
		slices.ContainsFunc(cfg.Looked, func(looked config.Looked) bool { return absolute(looked.Path) == a.File })
	named := len(names) == 0 || slices.Contains(names, a.Server) || slices.ContainsFunc(cfg.Entries, func(e config.Entry) bool {
		about := subject(e)
		return about.File == a.File && about.Server == a.Server && slices.Contains(names, e.Server.Name)
	})
	return here && named
}

func absolute(file string) string {
	path, err := filepath.Abs(file)
	if err != nil {
		return file
	}
	return path
}

// listAgreements shows the agreements to servers with names, or all.
func listAgreements(r *report.Report, store trust.Store, names []string) error {
	kept, err := store.List()
	if err != nil {
		r.Problems, r.Status = []string{err.Error()}, exit.Incomplete
	}
	for _, a := range kept {
		if len(names) == 0 || slices.Contains(names, a.Server) {
			r.Servers = append(r.Servers, report.Server{
				Name: a.Server, State: report.OK, Source: a.File, Trust: report.Trusted, Since: a.Since.Format("2006-01-02"),
			})
		}
	}
	return nil
}
