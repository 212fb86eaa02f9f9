// Command mcpctl lists, compares and checks MCP (Model Context Protocol) servers.
//
// It lists what servers offer, saves it, says what changed and who breaks. See docs/reference.md for its
// commands, sources and exit statuses.
package main

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"sync"
	"syscall"
	"time"

	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/printable"
	"github.com/mcpctl/mcpctl/internal/process"
)

// main waits, once the report is written, for servers to end and for exchanges of tokens that outlive their
// run, and ends the processes that servers left behind. After a signal the status is that of the signal.
func main() {
	// The MCP library logs through the default logger; stderr is for our own messages.
	slog.SetDefault(slog.New(slog.DiscardHandler))
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(softMemory)
	}
	endOrphans := process.AdoptOrphans()
	ctx, interrupt, again := signalContext()
	p := ofSystem(ctx, interrupt)
	p.Again = again
	var background sync.WaitGroup
	places := make(chan struct{}, mostEnding)
	p.Background = func(work func()) {
		places <- struct{}{}
		background.Go(func() {
			defer func() { <-places }()
			work()
		})
	}
	ballast := make([]byte, ballastSize)
	status := run(ctx, os.Args[1:], p)
	runtime.KeepAlive(ballast)
	background.Wait() // all servers have their time at once
	host.Finish(again, func() {
		p.Note("finishing the renewal of a login, at most %s; a second signal ends it", host.RenewalTime)
	})
	endOrphans()
	if ctx.Err() != nil {
		status = exit.CodeOf(context.Cause(ctx))
	}
	os.Exit(status)
}

// softMemory is where memory is collected more often, in bytes: what a run may hold, and the lists of the
// largest server as they are read and written.
const softMemory = 512 << 20

// ballastSize is what counts as live though no page of it is ever touched, in bytes: a small heap is
// collected less often, which took a sixth of a large comparison; a large one grows by no more than this.
const ballastSize = 32 << 20

// mostEnding is how many servers may be ending while others start.
const mostEnding = 256

// stopWait is how long an interrupted run may take to stop its servers, rather than leave them behind.
const stopWait = 3 * time.Second

// signalContext ends at the first SIGINT, SIGTERM or SIGHUP, unless nohup has that ignored; after a second,
// which closes again, the process ends within stopWait, after a third at once.
func signalContext() (_ context.Context, interrupt context.CancelCauseFunc, again <-chan struct{}) {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) // see standardOutput
	ctx, cancel := context.WithCancelCause(context.Background())
	arrived, second := make(chan os.Signal, 2), make(chan struct{})
	signal.Notify(arrived, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) {
		signal.Notify(arrived, syscall.SIGHUP)
	}
	go func() {
		first := <-arrived
		cancel(exit.Interrupted{Signal: first})
		last := exit.Interrupted{Signal: <-arrived}
		close(second)
		select {
		case <-arrived:
		case <-time.After(stopWait):
		}
		os.Exit(last.Status())
	}()
	return ctx, cancel, second
}

// standardOutput interrupts the run once its reader has left; SIGPIPE would leave behind what servers have
// started.
type standardOutput struct{ interrupt context.CancelCauseFunc }

// Write writes to standard output, and interrupts the run once its reader has gone.
func (o standardOutput) Write(p []byte) (int, error) {
	n, err := os.Stdout.Write(p)
	if errors.Is(err, syscall.EPIPE) {
		o.interrupt(exit.Interrupted{Signal: syscall.SIGPIPE})
	}
	return n, err
}

// Unwrap returns the stream itself, which may be a terminal.
func (o standardOutput) Unwrap() io.Writer { return os.Stdout }

// ofSystem returns the process of a run that ctx ends; interrupt ends it when standard output is closed.
func ofSystem(ctx context.Context, interrupt context.CancelCauseFunc) host.Process {
	out := host.Interruptible(ctx, standardOutput{interrupt})
	stderr := host.Interruptible(ctx, os.Stderr)
	p := host.Process{In: host.InterruptibleInput(ctx, os.Stdin), Out: out,
		Err: printable.Guard(stderr, printable.SpelledOut), Environ: os.Environ(), GOOS: runtime.GOOS,
		Version: version(), Now: time.Now()}
	p.Dir, _ = os.Getwd()
	p.Home, _ = os.UserHomeDir()
	return p
}
