package watchrun

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/printable"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
	"github.com/mcpctl/mcpctl/pkg/watch"
)

// Limits of --exec and --webhook.
const (
	maxQueued  = 256      // events that wait for one output, until those of a server become one
	maxBytes   = 64 << 20 // of these events and the surfaces that they lead to
	maxTries   = 3        // of a command that fails
	firstPause = time.Second
	mostPause  = time.Minute // between attempts at what cannot be reached; it doubles from firstPause
)

// outputQueue passes events to one output, one after the other. It delays neither watching nor another
// output.
type outputQueue struct {
	name   string // the flag
	suffix string // of its files in the state folder
	send   sendFunc
	state  *stateFolder // nil without --state
	note   func(format string, args ...any)
	cancel context.CancelFunc // ends deliveries
	ended  chan struct{}      // closed when all are delivered or deliveries were canceled
	wake   chan struct{}      // holds at most one signal
	ending chan struct{}      // closed when nothing more is added

	mu      sync.Mutex // guards what follows
	lags    map[string]*lag
	waiting []*outputEvent
	busy    bool // an event is being delivered
	bytes   int  // see maxBytes
	refused int  // changes that the output refused

	// What follows belongs to the delivering goroutine.
	dropped int  // changes that were refused since the last event that the output took
	down    bool // that it cannot be reached was noted
}

// outputEvent is one event for an output.
type outputEvent struct {
	lag     *lag
	event   WatchEvent
	to      *snapshot.Snapshot // surface after the change; nil if that does not matter
	changes int                // changes in it: 1, or as many as it stands for
	merged  bool               // it has no findings yet: they are those from the confirmed surface on
	bytes   int
}

// newOutputQueue returns a queue that passes events to send in a goroutine of its own, until finish. The end
// of ctx ends deliveries; what is left then stays counted.
func newOutputQueue(
	ctx context.Context, name, value string, p host.Process, state *stateFolder, send sendFunc,
) *outputQueue {
	q := &outputQueue{name: name, suffix: outputSuffix(name, value), send: send, state: state, note: p.Note}
	q.ended, q.ending = make(chan struct{}), make(chan struct{})
	q.wake, q.lags = make(chan struct{}, 1), map[string]*lag{}
	ctx, q.cancel = context.WithCancel(ctx)
	go func() {
		defer close(q.ended)
		for d := q.next(ctx); d != nil && q.deliver(ctx, d); d = q.next(ctx) {
		}
	}()
	return q
}

// begin adds a server that is watched from now on, with the surface that is known of it or nil; kept is the
// one in the state folder.
func (q *outputQueue) begin(server string, last, kept *snapshot.Snapshot, between comparison) {
	q.mu.Lock()
	defer q.mu.Unlock()
	l := q.lags[server]
	if l == nil {
		l = &lag{server: server, saved: kept}
		q.lags[server] = l
		if left := q.state.lagOf(server, q.suffix); left != nil {
			l.confirmed, l.sent, l.behind, l.written = left[0], left[1:], true, left
		}
	}
	l.between = between
	if l.pending == 0 && !l.behind && last != nil {
		l.confirmed = last
	}
}

// settled notes that a surface needs no event, or that all of its events were added.
func (q *outputQueue) settled(server string, surface *snapshot.Snapshot) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if l := q.lags[server]; l.pending == 0 && !l.behind {
		l.confirmed = surface
	}
}

// saved notes what the next run begins with.
func (q *outputQueue) saved(server string, surface *snapshot.Snapshot) {
	q.mu.Lock()
	l := q.lags[server]
	l.saved = surface
	q.mu.Unlock()
	q.record(l)
}

// take takes an event of a server with its present surface; nil = its changes are not those between
// surfaces. It never waits for the output.
func (q *outputQueue) take(e WatchEvent, surface *snapshot.Snapshot) {
	q.mu.Lock()
	d := q.delivery(e, surface)
	q.mu.Unlock()
	if d == nil {
		return
	}
	q.record(d.lag)
	q.mu.Lock()
	defer q.mu.Unlock()
	q.add(d)
}

