package transport

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"time"

	mcpgo "github.com/mark3labs/mcp-go/client/transport"

	"github.com/mcpctl/mcpctl/internal/process"
)

// How long a child is waited for.
const (
	// between the end of its stdin and SIGTERM: a Node server with an open socket needs 50 to 355 ms, Python
	// 7 to 53, and launchers hand the end on (specification, lifecycle, shutdown)
	leaveWait    = 500 * time.Millisecond
	defaultGrace = 2 * time.Second        // between SIGTERM and SIGKILL; Windows has no SIGTERM
	killWait     = 2 * time.Second        // after SIGKILL; only a process stuck in the kernel needs it
	drainWait    = 200 * time.Millisecond // for what is still in its pipes once it is gone
	writeWait    = 10 * time.Second       // for it to read its stdin, when the pipe is full
	exitWait     = 500 * time.Millisecond // for its exit once its stdout has ended
)

// StderrKept is how many bytes of a child's stderr are kept: its end.
const StderrKept = 8 << 10

// stdioChild is a stdio server that was started.
type stdioChild struct {
	cmd    *exec.Cmd
	group  *process.Group
	stdin  *stdinWriter
	stdout *os.File
	errors *os.File // its stderr
	stderr process.Tail
	grace  time.Duration // between SIGTERM and SIGKILL

	exited  chan struct{} // closed when the child is gone, and its stderr read
	drained chan struct{} // closed when its stderr has ended
}

// startChild starts a command with pipes for its standard streams. A launcher is looked up without relative
// entries of PATH. The error is a *process.StartError.
func startChild(c Command) (*stdioChild, error) {
	search := c.Env
	if c.Search != "" {
		search = []string{"PATH=" + c.Search}
	}
	look := process.LookPath
	if process.IsLauncher(c.Path) { // what it starts decides the rest
		look = func(name, _ string, env []string) (string, error) { return process.Tool(name, env) }
	}
	file, err := look(c.Path, c.Dir, search)
	if err != nil {
		return nil, err
	}
	var files []*os.File
	if c.Files != nil {
		files, err = c.Files()
		for _, f := range files {
			defer f.Close()
		}
	}
	if err != nil {
		return nil, &process.StartError{Command: c.Path, Err: err}
	}
	ch := &stdioChild{grace: defaultGrace, exited: make(chan struct{}), drained: make(chan struct{}),
		stderr: process.Tail{Limit: StderrKept}}
	ch.cmd = &exec.Cmd{Path: file, Args: append([]string{c.Path}, c.Args...), Env: c.Env, Dir: c.Dir,
		ExtraFiles: files}
	stdin, errIn := ch.cmd.StdinPipe()
	// those of os/exec are closed soon after the exit of a launcher, while its server may still write
	stdout, end, errOut := os.Pipe()
	stderr, endOfErrors, errErr := os.Pipe()
	if err := errors.Join(errIn, errOut, errErr); err != nil {
		return nil, &process.StartError{Command: c.Path, Err: err}
	}
	defer end.Close()
	defer endOfErrors.Close()
	ch.stdin, ch.stdout, ch.errors = &stdinWriter{file: stdin.(*os.File)}, stdout, stderr
	ch.cmd.Stdout, ch.cmd.Stderr = end, endOfErrors
	started := make(chan error, 1)
	go ch.run(started)
	if err = <-started; err != nil {
		_, _ = stdout.Close(), stderr.Close()
		return nil, process.StartFailure(c.Path, file, err)
	}
	return ch, nil
}

// run starts the child and waits for it on one thread: Linux sends the death signal when the thread that
// started it ends.
func (c *stdioChild) run(started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var err error
	c.group, err = process.Start(c.cmd)
	if started <- err; err != nil {
		return
	}
	go func() {
		_, _ = io.Copy(&c.stderr, c.errors)
		close(c.drained)
	}()
	_ = c.cmd.Wait()
	within(c.drained, drainWait)
	_ = c.stdout.SetReadDeadline(time.Now().Add(drainWait)) // a grandchild may hold it open for ever
	close(c.exited)
}

// stop ends the child and its whole tree, by closing its stdin first, and waits for that.
func (c *stdioChild) stop() error {
	c.group.Look()
	_ = c.stdin.Close()
	defer func() {
		_, _ = c.stdout.Close(), c.errors.Close()
		<-c.drained
		c.group.Release()
	}()
	if c.ends(leaveWait) {
		return nil
	}
	c.group.Terminate()
	if c.ends(c.grace) {
		return nil
	}
	c.group.Kill()
	if !within(c.exited, killWait) {
		return fmt.Errorf("stopping the server: process %d does not end", c.cmd.Process.Pid)
	}
	return nil
}

