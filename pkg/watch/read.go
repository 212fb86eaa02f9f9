package watch

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// reading is one reading of all lists.
type reading struct {
	cause     Cause
	announced bool               // the server had announced a change
	hello     *snapshot.Snapshot // what the server says about itself
	lists     []snapshot.List    // as far as they arrived, in the order of snapshot.Kinds
	arrived   time.Time          // when the last one came

	before map[snapshot.Kind]string // digests of lists of several pages, as they came in the attempt before
}

// read asks for the lists, Options.Attempts times at most, while the connection stands; those that arrived
// are not asked for again. A notification that comes meanwhile is not answered by it. The error is that of
// the missing lists, or the reason why ctx or the connection ended.
func (w *watcher) read(ctx context.Context, session Session, r *reading) error {
	ctx, release := whileConnected(ctx, session)
	defer release()
	w.state.status.Counts.Readings++
	w.state.asks()
	w.hear(session)
	r.announced, w.pending = w.pending == Notification, ""
	r.before = map[snapshot.Kind]string{}
	for _, kind := range snapshot.Kinds() {
		r.lists = append(r.lists, snapshot.NewPart(kind, nil, "no answer"))
	}
	err := w.tryToRead(ctx, session, r)
	r.hello = session.Hello() // it changes without a notification
	return err
}

// whole reports whether all lists arrived.
func (r *reading) whole() bool {
	return !slices.ContainsFunc(r.lists, func(list snapshot.List) bool { return !list.Whole() })
}

// whileConnected returns a context that ends with ctx, or with the session's connection.
func whileConnected(ctx context.Context, session Session) (_ context.Context, release func()) {
	connected, cancel := context.WithCancelCause(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		select {
		case <-session.Done():
			cancel(session.Lost())
		case <-connected.Done():
		}
	}()
	return connected, func() {
		cancel(nil)
		<-ended
	}
}

// tryToRead reads until the lists are there and consistent, or the attempts are used up.
func (w *watcher) tryToRead(ctx context.Context, session Session, r *reading) error {
	wait := w.options.Retry
	for n := 1; ; n++ {
		failed, lost := w.attempt(ctx, session, r)
		torn := r.confirm(w.state.good.shot)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if lost != nil {
			return lost
		}
		if err := errors.Join(failed, torn); err == nil || n >= w.options.Attempts {
			return err
		}
		pause := w.options.spread(wait)
		if wait *= 2; n == 1 && failed == nil {
			pause = w.options.Quiet
		}
		if w.state.wait(ctx, max(pause, w.options.askedWait(failed)), nil); ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
}

// attempt asks once for what is missing. If nothing arrives at all, the server is pinged; lost says that it
// did not answer that either.
func (w *watcher) attempt(ctx context.Context, session Session, r *reading) (failed, lost error) {
	var kinds []snapshot.Kind
	for _, list := range r.lists {
		if !list.Whole() {
			kinds = append(kinds, list.Kind)
		}
	}
	var lists []snapshot.List
	w.state.during(func() {
		limited, cancel := within(ctx, w.options.Timeout, "no answer within")
		defer cancel()
		lists, failed = session.List(limited, kinds...)
		nothing := !slices.ContainsFunc(lists, snapshot.List.Whole)
		if failed != nil && w.options.askedWait(failed) == 0 && nothing && ctx.Err() == nil {
			lost = ping(ctx, session, w.options.Timeout)
		}
	})
	w.hear(session)
	r.arrived = time.Now()
	for _, list := range lists {
		r.lists[slices.Index(snapshot.Kinds(), list.Kind)] = list
	}
	return failed, lost
}

// askedWait returns how long a server asks in an error not to be asked again, Longest at most; 0 = it does
// not.
func (o *Options) askedWait(err error) time.Duration {
	if e, ok := errors.AsType[interface {
		error
		AskedWait() time.Duration
	}](err); ok {
		return min(max(e.AskedWait(), 0), o.Longest)
	}
	return 0
}

// confirm marks lists of several pages as unread until their content is that of the reading before: the pages
// of one reading may come from different moments. good is the surface that is known, or nil. The error names
// the lists.
func (r *reading) confirm(good *snapshot.Snapshot) error {
	var torn []error
	for i, list := range r.lists {
		if !list.Whole() || list.Pages < 2 {
			continue
		}
		before, known := r.before[list.Kind]
		if !known && good != nil && good.List(list.Kind).Whole() {
			before, known = digestOf(good.List(list.Kind)), true
		}
		r.before[list.Kind] = digestOf(list)
		if !known || before != r.before[list.Kind] {
			r.lists[i] = snapshot.NewPart(list.Kind, nil, "it changed while it was read")
			err := fmt.Errorf("the list of %s changed each time while it was read", list.Kind.Plural())
			torn = append(torn, err)
		}
	}
	return errors.Join(torn...)
}

// digestOf returns what identifies the items of a list, in any order.
func digestOf(list snapshot.List) string {
	var s snapshot.Snapshot
	s.SetList(list)
	return s.Digest()
}

// within returns a context with a time limit, 0 for none. what is the beginning of the error, before the
// limit.
func within(ctx context.Context, limit time.Duration, what string) (context.Context, context.CancelFunc) {
	if limit == 0 {
		return ctx, func() {}
	}
	return context.WithTimeoutCause(ctx, limit, &limitError{limit, what})
}

// limitError is the end of a time limit of watching.
type limitError struct {
	limit time.Duration
	what  string
}

// Error names the limit.
func (e *limitError) Error() string { return fmt.Sprintf("%s %s", e.what, e.limit) }

// Is makes it match context.DeadlineExceeded.
func (e *limitError) Is(target error) bool { return target == context.DeadlineExceeded }

func is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}
