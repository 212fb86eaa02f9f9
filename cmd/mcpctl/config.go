package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/report"
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
		return exit.Usagef(`config reads files: it takes no "--"`)
	}
	cfg, loadErr := inv.read(nil)
	if cfg == nil {
		return loadErr
	}
	if loadErr == nil && len(cfg.Entries) == 0 && cfg.Looked == nil {
		return noServers(cfg, names)
	}
	entries, err := cfg.Select(names)
	if err != nil {
		return exit.Misuse(withHint(err))
	}
	if entries, err = inv.only.entries(cfg, entries); err != nil {
		return err
	}
	r := &report.Report{Command: "config"}
	for _, e := range entries {
		r.Servers = append(r.Servers, inv.described(e))
		if e.Err() != nil {
			r.Status = exit.Usage
		}
	}
	if loadErr != nil {
		r.Status, r.Problems = exit.Usage, []string{loadErr.Error()}
	}
	for _, looked := range cfg.Looked {
		if looked.State != config.Absent || inv.Verbose {
			r.Files = append(r.Files, lookedAt(looked))
		}
		if looked.Problem != nil {
			r.Status = exit.Usage
		}
	}
	return inv.emit(ctx, r, report.Options{})
}

// lookedAt is a file of an application in a report.
func lookedAt(looked config.Looked) report.File {
	f := report.File{Application: looked.App, Scope: looked.Scope, Path: looked.Path, State: string(looked.State), Servers: looked.Servers}
	if looked.Problem != nil {
		f.Problem = fmt.Sprintf("%s: %s", looked.Problem, looked.Problem.Hint)
	}
	return f
}

// placesOf are the places of an entry in a report.
func placesOf(e config.Entry) []report.Place {
	var places []report.Place
	for _, p := range e.Places {
		places = append(places, report.Place{Application: p.App, Scope: p.Scope, File: p.File, Line: p.Line, Name: p.Name, State: p.State})
	}
	return places
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
	s.Places = placesOf(e)
	s.Source, s.Transport, s.Command, s.Dir, s.Env = e.Server.Source, d.Transport, d.Command, d.Dir, d.Env
	s.URL, s.Headers, s.Helper, s.ProtocolVersion, s.Trust = d.URL, d.Headers, d.Helper, d.Protocol, inv.trustOf(e)
	return s
}
