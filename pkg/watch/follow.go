package watch

import (
	"context"
	"slices"
	"time"

	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// follow keeps the surface of a connected server live until the connection is lost or ctx ends.
func (w *watcher) follow(ctx context.Context, session Session) {
	began := time.Now()
	held, release := whileConnected(ctx, session)
	defer release()
	for {
		next, ok := w.await(held, session)
		if !ok {
			break
		}
		w.refresh(held, session, next)
	}
	if ctx.Err() != nil {
		return
	}
	if time.Since(began) >= w.options.steady() {
		w.wait = w.options.Backoff
	}
	w.troubled(Reconnecting, session.Lost())
}

// await waits for a reason to read; false = ctx has ended.
func (w *watcher) await(ctx context.Context, session Session) (reading, bool) {
	poll := time.NewTimer(time.Until(w.pollAt))
	defer poll.Stop()
	var first time.Time
	var ready <-chan time.Time // when the news that came are to be heeded
	if w.dirty {
		first, ready = time.Now(), time.After(w.settling(time.Now()))
	}
	for {
		select {
		case <-ctx.Done():
			return reading{}, false
		case <-poll.C:
			return w.everything(Poll, session), true
		case <-w.options.Refresh:
			w.trials.reset()
			return w.everything(Request, session), true
		case <-session.Signal():
			if ready == nil {
				first = time.Now()
			}
			ready = time.After(w.settling(first))
		case <-ready:
			w.dirty, ready = false, nil
			if next := w.heed(session, first); len(next.kinds) > 0 {
				return next, true
			}
			poll.Reset(time.Until(w.pollAt))
		}
	}
}

// settling is how long to wait for further news: a pause of theirs, within the patience for all of them since first, but
// never before a server that announces too much may be asked again.
func (w *watcher) settling(first time.Time) time.Duration {
	left := w.options.patience() - time.Since(first)
	return max(min(w.options.Quiet, left), time.Until(w.echo.notBefore))
}

// everything is a reading of all lists, which heeds whatever was announced until now.
func (w *watcher) everything(cause Cause, session Session) reading {
	w.dirty = false
	news := session.News()
	w.hear(news)
	return reading{
		cause: cause, notified: len(news.Changed) > 0, since: time.Now(), hello: session.Hello(), kinds: snapshot.Kinds(),
	}
}

// heed is the reading that the news ask for, if any.
func (w *watcher) heed(session Session, since time.Time) reading {
	news := session.News()
	w.hear(news)
	r := reading{cause: Notification, notified: len(news.Changed) > 0, since: since, hello: session.Hello(), kinds: news.Changed}
	if news.Resumed {
		r.kinds = snapshot.Kinds()
		if !r.notified {
			r.cause = Resumption
		}
	}
	if len(r.kinds) > 0 {
		r.kinds = union(r.kinds, w.good.stale)
	}
	return r
}

// union are the kinds that are in one of two lists.
func union(a, b []snapshot.Kind) []snapshot.Kind {
	return slices.DeleteFunc(snapshot.Kinds(), func(kind snapshot.Kind) bool {
		return !slices.Contains(a, kind) && !slices.Contains(b, kind)
	})
}

// hear takes notice of whether the server announces changes now.
func (w *watcher) hear(news News) {
	w.status.Counts.Announcements += news.Count
	if w.covered == news.Covered {
		return
	}
	w.covered = news.Covered
	if w.status.State.Reached() {
		w.become(w.connected(), nil)
		w.schedule()
	}
}

// connected is the state of a server whose surface is current.
func (w *watcher) connected() State {
	if w.covered {
		return Live
	}
	return Polling
}

// schedule sets when to read everything again, whatever is announced until then.
func (w *watcher) schedule() {
	interval := w.options.Interval
	switch {
	case w.trials.exhausted():
		interval = w.options.Longest
	case w.status.State == Live:
		interval = w.options.Safety
	}
	floor := min(w.floor, w.options.Safety) // no server is trusted for longer
	w.pollAt = time.Now().Add(max(w.options.spread(interval), floor))
}
