package watch

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// reading is one reading of lists: why, which, and what came of it.
type reading struct {
	cause    Cause
	notified bool               // the server had announced a change of some of these lists
	timely   bool               // it did so since the reading before, which may have failed
	since    time.Time          // when it did
	hello    *snapshot.Snapshot // what the server says of itself
	kinds    []snapshot.Kind    // to be read
	lists    []snapshot.List    // one for each of kinds, as far as it arrived
	took     time.Duration      // with all attempts and the pauses between them
	asked    time.Time          // when the first of them was asked for
	arrived  time.Time          // when the last of them came

	before map[snapshot.Kind]string // digests of lists of several pages, as they came in the attempt before
	sure   map[snapshot.Kind]bool   // lists of several pages that came twice in a row as they are
}

func everything(cause Cause, session Session) *reading {
	return &reading{cause: cause, hello: session.Hello(), kinds: snapshot.Kinds()}
}

// attempts is how often lists are tried before the reading is given up.
const attempts = 4

// read asks for the lists of r, four times at most, while the connection stands; those that arrived are not asked for again.
// The error is that of the lists which are missing, or the reason why ctx or the connection ended.
func (w *watcher) read(ctx context.Context, session Session, r *reading) error {
	ctx, release := whileConnected(ctx, session)
	defer release()
	w.state.status.Counts.Readings++
	r.asked = time.Now()
	r.before, r.sure = map[snapshot.Kind]string{}, map[snapshot.Kind]bool{}
	for _, kind := range r.kinds {
		r.lists = append(r.lists, snapshot.NewPart(kind, nil, "no answer"))
	}
	err := w.persist(ctx, session, r)
	for _, list := range r.lists {
		if list.Whole() {
			w.news.answered(list.Kind)
		}
	}
	r.took, r.hello = time.Since(r.asked), session.Hello()                // with what nobody announces
	if ctx.Err() != nil && session.Lost() != nil || is[*lostError](err) { // nobody takes what arrived
		w.options.Observe(Attempt{Cause: r.cause, Outcome: Failure, Took: r.took})
	}
	return err
}

