// Package watchrun is one run of watch. The supervisor turns signals, typed commands and edited files into
// requests; the rebuilder builds and restarts a server that is being developed; events go to the printer, to
// HTTP clients and to --exec and --webhook.
package watchrun

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/files"
	"github.com/mcpctl/mcpctl/internal/fleet"
	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/printable"
	"github.com/mcpctl/mcpctl/internal/seen"
	"github.com/mcpctl/mcpctl/internal/source"
	"github.com/mcpctl/mcpctl/pkg/diff"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/probe"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
	"github.com/mcpctl/mcpctl/pkg/watch"
)

// Options are the flags of watch.
type Options struct {
	Interval *time.Duration // between polls; nil = 30 s, and 5 min for a server that announces its changes
	For      *time.Duration // the run ends after it; nil = never
	Parallel int            // servers that are connected to at once; 0 = probe.AtOnce
	Retries  int            // further attempts at a reading; with FailFast at connecting, too
	FailFast bool           // end at the first server that cannot be read at the start, or fails later

	Saved  bool         // compare with saved snapshots, not with the surface before
	Diff   diff.Options // how surfaces are compared
	FailOn string       // end at the first change of this level; empty = as configured, and never end

	Reload  []string // globs of files: when they change, the stdio server is restarted
	Build   string   // with Reload: a shell command that runs before each start
	Exec    string   // a shell command for each change
	Webhook string   // a URL to which each change is posted
	Listen  string   // an address on which HTTP clients are answered
	State   string   // a directory with the last known snapshot of each server

	Lines   func([]seen.EventLine) string // writes events for people; nil = they are printed as JSON
	Explain func(Result)                  // says how the run ended

	// with Saved: returns what to do about servers without a saved snapshot
	SaveHint func(servers ...seen.Server) string
}

// Check finds mistakes before anything is contacted. command reports whether a command line follows "--".
func (o Options) Check(from []source.Source, command bool) error {
	switch {
	case o.Interval != nil && *o.Interval < time.Second:
		return errInterval
	case o.State != "" && o.Saved:
		return errStateSaved
	case o.Build != "" && len(o.Reload) == 0:
		return errNoReload
	case len(o.Reload) > 0 && command && len(from) > 1: // what the shell made of a glob
		return errUnquoted(from[0])
	}
	if i := slices.IndexFunc(from, func(s source.Source) bool { return !s.Live() }); i >= 0 {
		if from[i].Kind == source.Path && !files.IsDir(from[i].Word) {
			if _, err := source.ReadFile(context.Background(), from[i].Word); err != nil {
				return err // such as a configuration
			}
		}
		return errSaved(from[i])
	}
	return checkWebhook(o.Webhook)
}

// Watch watches the servers of SOURCEs until ctx or the options end it. The error carries the exit status.
func Watch(ctx context.Context, p host.Process, f *fleet.Fleet, from []source.Source, o Options) error {
	f = f.Ending(nil) // no server is started again before it is gone
	r := &watchRun{process: p, options: o, from: from, fleet: f, began: time.Now()}
	r.left = map[string]*snapshot.Snapshot{}
	r.places = make(chan struct{}, cmp.Or(o.Parallel, probe.AtOnce()))
	policy, err := fleet.Policy(f.Config.Project.Policy, o.FailOn)
	if err != nil {
		return err
	}
	r.totals.policy = policy
	r.options.Diff.ItemBudget, r.options.Diff.Now = f.Config.Project.Budgets.ItemBytes, p.Now
	if r.servers, err = r.resolve(ctx, f); err != nil {
		return err
	}
	fleet.NoteEnds(p, f.Config)
	names := kit.Map(r.servers, (*watchedServer).name)
	if o.Lines != nil && len(o.Reload) == 0 && host.IsTerminal(p.Err) && len(r.servers) == 1 {
		if file := r.servers[0].target.File(p.Dir); file != "" {
			p.Note("to see edits of the server, add --reload %s", printable.ShellWord(file))
		}
	}
	r.printer = newPrinter(p, o.Lines, names, len(o.Reload) > 0)
	if r.state, err = openState(p, o.State); err != nil {
		return err
	}
	defer r.state.close()
	if r.monitor, err = listen(p, o.Listen); err != nil {
		return err
	}
	defer r.monitor.close()
	if len(o.Reload) > 0 {
		if r.rebuild, err = newRebuilder(ctx, p, o, r.emitOwn); err != nil {
			return err
		}
	}
	delivering, cancel := context.WithCancel(context.WithoutCancel(ctx)) // a signal leaves outputs some time
	defer cancel()
	if r.outputs, err = o.outputs(delivering, p, r.state); err != nil {
		return err
	}
	return r.run(ctx)
}

