// Package live is a run of watch. Its parts do not know each other: the run hands them functions and takes from their
// channels. A supervisor turns signals, typed words and edited files into requests, a rebuilder builds, followers of the
// journal pass changes on, a writer writes events.
package live

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/mcpctl/mcpctl/internal/compare"
	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/fleet"
	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/journal"
	"github.com/mcpctl/mcpctl/internal/lists"
	"github.com/mcpctl/mcpctl/internal/monitor"
	"github.com/mcpctl/mcpctl/internal/output"
	"github.com/mcpctl/mcpctl/internal/process"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/internal/source"
	"github.com/mcpctl/mcpctl/pkg/diff"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/probe"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
	"github.com/mcpctl/mcpctl/pkg/watch"
)

// Options say how servers are watched, and what is done about changes.
type Options struct {
	Interval     *time.Duration // between polls; nil = 30 s, and 5 min of a server that announces its changes
	MaxStaleness *time.Duration // how old a surface may be; nil = twice the time between polls
	Debounce     *time.Duration // how long announcements must pause until they are heeded; nil = 100 ms
	For          *time.Duration // the run ends after it; nil = never
	MaxFailures  int            // in a row, until a server is asked seldom
	Parallel     int            // servers that are connected to at once; 0 = probe.AtOnce

	Saved       bool         // tell the distance from what is saved, not changes since the previous surface
	Diff        diff.Options // how surfaces are compared
	FailOn      string       // end after the first change that fails the run, from this level on; empty = as configured, and never end
	UntilChange bool         // end after the first change

	Reload []string      // globs of files: when they change, the stdio server is started anew
	Build  string        // with Reload: a command line that is run first
	Exec   string        // a command line for every change
	Post   Webhook       // where every change is posted
	Record string        // the file of the journal, which the next run goes on from; empty = in memory alone
	Listen ListenOptions // what is served over HTTP

	Surfaces string // a folder with the last surface of each server, which whoever watches it next goes on from; empty = none

	Output output.Options // Format is one of report.EventFormats
}

// Check finds mistakes before anything is contacted. command tells whether one stands behind "--".
func (o Options) Check(from []source.Source, command bool) error {
	switch {
	case o.Interval != nil && *o.Interval < time.Second:
		return exit.Usagef("--interval is at least 1s")
	case o.MaxStaleness != nil && *o.MaxStaleness < 2*time.Second:
		return exit.Usagef("--max-staleness is at least 2s, and a server is polled at least twice in it")
	case o.Debounce != nil && *o.Debounce < time.Millisecond:
		return exit.Usagef("--debounce is at least 1ms")
	case o.Surfaces != "" && o.Saved:
		return exit.Usagef("--surfaces is where changes since the previous surface go on from, and --against saved tells the distance from another: leave one of them out")
	case o.Build != "" && len(o.Reload) == 0:
		return exit.Usagef("--build runs when files change: name them with --reload")
	case len(o.Reload) > 0 && command && len(from) > 1: // words beside the command are what the shell made of a glob
		return exit.Usagef("--reload starts the one server behind --, and %q is another SOURCE: quote the glob, as in --reload 'src/**/*.ts', or the shell makes several words of it", from[0])
	}
	if i := slices.IndexFunc(from, func(s source.Source) bool { return !s.Live() }); i >= 0 {
		return exit.Usagef("%q is saved and cannot change by itself: name a server to watch, or compare once with mcpctl diff", from[i])
	}
	return o.Post.check()
}

// given is a time that may have been given; 0 when it was not.
func given(d *time.Duration) time.Duration {
	if d == nil {
		return 0
	}
	return *d
}

// leanGC makes the collector run more often than usual: a watcher of many servers has little to do and all day for it.
const leanGC = 25

