package main

import (
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/urfave/cli/v2"

	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/files"
	"github.com/mcpctl/mcpctl/internal/match"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/internal/terminal"
	"github.com/mcpctl/mcpctl/pkg/probe"
)

// act is one request that makes a server do something, beyond telling what it offers: the flags of call, prompt, read and
// complete, and what they share while they run.
type act struct {
	*invocation
	maxBytes   size
	logLevel   string
	dryRun     bool
	noValidate bool

	server  probe.Server
	session *probe.Session
	options probe.Options
	floor   sync.Mutex // one question at a time on the terminal
}

// actFlags are the flags of all commands that act on one server.
func (a *act) actFlags(own ...cli.Flag) []cli.Flag {
	a.maxBytes = defaultMaxBytes
	output := a.outputFlags()
	output[0] = &cli.StringFlag{Name: "format", Aliases: []string{"f"}, Usage: strings.Join(actFormats(), ", ") + " (default: text on a terminal, json elsewhere, raw with --output)", Destination: &a.format}
	output[1] = &cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "save what comes back to `FILE`, or each piece of it to a file in a folder", Destination: &a.output, TakesFile: true}
	return slices.Concat(own, a.configFlags(), output, without(a.probeFlags(), "parallel", "retries", "fail-fast", "shard"), []cli.Flag{
		&cli.GenericFlag{Name: "max-bytes", Usage: "refuse a result of more than `SIZE`, such as 500KB or 64MB", Value: &a.maxBytes},
	})
}

// without are flags but for those with these names.
func without(flags []cli.Flag, names ...string) []cli.Flag {
	return slices.DeleteFunc(flags, func(f cli.Flag) bool { return slices.Contains(names, f.Names()[0]) })
}

// talkFlags are the flags of commands whose request may take time and ask back.
func (a *act) talkFlags(own ...cli.Flag) []cli.Flag {
	return a.actFlags(append(own,
		&cli.BoolFlag{Name: "dry-run", Usage: "show the request and do not send it", Destination: &a.dryRun},
		&cli.BoolFlag{Name: "no-validate", Usage: "send what the server does not declare, too", Destination: &a.noValidate},
		&cli.StringFlag{Name: "log-level", Usage: "ask for log messages from `LEVEL` on: " + strings.Join(logLevels(), ", "), Value: "info", Destination: &a.logLevel},
	)...)
}

// logLevels are those of the specification (RFC 5424), least first.
func logLevels() []string {
	return []string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}
}

// wire completes a command that acts on one server.
func (a *act) wire(c *cli.Command, run func(context.Context, []string) error) *cli.Command {
	c.Before = func(*cli.Context) error { return a.settleAct() }
	c.Action = func(c *cli.Context) error { return run(c.Context, c.Args().Slice()) }
	return c
}

// actFormats are the formats in which results are written.
func actFormats() []string { return []string{"text", "json", "raw"} }

// settleAct is settle for commands whose formats are those of results.
func (a *act) settleAct() error {
	env, err := config.ReadEnvironment(a.Lookup, append(report.Formats(), actFormats()...))
	if err != nil {
		return exit.Misuse(withHint(err))
	}
	if env.Timeout != nil && !a.timeout.set {
		a.timeout = setDuration{*env.Timeout, true}
	}
	if a.format == "" && (env.Format == "table" || slices.Contains(actFormats(), env.Format)) {
		a.format = env.Format
	}
	switch {
	case a.format == "table":
		a.format = "text"
	case a.format != "" && !slices.Contains(actFormats(), a.format):
		return exit.Usagef("there is no format %q here: %s exist", a.format, strings.Join(actFormats(), ", "))
	case a.logLevel != "" && !slices.Contains(logLevels(), a.logLevel):
		return exit.Usagef("--log-level is one of %s, not %q%s", strings.Join(logLevels(), ", "), a.logLevel, match.DidYouMean(a.logLevel, logLevels()))
	}
	if a.format == "raw" && a.output == "" && terminal.IsTerminal(a.Out) {
		return exit.Usagef("--format raw is what the server sent, with everything in it that a terminal would obey: use --format text, or --output FILE")
	}
	if _, err := a.colored(); err != nil {
		return err
	}
	if a.output == "" || files.IsDir(a.output) {
		return nil
	}
	return a.checkOutput(a.output)
}

// actFormat is how the result is written.
func (a *act) actFormat() string {
	switch {
	case a.format != "":
		return a.format
	case a.output != "":
		return "raw"
	case terminal.IsTerminal(a.Out):
		return "text"
	}
	return "json"
}
