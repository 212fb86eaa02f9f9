package watchrun

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/process"
	"github.com/mcpctl/mcpctl/internal/seen"
)

// rebuilder builds a server and restarts it when its files change. A nil *rebuilder lets the server start
// and has not failed.
type rebuilder struct {
	process host.Process
	line    string // the command that builds; empty = none
	files   *fileWatcher
	emit    func(WatchEvent)
	restart chan struct{} // asks for a new session
	asked   chan struct{} // asks for a build and a restart
	ready   chan struct{} // holds a value while the server may be started
	broken  atomic.Bool   // the last build failed

	// What follows belongs to the goroutine of run.
	held  bool // the server must not be started
	built bool // a build has succeeded
}

// Bounds of building.
const (
	pollPause    = 100 * time.Millisecond // at least, between polls of files
	pollShare    = 20                     // a poll is followed by a pause of so many times its duration
	gatherTime   = 3 * pollPause / 2      // in which further files may change
	settleTime   = 2 * time.Second        // after a build, in which its processes may still write files
	longestPause = time.Minute            // before a build for files that changed during the one before
	shownFiles   = 20                     // changed files that an event names
	buildTime    = 10 * time.Minute
	shownOfBuild = 16 << 10 // bytes of what the build wrote
)

// newRebuilder opens what Options.Reload names; emit receives events about the server.
func newRebuilder(
	ctx context.Context, p host.Process, o Options, emit func(WatchEvent),
) (*rebuilder, error) {
	files, err := newFileWatcher(ctx, p.Dir, o.Reload)
	if err != nil {
		return nil, exit.Misuse(err)
	}
	for _, glob := range files.unmatched {
		p.Note("--reload %q matches no file yet", glob)
	}
	b := &rebuilder{
		process: p, line: o.Build, files: files, emit: emit, held: o.Build != "",
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
		return errNotOne(len(servers))
	case servers[0].target.Live() && !servers[0].target.Starts():
		return errAtURL(servers[0].name())
	}
	return nil
}

// run builds and restarts whenever files change or a user asks, until ctx ends. Files that change during a
// build, or shortly after it, lead to the next one after ever longer pauses: a build or server that writes
// into a watched directory would otherwise set off the next for ever.
func (b *rebuilder) run(ctx context.Context) {
	now := b.build(ctx)
	defer func() { now.stop() }()
	poll := time.NewTimer(pollPause)
	defer poll.Stop()
	var failed error     // of the last poll
	var ended time.Time  // when the last build did, or the last restart without one
	var changed []string // files since the last build began
	var due <-chan time.Time
	var pause time.Duration
	for {
		var built chan struct{}
		if now != nil {
			built = now.ended
		}
		select {
		case <-ctx.Done():
			return
		case <-poll.C:
			began := time.Now()
			files, err := b.files.poll(ctx)
			if poll.Reset(max(pollPause, pollShare*time.Since(began))); err != nil && failed == nil {
				b.process.Note("%v", err)
			}
			if failed = err; len(files) == 0 {
				continue
			}
			if now == nil && time.Since(ended) > paced(settleTime) {
				pause = 0
			} else if due == nil {
				pause = min(max(2*pause, paced(time.Second)), longestPause)
			}
			if due == nil {
				due = time.After(max(pause, gatherTime))
			}
			changed = union(changed, files)
		case <-b.asked:
			due = time.After(0)
		case <-due:
			now.stop() // it is out of date
			b.emit(reloading(changed))
			changed, due = nil, nil
			if now = b.build(ctx); now == nil {
				signalOnce(b.restart)
				ended = time.Now()
			}
		case <-built:
			if ctx.Err() != nil { // it was canceled
				return
			}
			b.finish(now)
			now, ended = nil, time.Now()
		}
	}
}

// reloading returns the event of files that changed, or of a reload that a user asked for.
func reloading(files []string) WatchEvent {
	e := WatchEvent{Event: "reload", Files: files}
	switch more := len(files) - shownFiles; {
	case more > 0:
		e.Files, e.Note = files[:shownFiles], fmt.Sprintf("and %d more", more)
	case len(files) == 0:
		e.Note = "as asked"
	}
	return e
}

// buildRun is a run of the buildRun command.
type buildRun struct {
	began  time.Time
	cancel context.CancelFunc
	ended  chan struct{} // closed at the end; what follows is known then
	output process.Tail
	err    error
}

// build starts the build command; nil without one. The server is not started until a build has succeeded.
func (b *rebuilder) build(ctx context.Context) *buildRun {
	if b.line == "" {
		return nil
	}
	if !b.held {
		<-b.ready
		b.held = true
	}
	ctx, cancel := context.WithCancel(ctx)
	now := &buildRun{began: time.Now(), cancel: cancel, ended: make(chan struct{})}
	now.output.Limit = shownOfBuild
	command := process.ShellCommand{Line: b.line, Env: b.process.Environ, Limit: buildTime}
	go func() {
		defer close(now.ended)
		now.err = command.Run(ctx, &now.output, &now.output)
	}()
	return now
}

// stop cancels a build and waits until nothing of it is left.
func (now *buildRun) stop() {
	if now != nil {
		now.cancel()
		<-now.ended
	}
}

// finish takes the outcome of a build: the running server stays, or is restarted.
func (b *rebuilder) finish(now *buildRun) {
	took := time.Since(now.began).Milliseconds()
	e := WatchEvent{Event: "build", Elapsed: &took}
	if now.err != nil {
		e.Error = &seen.Failure{
			Stage: "building", Message: now.err.Error(), Stderr: now.output.String(),
			Hint: "it is built again when a file changes, or on r + Enter",
		}
	}
	b.broken.Store(now.err != nil)
	b.emit(e)
	if now.err == nil && b.built { // otherwise nothing runs yet, and its start waits for b.ready
		signalOnce(b.restart)
	}
	if b.built = b.built || now.err == nil; b.built {
		b.held = false
		b.ready <- struct{}{}
	}
}

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