// delivery counts an event that the output has to get, and returns what will be queued; nil = nothing. The
// caller holds the lock.
func (q *outputQueue) delivery(e WatchEvent, surface *snapshot.Snapshot) *outputEvent {
	l, changed := q.lags[e.Server], e.Event == string(watch.Changed)
	if l == nil { // it is not watched
		return nil
	}
	if l.confirmed == nil && l.pending == 0 {
		l.confirmed = surface
	}
	resumes := l.behind && surface != nil && surface.Complete() && (changed || watch.State(e.State).Reached())
	switch {
	case resumes && !changed:
		e = WatchEvent{Time: e.Time, Event: string(watch.Changed), Server: e.Server, State: e.State,
			Cause: string(watch.Start)}
	case resumes:
	case changed && (l.behind || surface != nil && surface == l.newest): // what is resumed has it
		return nil
	case changed && surface != nil && !q.busy && len(q.waiting) == 0: // it is sent at once
		l.sent = append(l.sent, surface)
	case e.Event == string(watch.Stale), e.Event == string(watch.Recovered):
		l.outages++
		return &outputEvent{lag: l, event: e}
	case !changed:
		return nil
	}
	l.newest = surface
	l.pending++
	l.changes++
	d := &outputEvent{lag: l, event: e, to: surface, changes: 1}
	if resumes {
		l.behind, d.merged, d.event.Findings = false, true, nil
	}
	return d
}

// add queues an event, or puts it into the one that waits for all changes of its server. If the queue is
// full, the events of this server become one. The caller holds the lock.
func (q *outputQueue) add(d *outputEvent) {
	l := d.lag
	if into := l.merged; into != nil && d.changes > 0 {
		into.event, into.to, into.changes = d.event, d.to, into.changes+d.changes
		into.event.Findings = nil
		l.pending--
		return
	}
	d.bytes = len(d.event.JSON())
	if d.to != nil {
		d.bytes += d.to.Size()
	}
	q.waiting, q.bytes = append(q.waiting, d), q.bytes+d.bytes
	if d.merged {
		l.merged = d
	}
	if len(q.waiting) > maxQueued || q.bytes > maxBytes {
		q.merge(l)
	}
	signalOnce(q.wake)
}

// merge makes one event of those that wait of a server: its changes, and the last word about an outage. What
// is being delivered stays as it is. The caller holds the lock.
func (q *outputQueue) merge(l *lag) {
	var change, outage *outputEvent
	kept := q.waiting[:0]
	for _, d := range q.waiting {
		switch {
		case d.lag != l:
			kept = append(kept, d)
		case d.changes == 0 && outage == nil:
			outage, kept = d, append(kept, d)
		case d.changes == 0:
			outage.event = d.event
			l.outages--
		case change == nil:
			change, kept = d, append(kept, d)
		default:
			change.event, change.to, change.changes = d.event, d.to, change.changes+d.changes
			l.pending--
		}
		if d.lag == l {
			q.bytes -= d.bytes
			d.bytes = 0
		}
	}
	clear(q.waiting[len(kept):])
	if q.waiting = kept; change != nil && change.to != nil {
		change.merged, change.event.Findings = true, nil
		l.merged = change
	}
}

// next waits for an event and returns it; nil = there are no more.
func (q *outputQueue) next(ctx context.Context) *outputEvent {
	for {
		q.mu.Lock()
		if len(q.waiting) > 0 && ctx.Err() == nil {
			defer q.mu.Unlock()
			d := q.waiting[0]
			q.waiting, q.busy = q.waiting[1:], true
			if d.lag.merged == d {
				d.lag.merged = nil
			}
			return d
		}
		q.mu.Unlock()
		select {
		case <-q.wake:
		case <-ctx.Done():
			return nil
		case <-q.ending:
			if ctx.Err() != nil || !q.waits() {
				return nil
			}
		}
	}
}

// waits reports whether an event waits.
func (q *outputQueue) waits() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.waiting) > 0
}

// deliver passes an event on, and reports false if ctx ended before that.
func (q *outputQueue) deliver(ctx context.Context, d *outputEvent) bool {
	if d.merged {
		if err := q.compose(ctx, d); ctx.Err() != nil {
			return false
		} else if err != nil {
			d.event.Note = "what changed cannot be said: " + err.Error()
		} else if len(d.event.Findings) == 0 { // it is again as the output knows it
			q.done(d, true)
			return true
		}
	}
	if d.to != nil {
		q.mu.Lock()
		if n := len(d.lag.sent); n == 0 || d.lag.sent[n-1] != d.to {
			d.lag.sent = append(d.lag.sent, d.to)
		}
		q.mu.Unlock()
		q.record(d.lag)
	}
	err := q.try(ctx, d)
	if err != nil && ctx.Err() != nil {
		return false
	}
	if err != nil {
		q.note("%s: %s of %s was not delivered: %v", q.name, kindOf(d), printable.Message(d.lag.server), err)
	}
	q.done(d, err == nil)
	return true
}

// kindOf names an event in a message.
func kindOf(d *outputEvent) string {
	if d.changes == 0 {
		return "a " + d.event.Event + " event"
	}
	return "a change"
}

// compose sets the findings of an event that stands for several.
func (q *outputQueue) compose(ctx context.Context, d *outputEvent) error {
	q.mu.Lock()
	base, sent := d.lag.confirmed, d.lag.sent
	q.mu.Unlock()
	found, err := d.lag.catchUp(ctx, base, d.to, sent)
	d.event.Findings, d.event.Repeated = found, true
	return err
}

