// Package call makes one request to one server that makes it act, answers what the server asks back, and
// hands over the result. It alone sends the request that calls a tool (layout_test.go).
package call

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpctl/mcpctl/internal/fleet"
	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/printable"
	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/internal/seen"
	"github.com/mcpctl/mcpctl/internal/source"
	"github.com/mcpctl/mcpctl/pkg/probe"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// Options say how a server is found and reached, how a request is made, and where its result goes.
type Options struct {
	Select  fleet.Selection
	Contact fleet.Contact
	Deliver func(context.Context, Result) error // writes a result where the user wants it
	Preview func(context.Context, []byte) error // writes a request that is not sent
	DryRun  bool                                // show the request and do not send it
	// is given each call of a tool with its result, secrets masked; nil = nothing is recorded
	Record func(server, tool string, arguments, result json.RawMessage) error
	// to what the server may ask: KEY=VALUE as for arguments, or @FILE with a JSON object
	Answers []string
}

// Client is a connection to one server. It prints the progress and answers the questions of the server.
type Client struct {
	process    host.Process
	options    Options
	target     fleet.Target
	session    *probe.Session // nil = it could not be opened
	answers    []argument     // to questions of the server
	asked      []string       // keys of those that it asked for
	asking     sync.Mutex     // one question at a time; guards asked
	declines   bool           // questions of the server are declined
	configured bool           // the server has a name of its own

	wait  func(what string) (finish func()) // shows on a terminal what is waited for; nil = nothing is shown
	shown atomic.Pointer[func()]            // clears what wait shows
}

// waiting shows on a terminal that an answer is waited for; the returned function ends that, and so does
// clear.
func (c *Client) waiting(what string) (finish func()) {
	if c.wait == nil {
		return func() {}
	}
	finish = c.wait(what)
	c.shown.Store(&finish)
	return finish
}

// clear clears what waiting shows; nothing else may be written before.
func (c *Client) clear() {
	if finish := c.shown.Load(); finish != nil {
		(*finish)()
	}
}

// Open connects to a server whose tools are called. Its questions are declined. After an error only Surface
// may be called.
func Open(ctx context.Context, p host.Process, f *fleet.Fleet, t fleet.Target) (*Client, error) {
	c := &Client{process: p, target: t, declines: true}
	defer fleet.Waiting(f, t, "")()
	var err error
	c.session, err = f.Open(ctx, t, fleet.SessionOptions{Elicit: c.elicit})
	return c, err
}

// Surface returns what is known of the server, with the error that ended the connection, if any.
func (c *Client) Surface(err error) fleet.Surface {
	r := probe.Result{Attempts: 1, Elapsed: time.Since(c.process.Now), Err: err}
	if c.session != nil {
		r.Transport, r.Snapshot = c.session.Transport(), c.session.Hello()
		r.Notices, r.Noise = c.session.Notices(), c.session.Noise()
	}
	return c.target.Answered(r)
}

// OwnName returns the name of the server in its serverInfo, which stays from version to version.
func (c *Client) OwnName() string { return snapshot.Item{Raw: c.session.Hello().Server}.Text("name") }

// Close ends the connection; a server that was started here ends in the background.
func (c *Client) Close() { c.session.Leave() }

// Lost returns the error that ended the connection; nil while it lasts.
func (c *Client) Lost() error { return c.session.Lost() }

// Tools returns the tools of the server by name.
func (c *Client) Tools(ctx context.Context) (map[string]snapshot.Item, error) {
	lists, err := c.session.List(ctx, snapshot.Tools)
	tools := map[string]snapshot.Item{}
	for _, item := range lists[0].Items() {
		tools[item.Key] = item
	}
	return tools, err
}

// Tool calls a tool. Several calls may run at once.
func (c *Client) Tool(ctx context.Context, tool snapshot.Item, arguments json.RawMessage) (Result, error) {
	raw, err := c.send(ctx, toolRequest(tool, arguments))
	if err != nil {
		return Result{}, err
	}
	return toolResult(c.mask(raw))
}

