package watch

import (
	"context"
	"time"

	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// connect opens a session and reads everything, again and again until that works; nil = ctx has ended.
func (w *watcher) connect(ctx context.Context) Session {
	for w.pause(ctx, w.beforeConnecting()) {
		var session Session
		var got reading
		tried, err := w.trials.try(ctx, func() (err error) {
			session, got, err = w.arrive(ctx)
			return err
		})
		switch {
		case session != nil && ctx.Err() != nil:
			_ = session.Close() // it was never the watcher's
			return nil
		case session != nil:
			w.arrived(session, got, err)
			return session
		case ctx.Err() == nil && tried:
			w.unreachable(err)
		}
	}
	return nil
}

// beforeConnecting is how long to wait for the next attempt: at first not at all, then twice as long each time.
func (w *watcher) beforeConnecting() time.Duration {
	now := w.wait
	w.wait = min(max(2*now, w.options.Backoff), w.options.Longest)
	if w.trials.exhausted() {
		now = w.options.Longest
	}
	return w.options.spread(now)
}

// arrive opens a session and reads all lists. A session that is lost on the way is an error like one that never was.
func (w *watcher) arrive(ctx context.Context) (Session, reading, error) {
	began := time.Now()
	session, err := w.source.Open(ctx)
	w.observe(ctx, Attempt{Outcome: outcomeOf(err), Took: time.Since(began)})
	if err != nil {
		return nil, reading{}, err
	}
	w.status.Counts.Connections++
	held, release := whileConnected(ctx, session)
	defer release()
	w.hear(session.News()) // whatever was announced until now is about to be read
	got, err := w.read(held, session, reading{cause: w.arrival(), hello: session.Hello(), kinds: snapshot.Kinds()})
	if held.Err() != nil && ctx.Err() == nil {
		_ = session.Close() // it is lost already
		return nil, reading{}, err
	}
	return session, got, err
}

// arrival is the cause of the first reading of a session.
func (w *watcher) arrival() Cause {
	switch {
	case w.good.shot == nil:
		return Start
	case w.renewed:
		return Reload
	}
	return Reconnection
}

func (w *watcher) arrived(session Session, got reading, err error) {
	w.dirty, w.renewed = false, false
	w.take(session, got, err)
}

// unreachable tells of an attempt to connect that failed. The surface is stale once as many failed as a reading may.
func (w *watcher) unreachable(err error) {
	w.status.Counts.Failures++
	w.misses++
	if w.misses >= attempts {
		w.giveUp(err)
	}
	w.troubled(Reconnecting, err)
}

// troubled is the state of trouble, or Failed when there was too much of it.
func (w *watcher) troubled(state State, err error) {
	if w.trials.exhausted() {
		state = Failed
	}
	w.become(state, err)
}

// giveUp tells once that the last good surface may no longer be the server's.
func (w *watcher) giveUp(err error) {
	if w.stale || w.good.shot == nil {
		return
	}
	w.stale = true
	w.tell(Event{Kind: Stale, Err: err})
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
