package main

import (
	"cmp"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/internal/terminal"
)

// newReport is a report of surfaces for a command.
func newReport(command string, surfaces []surface) *report.Report {
	r := &report.Report{Command: command}
	for _, s := range surfaces {
		r.Servers = append(r.Servers, s.Server)
	}
	return r
}

// status is the exit status that surfaces alone ask for.
func status(surfaces []surface) int {
	if nothingContacted(surfaces) {
		return exit.Usage
	}
	if slices.ContainsFunc(surfaces, func(s surface) bool { return s.incomplete() && s.Tolerated == nil }) {
		return exit.Incomplete
	}
	return exit.OK
}

// settle completes the flags of a command with what the environment says, and finds mistakes in them before anything is
// contacted. A flag beats the environment.
func (inv *invocation) settle(c *cli.Context) error {
	env, err := config.ReadEnvironment(inv.Lookup, report.Formats())
	if err != nil {
		return exit.Misuse(withHint(err))
	}
	inv.format = cmp.Or(inv.format, env.Format)
	if env.Timeout != nil && !inv.timeout.set {
		inv.timeout = setDuration{*env.Timeout, true}
	}
	if env.Retries != nil && !c.IsSet("retries") {
		inv.retries = *env.Retries
	}
	if _, err := inv.formatOrDefault(); err != nil {
		return err
	}
	if _, err := inv.colored(); err != nil {
		return err
	}
	if err := inv.checkOutput(inv.output); err != nil {
		return err
	}
	return inv.checkReports()
}

// formatOrDefault is the chosen format: a table on a terminal, JSON elsewhere.
func (inv *invocation) formatOrDefault() (string, error) {
	if inv.format == "" {
		if inv.output == "" && terminal.IsTerminal(inv.Out) {
			return "table", nil
		}
		return "json", nil
	}
	if !slices.Contains(report.Formats(), inv.format) {
		return "", exit.Usagef("there is no format %q: %s exist", inv.format, strings.Join(report.Formats(), ", "))
	}
	return inv.format, nil
}

// colored tells whether to colour: on request, or on a terminal that has not been asked not to (https://no-color.org).
func (inv *invocation) colored() (bool, error) {
	switch inv.color {
	case "always":
		return true, nil
	case "never":
		return false, nil
	case "auto":
		no, _ := inv.Lookup("NO_COLOR")
		term, _ := inv.Lookup("TERM")
		return inv.output == "" && terminal.IsTerminal(inv.Out) && no == "" && term != "dumb", nil
	}
	return false, exit.Usagef("--color is auto, always or never, not %q", inv.color)
}