// persist tries to read until the lists are there and are evidence, or often enough.
func (w *watcher) persist(ctx context.Context, session Session, r *reading) error {
	wait := w.options.Retry
	for n := 1; ; n++ {
		failed, alive := w.attempt(ctx, session, r)
		torn := w.doubt(ctx, r)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if alive != nil {
			return alive
		}
		if err := errors.Join(failed, torn); err == nil || n == attempts {
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

// attempt asks once for what is missing. An announcement that comes while a list is read is not answered by it. When nothing
// comes at all, the server is asked for a sign of life; lost says that there is none.
func (w *watcher) attempt(ctx context.Context, session Session, r *reading) (failed, lost error) {
	w.hear(session, time.Now())
	kinds := r.missing()
	if slices.ContainsFunc(kinds, w.news.announced) && !r.notified {
		r.notified, r.timely, r.since = true, w.news.fresh(), w.news.since
	}
	w.news.tried(kinds)
	var lists []snapshot.List
	w.state.meanwhile(func() {
		if lists, failed = listWithin(ctx, session, w.options.Timeout, kinds); failed != nil && w.options.askedWait(failed) == 0 && !slices.ContainsFunc(lists, snapshot.List.Whole) && ctx.Err() == nil {
			lost = ping(ctx, session, w.options.Timeout)
		}
	})
	w.hear(session, time.Now())
	r.arrived = time.Now()
	for _, list := range lists {
		r.lists[slices.Index(r.kinds, list.Kind)] = list
	}
	w.news.gap = w.news.gap || failed != nil && w.state.covered
	return failed, lost
}

// askedWait is how long a server asks in an error not to be asked again, Longest at most; 0 = it does not. Who asks that lives.
func (o *Options) askedWait(err error) time.Duration {
	if e, ok := errors.AsType[interface {
		error
		AskedWait() time.Duration
	}](err); ok {
		return min(max(e.AskedWait(), 0), o.Longest)
	}
	return 0
}

// doubt takes lists of several pages for not read that may mix moments: announced as changed meanwhile, repeating an item, or
// seeming broken. What comes twice in a row is there. The error names the lists.
func (w *watcher) doubt(ctx context.Context, r *reading) error {
	var torn []error
	breaks := sync.OnceValue(func() bool { return w.state.breaks(ctx, *r) })
	for i, list := range r.lists {
		if !list.Whole() || r.sure[list.Kind] || list.Pages < 2 {
			continue
		}
		digest := digestOf(list)
		if before := r.before[list.Kind]; before == digest && digest != "" {
			r.sure[list.Kind] = true
			continue
		}
		if r.before[list.Kind] = digest; w.news.kinds[list.Kind] || repeats(list) || !w.state.knows(digest, list.Kind) && breaks() {
			r.lists[i] = snapshot.NewPart(list.Kind, nil, "it changed while it was read")
			torn = append(torn, fmt.Errorf("the pages of %s do not belong together: the list was another one each time that it was read", list.Kind.Plural()))
		}
	}
	return errors.Join(torn...)
}

// digestOf tells lists apart, whatever the order of their items.
func digestOf(list snapshot.List) string {
	var s snapshot.Snapshot
	s.SetList(list)
	return s.Digest()
}

// repeats tells whether an item is in a list more than once.
func repeats(list snapshot.List) bool {
	seen := map[string]bool{}
	for _, item := range list.Items() {
		if seen[item.Key] && item.Key != "" {
			return true
		}
		seen[item.Key] = true
	}
	return false
}

// listWithin is one request for lists, within a time; 0 = as long as it takes.
func listWithin(ctx context.Context, session Session, limit time.Duration, kinds []snapshot.Kind) ([]snapshot.List, error) {
	if limit > 0 {
		limited, cancel := context.WithTimeoutCause(ctx, limit, &timeoutError{limit, "no answer within"})
		defer cancel()
		ctx = limited
	}
	return session.List(ctx, kinds...)
}

type timeoutError struct {
	limit time.Duration
	what  string
}

// Error names the limit.
func (e *timeoutError) Error() string { return fmt.Sprintf("%s %s", e.what, e.limit) }

// Is makes it match context.DeadlineExceeded.
func (e *timeoutError) Is(target error) bool { return target == context.DeadlineExceeded }

// missing are the kinds that have not arrived whole.
func (r *reading) missing() []snapshot.Kind {
	var kinds []snapshot.Kind
	for _, list := range r.lists {
		if !list.Whole() {
			kinds = append(kinds, list.Kind)
		}
	}
	return kinds
}

// list is what arrived of a kind; asked is false for one that was not to be read.
func (r *reading) list(kind snapshot.Kind) (list snapshot.List, asked bool) {
	i := slices.Index(r.kinds, kind)
	if i < 0 {
		return snapshot.List{}, false
	}
	return r.lists[i], true
}

// whole tells whether every list was to be read.
func (r *reading) whole() bool { return len(r.kinds) == len(snapshot.Kinds()) }

func is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

// news is what the server of a session announced and no reading has answered yet, and how it behaves in that.
type news struct {
	kinds   map[snapshot.Kind]bool // lists that are said to have changed; true = no reading was tried since
	resumed bool                   // announcements may have been missed, and no reading of everything was tried since
	broken  bool                   // announcements stopped to arrive, and no reading of everything was tried since
	gap     bool                   // one may have got lost since everything was read last
	since   time.Time              // when the first of them came

	unannounced []unannounced // changes that polls have found and nobody has announced yet

	streak    int       // how often in a row a change was announced because of a reading, or for no reason
	notBefore time.Time // when announcements are heeded again
}

// unannounced is a change that a poll has found.
type unannounced struct {
	found    time.Time
	from, to string // digests
}

// add takes what came since a time.
func (n *news) add(got News, since time.Time) {
	n.resumed = n.resumed || got.Resumed
	if len(n.kinds) == 0 {
		n.kinds, n.since = map[snapshot.Kind]bool{}, since
	}
	for _, kind := range got.Changed {
		n.kinds[kind] = true
	}
}

// fresh tells whether something came that no reading was tried for.
func (n *news) fresh() bool {
	for _, fresh := range n.kinds {
		if fresh {
			return true
		}
	}
	return n.resumed || n.broken
}

func (n *news) announced(kind snapshot.Kind) bool {
	_, announced := n.kinds[kind]
	return announced
}

// tried says that a reading of lists begins.
func (n *news) tried(kinds []snapshot.Kind) {
	for _, kind := range kinds {
		if n.announced(kind) {
			n.kinds[kind] = false
		}
	}
	if len(kinds) == len(snapshot.Kinds()) {
		n.resumed, n.broken = false, false
	}
}

// answered says that a list arrived. What was announced of it since it was asked for stays.
func (n *news) answered(kind snapshot.Kind) {
	if !n.kinds[kind] {
		delete(n.kinds, kind)
	}
}

// forget drops what another session had to tell.
func (n *news) forget() { n.kinds, n.resumed, n.broken, n.unannounced = nil, false, false, nil }

// tolerated is how long a streak of needless announcements may be without a consequence.
const tolerated = 3

// firstBrake is the least time between readings of a server that announces too much; it doubles.
const firstBrake = time.Second

// heed holds a reading against what was announced: changes that were not, and announcements without one.
func (w *watcher) heed(r reading, o *outcome) {
	o.lost = !r.notified && w.news.gap && r.cause != Start && r.cause != Reload
	o.silent = w.blame(r, o)
	answered := !slices.ContainsFunc(r.missing(), w.news.announced)
	empty, later := r.timely && answered && !o.moved, r.since.Sub(w.state.changedAt)
	o.needless = empty && later >= w.options.Silence
	switch {
	case empty && later >= w.options.patience(), r.notified && w.news.fresh():
		w.news.streak++
	case o.moved:
		w.news.streak = 0
	}
	over := w.news.streak - tolerated
	if over <= 0 {
		return
	}
	brake := min(firstBrake<<min(over-1, 16), w.options.Interval)
	w.news.notBefore = time.Now().Add(brake)
	if over == 1 {
		o.note = fmt.Sprintf("announces a change with every reading: read after %s at the earliest from now on, and less often if it goes on", brake)
	}
}

// blame gives the changes that a server which announces changes has kept to itself. A change that a poll finds without an
// announcement, which may be on its way, is only noted; a later poll, at least Options.Silence after it, proves it silent if
// listening never broke off, all was answered, nothing was announced, and our timers were on time.
func (w *watcher) blame(r reading, o *outcome) (proven []unannounced) {
	n := &w.news
	switch {
	case !w.state.covered || n.gap || r.notified:
		n.unannounced = nil
		return nil
	case r.cause != Poll:
		return nil
	}
	early := slices.IndexFunc(n.unannounced, func(u unannounced) bool { return r.asked.Sub(u.found) < w.options.Silence })
	if early < 0 {
		early = len(n.unannounced)
	}
	proven, n.unannounced = n.unannounced[:early:early], n.unannounced[early:]
	if o.changed {
		n.unannounced = append(n.unannounced, unannounced{r.arrived, o.from, o.to})
	}
	return proven
}
