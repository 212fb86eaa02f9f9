package watch

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"time"
)

// Run watches a server until ctx ends and calls emit for each event, one at a time and in order. It returns
// when nothing is running any more; the error is that of closing the last session.
//
// A server passes through these states:
//
//	Connecting ─ lists read ──────────────────────────▶ Live (announces changes of every list) or Polling
//	Connecting ─ attempt failed ──────────────────────▶ Reconnecting
//	Live, Polling ─ reading failed in all attempts ──▶ Degraded
//	Live, Polling, Degraded ─ connection or ping lost ▶ Reconnecting
//	Degraded, Reconnecting, Failed ─ lists read ──────▶ Live or Polling
//	Degraded, Reconnecting ─ MaxFailures in a row ────▶ Failed, with one attempt per Longest
//	any ─ ctx ended ──────────────────────────────────▶ Closed
func Run(ctx context.Context, source Source, options Options, emit func(Event)) error {
	options = options.withDefaults()
	options.Diff.Server = source.Name
	w := &watcher{source: source, options: options}
	w.state = &state{source: source, options: &w.options, emit: emit, expiry: time.NewTimer(forever)}
	if source.Last != nil {
		w.state.good = surface{shot: source.Last, digest: source.Last.Digest()}
		w.state.status.Surface, w.state.unsure = source.Last, source.Unsure
		if len(source.Unsure) == 0 {
			w.state.kept = w.state.good.digest
		}
		w.state.expiresIn(w.lifetime())
	}
	w.breaker = breaker{limit: options.MaxFailures, rest: options.Longest / 2} // below any spread of Longest
	return w.run(ctx)
}

// run keeps one session after the other until ctx ends. A session ends when its connection is lost, or when
// Options.Restart asks for a new one.
func (w *watcher) run(ctx context.Context) (err error) {
	defer w.state.expiry.Stop()
	w.state.become(Connecting, nil)
	for ctx.Err() == nil {
		life, end := untilRestart(ctx, w.options.Restart)
		if session := w.connect(life); session != nil {
			w.follow(life, session)
			w.state.during(func() { err = session.Close() })
		}
		if restart := end(); restart && ctx.Err() == nil {
			w.restart()
		}
	}
	w.state.become(Closed, nil)
	return err
}

// untilRestart returns a context that ends with ctx, or when a new session is asked for. The function ends it
// and reports whether one was asked for.
func untilRestart(ctx context.Context, restart <-chan struct{}) (_ context.Context, end func() (asked bool)) {
	life, cancel := context.WithCancel(ctx)
	asked := make(chan bool, 1)
	go func() {
		select {
		case <-restart:
			asked <- true
			cancel()
		case <-life.Done():
			asked <- false
		}
	}()
	return life, func() bool {
		cancel()
		return <-asked
	}
}

// watcher decides when to connect to one server and when to read its lists. All of it runs in one goroutine.
type watcher struct {
	source  Source
	options Options
	state   *state
	breaker breaker

	pending Cause         // why the lists may have changed since they were last asked for; empty = no reason
	hears   bool          // notifications arrive, be it of some lists only
	quiet   time.Duration // see Options.Quiet

	next      time.Duration // the wait before the next attempt to connect
	least     time.Duration // the least wait, as the server asked
	restarted bool          // the next session was asked for
	pollAt    time.Time     // when to read everything again
}

// breaker allows every attempt at a server until too many have failed in a row, and then one at a time, far
// apart.
type breaker struct {
	limit    int           // failures in a row
	rest     time.Duration // between attempts after them
	failures int           // in a row until now
	until    time.Time     // no attempt before that, while it is open
}

// open reports whether attempts are limited to one at a time.
func (b *breaker) open() bool { return b.failures >= b.limit }

func (b *breaker) allows() bool { return !b.open() || !time.Now().Before(b.until) }

// record counts the result of an attempt; a success starts the count again.
func (b *breaker) record(err error) {
	if b.failures++; err == nil {
		b.failures = 0
	}
	b.until = time.Now().Add(b.rest)
}

func (b *breaker) reset() { b.failures = 0 }

// restart forgets all failures and waits, since the next session was asked for.
func (w *watcher) restart() {
	w.breaker.reset()
	w.next, w.restarted = 0, true
	if w.state.status.State != Connecting {
		w.state.become(Reconnecting, nil)
	}
}

