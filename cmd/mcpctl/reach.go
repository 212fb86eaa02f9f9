package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/internal/call"
	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/internal/terminal"
	"github.com/mcpctl/mcpctl/pkg/probe"
)

// open connects to the server that source names, with somebody to hear its progress and to answer its questions. The
// function it returns ends all of that.
func (a *act) open(ctx context.Context, source []string) (stop func(), _ error) {
	if err := a.choose(ctx, source); err != nil {
		return nil, err
	}
	a.parallel = 1
	options, err := a.probeOptions()
	if err != nil {
		return nil, err
	}
	quiet := func() {}
	if !a.Quiet {
		options.OnNotification, quiet = a.hearing()
		options.LogLevel = a.logLevel
	}
	if t, err := terminal.Open(a.Process); err == nil {
		t.Close()
		options.Elicit = func(_ context.Context, params json.RawMessage) (json.RawMessage, error) { return a.elicit(ctx, params) }
	}
	if err := a.connect(ctx, options); err != nil {
		quiet()
		return nil, err
	}
	a.session.AskForLog(ctx)
	return func() {
		a.describe()
		_ = a.session.Close() // how a server takes its end is no error
		quiet()
	}, nil
}

// describe tells with --verbose how the connection went.
func (a *act) describe() {
	a.elaborate(nil, []surface{probed(probe.Result{
		Server: a.server, Transport: a.session.Transport(), Snapshot: a.session.Hello(), Attempts: 1,
		Notices: a.session.Notices(), Noise: a.session.Noise(), Elapsed: time.Since(a.Now),
	})})
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
		return exit.Usagef("on which server? Name one: a configured NAME, a URL, or -- and the command that starts it")
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
		return exit.Usagef("%s is saved: only a live server can be asked to do something", t.word)
	case len(steps) == 1 && steps[0].known.State == report.Disabled:
		return exit.Usagef("%s is disabled in %s", t.word, steps[0].known.Source)
	case len(steps) == 1 && steps[0].known.Error != nil:
		f := steps[0].known.Error
		return exit.Usagef("%s: %s%s", report.Visible(steps[0].known.Name), report.Visible(f.Message), after(": ", report.Visible(f.Hint)))
	}
	if len(steps) > 1 { // the variants of one server
		var names []string
		for _, s := range steps {
			names = append(names, report.Visible(s.name()))
		}
		return exit.Usagef("%s is several servers: name one of %s", t.word, strings.Join(names, ", "))
	}
	return exit.Usagef("name one server")
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
