package main

import (
	"context"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/pkg/report"
)

func configCommand(inv *invocation) *cli.Command {
	return &cli.Command{
		Name:      "config",
		Usage:     "which servers were found, where, and what would be run; contacts nothing",
		ArgsUsage: "[NAME…]",
		Flags:     slices.Concat(inv.configFlags(), inv.outputFlags(), inv.reportFlags()),
		Action:    func(c *cli.Context) error { return inv.config(c.Context, c.Args().Slice()) },
	}
}

func (inv *invocation) config(ctx context.Context, names []string) error {
	if inv.command != nil {
		return usagef(`config reads files: it takes no "--"`)
	}
	cfg, loadErr := inv.read(nil)
	if cfg == nil {
		return loadErr
	}
	if loadErr == nil && len(cfg.Entries) == 0 {
		return noServers(cfg, names)
	}
	entries, err := cfg.Select(names)
	if err != nil {
		return usageError{withHint(err)}
	}
	if entries, err = inv.only.entries(cfg, entries); err != nil {
		return err
	}
	r := &report.Report{Command: "config"}
	for _, e := range entries {
		r.Servers = append(r.Servers, inv.described(e))
		if e.Err() != nil {
			r.Status = statusUsage
		}
	}
	if loadErr != nil {
		r.Status, r.Problems = statusUsage, []string{loadErr.Error()}
	}
	return inv.emit(ctx, r, report.Options{})
}

// described is a configured server in a report, with what would be run; secrets are masked.
func (inv *invocation) described(e config.Entry) report.Server {
	d := e.Describe()
	s := report.Server{Name: d.Name, State: report.OK}
	switch {
	case e.Disabled:
		s.State = report.Disabled
	case e.Err() != nil:
		s = misconfigured(d.Name, e.Server.Source, e.Problems).Server
	}
	s.Source, s.Transport, s.Command, s.Dir, s.Env = e.Server.Source, d.Transport, d.Command, d.Dir, d.Env
	s.URL, s.Headers, s.Helper, s.ProtocolVersion, s.Trust = d.URL, d.Headers, d.Helper, d.Protocol, inv.trustOf(e)
	return s
}
