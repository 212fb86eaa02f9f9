package watchrun

import (
	"context"
	"fmt"
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
	outputs buildOutputs
	held    bool // the server must not be started
	built   bool // a build has succeeded, or there is none
	began   time.Time
	ended   time.Time     // zero while a build is under way
	doubted buildDecision // files that the round after this one is for
}

// Bounds of building.
const (
	settleTime   = time.Second // after a build, in which its processes may still write files
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
			switch d := b.classify(c); {
			case len(d.Now) > 0:
				next(reloading(d.Now))
			case len(d.Later) > 0 && b.ended.IsZero(): // the running build is out of date
				now.stop()
				now.done, b.ended = nil, time.Now()
			}
		case <-b.later():
			next(reloading(b.doubted.Later))
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

// classify returns what a change is a reason for.
func (b *rebuilder) classify(c fileChange) buildDecision {
	if c.Err != nil {
		b.process.Note("%v", c.Err)
	}
	during := c.Since.After(b.began) && (b.ended.IsZero() || c.Since.Before(b.ended.Add(paced(settleTime))))
	d := b.outputs.Decide(c.Files, during)
	if len(d.Later) > 0 {
		b.doubted = d
	}
	for _, file := range d.Outputs {
		b.process.Note("%s changes with every build: its changes are ignored from now on"+
			" (exclude it from --reload, or in .gitignore)", report.Visible(file))
	}
	return d
}

// later fires when the build for files that a build may have written is to begin; never if there are none.
func (b *rebuilder) later() <-chan time.Time {
	if len(b.doubted.Later) == 0 || b.ended.IsZero() {
		return nil
	}
	return time.After(time.Until(b.ended.Add(paced(settleTime + b.doubted.Pause))))
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
	b.began, b.ended, b.doubted = time.Now(), time.Time{}, buildDecision{}
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

// In how many rounds in a row a file may change: up to tolerated the next round comes at once, up to doubted
// after 1, 3 and 9 seconds, in which people save and builds do not; then it is an output.
const (
	tolerated = 2
	doubted   = 5
)

// buildOutputs finds the files that a build writes, so that a build does not lead to the next for ever: those
// that change in every round and never in the growing pauses between. The zero value knows none.
type buildOutputs struct {
	rounds  map[string]int  // how many rounds in a row a file changed in
	touched map[string]bool // changed in this round
}

// buildDecision is what changed files are a reason for.
type buildDecision struct {
	Now     []string      // a round at once
	Later   []string      // a round after a pause, unless something else is changed before
	Pause   time.Duration // how long, once this round is over
	Outputs []string      // nothing, from now on
}

// Begin begins a round. Files that did not change in the one before are outputs no more.
func (o *buildOutputs) Begin() {
	for file := range o.rounds {
		if !o.touched[file] {
			delete(o.rounds, file)
		}
	}
	o.touched = map[string]bool{}
}

// Decide sorts changed files. What changes between two rounds was changed by people.
func (o *buildOutputs) Decide(files []string, duringRound bool) (d buildDecision) {
	for _, file := range files {
		if !duringRound {
			delete(o.rounds, file)
			d.Now = append(d.Now, file)
			continue
		}
		n, first := o.count(file)
		switch {
		case n <= tolerated:
			d.Now = append(d.Now, file)
		case n <= doubted:
			d.Later = append(d.Later, file)
			d.Pause = max(d.Pause, [...]time.Duration{1, 3, 9}[n-tolerated-1]*time.Second)
		case n == doubted+1 && first:
			d.Outputs = append(d.Outputs, file)
		}
	}
	return d
}

// count is in how many rounds in a row a file changed, and whether it is the first time in this one.
func (o *buildOutputs) count(file string) (n int, first bool) {
	if o.rounds == nil {
		o.rounds, o.touched = map[string]int{}, map[string]bool{}
	}
	if first = !o.touched[file]; first {
		o.touched[file] = true
		o.rounds[file]++
	}
	return o.rounds[file], first
}
