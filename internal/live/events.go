package live

import (
	"bytes"
	"cmp"
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
	"github.com/mcpctl/mcpctl/internal/journal"
	"github.com/mcpctl/mcpctl/internal/lists"
	"github.com/mcpctl/mcpctl/internal/output"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/internal/terminal"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/watch"
)

// tell hands an event to everybody, and remembers what it means for the end. It waits for nobody, on any goroutine.
func (r *watchRun) tell(w *watchedServer, e watch.Event) {
	r.surfaces.share(w.name(), r.note(w, e))
}

// note is tell, and gives the surface that is to be kept if it is a new one.
func (r *watchRun) note(w *watchedServer, e watch.Event) (surface []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	shown := shownEvent(w, e)
	if e.State != watch.Closed {
		w.last = e.State
	}
	if e.Kind == watch.StateChanged && e.State != watch.Closed {
		w.failure = shown.Error
	}
	if e.Kind == watch.Changed || e.Kind == watch.Recovered && !r.options.Saved { // a distance is told by Changed alone
		w.found = e.Findings
		if r.options.Saved {
			r.totals.recount(r.servers)
		} else {
			r.totals.add(e.Findings)
		}
	}
	surface = r.surfaces.kept(w, e)
	r.publish(shown, surface)
	return surface
}

// tellOwn tells an event of the one server that is being developed.
func (r *watchRun) tellOwn(e report.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	w := r.servers[0]
	e.Time, e.Server, e.State = time.Now(), w.name(), string(w.last)
	r.publish(e, nil)
}

// publish adds an event to the journal, for everybody who reads it, with the surface of its server if that is a new one; the caller
// holds the lock.
func (r *watchRun) publish(e report.Event, surface []byte) {
	r.monitor.Count(e)
	change := e.Event == string(watch.Changed) || e.Event == string(watch.Recovered) && len(e.Findings) > 0
	r.journal.Add(e.Server, e.Event, change, surface, func(at journal.Place) []byte { return eventLine(e, at) })
	if change && (r.options.UntilChange || r.options.FailOn != "" && r.totals.fails) {
		r.end(errSeen)
	}
}

func eventLine(e report.Event, at journal.Place) []byte {
	var line bytes.Buffer
	e.ID, e.Sequence, e.Change = at.ID, at.Sequence, at.Change
	_ = report.WriteEvent(&line, "ndjson", e, report.Options{})      // a buffer takes all, and events have JSON
	return bytes.Clone(bytes.TrimSuffix(line.Bytes(), []byte("\n"))) // the journal keeps it, and the buffer is half empty
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

func shownEvent(w *watchedServer, e watch.Event) report.Event {
	shown := report.Event{
		Time: e.Time, Event: string(e.Kind), Server: e.Server, State: string(e.State), Previous: string(e.Previous),
		Cause: string(e.Cause), Note: e.Note, Trouble: string(e.Trouble), From: e.From, To: e.To,
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
	r.publish(e, nil)
	r.mu.Unlock()
	lost := r.events.finish()
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case lost != nil:
		return lost
	}
	return r.told(status)
}

// told is a status as an error, after its reason was told to those who do not see the events.
func (r *watchRun) told(status int) error {
	why := &report.Report{Command: "watch", Status: status}
	for _, w := range r.servers {
		if !w.reached() {
			why.Servers = append(why.Servers, report.Server{Name: w.name(), Error: w.failure})
		}
	}
	output.TellStatus(r.process, r.options.Output, why)
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

// eventWriter writes the events of a journal to standard output, with a line below them on a terminal that says how all servers
// are. Who adds an event never waits for whoever reads standard output.
type eventWriter struct {
	process host.Process
	options output.Options
	journal *journal.Journal
	footer  func() string // nil = there is no line below the events
	color   bool
	ended   chan struct{}
	lost    atomic.Bool // something did not get through

	footed  bool // the line is on the screen now
	err     error
	missing int
}

func newEventWriter(p host.Process, o output.Options, j *journal.Journal, footer func() string) *eventWriter {
	w := &eventWriter{process: p, options: o, journal: j, color: o.Colored(p), ended: make(chan struct{})}
	if o.Format == "table" && terminal.IsTerminal(p.Out) {
		w.footer = footer
	}
	place, _ := j.Last()
	gaps := j.Gaps(place, false)
	go func() {
		defer close(w.ended)
		for {
			page := j.After(place)
			for _, e := range page.Entries {
				w.miss(e.Server, gaps.Before(e))
				w.write(e)
				place = e.Number
			}
			if page.Ended {
				return
			}
			<-page.More
		}
	}()
	return w
}

// miss tells of events that the journal no longer had when it was their turn.
func (w *eventWriter) miss(server string, events int) {
	if events > 0 {
		w.missing += events
		w.lost.Store(true)
		w.process.Note("nobody read standard output for too long: %d events of %s are missing there", events, report.Visible(server))
	}
}

func (w *eventWriter) write(e journal.Entry) {
	var text string
	if w.footed {
		text = "\r\x1b[K"
	}
	width := terminal.Width(w.process.Out)
	lines, err := string(withNewline(e.Line)), error(nil)
	if w.options.Format != "ndjson" {
		_, lines, err = report.ReadEvent(e.Line, report.Options{Width: width, Color: w.color})
	}
	text += lines
	if w.footed = w.footer != nil && e.Kind != "summary"; w.footed {
		line := w.footer()
		if width = cmp.Or(width, 80); len(line) >= width {
			line = strings.TrimSuffix(line, typedHint)
		}
		text += line[:min(len(line), width-1)]
	}
	if err == nil {
		_, err = io.WriteString(w.process.Out, text)
	}
	if err != nil && w.err == nil {
		w.err = err
		if !w.lost.Swap(true) {
			w.process.Note("writing events to standard output: %v: they are missing there", err)
		}
	}
}

// finish ends the journal and writes what is in it. The error is that something got lost.
func (w *eventWriter) finish() error {
	unwritten := w.journal.End()
	<-w.ended
	switch {
	case w.err != nil:
		return fmt.Errorf("events are missing on standard output: %w", w.err)
	case w.missing > 0:
		return fmt.Errorf("events are missing on standard output: nobody read %d of them in time", w.missing)
	}
	return unwritten
}

// typedHint ends the line below the events where there is room for it.
const typedHint = "  (r + Enter reads again, q + Enter ends)"

// footer is how many servers are in which state, connected and heard, and when the most stale one was verified.
func (r *watchRun) footer() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	states := map[string]int{}
	var order []string
	var connected, listening int
	var oldest time.Time
	for _, w := range r.servers {
		now := w.view.Status()
		if now.Connected {
			connected++
		}
		if now.Listening {
			listening++
		}
		if at := now.VerifiedAt; !at.IsZero() && (oldest.IsZero() || at.Before(oldest)) {
			oldest = at
		}
		state := string(w.last)
		if state == "" {
			state = "waiting"
		}
		if states[state]++; states[state] == 1 {
			order = append(order, state)
		}
	}
	words := lists.Map(order, func(state string) string { return fmt.Sprintf("%d %s", states[state], state) })
	line := fmt.Sprintf("watching: %s  connected %d, listening %d", strings.Join(words, ", "), connected, listening)
	if !oldest.IsZero() {
		line += ", verified " + oldest.Format(time.TimeOnly)
	}
	return line + typedHint
}