// on connects to the one server that from names for as long as do takes; contacting it is agreed to.
func on(ctx context.Context, p host.Process, o Options, from []source.Source, do func(*Client) error) error {
	if len(from) == 0 {
		return errNoServer
	}
	o.Contact.Parallel = 1
	f, err := fleet.LoadAsking(ctx, p, o.Select, o.Contact, from)
	if err != nil {
		return err
	}
	c := &Client{process: p, options: o,
		configured: slices.Contains([]source.Kind{source.Configured, source.Package}, from[0].Kind)}
	if c.answers, err = answersOf(p, o.Answers); err != nil {
		return err
	}
	if c.target, err = f.One(ctx, from[0]); err != nil {
		return err
	}
	session := fleet.SessionOptions{Capabilities: []string{}} // a tool may do without what is declined
	if !p.Quiet {
		shown := &progress{process: p, server: c.name(), clear: c.clear}
		defer shown.stop()
		session.Progress = shown.hear
	}
	t, err := host.OpenTerminal(p)
	if err == nil {
		t.Close()
	}
	c.wait = func(what string) func() { return fleet.Waiting(f, c.target, what) }
	finish := c.waiting("")
	defer finish()
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
	c.session, err = f.Open(ctx, c.target, session)
	if finish(); err != nil {
		return explain(err)
	}
	err = do(c)
	fleet.Elaborate(p, c.Surface(nil))
	c.Close()
	for _, a := range c.answers {
		if !slices.Contains(c.asked, a.key) {
			c.note("it did not ask for %s, which --answer is about", printable.Message(a.key))
		}
	}
	return err
}

func (c *Client) name() string { return printable.Message(c.target.Name()) }

func (c *Client) note(format string, args ...any) {
	c.process.Note("%s: %s", c.name(), fmt.Sprintf(format, args...))
}

func (c *Client) failed(stage probe.Stage, err error) error {
	return fmt.Errorf("%s: %s: %w", c.name(), stage, err)
}

// visitRequired is the code of an error whose data has URLs that the user must visit first (specification
// 2025-11-25, URLElicitationRequiredError).
const visitRequired = -32042

// explain returns a probe error as text: the request, what failed, the end of stderr, and what to do next.
func explain(err error) error {
	const stderrLines = 8
	var lines []string
	for _, failure := range probe.Failures(err) {
		f := seen.FailureOf(failure)
		lines = append(lines, printable.Message(failure.Server)+": "+printable.Message(seen.Says(f)))
		var stderr []string
		for line := range strings.Lines(f.Stderr) {
			if line = strings.TrimRight(line, " \r\n"); line != "" {
				stderr = append(stderr, "  stderr: "+printable.Message(line))
			}
		}
		lines = append(lines, stderr[max(0, len(stderr)-stderrLines):]...)
		if f.Hint != "" {
			lines = append(lines, "hint: "+printable.Message(f.Hint))
		}
	}
	if answer, ok := errors.AsType[*probe.RPCError](err); ok && answer.Code == visitRequired {
		elicitations, _ := rawjson.Elements(rawjson.ObjectOf(answer.Data())["elicitations"])
		for _, raw := range elicitations {
			if address := rawjson.ObjectOf(raw).Text("url"); address != "" {
				lines = append(lines, "  visit "+printable.Message(address)+
					" if you trust that host, and try again")
			}
		}
	}
	if len(lines) == 0 {
		return err
	}
	return errors.New(strings.Join(lines, "\n"))
}

// Limits of what is shown of the progress of a server.
const (
	progressPace = 500 * time.Millisecond // between two lines
	maxLine      = 2000                   // bytes of one line
)

// progress prints the progress of a server on standard error, not too often.
type progress struct {
	process host.Process
	server  string // its name as it may be shown
	clear   func() // clears what is waited for; nil = nothing is shown

	mu      sync.Mutex
	printed time.Time       // when the last line was
	newest  json.RawMessage // the newest notification that is not printed; nil = none
	stopped bool
}

// hear takes a notification.
func (p *progress) hear(params json.RawMessage) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.newest = params
	if time.Since(p.printed) >= progressPace {
		p.print()
	}
}

// stop prints the last notification, and nothing from then on.
func (p *progress) stop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.print()
	p.stopped = true
}

// print prints the newest notification, once.
func (p *progress) print() {
	if p.newest != nil && !p.stopped {
		if p.clear != nil {
			p.clear()
		}
		p.process.Note("%s: %s", p.server, progressLine(p.newest))
		p.newest, p.printed = nil, time.Now()
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
	return Shortened(line + kit.Prefixed(": ", p.Message))
}

// Shortened returns a server's text as one line, cut when it is long.
func Shortened(line string) string { return printable.Message(kit.Clip(line, maxLine)) }
