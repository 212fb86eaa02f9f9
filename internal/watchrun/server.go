package watchrun

import (
	"context"
	"errors"
	"io/fs"
	"strconv"
	"time"

	"github.com/mcpctl/mcpctl/internal/compare"
	"github.com/mcpctl/mcpctl/internal/fleet"
	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/printable"
	"github.com/mcpctl/mcpctl/internal/seen"
	"github.com/mcpctl/mcpctl/internal/source"
	"github.com/mcpctl/mcpctl/pkg/diff"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/probe"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
	"github.com/mcpctl/mcpctl/pkg/watch"
)

// watchedServer is one server of a run.
type watchedServer struct {
	target  fleet.Target
	fleet   *fleet.Fleet  // that resolved it
	newest  *fleet.Fleet  // that would resolve it now, for what is decided at the end
	enabled []string      // optional rules that it is compared by
	refresh chan struct{} // asks for a reading at once
	stop    context.CancelFunc
	ended   chan struct{}
	view    watch.View
	// What belongs to the printer: where the newest printed event led to, and others that an earlier run may
	// have printed, until a complete reading was compared with them.
	printed *snapshot.Snapshot
	unsure  []*snapshot.Snapshot

	// What follows is guarded by the lock of the run.
	known   bool              // it was live or polling at some time
	last    watch.State       // before watching ended
	failure *seen.Failure     // the trouble of that state
	found   []finding.Finding // the newest difference from the saved snapshot
	unsaved bool              // it has no saved snapshot
	unread  bool              // the saved snapshot cannot be read
	noisy   bool              // its noise on stdout was reported
}

// tempo divides the waits of watching. Tests set it when they link the program; a release has 1.
var tempo = "1"

// paced returns a wait at the tempo of the program.
func paced(d time.Duration) time.Duration {
	n, _ := strconv.Atoi(tempo)
	return d / time.Duration(max(n, 1))
}

// begin starts to watch a server, or reports why it is not contacted.
func (r *watchRun) begin(ctx context.Context, w *watchedServer) {
	ctx, w.stop = context.WithCancel(ctx)
	w.ended = make(chan struct{})
	if !w.target.Live() {
		r.emit(w, watch.Event{Time: time.Now(), Server: w.name(), Kind: watch.StateChanged, State: w.idle()})
		close(w.ended)
		return
	}
	open := func(ctx context.Context) (watch.Session, error) { return r.open(ctx, w) }
	server := watch.Source{Name: w.name(), Open: open}
	var kept *snapshot.Snapshot
	last := r.left[w.name()]
	switch server.Last = last; {
	case r.options.Saved:
		server.Saved = r.savedReader(ctx, w)
	case last == nil:
		kept = r.state.last(ctx, w.name())
		last, server.Last = kept, kept
		if left := r.state.lagOf(w.name(), stdoutSuffix); left != nil {
			server.Last, server.Unsure = left[0], left[1:]
		}
	}
	w.printed, w.unsure = server.Last, server.Unsure
	for _, queue := range r.outputs {
		queue.begin(w.name(), last, kept, r.comparison(w))
	}
	options := r.watchOptions(w)
	go func() {
		defer close(w.ended)
		if err := watch.Run(ctx, server, options, func(e watch.Event) { r.emit(w, e) }); err != nil {
			r.process.Note("%v", err)
		}
	}()
}

// watchOptions returns how a server is watched.
func (r *watchRun) watchOptions(w *watchedServer) watch.Options {
	o := watch.Options{
		Silence: paced(30 * time.Second), Longest: paced(time.Minute), Backoff: paced(500 * time.Millisecond),
		Retry: paced(time.Second), Timeout: w.fleet.Timeout(w.target), Diff: r.options.Diff,
		Refresh: w.refresh, View: &w.view, Judge: r.judge,
	}
	o.Attempts = r.options.Retries + 1
	if r.options.FailFast {
		o.MaxFailures = o.Attempts
	}
	if r.options.Interval != nil {
		o.Interval = paced(*r.options.Interval)
	}
	o.Keep = func(s *snapshot.Snapshot) {
		for _, queue := range r.outputs {
			queue.settled(w.name(), s)
		}
		if r.state != nil {
			r.printer.add(printed{then: func() { r.keep(w, s) }})
		}
	}
	if r.rebuild != nil { // what fails now fails until a file changes
		o.Restart, o.MaxFailures = r.rebuild.restart, 1
	}
	o.Diff.Enable = w.enabled
	return o
}

// keep keeps a surface for the next run, once all events about it are printed.
func (r *watchRun) keep(w *watchedServer, surface *snapshot.Snapshot) {
	w.printed, w.unsure = surface, nil
	if !r.state.save(w.name(), surface) {
		return
	}
	for _, queue := range r.outputs {
		queue.saved(w.name(), surface)
	}
}

