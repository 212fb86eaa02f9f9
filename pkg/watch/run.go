package watch

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"time"

	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// Run watches a server until ctx ends, and calls emit for every event, one at a time and in order. It returns when
// nothing is under way any more; the error is that of closing the last session.
func Run(ctx context.Context, source Source, options Options, emit func(Event)) error {
	return newWatcher(source, options, emit).run(ctx)
}

func newWatcher(source Source, options Options, emit func(Event)) *watcher {
	options = options.complete()
	options.Diff.Server = source.Name
	w := &watcher{source: source, options: options}
	w.state = &state{source: source, options: &w.options, emit: emit, expiry: time.NewTimer(forever)}
	if source.Last != nil {
		w.state.good, w.state.status.Surface = surface{shot: source.Last, digest: source.Last.Digest()}, source.Last
	}
	w.breaker = breaker{limit: options.MaxFailures, rest: options.Longest / 2} // below the shortest spread of Longest
	return w
}

func (w *watcher) run(ctx context.Context) (err error) {
	defer w.state.expiry.Stop()
	w.state.become(Connecting, "", nil)
	for ctx.Err() == nil {
		life, over := restartable(ctx, w.options.Restart)
		if session := w.connect(life); session != nil {
			w.follow(life, session)
			w.state.meanwhile(func() { err = session.Close() })
		}
		if over() && ctx.Err() == nil {
			w.restart()
		}
	}
	w.state.become(Closed, "", nil)
	return err
}

// restartable ends with ctx, or when a new session is asked for. The function ends it, and tells whether one was.
func restartable(ctx context.Context, restart <-chan struct{}) (_ context.Context, over func() (asked bool)) {
	life, end := context.WithCancel(ctx)
	asked := make(chan bool, 1)
	go func() {
		select {
		case <-restart:
			asked <- true
			end()
		case <-life.Done():
			asked <- false
		}
	}()
	return life, func() bool {
		end()
		return <-asked
	}
}

// watcher is the one goroutine that watches one server: it decides when to connect and when to read.
type watcher struct {
	source  Source
	options Options
	state   *state
	breaker breaker
	news    news // of the session

	next    time.Duration // the wait before the next attempt to connect
	least   time.Duration // the least of it that the server asked for
	misses  int           // attempts to connect that failed in a row
	renewed bool          // the next session is one that was asked for
	floor   time.Duration // the least time between polls that the server asks for, as far as it is trusted
	pollAt  time.Time     // when to read everything again
}

// breaker lets attempts at a server through until too many have failed in a row, and then one at a time, far apart.
type breaker struct {
	limit    int           // failures in a row
	rest     time.Duration // between attempts after them
	failures int
	until    time.Time
}

func (b *breaker) open() bool { return b.failures >= b.limit }

func (b *breaker) allows() bool { return !b.open() || !time.Now().Before(b.until) }

func (b *breaker) record(err error) {
	if b.failures++; err == nil {
		b.failures = 0
	}
	b.until = time.Now().Add(b.rest)
}

func (b *breaker) reset() { b.failures = 0 }

// restart forgets all failures and waits, since the next session is to be one that somebody asked for.
func (w *watcher) restart() {
	w.breaker.reset()
	w.next, w.misses, w.renewed, w.news = 0, 0, true, news{}
	if w.state.status.State != Connecting {
		w.state.become(Reconnecting, "", nil)
	}
}

// connect opens a session and reads everything, again and again until that works; nil = ctx has ended.
func (w *watcher) connect(ctx context.Context) Session {
	for w.pause(ctx, w.beforeConnecting()) {
		if !w.breaker.allows() {
			continue
		}
		session, got, err := w.arrive(ctx)
		switch {
		case session != nil && ctx.Err() != nil:
			_ = session.Close() // it was never the watcher's
		case ctx.Err() != nil:
		case session != nil:
			w.breaker.record(err)
			w.least, w.renewed, w.state.status.Connected = 0, false, true
			w.take(ctx, session, got, err)
			return session
		default:
			w.breaker.record(err)
			w.unreachable(err)
		}
	}
	return nil
}

// pause waits, and is cut short by a request to read at once; false = ctx has ended.
func (w *watcher) pause(ctx context.Context, d time.Duration) bool {
	if w.state.wait(ctx, d, w.options.Refresh) {
		w.breaker.reset()
	}
	return ctx.Err() == nil
}

// beforeConnecting is how long to wait for the next attempt: at first not at all, then twice as long each time.
func (w *watcher) beforeConnecting() time.Duration {
	now := w.next
	w.next = min(max(2*now, w.options.Backoff), w.options.Longest)
	if w.breaker.open() {
		now = w.options.Longest
	}
	return max(w.options.spread(now), w.least)
}

