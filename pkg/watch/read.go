package watch

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// reading is one reading of lists: why, which, and what came of it.
type reading struct {
	cause    Cause
	notified bool               // the server had announced a change of these lists
	since    time.Time          // when it did
	hello    *snapshot.Snapshot // what the server says of itself
	kinds    []snapshot.Kind    // to be read
	lists    []snapshot.List    // one for each of kinds, as far as it arrived
	took     time.Duration      // with all attempts and the pauses between them
}

// read asks for the lists of r, four times at most; those that arrived are not asked for again. The error is that of the
// lists which are missing, or the reason why ctx ended.
func (w *watcher) read(ctx context.Context, session Session, r reading) (reading, error) {
	w.status.Counts.Readings++
	began := time.Now()
	r, err := w.persist(ctx, session, r)
	r.took = time.Since(began)
	if ctx.Err() != nil && session.Lost() != nil { // nobody takes what arrived
		w.options.Observe(Attempt{Cause: r.cause, Outcome: Failure, Took: r.took})
	}
	return r, err
}

// persist tries to read until the lists are there, or often enough.
func (w *watcher) persist(ctx context.Context, session Session, r reading) (reading, error) {
	r.lists = nil
	for _, kind := range r.kinds {
		r.lists = append(r.lists, snapshot.NewPart(kind, nil, "no answer"))
	}
	wait := w.options.Retry
	for n := 1; ; n++ {
		lists, err := w.once(ctx, session, r.missing())
		for _, list := range lists {
			r.lists[slices.Index(r.kinds, list.Kind)] = list
		}
		if ctx.Err() != nil {
			return r, context.Cause(ctx)
		}
		if err == nil || n == attempts {
			return r, err
		}
		if !sleep(ctx, w.options.spread(wait)) {
			return r, context.Cause(ctx)
		}
		wait *= 2
	}
}

// once is one attempt within its time.
func (w *watcher) once(ctx context.Context, session Session, kinds []snapshot.Kind) ([]snapshot.List, error) {
	if w.options.Timeout > 0 {
		limited, cancel := context.WithTimeoutCause(ctx, w.options.Timeout, &timeoutError{w.options.Timeout})
		defer cancel()
		ctx = limited
	}
	return session.List(ctx, kinds...)
}

// timeoutError is the end of the time for one attempt.
type timeoutError struct{ limit time.Duration }

// Error names the limit.
func (e *timeoutError) Error() string { return fmt.Sprintf("no answer within %s", e.limit) }

// Is makes it match context.DeadlineExceeded.
func (e *timeoutError) Is(target error) bool { return target == context.DeadlineExceeded }

// missing are the kinds that have not arrived whole.
func (r reading) missing() []snapshot.Kind {
	var kinds []snapshot.Kind
	for _, list := range r.lists {
		if !list.Whole() {
			kinds = append(kinds, list.Kind)
		}
	}
	return kinds
}

// list is what arrived of a kind; asked is false for one that was not to be read.
func (r reading) list(kind snapshot.Kind) (list snapshot.List, asked bool) {
	i := slices.IndexFunc(r.lists, func(l snapshot.List) bool { return l.Kind == kind })
	if i < 0 {
		return snapshot.List{}, false
	}
	return r.lists[i], true
}

// whole tells whether every list was to be read.
func (r reading) whole() bool { return len(r.kinds) == len(snapshot.Kinds()) }

// sleep waits; false = ctx has ended.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}