// longestLook is the longest pause between two looks at what is left of a tree. A look may read all of /proc.
const longestLook = 50 * time.Millisecond

// ends reports whether the child and its tree end within a limit, which they have in full.
func (c *stdioChild) ends(limit time.Duration) bool {
	end := time.Now().Add(limit)
	if !within(c.exited, limit) {
		return false
	}
	for pause := time.Millisecond; c.group.Alive(); pause = min(2*pause, longestLook) {
		left := time.Until(end)
		if left <= 0 {
			return false
		}
		time.Sleep(min(pause, left))
	}
	return true
}

// within waits for a channel to be closed, for at most d, and reports whether it is.
func within(done <-chan struct{}, d time.Duration) bool {
	select {
	case <-done:
		return true
	case <-time.After(d):
		return false
	}
}

// Errors of writing to a child's stdin.
var (
	errNotReading = errors.New("the server does not read its standard input")
	errStdinEnded = &LostError{Cause: "the server closed its standard input"}
)

// stdinWriter writes to a child's stdin, one message at a time.
type stdinWriter struct {
	file *os.File
	mu   sync.Mutex
	err  error // the first error: after a part of a message nothing can follow
}

// Write writes one message. It waits, up to a limit, for a child that does not read.
func (w *stdinWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err != nil {
		return 0, w.err
	}
	_ = w.file.SetWriteDeadline(time.Now().Add(writeWait))
	n, err := w.file.Write(p)
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		w.err = errNotReading
	case err != nil:
		w.err = errStdinEnded
	}
	return n, w.err
}

// Close ends stdin, and a write that waits.
func (w *stdinWriter) Close() error { return w.file.Close() }

// Command is a stdio server to start.
type Command struct {
	Path   string   // a name looked up in the PATH of Env, or a path
	Args   []string // its arguments, without its own name
	Env    []string // the whole environment of the child, "K=V"
	Dir    string   // working directory; empty = the current one
	Search string   // the PATH that a name is looked up in; empty = that of Env
	// its descriptors from 3 on, ours to close once it has started; nil = none
	Files func() ([]*os.File, error)
}

// StartStdio starts a server as a child process in a process group of its own, which runs until Close. The
// error is a *process.StartError.
func StartStdio(command Command, h Handlers) (*Conn, error) {
	ch, err := startChild(command)
	if err != nil {
		return nil, err
	}
	c := newConn(KindStdio, h)
	c.child = ch
	out, receipts := io.Pipe()
	stdio := mcpgo.NewIO(out, ch.stdin, nil)
	mcpgo.WithCommandLogger(quiet)(stdio)
	c.carrier = stdio
	c.readers.Go(func() { c.readLines(receipts) })
	if err := stdio.Start(c.life); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// readLines reads the stdout of the child to its end, and writes the receipts of replies.
func (c *Conn) readLines(receipts *io.PipeWriter) {
	defer receipts.Close()
	stdout := &metered{Reader: c.child.stdout, meter: c.handlers.Meter}
	kept := false
	take := func(f stdoutPart) {
		kept = kept || f.noise == nil && f.err == nil && f.message.isReply()
		c.noise.wait(nil)
		// first, so that it is known when the call fails; a message that is too large is one
		if f.noise != nil && !is[*TooLongError](f.err) {
			c.noise.add(f.noise)
		}
		switch {
		case f.err != nil:
			c.calls.failOne(f.id, f.err)
		case f.noise == nil:
			if call := c.take(c.life, f.message); call != nil {
				_, _ = receipts.Write(append(call.receipt(), '\n'))
			}
		}
	}
	lines := newFramer(stdout)
	lines.waits, lines.skips = c.noise.wait, func() { stdout.settle(false) }
	var err error
	for ; err == nil; kept = false {
		err = lines.next(take)
		stdout.settle(kept)
	}
	if is[*TooMuchError](err) {
		c.lose(err)
		return
	}
	if within(c.child.exited, exitWait) {
		c.lose(&LostError{Exit: c.child.cmd.ProcessState.String()})
	} else {
		c.lose(&LostError{Cause: "the server closed its standard output"})
	}
}