// connect opens a session and reads everything, again and again until that works; nil = ctx has ended.
func (w *watcher) connect(ctx context.Context) Session {
	for w.pause(ctx, w.beforeConnecting()) {
		session, first, err := w.open(ctx)
		switch {
		case session != nil && ctx.Err() != nil:
			_ = session.Close()
		case ctx.Err() != nil:
		case first != nil:
			w.breaker.record(err)
			w.least, w.restarted = 0, false
			w.apply(ctx, first, err)
			return session
		default:
			w.breaker.record(err)
			w.unreachable(err)
			if session != nil { // its end may take seconds
				w.state.during(func() { _ = session.Close() })
			}
		}
	}
	return nil
}

// pause waits for a time or a request to read, and reports whether ctx goes on.
func (w *watcher) pause(ctx context.Context, d time.Duration) bool {
	if w.state.wait(ctx, d, w.options.Refresh) {
		w.breaker.reset()
	}
	return ctx.Err() == nil
}

// beforeConnecting returns the wait before the next attempt: none at first, then twice as long each time.
func (w *watcher) beforeConnecting() time.Duration {
	now := w.next
	w.next = min(max(2*now, w.options.Backoff), w.options.Longest)
	if w.breaker.open() {
		now = w.options.Longest
	}
	return max(w.options.spread(now), w.least)
}

// open opens a session and reads all lists. Of a session that is lost meanwhile nothing was read.
func (w *watcher) open(ctx context.Context) (session Session, first *reading, err error) {
	w.state.during(func() { session, err = w.source.Open(ctx) })
	if err != nil {
		return nil, nil, err
	}
	w.state.status.Counts.Connections++
	w.quiet, w.pending = w.options.Quiet, ""
	first = &reading{cause: w.firstCause()}
	err = w.read(ctx, session, first)
	if lost := session.Lost(); (lost != nil || is[*lostError](err)) && ctx.Err() == nil {
		return session, nil, cmp.Or(lost, err)
	}
	return session, first, err
}

// firstCause returns the cause of the first reading of a session.
func (w *watcher) firstCause() Cause {
	switch {
	case w.state.good.shot == w.source.Last: // nothing was read yet
		return Start
	case w.restarted:
		return Reload
	}
	return Reconnection
}

// unreachable records a failed attempt to connect.
func (w *watcher) unreachable(err error) {
	w.state.status.Counts.Failures++
	w.least = w.options.askedWait(err)
	w.state.trouble(Reconnecting, w.breaker.open(), err)
}

// follow keeps the surface of a connected server current until the connection is lost or ctx ends.
func (w *watcher) follow(ctx context.Context, session Session) {
	began := time.Now()
	var lost error
	for lost == nil && ctx.Err() == nil {
		var next *reading
		if next, lost = w.await(ctx, session); lost == nil {
			lost = w.refresh(ctx, session, next)
		}
	}
	if ctx.Err() != nil {
		return
	}
	if time.Since(began) >= 20*w.options.Backoff { // the connection was stable
		w.next = w.options.Backoff
	}
	w.state.trouble(Reconnecting, w.breaker.open(), cmp.Or(session.Lost(), lost))
}

// await waits for a reason to read. The error is that ctx ended, the connection was lost, or a ping was not
// answered.
func (w *watcher) await(ctx context.Context, session Session) (*reading, error) {
	poll := time.NewTimer(time.Until(w.pollAt))
	defer poll.Stop()
	silence := time.NewTimer(w.silence())
	defer silence.Stop()
	ctx, end := context.WithCancel(ctx)
	var pings sync.WaitGroup
	defer pings.Wait()
	defer end()
	pong := make(chan error, 1)
	first := time.Now()          // when the first unread notification came
	var settled <-chan time.Time // when notifications have paused
	if w.pending != "" {
		settled = time.After(w.quiet)
	}
	for {
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-session.Done():
			return nil, cmp.Or(session.Lost(), context.Canceled)
		case <-w.state.expiry.C:
			if time.Until(w.pollAt) <= 0 && w.breaker.allows() { // it slept, and asks before it says anything
				w.state.asks()
				w.state.expire()
				return &reading{cause: Poll}, nil
			}
			w.state.expire()
		case <-silence.C:
			pings.Go(func() { pong <- ping(ctx, session, w.options.Timeout) })
		case err := <-pong:
			if err != nil {
				return nil, err
			}
			silence.Reset(w.silence())
		case <-poll.C:
			return &reading{cause: Poll}, nil
		case <-w.options.Refresh:
			w.breaker.reset()
			return &reading{cause: Request}, nil
		case <-session.Signal():
			if settled == nil {
				first = time.Now()
			}
			left := max(10*w.options.Quiet, w.quiet) - time.Since(first)
			settled = time.After(min(w.quiet, left))
		case <-settled:
			settled = nil
			if w.hear(session); w.pending != "" {
				return &reading{cause: w.pending}, nil
			}
			poll.Reset(time.Until(w.pollAt))
		}
	}
}