// watchRun is one run of watch: the servers, and what was reported about them.
type watchRun struct {
	process host.Process
	options Options
	from    []source.Source
	began   time.Time     // when it was process.Now
	places  chan struct{} // as many servers as this holds are connected to at once

	state   *stateFolder // nil without Options.State
	monitor *monitor     // nil without Options.Listen
	rebuild *rebuilder   // nil without Options.Reload
	printer *printer
	outputs []*outputQueue
	end     context.CancelCauseFunc // ends watching
	over    func() bool             // reports whether watching has ended

	publishing sync.Mutex // held while an event is handed on, and guards what follows
	newest     time.Time  // of the events until now

	// What follows belongs to the supervising goroutine.
	fleet *fleet.Fleet                  // of the newest configuration
	left  map[string]*snapshot.Snapshot // last surfaces of servers that were removed

	mu      sync.Mutex // guards what follows
	servers []*watchedServer
	totals  totals
}

// run watches until ctx or the run itself ends it, and waits until nothing is running any more.
func (r *watchRun) run(ctx context.Context) error {
	watching, end := context.WithCancelCause(ctx)
	r.end, r.over = end, func() bool { return watching.Err() != nil }
	defer end(nil)
	over := make(chan time.Time, 1)
	context.AfterFunc(watching, func() { over <- time.Now() })
	if r.options.For != nil {
		late := time.AfterFunc(*r.options.For, func() { end(errTimeOver) })
		defer late.Stop()
	}
	go r.printer.run()
	r.monitor.watch(monitored(r.servers))
	for _, w := range r.servers {
		r.begin(watching, w)
	}
	live := func(w *watchedServer) bool { return w.target.Live() }
	// a shard without servers may get some
	if r.fleet.Selected().Shard.Count > 0 || slices.ContainsFunc(r.servers, live) {
		var building sync.WaitGroup
		if r.rebuild != nil {
			building.Go(func() { r.rebuild.run(watching) })
		}
		r.supervise(watching)
		building.Wait()
	}
	for _, w := range r.servers {
		w.end()
	}
	end(nil)
	r.finishOutputs(ctx, <-over)
	configured := func(w *watchedServer) bool { return !w.target.Known().Misconfigured }
	if len(r.servers) > 0 && !slices.ContainsFunc(r.servers, configured) {
		_ = r.printer.finish()
		return r.exit(exit.Usage)
	}
	return r.sumUp(ctx)
}

// resolve returns the servers that the run's SOURCEs name, none of them watched yet.
func (r *watchRun) resolve(ctx context.Context, f *fleet.Fleet) ([]*watchedServer, error) {
	targets, err := f.Resolve(ctx, r.from)
	if err != nil {
		return nil, err
	}
	servers := kit.Map(targets, func(t fleet.Target) *watchedServer {
		w := &watchedServer{target: t, fleet: f, newest: f, refresh: make(chan struct{}, 1)}
		w.enabled = f.Config.Project.Policy.Enabled(t.Name())
		return w
	})
	return servers, r.options.restartable(servers)
}

// sumUp reports how the run ended and returns its status as an error.
func (r *watchRun) sumUp(ctx context.Context) error {
	r.mu.Lock()
	e := WatchEvent{Time: time.Now(), Event: "summary", Summary: &r.totals.summary}
	for _, w := range r.servers {
		watched := Watched{
			Name: w.name(), State: string(w.last), Unsaved: w.unsaved, Tolerated: w.tolerated(),
		}
		if w.target.Live() {
			watched.Watch = w.view.Status().Counts
		}
		e.Servers = append(e.Servers, watched)
	}
	status := r.status()
	r.mu.Unlock()
	e.Status, e.Verdict = &status, exit.VerdictOf(status)
	r.publish(e)
	lost := r.printer.finish()
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case lost != nil:
		return lost
	}
	return r.exit(status)
}

// status returns the worst that holds: incomplete answers, then findings, then nothing to compare with. The
// caller holds the lock.
func (r *watchRun) status() int {
	unknown := func(w *watchedServer) bool { return !w.reached() || w.unread }
	switch {
	case slices.ContainsFunc(r.servers, unknown), r.rebuild.failed(), r.printer.broken.Load():
		return exit.Incomplete
	case r.totals.fails:
		return exit.Findings
	case slices.ContainsFunc(r.servers, func(w *watchedServer) bool { return w.unsaved && !w.tolerated() }):
		return exit.NoBaseline
	}
	return exit.OK
}

// Result is how watching ended.
type Result struct {
	Status  int
	Servers []fleet.Surface
}

// exit returns a status as an error, after its reason was written to standard error.
func (r *watchRun) exit(status int) error {
	result := Result{Status: status}
	for _, w := range r.servers {
		server := fleet.Unseen(seen.Server{Name: w.name(), State: seen.OK})
		if !w.reached() {
			server.State, server.Error = seen.Failed, w.failure
		}
		result.Servers = append(result.Servers, server)
	}
	r.options.Explain(result)
	return exit.Reported(status)
}