// Watch watches the servers of SOURCEs until ctx or the options end it, and sums up. The error carries the status.
func Watch(ctx context.Context, p host.Process, f *fleet.Fleet, from []source.Source, o Options) error {
	r := &watchRun{process: p, began: time.Now(), options: o, from: from, fleet: f, places: make(chan struct{}, cmp.Or(o.Parallel, probe.AtOnce()))}
	policy, err := compare.Policy(f.Config.Project.Policy, o.FailOn)
	if err != nil {
		return err
	}
	r.totals.policy, r.options.Diff.ItemBudget, r.options.Diff.Now = policy, f.Config.Project.Budgets.ItemBytes, r.process.Now
	if r.servers, err = r.resolve(ctx, f); err != nil {
		return err
	}
	if r.surfaces, err = openSurfaces(ctx, p, o); err != nil {
		return err
	}
	r.journal = r.surfaces.journal
	defer func() { _ = r.journal.End() }()
	if r.monitor, err = listen(p, o.Listen, r.journal); err != nil {
		return err
	}
	defer r.monitor.Close()
	r.files = shareDescriptors(p, process.MaxFiles(), r.servers, cap(r.places), r.monitor != nil)
	if len(o.Reload) > 0 {
		if r.rebuild, err = newRebuilder(ctx, p, o, r.tellOwn); err != nil {
			return err
		}
	}
	defer debug.SetGCPercent(debug.SetGCPercent(leanGC))
	r.events = newEventWriter(p, o.Output, r.journal, r.footer)
	r.outputs = o.followers(ctx, p, r.journal, r.monitor.Dropped)
	return r.run(ctx)
}

// watchRun is one run of watch: the servers that are watched, and what was told of them.
type watchRun struct {
	process  host.Process
	options  Options
	from     []source.Source
	places   chan struct{}           // as many servers as this holds are connected to at once
	monitor  *monitor.Monitor        // nil = nobody asks over HTTP
	rebuild  *rebuilder              // nil without Options.Reload
	files    *descriptors            // shared out among servers
	surfaces *surfaces               // what servers offered last
	journal  *journal.Journal        // all that is told, for whoever reads it
	events   *eventWriter            // standard output
	outputs  []*follower             // what changes set off
	end      context.CancelCauseFunc // ends watching
	began    time.Time               // when it was process.Now
	fleet    *fleet.Fleet            // as the configuration is now; of the supervising goroutine

	mu      sync.Mutex // guards what follows: servers tell one at a time
	servers []*watchedServer
	totals  totals
}

type watchedServer struct {
	target  fleet.Target
	fleet   *fleet.Fleet  // that it was resolved by
	newest  *fleet.Fleet  // that would resolve it now, for what is decided at the end
	enabled []string      // rules that it is compared by beside the usual ones
	refresh chan struct{} // asks for a reading at once
	stop    context.CancelFunc
	ended   chan struct{}
	view    watch.View

	last    watch.State        // before watching ended
	failure *report.Failure    // the trouble of that state; nil = none
	kept    *snapshot.Snapshot // what the journal's file has of it
	found   []finding.Finding  // the newest distance from what is saved
	unsaved bool               // there is nothing to measure it from
	unread  bool               // there is a snapshot, and it cannot be read: the distance is not known
}

// Why watching ends, other than by a signal.
var (
	errLongEnough = errors.New("watched for as long as asked")
	errHungUp     = errors.New("the terminal was closed")
	errQuit       = errors.New("ended by q + Enter")
	errSeen       = errors.New("a change was seen")
)

// run watches until ctx or the run itself ends it, and waits until nothing is under way any more.
func (r *watchRun) run(ctx context.Context) error {
	watching := r.limited(ctx)
	defer r.end(nil)
	r.monitor.Watch(monitored(r.servers))
	for _, w := range r.servers {
		r.begin(watching, w)
	}
	if r.fleet.Part() != nil || slices.ContainsFunc(r.servers, func(w *watchedServer) bool { return w.target.Live() }) {
		wait := r.rebuild.start(watching)
		r.supervise(watching)
		wait()
	}
	for _, w := range r.servers {
		w.end()
	}
	finish(r.outputs)
	misconfigured := func(w *watchedServer) bool { return w.target.Known().Misconfigured }
	if len(r.servers) > 0 && !slices.ContainsFunc(r.servers, func(w *watchedServer) bool { return !misconfigured(w) }) {
		_ = r.events.finish()
		return r.told(exit.Usage) // the configuration alone kept every server from being contacted
	}
	return r.sumUp(ctx)
}

