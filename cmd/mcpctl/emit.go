package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
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

// emit publishes the report, tells its failures on standard error when the format is for machines, and gives the status
// as the command's error.
func (inv *invocation) emit(ctx context.Context, r *report.Report, o report.Options) error {
	if r.Command != "accept" { // which has moved the lines
		r.Findings = located(r)
	}
	format, err := inv.publish(r, o)
	if err != nil {
		return err
	}
	if format != "table" || inv.output != "" {
		inv.tellFailures(r)
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if r.Status != exit.OK {
		return exit.Code(r.Status)
	}
	return nil
}

// publish writes the report everywhere the flags say, and tells in which format it answered.
func (inv *invocation) publish(r *report.Report, o report.Options) (format string, err error) {
	if format, err = inv.formatOrDefault(); err != nil {
		return "", err
	}
	o.Rules, o.Version = allRules(), version()
	if inv.output == "" {
		o.Width = terminal.Width(inv.Out)
	}
	if o.Color, err = inv.colored(); err != nil {
		return "", err
	}
	var out bytes.Buffer
	if err := report.Write(&out, format, r, o); err != nil {
		return "", err
	}
	return format, errors.Join(inv.write(out.Bytes()), inv.writeReports(r, o), inv.writeStepSummary(format, r, o))
}

// tellFailures is one line on standard error for each server that failed, with what to do unless the line before said so.
func (inv *invocation) tellFailures(r *report.Report) {
	advised := ""
	for _, s := range r.Servers {
		if s.Error == nil {
			continue
		}
		advice := remedy(s)
		if advice == advised {
			advice = ""
		} else if advice != "" {
			advised = advice
		}
		inv.Note("%s: %s: %s%s%s", report.Visible(s.Name), s.Error.Stage, report.Visible(s.Error.Message), advice, leave(s))
	}
}

// remedy says what to do about a server that the configuration kept from being contacted: often nothing else is shown.
func remedy(s report.Server) string {
	if s.Error.Stage != "configuration" || s.Error.Hint == "" {
		return ""
	}
	return ": " + string(report.Visible(s.Error.Hint))
}

// leave says why a failure does not count.
func leave(s report.Server) string {
	switch {
	case s.Tolerated == nil:
		return ""
	case s.Tolerated.Expires == "":
		return fmt.Sprintf(" (tolerated: %s)", report.Visible(s.Tolerated.Reason))
	}
	return fmt.Sprintf(" (tolerated until %s: %s)", s.Tolerated.Expires, report.Visible(s.Tolerated.Reason))
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
		inv.timeout = duration{*env.Timeout, true}
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