// try sends an event until the output has taken it, has refused it or ctx has ended. The end of the queue
// cuts a pause short: there is not much time left.
func (q *outputQueue) try(ctx context.Context, d *outputEvent) error {
	d.event.Dropped = q.dropped
	line := d.event.JSON()
	pause, ending := paced(firstPause), q.ending
	for n := 1; ; n++ {
		err := q.send(ctx, d.event.Event, line)
		switch unreachable := errors.Is(err, errUnreachable); {
		case err == nil:
			q.down = false
			return nil
		case ctx.Err() != nil, errors.Is(err, errRefused), !unreachable && n >= maxTries:
			return err
		case unreachable && n >= maxTries && !q.down:
			q.down = true
			q.note("%s cannot be reached, and is tried again: %v", q.name, err)
		}
		select {
		case <-time.After(pause):
			pause = min(2*pause, paced(mostPause))
		case <-ending:
			pause, ending = paced(firstPause), nil
		case <-ctx.Done():
		}
	}
}

// done ends a delivery, which the output took or refused.
func (q *outputQueue) done(d *outputEvent, taken bool) {
	if taken {
		q.dropped = 0
	} else {
		q.dropped += d.changes
	}
	q.mu.Lock()
	l := d.lag
	q.busy, q.bytes = false, q.bytes-d.bytes
	switch {
	case d.changes == 0:
		l.outages--
	default:
		l.pending--
		l.changes -= d.changes
		if l.sent = nil; d.to != nil {
			l.confirmed = d.to
		}
	}
	if !taken {
		q.refused += d.changes
	}
	q.mu.Unlock()
	q.record(l)
}

// left returns the changes that were not delivered and that no file has, the stale and recovered events, and
// the servers whose changes the next run delivers. Deliveries have ended.
func (q *outputQueue) left() (changes, outages int, kept []string) {
	for _, server := range kit.SortedKeys(q.lags) {
		l := q.lags[server]
		outages += l.outages
		switch {
		case l.written != nil && !l.unkept && (l.pending > 0 || l.behind):
			kept = append(kept, printable.Message(server))
		default:
			changes += l.changes
		}
	}
	return changes, outages, kept
}

// finish ends deliveries: it waits until every output has what was added, for at most the limit or until
// stop is closed, and notes what is left. how says what closes stop.
func finish(p host.Process, outputs []*outputQueue, limit time.Duration, stop <-chan struct{}, how string) {
	all := make(chan struct{})
	for _, q := range outputs {
		close(q.ending)
	}
	go func() {
		defer close(all)
		for _, q := range outputs {
			<-q.ended
		}
	}()
	end := time.After(limit)
	for said := time.After(min(limit, sayAfter)); ; {
		select {
		case <-all:
		case <-said:
			p.Note("waiting up to %s for %s; %s", limit.Round(time.Second), waitedFor(outputs), how)
			continue
		case <-end:
		case <-stop:
		}
		break
	}
	for _, q := range outputs {
		q.cancel()
		<-q.ended
		q.noteLeft()
	}
}

// sayAfter is how long the end of a run waits for outputs before it says so.
const sayAfter = 500 * time.Millisecond

// waitedFor names the outputs that have not ended, with the number of their events.
func waitedFor(outputs []*outputQueue) string {
	var words []string
	for _, q := range outputs {
		q.mu.Lock()
		n := 0
		for _, l := range q.lags {
			n += l.changes + l.outages
		}
		q.mu.Unlock()
		if n > 0 {
			words = append(words, q.name+" to take "+kit.Counted(n, "event"))
		}
	}
	return strings.Join(words, " and ")
}

// were counts things in the beginning of a sentence about them.
func were(n int, noun string) string {
	if n == 1 {
		return kit.Counted(n, noun) + " was"
	}
	return kit.Counted(n, noun) + " were"
}

// noteLeft notes what was not delivered in the end.
func (q *outputQueue) noteLeft() {
	changes, outages, kept := q.left()
	if len(kept) > 0 {
		q.note("%s: the next run with this --state delivers the changes of %s", q.name, kit.Some(kept))
	}
	if changes > 0 && q.state == nil {
		q.note("%s: %s lost, not delivered before the end; --state DIR keeps what is not delivered", q.name,
			were(changes, "change"))
	} else if changes > 0 {
		q.note("%s: %s lost", q.name, were(changes, "change"))
	}
	if outages > 0 {
		q.note("%s: %s not delivered", q.name,
			were(outages, "stale or recovered event"))
	}
	if q.refused > 0 {
		q.note("%s: %s refused", q.name, were(q.refused, "change"))
	}
}
