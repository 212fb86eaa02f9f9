package main

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/fleet"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/internal/seen"
	"github.com/mcpctl/mcpctl/internal/trust"
)

// configCommand makes config, which contacts nothing. A broken file does not hide the servers of the others.
func configCommand(p program) *cli.Command {
	return p.command(&cli.Command{
		Name:      "config",
		Category:  "Inspect",
		Usage:     "Show the resolved configuration",
		ArgsUsage: "[NAME…]",
		Action: func(c *cli.Context) error {
			if p.behind != nil {
				return errNoCommands
			}
			names := c.Args().Slice()
			cfg, problem := fleet.Read(c.Context, p.Process, p.Select)
			if cfg == nil {
				return problem
			}
			if problem == nil && len(cfg.Entries) == 0 && cfg.Looked == nil {
				return fleet.NoServers(cfg, names, "")
			}
			entries, err := fleet.Choose(cfg, p.Select, names)
			if err != nil {
				return err
			}
			return p.emit(c.Context, p.found(cfg, entries, problem), nil, report.Options{})
		},
	}, selectionFlags(&p.Select), p.outputFlags(nil), reportFlags(&p.Output))
}

// found returns the report of a configuration and its problems.
func (p program) found(cfg *config.Config, entries []config.Entry, problem error) *report.Report {
	described := trust.Gate{Process: p.Process}.Describe(entries)
	status, problems := exit.OK, []string(nil)
	if slices.ContainsFunc(described, func(s trust.Server) bool { return s.State == seen.Failed }) {
		status = exit.Usage
	}
	if problem != nil {
		status, problems = exit.Usage, strings.Split(problem.Error(), "\n") // a hint is a line
	}
	var looked []config.File
	for _, file := range cfg.Looked {
		if file.State != config.FileAbsent || p.Verbose {
			looked = append(looked, file)
		}
		if file.Problem != "" {
			status = exit.Usage
		}
	}
	return ofConfig(status, described, looked, problems)
}
