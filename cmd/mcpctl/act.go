package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/urfave/cli/v2"

	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/pkg/call"
	"github.com/mcpctl/mcpctl/pkg/probe"
	"github.com/mcpctl/mcpctl/pkg/report"
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
	env, err := config.ReadEnvironment(a.lookup, append(report.Formats(), actFormats()...))
	if err != nil {
		return usageError{withHint(err)}
	}
	if env.Timeout != nil && !a.timeout.set {
		a.timeout = duration{*env.Timeout, true}
	}
	if a.format == "" && slices.Contains(actFormats(), env.Format) {
		a.format = env.Format
	}
	switch {
	case a.format == "table":
		a.format = "text"
	case a.format != "" && !slices.Contains(actFormats(), a.format):
		return usagef("there is no format %q here: %s exist", a.format, strings.Join(actFormats(), ", "))
	case a.logLevel != "" && !slices.Contains(logLevels(), a.logLevel):
		return usagef("--log-level is one of %s, not %q%s", strings.Join(logLevels(), ", "), a.logLevel, didYouMean(a.logLevel, logLevels()))
	}
	if a.format == "raw" && a.output == "" && isTerminal(a.out) {
		return usagef("--format raw is what the server sent, with everything in it that a terminal would obey: use --format text, or --output FILE")
	}
	if _, err := a.colored(); err != nil {
		return err
	}
	if a.output == "" || isFolder(a.output) {
		return nil
	}
	return checkOutput(a.output)
}

// actFormat is how the result is written.
func (a *act) actFormat() string {
	switch {
	case a.format != "":
		return a.format
	case a.output != "":
		return "raw"
	case isTerminal(a.out):
		return "text"
	}
	return "json"
}

// source takes the SOURCE off the words of a command line, unless it is the command behind "--".
func (a *act) source(words []string) (source, rest []string) {
	if a.command == nil && len(words) > 0 {
		return words[:1], words[1:]
	}
	return nil, words
}

// choose is the one server that a SOURCE names; contacting it is agreed to.
func (a *act) choose(ctx context.Context, source []string) error {
	targets, err := a.targets(source)
	if err != nil {
		return err
	}
	if len(targets) == 0 {
		return usagef("on which server? Name one: a configured NAME, a URL, or -- and the command that starts it")
	}
	cfg, err := a.load(ctx, targets)
	if err != nil {
		return err
	}
	steps, err := a.plan(cfg, targets)
	if err != nil {
		return err
	}
	if len(steps) != 1 || steps[0].contact == nil {
		return unreached(targets[0], steps)
	}
	servers, err := a.flagged([]probe.Server{*steps[0].contact})
	if err != nil {
		return err
	}
	a.server = servers[0]
	return nil
}

// unreached is why the steps of a target hold no server to contact.
func unreached(t target, steps []step) error {
	switch {
	case !t.live():
		return usagef("%s is saved: only a live server can be asked to do something", t.word)
	case len(steps) == 1 && steps[0].known.State == report.Disabled:
		return usagef("%s is disabled in %s", t.word, steps[0].known.Source)
	case len(steps) == 1 && steps[0].known.Error != nil:
		f := steps[0].known.Error
		return usagef("%s: %s%s", report.Visible(steps[0].known.Name), report.Visible(f.Message), after(": ", report.Visible(f.Hint)))
	}
	return usagef("name one server")
}

// after is a text with what stands before it, or nothing.
func after(before, text string) string {
	if text == "" {
		return ""
	}
	return before + text
}

// connect opens a fresh connection.
func (a *act) connect(ctx context.Context, options probe.Options) error {
	session, err := probe.Open(ctx, a.server, options)
	if err != nil {
		return a.failure(err)
	}
	a.session, a.options = session, options
	return nil
}

// failure is an error of the prober as it is told: what was done, what happened, and what to do next.
func (a *act) failure(err error) error {
	var lines []string
	for _, f := range probe.Failures(err) {
		lines = append(lines, fmt.Sprintf("%s: %s: %s%s", report.Visible(f.Server), f.Stage, report.Visible(f.Err.Error()), after(": ", report.Visible(f.Hint))))
		lines = append(lines, tailOf(f.Stderr)...)
	}
	var answer *probe.RPCError
	if errors.As(err, &answer) && answer.Code == call.VisitRequired {
		for _, address := range call.Visits(answer.Data()) {
			lines = append(lines, "  visit "+report.Visible(address)+" if you trust that host, and try again")
		}
	}
	if len(lines) == 0 {
		return err
	}
	return errors.New(strings.Join(lines, "\n"))
}

// tailOf is the end of what a server wrote to stderr, for a message.
func tailOf(stderr string) []string {
	const most = 8
	var lines []string
	for line := range strings.Lines(stderr) {
		if line = strings.TrimRight(line, " \r\n"); line != "" {
			lines = append(lines, "  stderr: "+report.Visible(line))
		}
	}
	return lines[max(0, len(lines)-most):]
}

// result sends a request and gives back its result, answering what the server asks on the way.
func (a *act) result(ctx context.Context, stage probe.Stage, m call.Message, schema json.RawMessage) (json.RawMessage, error) {
	for round := 1; ; round++ {
		raw, err := a.session.Request(ctx, probe.Request{Stage: stage, Method: m.Method, Params: m.Params, Schema: schema})
		if err != nil {
			return nil, a.failure(err)
		}
		if len(raw) > int(a.maxBytes) {
			return nil, a.failed(stage, "the result has %s, which is more than --max-bytes %s allows; the server has done what it was asked", report.Size(len(raw)), &a.maxBytes)
		}
		need, asked, err := call.Needs(raw)
		switch {
		case err != nil:
			return nil, a.failed(stage, "%w", err)
		case !asked:
			return raw, nil
		case round == maxRounds:
			return nil, a.failed(stage, "the server has asked for input %d times and still does not answer", maxRounds)
		}
		if m, err = a.supply(ctx, stage, m, need); err != nil {
			return nil, err
		}
	}
}

// maxRounds bounds how often a server may ask for input before it answers.
const maxRounds = 10

// failed is an error of this run's request.
func (a *act) failed(stage probe.Stage, format string, values ...any) error {
	return fmt.Errorf("%s: %s: %w", report.Visible(a.server.Name), stage, fmt.Errorf(format, values...))
}

// preview shows the request that would be sent, secrets masked.
func (a *act) preview(stage probe.Stage, m call.Message, schema json.RawMessage) error {
	text, err := a.session.Preview(probe.Request{Stage: stage, Method: m.Method, Params: m.Params, Schema: schema})
	if err != nil {
		return a.failure(err)
	}
	a.remark("this would be sent to %s over %s; nothing was", report.Visible(a.server.Name), a.session.Transport())
	if a.actFormat() == "json" {
		return a.write(append(text, '\n'))
	}
	return a.write([]byte(cmp.Or(report.Indented(text), string(text)) + "\n"))
}
