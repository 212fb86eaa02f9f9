package watchrun

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/process"
	"github.com/mcpctl/mcpctl/internal/report"
)

// rebuilder builds a server and restarts it when its files change. The methods of a nil *rebuilder do
// nothing.
type rebuilder struct {
	process host.Process
	line    string // the command that builds; empty = none
	files   *fileWatcher
	emit    func(report.Event)
	restart chan struct{} // asks for a new session
	asked   chan struct{} // asks for a build and a restart
	ready   chan struct{} // holds a value while the server may be started
	broken  atomic.Bool   // the last build failed

	// What follows belongs to the goroutine of run.
	held    bool // the server must not be started
	built   bool // a build has succeeded, or there is none
	began   time.Time
	ended   time.Time // zero while a build is under way
	loops   int       // builds in a row that were set off by files that changed during the one before
	changed bool      // files changed during this build
	pending []string  // files that the next build is for, after a pause
}

// Bounds of building.
const (
	settleTime   = time.Second // after a build, in which its processes may still write files
	quickLoops   = 2           // builds that may set off the next at once
	shownFiles   = 20          // changed files that an event names
	buildTime    = 10 * time.Minute
	shownOfBuild = 16 << 10 // bytes of what the build wrote
)

// newRebuilder opens what Options.Reload names; emit receives events about the server.
func newRebuilder(
	ctx context.Context, p host.Process, o Options, emit func(report.Event),
) (*rebuilder, error) {
	files, err := newFileWatcher(ctx, p.Dir, o.Reload)
	if err != nil {
		return nil, exit.Misuse(err)
	}
	for _, glob := range files.unmatched() {
		p.Note("--reload %q matches no file yet (files ignored by .gitignore do not count)", glob)
	}
	b := &rebuilder{
		process: p, line: o.Build, files: files, emit: emit, held: o.Build != "", built: o.Build == "",
		restart: make(chan struct{}, 1), asked: make(chan struct{}, 1), ready: make(chan struct{}, 1),
	}
	if !b.held {
		b.ready <- struct{}{}
	}
	return b, nil
}

// restartable checks that there is exactly one server that --reload can restart.
func (o Options) restartable(servers []*watchedServer) error {
	switch {
	case len(o.Reload) == 0:
	case len(servers) != 1:
		return exit.Usagef("--reload restarts one stdio server, not %d:"+
			" name one, or write its command after --", len(servers))
	case servers[0].target.Live() && !servers[0].target.Starts():
		return exit.Usagef("--reload restarts a stdio server, and %q is at a URL: write its command after --",
			servers[0].name())
	}
	return nil
}

// start begins to build and to watch files until ctx ends. The function that it returns waits for that.
func (b *rebuilder) start(ctx context.Context) (wait func()) {
	if b == nil {
		return func() {}
	}
	var ending sync.WaitGroup
	changes := make(chan fileChange)
	ending.Go(func() { b.files.run(ctx, changes) })
	ending.Go(func() { b.run(ctx, changes) })
	return ending.Wait
}

// run builds and restarts whenever files change or a user asks, until ctx ends. A build that is running is
// canceled.
func (b *rebuilder) run(ctx context.Context, changes <-chan fileChange) {
	now := b.begin(ctx, b.line != "")
	defer func() { now.stop() }()
	next := func(e report.Event) {
		now.stop()
		b.emit(e)
		now = b.begin(ctx, true)
	}
	for {
		select {
		case <-ctx.Done():
			return
		case c := <-changes:
			switch files := b.due(c); {
			case len(files) > 0:
				next(reloading(files))
			case len(b.pending) > 0 && b.ended.IsZero(): // the running build is out of date
				now.stop()
				now.done, b.ended = nil, time.Now()
			}
		case <-b.later():
			next(reloading(b.pending))
		case <-b.asked:
			next(report.Event{Event: "reload", Note: "as asked"})
		case failure := <-now.done:
			if ctx.Err() != nil { // it was canceled
				return
			}
			now.done = nil
			b.finish(failure)
		}
	}
}

// loopPauses are the pauses before builds that keep setting off the next: in a pause, people save files, and
// builds do not. The last one applies to all further builds.
var loopPauses = []time.Duration{time.Second, 3 * time.Second, 9 * time.Second}