// arrive opens a session and reads all lists. A session that is lost on the way is an error like one that never was.
func (w *watcher) arrive(ctx context.Context) (Session, *reading, error) {
	began := time.Now()
	var session Session
	var err error
	w.state.meanwhile(func() { session, err = w.source.Open(ctx) })
	outcome := Connected
	if err != nil {
		outcome = Failure
	}
	if ctx.Err() == nil {
		w.options.Observe(Attempt{Outcome: outcome, Took: time.Since(began)})
	}
	if err != nil {
		return nil, nil, err
	}
	w.state.status.Counts.Connections++
	w.news.forget()
	first := everything(w.arrival(), session)
	err = w.read(ctx, session, first)
	if lost := session.Lost(); (lost != nil || is[*lostError](err)) && ctx.Err() == nil {
		w.state.meanwhile(func() { _ = session.Close() }) // it is lost already
		return nil, nil, cmp.Or(lost, err)
	}
	return session, first, err
}

// arrival is the cause of the first reading of a session.
func (w *watcher) arrival() Cause {
	switch {
	case w.state.good.shot == w.source.Last: // nothing was read yet
		return Start
	case w.renewed:
		return Reload
	}
	return Reconnection
}

// unreachable tells of an attempt to connect that failed. The surface is stale once as many failed as a reading may.
func (w *watcher) unreachable(err error) {
	w.state.status.Counts.Failures++
	w.least = w.options.askedWait(err)
	if w.misses++; w.misses >= attempts {
		w.state.giveUp(lossOf(err), err)
	}
	w.lose(err)
}

// lose tells that there is no connection, or none that is of use. Where nothing was answered any more, an announcement may
// have got lost; where the server itself was gone, there was nobody to announce anything.
func (w *watcher) lose(err error) {
	w.news.gap = lossOf(err) == Hung
	w.state.status.Connected = false
	w.state.trouble(Reconnecting, w.breaker.open(), lossOf(err), err)
}

// whileConnected is a context that ends with ctx, or with the session's connection.
func whileConnected(ctx context.Context, session Session) (held context.Context, release func()) {
	held, cancel := context.WithCancelCause(ctx)
	watching := make(chan struct{})
	go func() {
		defer close(watching)
		select {
		case <-session.Done():
			cancel(session.Lost())
		case <-held.Done():
		}
	}()
	return held, func() {
		cancel(nil)
		<-watching
	}
}

// follow keeps the surface of a connected server live until the connection is lost or ctx ends.
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
	if time.Since(began) >= 20*w.options.Backoff { // it was steady
		w.next = w.options.Backoff
	}
	w.lose(cmp.Or(session.Lost(), lost))
}

// await waits for a reason to read. The error says that ctx has ended, or the connection, or that the server gives no sign of
// life.
func (w *watcher) await(ctx context.Context, session Session) (*reading, error) {
	poll := time.NewTimer(time.Until(w.pollAt))
	defer poll.Stop()
	silence := time.NewTimer(w.silence())
	defer silence.Stop()
	ctx, end := context.WithCancel(ctx)
	var asked sync.WaitGroup
	defer asked.Wait()
	defer end()
	pong := make(chan error, 1)
	var first time.Time
	var ready <-chan time.Time // when the news that came are to be heeded
	if w.news.fresh() {
		first, ready = time.Now(), time.After(w.settling(time.Now()))
	}
	for {
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-session.Done():
			return nil, cmp.Or(session.Lost(), context.Canceled)
		case <-w.state.expiry.C:
			w.state.expire()
		case <-silence.C:
			asked.Go(func() { pong <- ping(ctx, session, w.options.Timeout) })
		case err := <-pong:
			if err != nil {
				return nil, err
			}
			silence.Reset(w.silence())
		case <-poll.C:
			if time.Since(w.pollAt) >= w.options.patience() { // what we have not heard meanwhile we may merely not have heard
				w.news.unannounced = nil
			}
			return everything(Poll, session), nil
		case <-w.options.Refresh:
			w.breaker.reset()
			return everything(Request, session), nil
		case <-session.Signal():
			if ready == nil {
				first = time.Now()
			}
			ready = time.After(w.settling(first))
		case <-ready:
			ready = nil
			if w.hear(session, first); w.news.fresh() {
				return w.asked(session), nil
			}
			poll.Reset(time.Until(w.pollAt))
		}
	}
}

// silence is how long the server may say nothing until it is pinged. A reading that is due is as good.
func (w *watcher) silence() time.Duration {
	if wait := w.options.spread(w.options.Silence); time.Until(w.pollAt) >= wait+w.options.Silence/2 {
		return wait
	}
	return forever
}

