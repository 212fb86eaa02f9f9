// Package invoke makes one request to one server that makes it act, answers what it asks back, and delivers
// what came. No other package makes the request that calls a tool.
package invoke

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mcpctl/mcpctl/internal/call"
	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/files"
	"github.com/mcpctl/mcpctl/internal/fleet"
	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/internal/source"
	"github.com/mcpctl/mcpctl/pkg/probe"
)

// Options say how a server is found and reached, how a request is made, and where its result goes.
type Options struct {
	Select  fleet.Selection
	Contact fleet.Contact
	// Format is one of Formats; empty = text on a terminal, raw elsewhere. File may be a folder
	Output report.Output
	DryRun bool // show the request and do not send it
	// is given each call of a tool with its result, secrets masked; nil = nothing is recorded
	Record func(server, tool string, arguments, result json.RawMessage) error
	// to what the server may ask: KEY=VALUE as for arguments, or @FILE with a JSON object
	Answers []string
}

// Formats returns the formats in which results can be written.
func Formats() []string { return []string{"text", "json", "raw"} }

// Check returns mistakes in the options before any server is contacted.
func (o Options) Check(p host.Process) error {
	out := o.Output
	switch {
	case out.Format != "" && !slices.Contains(Formats(), out.Format):
		return exit.Usagef("unknown format %q: use %s", out.Format, strings.Join(Formats(), ", "))
	case out.Format == "raw" && out.File == "" && host.IsTerminal(p.Out):
		return exit.Usagef("--format raw is what the server sent, with everything in it that a terminal " +
			"would obey: use --format text, or --output FILE")
	}
	if err := out.CheckColor(); err != nil || out.File == "" || files.IsDir(out.File) {
		return err
	}
	return out.CheckFile(p)
}

// format returns the format to write: without a choice text on a terminal, else raw.
func (o Options) format(p host.Process) string {
	switch {
	case o.Output.Format != "":
		return o.Output.Format
	case o.Output.File == "" && host.IsTerminal(p.Out):
		return "text"
	}
	return "raw"
}

// Client is a connection to the server of a request. It prints the progress and answers the questions of the
// server.
type Client struct {
	process host.Process
	options Options
	target  fleet.Target
	session *probe.Session
	printer *printer        // nil = quiet
	answers []call.Argument // to questions of the server
	asked   []string        // keys of those that it asked for
	floor   sync.Mutex      // one question at a time; guards asked

	declines   bool // questions of the server are declined
	configured bool // the server has a name of its own
}

// connect opens a connection to the one server that from names; contacting it is agreed to.
func connect(ctx context.Context, p host.Process, o Options, from []source.Source) (*Client, error) {
	if len(from) == 0 {
		return nil, exit.Usagef("on which server? Name one: a configured NAME, a URL, or -- and the " +
			"command that starts it")
	}
	o.Contact.Parallel = 1
	f, err := fleet.Load(ctx, p, o.Select, o.Contact, from)
	if err != nil {
		return nil, err
	}
	c := &Client{process: p, options: o,
		configured: slices.Contains([]source.Kind{source.Configured, source.Package}, from[0].Kind)}
	if c.answers, err = answersOf(p, o.Answers); err != nil {
		return nil, err
	}
	if c.target, err = f.One(ctx, from[0]); err != nil {
		return nil, err
	}
	session := fleet.SessionOptions{Capabilities: []string{}} // a tool may do without what is declined
	if !p.Quiet {
		c.printer = newPrinter(p, c.name())
		session.Hear, session.LogLevel = c.printer.hear, "info"
	}
	t, err := host.OpenTerminal(p)
	if err == nil {
		t.Close()
	}
	if err == nil || len(c.answers) > 0 {
		session.Capabilities = []string{"elicitation"}
		session.Elicit = func(_ context.Context, params json.RawMessage) (json.RawMessage, error) {
			result, err := c.elicit(ctx, params)
			if err != nil {
				c.note("%v", err)
			}
			return result, err
		}
	}
	if c.session, err = f.Open(ctx, c.target, session); err != nil {
		c.printer.stop()
		return nil, explain(err)
	}
	c.session.AskForLog(ctx)
	return c, nil
}

func (c *Client) name() string { return report.Visible(c.target.Name()) }

func (c *Client) note(format string, args ...any) {
	c.process.Note("%s: %s", c.name(), fmt.Sprintf(format, args...))
}

// close ends the connection and, with --verbose, prints how it went.
func (c *Client) close() {
	fleet.Elaborate(c.process, []fleet.Surface{fleet.FromResult(probe.Result{
		Server: probe.Server{Name: c.target.Name()}, Transport: c.session.Transport(),
		Snapshot: c.session.Hello(), Attempts: 1,
		Notices: c.session.Notices(), Noise: c.session.Noise(), Elapsed: time.Since(c.process.Now),
	})})
	_ = c.session.Close() // errors of a server as it exits do not matter
	for _, a := range c.answers {
		if !slices.Contains(c.asked, a.Key) {
			c.note("it did not ask for %s, which --answer is about", report.Visible(a.Key))
		}
	}
	c.printer.stop()
}