// silence returns when the server is pinged. A reading that is due serves as well.
func (w *watcher) silence() time.Duration {
	if wait := w.options.spread(w.options.Silence); time.Until(w.pollAt) >= wait+w.options.Silence/2 {
		return wait
	}
	return forever
}

// ping checks that the server responds. The error is a *lostError, or that of ctx.
func ping(ctx context.Context, session Session, limit time.Duration) error {
	limited, cancel := within(ctx, cmp.Or(limit, 30*time.Second), "no answer within")
	defer cancel()
	_, err := session.Ping(limited)
	answer, ok := errors.AsType[interface {
		error
		Answered() bool
	}](err)
	if err == nil || ok && answer.Answered() || ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return &lostError{err}
}

// lostError says that a server did not even answer a ping.
type lostError struct{ error }

// Unwrap returns the reason.
func (e *lostError) Unwrap() error { return e.error }

// hear takes the news of a session.
func (w *watcher) hear(session Session) {
	got := session.News()
	status := &w.state.status
	status.Counts.Announcements += got.Count
	switch {
	case len(got.Changed) > 0:
		w.pending = Notification
	case got.Resumed:
		w.pending = Resumption
	case w.hears && !got.Hears:
		w.pending = Interruption
	}
	flipped := w.state.covered != got.Covered
	if w.state.covered, w.hears = got.Covered, got.Hears; !flipped || !status.State.Reached() {
		return
	}
	w.state.become(w.state.connected(), nil)
	w.schedule()
	w.state.expiresIn(w.lifetime())
}

// schedule sets when to read everything again, even if nothing is announced.
func (w *watcher) schedule() {
	interval := w.options.interval(w.state.status.State == Live)
	if w.breaker.open() {
		interval = w.options.Longest
	}
	w.pollAt = time.Now().Add(w.options.spread(interval))
}

// lifetime returns how old the surface may grow until it is stale.
func (w *watcher) lifetime() time.Duration {
	return Staleness * w.options.interval(w.state.covered)
}

// refresh reads what next names, if the breaker allows an attempt. The error says that the server is lost.
func (w *watcher) refresh(ctx context.Context, session Session, next *reading) error {
	if !w.breaker.allows() {
		w.pending = ""                 // the next poll reads them
		if time.Until(w.pollAt) <= 0 { // a notification must not delay the next attempt
			w.schedule()
		}
		return nil
	}
	err := w.read(ctx, session, next)
	if lost := session.Lost(); lost != nil || ctx.Err() != nil { // the next session reads everything
		return cmp.Or(lost, context.Cause(ctx))
	}
	w.breaker.record(err)
	if is[*lostError](err) {
		w.state.status.Counts.Failures++
		return err
	}
	w.apply(ctx, next, err)
	return nil
}

// apply makes what was read the good surface, reports it, and schedules the next reading. Nothing happens if
// ctx ends meanwhile: the next session reads everything.
func (w *watcher) apply(ctx context.Context, r *reading, err error) {
	o, failed := w.state.take(ctx, *r)
	if failed != nil && ctx.Err() != nil {
		return
	}
	err = cmp.Or(err, failed)
	switch {
	case r.announced && err == nil && (!o.moved || w.pending != ""): // a server that announces too much
		w.quiet = min(2*w.quiet, w.options.interval(false))
	case o.moved:
		w.quiet = w.options.Quiet
	}
	if err == nil {
		w.state.status.VerifiedAt = r.arrived
		w.state.expiresIn(w.lifetime())
	}
	w.state.settle(*r, o, w.breaker.open(), err)
	w.schedule()
	w.state.publish()
	w.state.keep()
}