// ping asks for a sign of life. The error is a *lostError, or says that ctx has ended.
func ping(ctx context.Context, session Session, limit time.Duration) error {
	limit = cmp.Or(limit, 30*time.Second)
	limited, cancel := context.WithTimeoutCause(ctx, limit, &timeoutError{limit, "no answer within"})
	defer cancel()
	err := session.Ping(limited)
	if err == nil || ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return &lostError{err}
}

// lostError says that a server did not even answer a ping.
type lostError struct{ error }

// Unwrap is why.
func (e *lostError) Unwrap() error { return e.error }

// lossOf is what became of a server that gives no answer: it is gone, or it says nothing.
func lossOf(err error) Trouble {
	if errors.Is(err, context.DeadlineExceeded) {
		return Hung
	}
	return Gone
}

// settling is how long to wait for further news: a pause of theirs, within the patience for all of them since first, but
// never before a server that announces too much may be asked again.
func (w *watcher) settling(first time.Time) time.Duration {
	left := w.options.patience() - time.Since(first)
	return max(min(w.options.Quiet, left), time.Until(w.news.notBefore))
}

// hear takes the news of a session that came since a time.
func (w *watcher) hear(session Session, since time.Time) {
	got := session.News()
	status := &w.state.status
	status.Counts.Announcements += got.Count
	w.news.add(got, since)
	broken := w.state.hears && !got.Hears
	w.news.broken = (w.news.broken || broken) && !got.Hears
	w.news.gap = w.news.gap || status.Connected && (broken || got.Resumed)
	flipped := w.state.covered != got.Covered
	if w.state.covered, w.state.hears = got.Covered, got.Hears; !flipped || !status.State.Reached() {
		return
	}
	w.news.unannounced = nil
	w.state.become(w.state.connected(), "", nil)
	w.schedule()
	if w.options.MaxStaleness == 0 { // it is read at once
		w.state.expiresIn(w.lifetime())
	}
}

// asked is the reading that the news ask for, with the lists whose last reading failed.
func (w *watcher) asked(session Session) *reading {
	r := &reading{cause: Notification, hello: session.Hello()}
	for _, kind := range snapshot.Kinds() {
		if w.news.announced(kind) || w.news.resumed || w.news.broken || w.state.status.Stale || w.state.good.lacks(kind) {
			r.kinds = append(r.kinds, kind)
		}
	}
	switch {
	case len(w.news.kinds) > 0:
	case w.news.resumed:
		r.cause = Resumption
	default:
		r.cause = Interruption
	}
	return r
}

// schedule sets when to read everything again, whatever is announced until then.
func (w *watcher) schedule() {
	interval := w.options.Interval
	switch {
	case w.breaker.open():
		interval = w.options.Longest
	case w.state.status.State == Live:
		interval = w.options.safety
	}
	wait := max(w.options.spread(interval), w.floor)
	if most := w.options.MaxStaleness; most > 0 {
		wait = min(wait, most/2)
	}
	w.pollAt = time.Now().Add(wait)
}

// lifetime is how old the surface may grow until it is stale.
func (w *watcher) lifetime() time.Duration {
	interval := w.options.Interval
	if w.state.covered {
		interval = w.options.safety
	}
	return cmp.Or(w.options.MaxStaleness, 2*max(interval, w.floor))
}

// refresh reads what next names, if it is time for an attempt. The error says that the server gives no sign of life any more.
func (w *watcher) refresh(ctx context.Context, session Session, next *reading) (lost error) {
	if !w.breaker.allows() {
		w.news.tried(next.kinds)       // they are read with the next poll
		if time.Until(w.pollAt) <= 0 { // an announcement must not put the next attempt off
			w.schedule()
		}
		return nil
	}
	err := w.read(ctx, session, next)
	if lost = session.Lost(); lost != nil || ctx.Err() != nil { // the next session reads everything
		return cmp.Or(lost, context.Cause(ctx))
	}
	w.breaker.record(err)
	if is[*lostError](err) {
		w.state.status.Counts.Failures++
		return err
	}
	w.take(ctx, session, next, err)
	return nil
}

// take hands over what was read, and plans the next reading, unless ctx ends: then the next session reads everything.
func (w *watcher) take(ctx context.Context, session Session, r *reading, err error) {
	if err == nil {
		w.misses = 0
	}
	w.floor = min(session.Floor(), w.options.safety)
	came, cut := w.state.measure(ctx, *r)
	if cut != nil && ctx.Err() != nil {
		return
	}
	if err = cmp.Or(err, cut); cut == nil { // of what could not be compared nothing is known
		w.heed(*r, &came)
	}
	if r.whole() && err == nil {
		w.news.gap, w.state.status.VerifiedAt = false, r.arrived
		w.state.expiresIn(w.lifetime())
	}
	w.state.settle(*r, came, w.breaker.open(), err)
	if r.whole() || err != nil {
		w.schedule()
	}
	w.state.publish()
}
