package live

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/process"
	"github.com/mcpctl/mcpctl/internal/reload"
	"github.com/mcpctl/mcpctl/internal/report"
)

// rebuilder builds a server and has it started anew when its files change. On nil its methods do nothing.
type rebuilder struct {
	process host.Process
	line    string // that builds; empty = nothing is to be built
	files   *reload.Watcher
	tell    func(report.Event)
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

// Bounds of building.
const (
	settleTime   = time.Second // how long after a build what it has set off may still write files
	shownFiles   = 20          // changed files that an event names
	buildTime    = 10 * time.Minute
	shownOfBuild = 16 << 10 // bytes of what the compiler had to say
)

// newRebuilder opens what Options.Reload names; tell takes what it has to say of the server.
func newRebuilder(ctx context.Context, p host.Process, o Options, tell func(report.Event)) (*rebuilder, error) {
	files, err := reload.Open(ctx, reload.Options{Globs: o.Reload, Quiet: given(o.Debounce)})
	if err != nil {
		return nil, exit.Misuse(err)
	}
	for _, glob := range files.Unmatched() {
		p.Note("--reload %q matches no file yet (what .gitignore leaves out does not count)", glob)
	}
	b := &rebuilder{
		process: p, line: o.Build, files: files, tell: tell, held: o.Build != "", built: o.Build == "",
		restart: make(chan struct{}, 1), asked: make(chan struct{}, 1), ready: make(chan struct{}, 1),
	}
	if !b.held {
		b.ready <- struct{}{}
	}
	return b, nil
}

// restartable tells whether there is one server, and one that is started here, for --reload to start anew.
func (o Options) restartable(servers []*watchedServer) error {
	switch {
	case len(o.Reload) == 0:
	case len(servers) != 1:
		return exit.Usagef("--reload starts one stdio server anew, and %d are named: name one, or write its command behind --", len(servers))
	case servers[0].target.Live() && !servers[0].target.Starts():
		return exit.Usagef("--reload starts a stdio server anew, and %q is at a URL: write its command behind --", servers[0].name())
	}
	return nil
}

// start begins to build and to watch files. The function that it returns waits for the end of that, which ctx brings.
func (b *rebuilder) start(ctx context.Context) (wait func()) {
	if b == nil {
		return func() {}
	}
	var ending sync.WaitGroup
	changes := make(chan reload.Change)
	ending.Go(func() { b.files.Run(ctx, changes) })
	ending.Go(func() { b.run(ctx, changes) })
	return func() {
		ending.Wait()
		_ = b.files.Close()
	}
}

// run builds and restarts whenever files change or somebody asks, until ctx ends, breaking off a build that is under way.
func (b *rebuilder) run(ctx context.Context, changes <-chan reload.Change) {
	now := b.begin(ctx, b.line != "")
	defer func() { now.stop() }()
	next := func(e report.Event) {
		now.stop()
		b.tell(e)
		now = b.begin(ctx, true)
	}
	for {
		select {
		case <-ctx.Done():
			return
		case c := <-changes:
			switch d := b.classify(c); {
			case len(d.Now) > 0:
				next(reloading(d.Now))
			case len(d.Later) > 0 && b.ended.IsZero(): // what is built now is not what the files are
				now.stop()
				now.done, b.ended = nil, time.Now()
			}
		case <-b.later():
			next(reloading(b.doubted.Later))
		case <-b.asked:
			next(report.Event{Event: "reload", Note: "as asked"})
		case failure := <-now.done:
			if ctx.Err() != nil { // it was broken off
				return
			}
			now.done = nil
			b.finish(failure)
		}
	}
}

// classify tells what a change is a reason for.
func (b *rebuilder) classify(c reload.Change) reload.Decision {
	if c.Err != nil {
		b.process.Note("%v", c.Err)
	}
	during := c.Since.After(b.began) && (b.ended.IsZero() || c.Since.Before(b.ended.Add(settleTime)))
	d := b.outputs.Decide(c.Files, during)
	if len(d.Later) > 0 {
		b.doubted = d
	}
	for _, file := range d.Outputs {
		b.process.Note("%s changes whenever the server is built and started: that is no reason to do it again any more (leave it out of --reload, or let .gitignore do so)", report.Visible(file))
	}
	return d
}

// later is when the round for files that a build may have written is to begin; never when there are none.
func (b *rebuilder) later() <-chan time.Time {
	if len(b.doubted.Later) == 0 || b.ended.IsZero() {
		return nil
	}
	return time.After(time.Until(b.ended.Add(settleTime + b.doubted.Pause)))
}

func reloading(files []string) report.Event {
	e := report.Event{Event: "reload", Files: files}
	if more := len(files) - shownFiles; more > 0 {
		e.Files, e.Note = files[:shownFiles], fmt.Sprintf("and %d more", more)
	}
	return e
}

// build is one run of the line that builds, or of nothing.
type build struct {
	cancel context.CancelFunc
	done   chan *report.Failure // its outcome, once; nil = it succeeded
	ended  chan struct{}
}

// begin begins to build what the files are now. Until that has ended the server is not started.
func (b *rebuilder) begin(ctx context.Context, wanted bool) build {
	ctx, cancel := context.WithCancel(ctx)
	now := build{cancel: cancel, done: make(chan *report.Failure, 1), ended: make(chan struct{})}
	b.began, b.ended, b.doubted = time.Now(), time.Time{}, reload.Decision{}
	b.outputs.Begin()
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

// build runs the line that builds. A failure shows what the compiler had to say.
func (b *rebuilder) build(ctx context.Context) *report.Failure {
	said := process.Tail{Limit: shownOfBuild}
	command := process.ShellCommand{Line: b.line, Env: b.process.Environ, Limit: buildTime}
	err := command.Run(ctx, &said, &said)
	if err == nil {
		return nil
	}
	return &report.Failure{
		Stage: "building", Message: err.Error(), Stderr: said.String(),
		Hint: "the surface stays as it was last; it is built again when a file changes, and on r + Enter",
	}
}

// stop breaks a build off and waits until nothing of it is left.
func (b build) stop() {
	b.cancel()
	<-b.ended
}

// finish takes the outcome of a build: the server that runs stays, or is started anew.
func (b *rebuilder) finish(failure *report.Failure) {
	b.ended = time.Now()
	b.broken.Store(failure != nil)
	if b.line != "" {
		took := b.ended.Sub(b.began).Milliseconds()
		b.tell(report.Event{Event: "build", Elapsed: &took, Error: failure})
	}
	if failure == nil && b.built { // otherwise nothing runs yet, and starting it waits for us
		offer(b.restart)
	}
	b.built = b.built || failure == nil
	if b.held && b.built {
		b.held = false
		b.ready <- struct{}{}
	}
}

func (b *rebuilder) ask() { offer(b.asked) }

// mayStart waits until no build stands in the way of starting the server; false = ctx has ended.
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

// failed tells that the files as they are now could not be built.
func (b *rebuilder) failed() bool { return b != nil && b.broken.Load() }