// emitOwn reports an event of the one server that is being developed.
func (r *watchRun) emitOwn(e WatchEvent) {
	r.mu.Lock()
	w := r.servers[0]
	e.Time, e.Server, e.State = time.Now(), w.name(), string(w.last)
	r.mu.Unlock()
	r.publish(e)
}

// emit records an event of a server and publishes it.
func (r *watchRun) emit(w *watchedServer, e watch.Event) {
	shown := shownEvent(w, e)
	r.mu.Lock()
	hopeless := e.Kind == watch.StateChanged &&
		(e.State == watch.Failed || e.State == watch.Degraded && !w.known)
	w.known = w.known || e.State.Reached()
	if e.State != watch.Closed {
		w.last = e.State
	}
	if e.Kind == watch.StateChanged && e.State != watch.Closed {
		w.failure = shown.Error
	}
	if e.Kind == watch.Changed {
		w.found = e.Findings
		if r.options.Saved {
			r.totals.recount(r.servers)
		} else {
			r.totals.add(e.Findings)
		}
	}
	fails := r.totals.fails
	hopeless = hopeless && !w.tolerated()
	r.mu.Unlock()
	surface := w.view.Status().Surface
	if r.options.Saved { // its changes are from the saved snapshot
		surface = nil
	}
	if r.state != nil && e.Kind == watch.Changed {
		r.printer.add(printed{then: func() {
			r.state.printing(w.name(), w.printed, append(slices.Clip(w.unsure), surface)...)
			w.printed = surface
		}})
	}
	shown = r.publish(shown)
	for _, queue := range r.outputs {
		queue.take(shown, surface)
	}
	if e.Kind == watch.Changed && r.options.FailOn != "" && fails {
		r.end(errChanged)
	}
	if r.options.FailFast && hopeless {
		r.end(errFailedServer)
	}
}

// publish hands an event to standard output and to HTTP clients, in the order of their times, and returns it
// as they got it. It waits only for standard output.
func (r *watchRun) publish(e WatchEvent) WatchEvent {
	r.publishing.Lock()
	defer r.publishing.Unlock()
	if e.Time.Before(r.newest) { // another server was faster in between
		e.Time = r.newest
	}
	r.newest = e.Time
	line := e.JSON()
	r.monitor.publish(e, line)
	r.printer.add(printed{event: e, line: line})
	return e
}

// What outputs may take after the end of watching, and after a signal: less than supervisors wait before
// they kill.
const (
	finishTime = 30 * time.Second
	signalTime = 8 * time.Second
)

// finishOutputs gives outputs time to take what they have not taken yet, from the end of watching on.
func (r *watchRun) finishOutputs(ctx context.Context, over time.Time) {
	limit, stop, how := paced(finishTime), ctx.Done(), "a signal ends it"
	if ctx.Err() != nil {
		limit, stop, how = paced(signalTime), r.process.Again, "a second signal ends it"
	}
	finish(r.process, r.outputs, limit-time.Since(over), stop, how)
}

// totals are the reported findings, judged: of all changes, or of the newest differences from saved
// snapshots.
type totals struct {
	policy  finding.Policy
	fails   bool // the run fails
	summary seen.Summary
}

// add counts findings by their level, and makes the run fail if the policy says so.
func (t *totals) add(found []finding.Finding) {
	t.fails = t.fails || t.policy.Fails(found)
	sum := seen.Summarize(found, nil)
	t.summary.Breaking += sum.Breaking
	t.summary.Warning += sum.Warning
	t.summary.Info += sum.Info
	t.summary.Waived += sum.Waived
	t.summary.Unknown += sum.Unknown
}

// recount judges the newest differences of the servers that are watched.
func (t *totals) recount(servers []*watchedServer) {
	t.fails, t.summary = false, seen.Summary{}
	for _, w := range servers {
		t.add(w.found)
	}
}

// shownEvent returns an event of a server as it is written.
func shownEvent(w *watchedServer, e watch.Event) WatchEvent {
	shown := WatchEvent{
		Time: e.Time, Event: string(e.Kind), Server: e.Server, State: string(e.State),
		Previous: string(e.Previous), Cause: string(e.Cause),
	}
	switch {
	case e.Kind == watch.Changed:
		shown.Findings = append(seen.Findings{}, e.Findings...)
	case e.Kind == watch.StateChanged && !w.target.Live():
		shown.Error = w.target.Known().Error
	case e.Kind == watch.StateChanged && e.State.Reached():
		shown.Counts = seen.CountsOf(w.view.Status().Surface)
	}
	if e.Err != nil {
		shown.Error = fleet.FailureOf(e.Err)
	}
	return shown
}
