package live

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/fleet"
	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/output"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/internal/terminal"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/watch"
)

// tell hands an event of a server to everybody, and remembers what it means for the end. It waits for nobody. Servers call it
// from goroutines of their own.
func (r *watchRun) tell(w *watchedServer, e watch.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if e.State != watch.Closed {
		w.last = e.State
	}
	if e.Kind == watch.Changed || e.Kind == watch.Recovered && !r.options.Saved { // a distance is told by Changed alone
		w.found = e.Findings
		if r.options.Saved {
			r.totals.recount(r.servers)
		} else {
			r.totals.add(e.Findings)
		}
	}
	shown := shownEvent(w, e)
	r.publish(shown)
	if e.Kind == watch.Changed || e.Kind == watch.Recovered && len(e.Findings) > 0 {
		r.pass(shown)
	}
}

// tellOwn tells an event of the one server that is being developed.
func (r *watchRun) tellOwn(e report.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	w := r.servers[0]
	e.Time, e.Server, e.State = time.Now(), w.name(), string(w.last)
	r.publish(e)
}

// publish hands an event to those who look on; the caller holds the lock.
func (r *watchRun) publish(e report.Event) {
	r.monitor.Tell(e)
	r.events.show(e, r.servers)
}

// pass hands a change on to whoever waits for one; the caller holds the lock.
func (r *watchRun) pass(e report.Event) {
	var line bytes.Buffer
	if len(r.outputs) > 0 && report.WriteEvent(&line, "ndjson", e, report.Options{}) == nil {
		for _, q := range r.outputs {
			q.add(e.Server, line.Bytes())
		}
	}
	if r.options.UntilChange || r.options.FailOn != "" && r.totals.fails {
		r.end(errSeen)
	}
}

// totals are what was told, judged: all that changed, or the newest distances alone.
type totals struct {
	policy  finding.Policy
	fails   bool // it fails the run
	summary report.Summary
}

func (t *totals) add(found []finding.Finding) {
	t.fails = t.fails || t.policy.Fails(found)
	sum := report.Summarize(found, nil)
	t.summary.Breaking += sum.Breaking
	t.summary.Warning += sum.Warning
	t.summary.Info += sum.Info
	t.summary.Waived += sum.Waived
	t.summary.Unknown += sum.Unknown
}

// recount judges the newest distances of the servers that are watched.
func (t *totals) recount(servers []*watchedServer) {
	t.fails, t.summary = false, report.Summary{}
	for _, w := range servers {
		t.add(w.found)
	}
}

// shownEvent is an event as it is written.
func shownEvent(w *watchedServer, e watch.Event) report.Event {
	shown := report.Event{
		Time: e.Time, Event: string(e.Kind), Server: e.Server, State: string(e.State), Previous: string(e.Previous),
		Cause: string(e.Cause), Silent: e.Silent, Note: e.Note, Trouble: string(e.Trouble), From: e.From, To: e.To,
	}
	if w.target.Live() {
		shown.Connected, shown.Listening = &e.Connected, &e.Listening
	}
	if !e.VerifiedAt.IsZero() {
		at := e.VerifiedAt.UTC().Truncate(time.Millisecond)
		shown.VerifiedAt = &at
	}
	switch e.Kind {
	case watch.StateChanged:
		if surface := w.view.Status().Surface; surface != nil && e.State.Reached() {
			shown.Counts = report.CountsOf(surface)
		}
		if !w.target.Live() {
			shown.Error = w.target.Known().Error
		}
	case watch.Changed, watch.Recovered:
		shown.Findings = append(report.Findings{}, e.Findings...)
		shown.Announced, shown.Confirmed = &e.Announced, &e.Confirmed
	}
	if e.Err != nil {
		shown.Error = fleet.FailureOf(e.Err)
	}
	return shown
}