// limited is ctx until Options.For or a call of r.end ends it.
func (r *watchRun) limited(ctx context.Context) context.Context {
	ctx, r.end = context.WithCancelCause(ctx)
	if r.options.For != nil {
		late := time.AfterFunc(*r.options.For, func() { r.end(errLongEnough) })
		context.AfterFunc(ctx, func() { late.Stop() })
	}
	return ctx
}

// resolve is the servers that the run's SOURCEs name, none of them watched yet.
func (r *watchRun) resolve(ctx context.Context, f *fleet.Fleet) ([]*watchedServer, error) {
	targets, err := f.Resolve(ctx, r.from)
	if err != nil {
		return nil, err
	}
	servers := lists.Map(targets, func(t fleet.Target) *watchedServer {
		return &watchedServer{target: t, fleet: f, newest: f, enabled: f.Config.Project.Policy.Enabled(t.Name()), refresh: make(chan struct{}, 1)}
	})
	return servers, r.options.restartable(servers)
}

// begin starts to watch a server, or tells why it is not contacted.
func (r *watchRun) begin(ctx context.Context, w *watchedServer) {
	ctx, w.stop = context.WithCancel(ctx)
	w.ended = make(chan struct{})
	if !w.target.Live() {
		r.tell(w, watch.Event{Time: time.Now(), Server: w.name(), Kind: watch.StateChanged, State: w.idle()})
		close(w.ended)
		return
	}
	go func() {
		defer close(w.ended)
		if err := watch.Run(ctx, r.source(ctx, w), r.watching(w), func(e watch.Event) { r.tell(w, e) }); err != nil {
			r.process.Note("%v", err)
		}
	}()
}

func (r *watchRun) source(ctx context.Context, w *watchedServer) watch.Source {
	server := watch.Source{Name: w.name(), Open: func(ctx context.Context) (watch.Session, error) { return r.open(ctx, w) }}
	w.kept = r.surfaces.last(ctx, w.name())
	if server.Last = w.kept; r.options.Saved {
		server.Saved = r.reader(ctx, w, w.savedFile())
	}
	return server
}

// watching are the options by which a server is watched.
func (r *watchRun) watching(w *watchedServer) watch.Options {
	o := watch.Options{
		Interval: given(r.options.Interval), MaxStaleness: given(r.options.MaxStaleness), Quiet: given(r.options.Debounce), MaxFailures: r.options.MaxFailures,
		Timeout: w.fleet.Timeout(w.target), Diff: r.options.Diff, Refresh: w.refresh, View: &w.view,
		Observe: func(a watch.Attempt) { r.monitor.Attempt(w.name(), a) },
		Judge:   r.judge,
	}
	if r.rebuild != nil {
		o.Restart, o.MaxFailures = r.rebuild.restart, 1 // what fails now fails until somebody mends it
	}
	o.Diff.Enable = w.enabled
	return o
}

// judge gives findings the levels of the policy as it is now.
func (r *watchRun) judge(found []finding.Finding) []finding.Finding {
	r.mu.Lock()
	policy := r.totals.policy
	r.mu.Unlock()
	return policy.Apply(found, finding.Scope{}, r.process.Now.Add(time.Since(r.began)))
}

// open connects to a server once it may be started and a place is free.
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
	back, err := r.files.take(w.descriptors())
	if err != nil {
		return nil, &probe.Error{Server: w.name(), Stage: probe.Connecting, Err: err, Hint: "raise the limit with ulimit -n, or watch fewer servers"}
	}
	session, err := w.fleet.Open(ctx, w.target, fleet.SessionOptions{})
	if err != nil {
		back()
		return nil, err
	}
	return Listen(ctx, session, back), nil
}