// comparison returns how surfaces of a server are compared for an output that lags behind.
func (r *watchRun) comparison(w *watchedServer) comparison {
	options, limit := r.options.Diff, w.fleet.Timeout(w.target)
	options.Server, options.Enable = w.name(), w.enabled
	return func(ctx context.Context, old, new *snapshot.Snapshot) ([]finding.Finding, error) {
		found, err := host.Within(ctx, limit, func(ctx context.Context) ([]finding.Finding, error) {
			return diff.Compare(ctx, old, new, options)
		})
		return r.judge(found), err
	}
}

// judge gives findings the levels of the policy as it is now.
func (r *watchRun) judge(found []finding.Finding) []finding.Finding {
	r.mu.Lock()
	policy := r.totals.policy
	r.mu.Unlock()
	return policy.Apply(found, finding.Scope{}, r.process.Now.Add(time.Since(r.began)))
}

// open connects to a server once no build forbids it and a place is free.
func (r *watchRun) open(ctx context.Context, w *watchedServer) (watch.Session, error) {
	if !r.rebuild.mayStart(ctx) {
		return nil, context.Cause(ctx)
	}
	select {
	case r.places <- struct{}{}:
		defer func() { <-r.places }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	session, err := w.fleet.Open(ctx, w.target, fleet.SessionOptions{})
	if err != nil {
		return nil, err
	}
	select {
	case <-session.Listen():
	case <-time.After(listenWait):
	case <-ctx.Done():
	}
	return &listeningSession{Session: session, noise: func() { r.reportNoise(w, session) },
		last: r.over, process: r.process}, nil
}

// reportNoise reports once what a server writes to stdout that is not the protocol.
func (r *watchRun) reportNoise(w *watchedServer, session *probe.Session) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if w.noisy {
		return
	}
	s := fleet.Unseen(seen.Server{Name: w.name()})
	s.NoiseText = session.Noise()
	if note := fleet.NoiseNote([]fleet.Surface{s}); note != "" {
		w.noisy = true
		r.process.Note("%s", note)
	}
}

// listenWait is how long the first reading waits for notifications to begin. Those that begin later count
// too.
const listenWait = time.Second

// listeningSession is a session that listens to what its server announces.
type listeningSession struct {
	*probe.Session
	read    bool        // everything was read before
	noise   func()      // called after each reading
	last    func() bool // reports whether no other session follows
	process host.Process
}

// Close ends the session. The summary does not wait for the last one to end.
func (l *listeningSession) Close() error {
	if !l.last() {
		return l.Session.Close()
	}
	l.process.Later(func() {
		if err := l.Session.Close(); err != nil {
			l.process.Note("%v", err)
		}
	})
	return nil
}

// List reads lists. Before everything is read again, the server is asked whether it is still the same.
func (l *listeningSession) List(ctx context.Context, kinds ...snapshot.Kind) ([]snapshot.List, error) {
	if len(kinds) == len(snapshot.Kinds()) {
		if l.read {
			l.Recheck(ctx)
		}
		l.read = true
	}
	lists, err := l.Session.List(ctx, kinds...)
	l.noise()
	return lists, err
}

// savedReader returns a function that reads the saved snapshot of a server. A file that cannot be read is
// reported once, and the last one that could stays in effect.
func (r *watchRun) savedReader(ctx context.Context, w *watchedServer) func() *snapshot.Snapshot {
	path := compare.SavedFile(w.fleet.Config.Project.Snapshots, w.name())
	var last *snapshot.Snapshot
	var reported string
	return func() *snapshot.Snapshot {
		saved, err := source.ReadFile(ctx, path)
		r.mu.Lock()
		w.unsaved = errors.Is(err, fs.ErrNotExist)
		w.unread = err != nil && !w.unsaved
		r.mu.Unlock()
		switch {
		case err == nil:
			last, reported = saved.Snapshot, ""
		case w.unsaved:
			last, err = nil, errUnsaved(r.options.SaveHint(w.target.Known().Server))
		}
		if err != nil && err.Error() != reported {
			reported = err.Error()
			r.process.Note("%s: %v", printable.Message(w.name()), err)
		}
		return last
	}
}

func (w *watchedServer) name() string { return w.target.Name() }

// signalOnce sends a signal to a channel that has room for one, unless it is there already.
func signalOnce(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// end stops watching a server and waits until nothing of it is left.
func (w *watchedServer) end() {
	w.stop()
	<-w.ended
}

// idle returns the state of a server that is not contacted.
func (w *watchedServer) idle() watch.State {
	if w.target.Known().State == seen.Disabled {
		return watch.Disabled
	}
	return watch.Failed
}

// reached reports whether the surface of a server was known and current at the end, or need not have been.
func (w *watchedServer) reached() bool {
	return w.current() || w.last == watch.Disabled || w.tolerated()
}

// current reports whether the surface of a server was known and current at the end.
func (w *watchedServer) current() bool { return w.last.Reached() && !w.view.Status().Stale }

// tolerated reports whether mcpctl.yaml allows a server to fail. A faulty configuration is never tolerated.
func (w *watchedServer) tolerated() bool {
	return !w.current() && !w.target.Known().Misconfigured && w.newest.Tolerated(w.name()) != nil
}