// sumUp tells how it ended, and gives the status as an error.
func (r *watchRun) sumUp(ctx context.Context) error {
	r.mu.Lock()
	e := report.Event{Time: time.Now(), Event: "summary", Summary: &r.totals.summary}
	for _, w := range r.servers {
		one := report.Watched{Name: w.name(), State: string(w.last), Unsaved: w.unsaved, Tolerated: w.tolerated()}
		if w.target.Live() {
			one.Watch = w.view.Status().Counts
		}
		e.Servers = append(e.Servers, one)
	}
	status := r.status()
	e.Status, e.Verdict = &status, report.VerdictOf(status)
	r.publish(e)
	r.mu.Unlock()
	lost := r.events.finish()
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case lost != nil:
		return lost
	}
	return exit.Told(status)
}

// status is the worst that holds: incomplete answers, then findings, then nothing to compare with.
func (r *watchRun) status() int {
	switch {
	case slices.ContainsFunc(r.servers, func(w *watchedServer) bool { return !w.reached() || w.unread }), r.rebuild.failed(), r.events.lost.Load():
		return exit.Incomplete
	case r.totals.fails:
		return exit.Findings
	case slices.ContainsFunc(r.servers, func(w *watchedServer) bool { return w.unsaved }):
		return exit.NoBaseline
	}
	return exit.OK
}

// eventWriter writes events to standard output, with a line below them on a terminal that says how all servers are. Who shows
// an event never waits for whoever reads standard output.
type eventWriter struct {
	process host.Process
	options output.Options
	live    bool // there is a line below the events
	color   bool
	queue   chan shownLine
	ended   chan struct{}
	lost    atomic.Bool // something did not get through

	footed bool // the line is on the screen now
	err    error
}

// shownLine is an event, and what the line below it says; empty at the end.
type shownLine struct {
	event  report.Event
	footer string
}

// mostUnread is how many events may wait for a reader of standard output. Further ones are dropped, and that is said.
const mostUnread = 4096

func newEventWriter(p host.Process, o output.Options) *eventWriter {
	w := &eventWriter{process: p, options: o, queue: make(chan shownLine, mostUnread), ended: make(chan struct{})}
	w.live, w.color = o.Format == "table" && terminal.IsTerminal(p.Out), o.Colored(p)
	go func() {
		defer close(w.ended)
		for line := range w.queue {
			w.write(line)
		}
	}()
	return w
}

// show queues one event, the last one without a line about servers below it.
func (w *eventWriter) show(e report.Event, servers []*watchedServer) {
	line := shownLine{event: e}
	if w.live && e.Event != "summary" {
		line.footer = footer(servers)
	}
	select {
	case w.queue <- line:
	default:
		if !w.lost.Swap(true) {
			w.process.Note("nobody reads standard output: from now on events are missing there")
		}
	}
}

// write writes one event. A closed pipe ends the run.
func (w *eventWriter) write(line shownLine) {
	var text bytes.Buffer
	width := terminal.Width(w.process.Out)
	if w.footed {
		text.WriteString("\r\x1b[K")
	}
	err := report.WriteEvent(&text, w.options.Format, line.event, report.Options{Width: width, Color: w.color})
	if w.footed = line.footer != ""; w.footed {
		if width == 0 { // not known
			width = 80
		}
		text.WriteString(line.footer[:min(len(line.footer), width-1)])
	}
	if err == nil {
		_, err = io.Copy(w.process.Out, &text)
	}
	if err != nil && w.err == nil {
		w.err = err
		if !w.lost.Swap(true) {
			w.process.Note("writing events to standard output: %v: they are missing there", err)
		}
	}
}

// finish writes what is queued. The error is that something got lost.
func (w *eventWriter) finish() error {
	close(w.queue)
	<-w.ended
	switch {
	case w.err != nil:
		return fmt.Errorf("events are missing on standard output: %w", w.err)
	case w.lost.Load():
		return fmt.Errorf("events are missing on standard output: nobody read it for more than %d of them", mostUnread)
	}
	return nil
}

// footer is how many servers are in which state.
func footer(servers []*watchedServer) string {
	states := map[string]int{}
	var order []string
	for _, w := range servers {
		state := string(w.last)
		if state == "" {
			state = "waiting"
		}
		if states[state]++; states[state] == 1 {
			order = append(order, state)
		}
	}
	var words []string
	for _, state := range order {
		words = append(words, fmt.Sprintf("%d %s", states[state], state))
	}
	return "watching: " + strings.Join(words, ", ") + "  (r + Enter reads again, q + Enter ends)"
}