// listenWait is how long the first reading waits for announcements to begin. Those that begin later are heeded too.
const listenWait = time.Second

// Listen is a session as a watcher wants it, which calls closed once it is closed. It waits a moment to learn whether the server
// announces changes.
func Listen(ctx context.Context, session *probe.Session, closed func()) watch.Session {
	select {
	case <-session.Listen():
	case <-time.After(listenWait):
	case <-ctx.Done():
	}
	return &listened{Session: session, closed: closed}
}

type listened struct {
	*probe.Session
	closed func()
	read   bool // everything was read before
}

// Close ends the session.
func (l *listened) Close() error {
	defer l.closed()
	return l.Session.Close()
}

// List reads lists. Before everything is read once more, the server is asked whether it is still the same.
func (l *listened) List(ctx context.Context, kinds ...snapshot.Kind) ([]snapshot.List, error) {
	if len(kinds) == len(snapshot.Kinds()) {
		if l.read {
			l.Recheck(ctx)
		}
		l.read = true
	}
	return l.Session.List(ctx, kinds...)
}

// Ping asks for a sign of life. An answer is one, whatever it says.
func (l *listened) Ping(ctx context.Context) error {
	_, err := l.Session.Ping(ctx)
	if err != nil && probe.Answered(err) {
		return nil
	}
	return err
}

var errUnsaved = errors.New("nothing is saved to measure from: save it with mcpctl snapshot")

// reader reads the snapshot that was saved of a server. A file that cannot be read is told once, and the last one holds.
func (r *watchRun) reader(ctx context.Context, w *watchedServer, path string) func() *snapshot.Snapshot {
	var last *snapshot.Snapshot
	var told string
	return func() *snapshot.Snapshot {
		saved, err := source.ReadFile(ctx, r.process, path)
		r.mu.Lock()
		w.unsaved = errors.Is(err, fs.ErrNotExist)
		w.unread = err != nil && !w.unsaved
		r.mu.Unlock()
		switch {
		case err == nil:
			last, told = saved.Snapshot, ""
		case w.unsaved:
			last, err = nil, errUnsaved
		}
		if err != nil && err.Error() != told {
			told = err.Error()
			r.process.Note("%s: %v", report.Visible(w.name()), err)
		}
		return last
	}
}

// ask asks every server at once. One that is being developed is built and started anew.
func (r *watchRun) ask() {
	if r.rebuild != nil {
		r.rebuild.ask()
		return
	}
	for _, w := range r.servers {
		w.ask()
	}
}

func (w *watchedServer) name() string { return w.target.Name() }

func (w *watchedServer) savedFile() string {
	return compare.SavedFile(w.fleet.Config.Project.Snapshots, w.name())
}

func (w *watchedServer) ask() { offer(w.refresh) }

// offer says something through a channel with room for one signal, unless that was said already.
func offer(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// end stops watching a server, and waits until nothing of it is left.
func (w *watchedServer) end() {
	w.stop()
	<-w.ended
}

func (w *watchedServer) idle() watch.State {
	if w.target.Known().State == report.Disabled {
		return watch.Disabled
	}
	return watch.Failed
}

// reached tells whether the surface of a server was known and current at the end, or need not have been.
func (w *watchedServer) reached() bool {
	return w.current() || w.last == watch.Disabled || w.tolerated()
}

// current tells whether the surface of a server was known and current at the end.
func (w *watchedServer) current() bool { return w.last.Reached() && !w.view.Status().Stale }

// tolerated tells whether mcpctl.yaml lets a server fail; what is wrong with the configuration itself is never tolerated.
func (w *watchedServer) tolerated() bool {
	return !w.current() && !w.target.Known().Misconfigured && w.newest.Tolerated(w.name()) != nil
}