func (c *Client) failed(stage probe.Stage, format string, values ...any) error {
	return fmt.Errorf("%s: %s: %w", c.name(), stage, fmt.Errorf(format, values...))
}

// explain returns a probe error as text: the request, what failed, and what to do next.
func explain(err error) error {
	var lines []string
	for _, f := range probe.Failures(err) {
		says := report.Failure{Stage: string(f.Stage), Message: f.Err.Error(), Stderr: f.Stderr}.Says()
		lines = append(lines, fmt.Sprintf("%s: %s%s", report.Visible(f.Server), report.Visible(says),
			after(": ", report.Visible(f.Hint))))
		lines = append(lines, endOf(f.Stderr)...)
	}
	if answer, ok := errors.AsType[*probe.RPCError](err); ok && answer.Code == call.VisitRequired {
		for _, address := range call.Visits(answer.Data()) {
			lines = append(lines, "  visit "+report.Visible(address)+" if you trust that host, and try again")
		}
	}
	if len(lines) == 0 {
		return err
	}
	return errors.New(strings.Join(lines, "\n"))
}

// endOf returns the last lines of a server's stderr, for a message.
func endOf(stderr string) []string {
	const most = 8
	var lines []string
	for line := range strings.Lines(stderr) {
		if line = strings.TrimRight(line, " \r\n"); line != "" {
			lines = append(lines, "  stderr: "+report.Visible(line))
		}
	}
	return lines[max(0, len(lines)-most):]
}

// after returns text with a prefix, or nothing if text is empty.
func after(before, text string) string {
	if text == "" {
		return ""
	}
	return before + text
}

// Limits of what is shown of a server's notifications.
const (
	progressPace = 500 * time.Millisecond // between two lines of progress
	mostWaiting  = 256                    // notifications that wait to be shown; further ones are dropped
	longestLine  = 2000                   // bytes of one line
)

// printer prints progress and log messages of a server on standard error.
type printer struct {
	process host.Process
	server  string           // as it may be shown
	waiting chan probe.Heard // notifications to show
	over    chan struct{}    // closed by stop
	ended   chan struct{}    // closed when all is shown
}

// newPrinter returns a printer that prints in a goroutine of its own until stop.
func newPrinter(p host.Process, server string) *printer {
	pr := &printer{process: p, server: server, waiting: make(chan probe.Heard, mostWaiting),
		over: make(chan struct{}), ended: make(chan struct{})}
	go func() {
		defer close(pr.ended)
		pr.run()
	}()
	return pr
}

// hear takes a notification. It never waits.
func (p *printer) hear(h probe.Heard) {
	select {
	case p.waiting <- h:
	default: // more than can be read
	}
}

func (p *printer) stop() {
	if p != nil {
		close(p.over)
		<-p.ended
	}
}

// run shows what is heard until stop: each log message, and of progress the newest, not too often.
func (p *printer) run() {
	var last time.Time
	newest := ""
	show := func() {
		if newest != "" {
			p.process.Note("%s: %s", p.server, newest)
			newest, last = "", time.Now()
		}
	}
	take := func(h probe.Heard) {
		if h.Method == "notifications/message" {
			show()
			p.process.Note("%s: %s", p.server, logLine(h.Params))
		} else if newest = progressLine(h.Params); time.Since(last) >= progressPace {
			show()
		}
	}
	pace := time.NewTicker(progressPace)
	defer pace.Stop()
	for {
		select {
		case h := <-p.waiting:
			take(h)
		case <-pace.C:
			show()
		case <-p.over:
			for len(p.waiting) > 0 {
				take(<-p.waiting)
			}
			show()
			return
		}
	}
}

// progressLine returns a notification of progress in words: 2 of 5: copying.
func progressLine(params json.RawMessage) string {
	var p struct {
		Progress, Total json.RawMessage
		Message         string
	}
	_ = json.Unmarshal(params, &p) // anything else prints as nothing
	line := "progress " + string(p.Progress)
	if p.Total != nil && string(p.Total) != "null" {
		line += " of " + string(p.Total)
	}
	return shortened(line + after(": ", p.Message))
}

// logLine returns a log message in words: [warning] db: slow.
func logLine(params json.RawMessage) string {
	var m struct {
		Level, Logger string
		Data          json.RawMessage
	}
	_ = json.Unmarshal(params, &m) // anything else prints as nothing
	var text string
	if json.Unmarshal(m.Data, &text) != nil {
		text = string(m.Data)
	}
	return shortened(fmt.Sprintf("[%s] %s", m.Level, strings.TrimPrefix(m.Logger+": "+text, ": ")))
}

// shortened returns a server's text as one line, cut when it is long.
func shortened(line string) string {
	if len(line) > longestLine {
		line = strings.ToValidUTF8(line[:longestLine], "") + "…"
	}
	return report.Visible(line)
}