// due returns the files that a build is due for at once. A build that writes into a watched directory would
// set off the next for ever, so files that keep changing during builds are pending for a while.
func (b *rebuilder) due(c fileChange) []string {
	if c.Err != nil {
		b.process.Note("%v", c.Err)
	}
	if len(c.Files) == 0 {
		return nil
	}
	files := union(b.pending, c.Files)
	during := c.Noticed.After(b.began) && (b.ended.IsZero() || c.After.Before(b.ended.Add(paced(settleTime))))
	if !during {
		b.loops, b.changed = 0, false
		return files
	}
	if !b.changed {
		b.loops, b.changed = b.loops+1, true
	}
	if b.loops <= quickLoops {
		return files
	}
	if b.pending == nil && b.loops == quickLoops+len(loopPauses) {
		names := report.Visible(strings.Join(files, ", "))
		b.process.Note("%s changes with every build: builds are %s apart now (exclude it from --reload or in"+
			" .gitignore)", names, loopPauses[len(loopPauses)-1])
	}
	b.pending = files
	return nil
}

// later fires when the pause before the build for pending files is over; never if there are none.
func (b *rebuilder) later() <-chan time.Time {
	if len(b.pending) == 0 || b.ended.IsZero() {
		return nil
	}
	pause := loopPauses[min(b.loops-quickLoops, len(loopPauses))-1]
	return time.After(time.Until(b.ended.Add(paced(settleTime + pause))))
}

func reloading(files []string) report.Event {
	e := report.Event{Event: "reload", Files: files}
	if more := len(files) - shownFiles; more > 0 {
		e.Files, e.Note = files[:shownFiles], fmt.Sprintf("and %d more", more)
	}
	return e
}

// build is one run of the build command, or of nothing.
type build struct {
	cancel context.CancelFunc
	done   chan *report.Failure // its outcome, once; nil = it succeeded
	ended  chan struct{}
}

// begin begins a build. The server is not started until it has ended.
func (b *rebuilder) begin(ctx context.Context, wanted bool) build {
	ctx, cancel := context.WithCancel(ctx)
	now := build{cancel: cancel, done: make(chan *report.Failure, 1), ended: make(chan struct{})}
	if !b.changed {
		b.loops = 0
	}
	b.began, b.ended, b.changed, b.pending = time.Now(), time.Time{}, false, nil
	switch {
	case !wanted:
		close(now.ended)
		b.ended = b.began
		return now
	case b.line == "":
		close(now.ended)
		now.done <- nil
		return now
	}
	if !b.held {
		<-b.ready
		b.held = true
	}
	go func() {
		defer close(now.ended)
		now.done <- b.build(ctx)
	}()
	return now
}

// build runs the build command. A failure holds what it wrote.
func (b *rebuilder) build(ctx context.Context) *report.Failure {
	said := process.Tail{Limit: shownOfBuild}
	command := process.ShellCommand{Line: b.line, Env: b.process.Environ, Limit: buildTime}
	err := command.Run(ctx, &said, &said)
	if err == nil {
		return nil
	}
	return &report.Failure{
		Stage: "building", Message: err.Error(), Stderr: said.String(),
		Hint: "it is built again when a file changes, or on r + Enter",
	}
}

// stop cancels a build and waits until nothing of it is left.
func (b build) stop() {
	b.cancel()
	<-b.ended
}

// finish takes the outcome of a build: the running server stays, or is restarted.
func (b *rebuilder) finish(failure *report.Failure) {
	b.ended = time.Now()
	b.broken.Store(failure != nil)
	if b.line != "" {
		took := b.ended.Sub(b.began).Milliseconds()
		b.emit(report.Event{Event: "build", Elapsed: &took, Error: failure})
	}
	if failure == nil && b.built { // otherwise nothing runs yet, and its start waits for b.ready
		signalOnce(b.restart)
	}
	b.built = b.built || failure == nil
	if b.held && b.built {
		b.held = false
		b.ready <- struct{}{}
	}
}

func (b *rebuilder) ask() { signalOnce(b.asked) }

// mayStart waits until no build forbids to start the server; false = ctx has ended.
func (b *rebuilder) mayStart(ctx context.Context) bool {
	if b == nil {
		return true
	}
	select {
	case <-b.ready:
		b.ready <- struct{}{}
		return true
	case <-ctx.Done():
		return false
	}
}

// failed reports whether the last build failed.
func (b *rebuilder) failed() bool { return b != nil && b.broken.Load() }
