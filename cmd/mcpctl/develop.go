package main

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/reload"
	"github.com/mcpctl/mcpctl/internal/report"
)

// development is what --reload adds to a run: a server that is built and started anew when files change. The methods that
// the rest of the run calls do nothing useful, and no harm, on nil.
type development struct {
	*vigil
	files   *reload.Watcher
	restart chan struct{} // asks for a new session
	asked   chan struct{} // somebody wants the server built and started anew
	ready   chan struct{} // holds a value while the server may be started
	broken  atomic.Bool   // the last build failed: what the files would offer is not known

	// What follows belongs to the goroutine of run.
	outputs reload.Outputs
	held    bool // the server must not be started
	built   bool // a build has succeeded, or there is none
	began   time.Time
	ended   time.Time       // zero while a build is under way
	doubted reload.Decision // files that the round after this one is for
}

// aftermath is how long after a build what it has set off may still write files.
const aftermath = time.Second

// shownFiles is how many changed files an event names.
const shownFiles = 20

// development opens what --reload names; nil without it.
func (v *vigil) development(ctx context.Context) (*development, error) {
	if len(v.how.reload.Value()) == 0 {
		return nil, nil
	}
	files, err := reload.Open(ctx, reload.Options{Globs: v.how.reload.Value(), Quiet: v.how.debounce.Duration})
	if err != nil {
		return nil, exit.Misuse(err)
	}
	for _, glob := range files.Unmatched() {
		v.Note("--reload %q matches no file yet (what .gitignore leaves out does not count)", glob)
	}
	d := &development{vigil: v, files: files, restart: make(chan struct{}, 1), asked: make(chan struct{}, 1), ready: make(chan struct{}, 1)}
	if d.held, d.built = v.how.build != "", v.how.build == ""; !d.held {
		d.ready <- struct{}{}
	}
	return d, nil
}

// quoted tells of words beside the command that --reload starts: they are what the shell made of a glob.
func (how *watching) quoted(words []string, commanded bool) error {
	if len(how.reload.Value()) == 0 || len(words) == 0 || !commanded {
		return nil
	}
	return exit.Usagef("--reload starts the one server behind --, and %q is another SOURCE: quote the glob, as in --reload 'src/**/*.ts', or the shell makes several words of it", words[0])
}

// restartable tells whether there is one server, and one that is started here, for --reload to start anew.
func (how *watching) restartable(servers []*watched) error {
	switch {
	case len(how.reload.Value()) == 0:
	case len(servers) != 1:
		return exit.Usagef("--reload starts one stdio server anew, and %d are named: name one, or write its command behind --", len(servers))
	case servers[0].server != nil && servers[0].server.Stdio == nil:
		return exit.Usagef("--reload starts a stdio server anew, and %q is at a URL: write its command behind --", servers[0].Name)
	}
	return nil
}

// start begins to build and to watch files. The function that it returns waits for the end of that, which ctx brings.
func (d *development) start(ctx context.Context) (wait func()) {
	if d == nil {
		return func() {}
	}
	var ending sync.WaitGroup
	changes := make(chan reload.Change)
	ending.Go(func() { d.files.Run(ctx, changes) })
	ending.Go(func() { d.run(ctx, changes) })
	return func() {
		ending.Wait()
		_ = d.files.Close()
	}
}

// run builds and restarts whenever files change or somebody asks, until ctx ends. A build that is under way then is
// broken off for the next one.
func (d *development) run(ctx context.Context, changes <-chan reload.Change) {
	now := d.begin(ctx, d.how.build != "")
	defer func() { now.stop() }()
	next := func(e report.Event) {
		now.stop()
		d.announce(e)
		now = d.begin(ctx, true)
	}
	for {
		select {
		case <-ctx.Done():
			return
		case c := <-changes:
			if files := d.heed(c); len(files) > 0 {
				next(reloading(files))
			}
		case <-d.later():
			next(reloading(d.doubted.Later))
		case <-d.asked:
			next(report.Event{Event: "reload", Note: "as asked"})
		case failure := <-now.done:
			if ctx.Err() != nil { // it was broken off
				return
			}
			now.done = nil
			d.finish(failure)
		}
	}
}

// heed is what of a change is a reason to build at once.
func (d *development) heed(c reload.Change) []string {
	if c.Err != nil {
		d.Note("%v", c.Err)
	}
	during := c.Since.After(d.began) && (d.ended.IsZero() || c.Since.Before(d.ended.Add(aftermath)))
	h := d.outputs.Decide(c.Files, during)
	if len(h.Later) > 0 {
		d.doubted = h
	}
	for _, file := range h.Outputs {
		d.Note("%s changes whenever the server is built and started: that is no reason to do it again any more (leave it out of --reload, or let .gitignore do so)", report.Visible(file))
	}
	return h.Now
}

// later is when the round for files that a build may have written is to begin; never when there are none.
func (d *development) later() <-chan time.Time {
	if len(d.doubted.Later) == 0 || d.ended.IsZero() {
		return nil
	}
	return time.After(time.Until(d.ended.Add(aftermath + d.doubted.Pause)))
}

// reloading is the event of files that changed.
func reloading(files []string) report.Event {
	e := report.Event{Event: "reload", Files: files}
	if more := len(files) - shownFiles; more > 0 {
		e.Files, e.Note = files[:shownFiles], fmt.Sprintf("and %d more", more)
	}
	return e
}

// finish takes the outcome of a build: the server that runs stays, or is started anew.
func (d *development) finish(failure *report.Failure) {
	d.ended = time.Now()
	d.broken.Store(failure != nil)
	if d.how.build != "" {
		took := d.ended.Sub(d.began).Milliseconds()
		d.announce(report.Event{Event: "build", Elapsed: &took, Error: failure})
	}
	if failure == nil && d.built { // otherwise nothing runs yet, and starting it waits for us
		select {
		case d.restart <- struct{}{}:
		default: // it is asked for already
		}
	}
	d.built = d.built || failure == nil
	if d.held && d.built {
		d.held = false
		d.ready <- struct{}{}
	}
}

// announce tells an event of the server.
func (d *development) announce(e report.Event) {
	d.mu.Lock()
	defer d.mu.Unlock()
	w := d.servers[0]
	e.Time, e.Server, e.State = time.Now(), w.Name, string(w.last)
	d.publish(e, d.servers)
}

// ask wants the server built and started anew.
func (d *development) ask() {
	select {
	case d.asked <- struct{}{}:
	default: // it is asked already
	}
}

// mayStart waits until no build stands in the way of starting the server; false = ctx has ended.
func (d *development) mayStart(ctx context.Context) bool {
	if d == nil {
		return true
	}
	select {
	case <-d.ready:
		d.ready <- struct{}{}
		return true
	case <-ctx.Done():
		return false
	}
}

// failed tells that the files as they are now could not be built.
func (d *development) failed() bool { return d != nil && d.broken.Load() }
