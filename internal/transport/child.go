package transport

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpctl/mcpctl/internal/process"
)

// What a child gets of time.
const (
	defaultGrace = 500 * time.Millisecond // between SIGTERM and SIGKILL
	killWait     = 2 * time.Second        // after SIGKILL; only a process stuck in the kernel needs it
	drainWait    = 200 * time.Millisecond // for what is still in its pipes once it is gone
	writeWait    = 10 * time.Second       // to read its stdin, when the pipe is full
	stderrWait   = 50 * time.Millisecond  // for what it has just written to its stderr
	exitWait     = 500 * time.Millisecond // for its exit once its stdout has ended
)

const stderrKept = 8 << 10 // bytes of a child's stderr: its end

type child struct {
	cmd    *exec.Cmd
	group  *process.Group
	stdin  *stdinWriter
	stdout *os.File
	stderr *stderrPipe
	grace  time.Duration

	exited   chan struct{} // closed when the child is gone and state is set
	state    string        // how it ended
	stopping atomic.Bool   // it is us who end it
}

func startChild(c Command) (*child, error) {
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
		if err != nil {
			return nil, &process.StartError{Command: c.Path, Err: err}
		}
	}
	cmd := &exec.Cmd{Path: file, Args: append([]string{c.Path}, c.Args...), Env: c.Env, Dir: c.Dir,
		ExtraFiles: files}
	environ, run := process.Marked(c.Env)
	cmd.Env = environ
	cmd.SysProcAttr = process.OwnGroup()
	stdin, errIn := cmd.StdinPipe()
	stdout, errOut := cmd.StdoutPipe() // an *os.File, as stderr
	stderr, errErr := cmd.StderrPipe()
	if err := errors.Join(errIn, errOut, errErr); err != nil {
		return nil, &process.StartError{Command: c.Path, Err: err}
	}
	ch := &child{
		cmd: cmd, stdin: &stdinWriter{file: stdin.(*os.File)}, stdout: stdout.(*os.File),
		stderr: &stderrPipe{file: stderr.(*os.File), ended: make(chan struct{}),
			tail: process.Tail{Limit: stderrKept}},
		grace: cmp.Or(c.Grace, defaultGrace), exited: make(chan struct{}),
	}
	started := make(chan error, 1)
	go ch.run(started, run)
	if err = <-started; err != nil {
		return nil, process.StartFailure(c.Path, file, err)
	}
	go ch.stderr.run()
	return ch, nil
}

// run starts the child and waits for it on one thread: Linux sends the death signal when the thread that
// started it ends.
func (c *child) run(started chan<- error, run string) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := c.cmd.Start(); err != nil {
		started <- err
		return
	}
	group, err := process.GroupOf(c.cmd.Process, run)
	if err != nil {
		_ = c.cmd.Process.Kill()
		_ = c.cmd.Wait()
		started <- err
		return
	}
	c.group = group
	started <- nil
	// that of os/exec would close the pipes, and what is still in them would be lost
	state, err := c.cmd.Process.Wait()
	if err == nil && !c.stopping.Load() {
		c.state = state.String()
	}
	close(c.exited)
}

// Read reads stdout. It ends with the stream, and soon after the child: a grandchild may hold the other end
// open for ever.
func (c *child) Read(buf []byte) (int, error) {
	for {
		last := within(c.exited, 0)
		if last {
			_ = c.stdout.SetReadDeadline(time.Now().Add(drainWait))
		}
		n, err := c.stdout.Read(buf)
		if n > 0 || last || !errors.Is(err, os.ErrDeadlineExceeded) {
			return n, err
		}
	}
}

// wake ends a read that waits when the child goes.
func (c *child) wake() {
	<-c.exited
	_ = c.stdout.SetReadDeadline(time.Now())
}

// loss returns the end of the child, or of its stdout, as an error; it waits a little for the facts.
func (c *child) loss() error {
	if c.stopping.Load() {
		return ErrTransportClosed
	}
	if !within(c.exited, exitWait) {
		return &LostError{Cause: "the server closed its standard output", Stderr: c.stderr.text()}
	}
	within(c.stderr.ended, drainWait)
	return &LostError{Exited: true, Exit: c.state, Stderr: c.stderr.text()}
}

// stop ends the child and its whole tree, after its stdin, and waits for that.
func (c *child) stop() error {
	c.group.Look()
	_ = c.stdin.Close()
	c.stopping.Store(true)
	defer c.release()
	if c.over(process.LeaveWait) {
		return nil
	}
	c.group.Terminate()
	if c.over(c.grace) {
		return nil
	}
	c.group.Kill()
	if !within(c.exited, killWait) {
		return fmt.Errorf("stopping the server: process %d does not end", c.cmd.Process.Pid)
	}
	return nil
}

func (c *child) over(limit time.Duration) bool {
	end := time.Now().Add(limit)
	if !within(c.exited, limit) {
		return false
	}
	for pause := time.Millisecond; c.group.Alive(); pause *= 2 {
		if time.Now().Add(pause).After(end) {
			return false
		}
		time.Sleep(pause)
	}
	return true
}

// release closes what is left of the child's pipes and its tree.
func (c *child) release() {
	_ = c.stdout.Close()
	within(c.stderr.ended, drainWait)
	_ = c.stderr.file.Close()
	c.group.Release()
}

// within waits for a channel to be closed, for at most d.
func within(done <-chan struct{}, d time.Duration) bool {
	select {
	case <-done:
		return true
	default:
	}
	if d <= 0 || done == nil { // a nil channel is never closed: there is nothing to wait for
		return false
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-done:
		return true
	case <-t.C:
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

// Write writes one message. It waits, up to a bound, for a child that does not read.
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

// stderrPipe keeps the end of what a child writes to its stderr.
type stderrPipe struct {
	file  *os.File
	ended chan struct{} // closed when nothing more comes
	tail  process.Tail
}

// run reads until the pipe ends, or is closed.
func (s *stderrPipe) run() {
	defer close(s.ended)
	_, _ = io.Copy(&s.tail, s.file)
}

// text returns the end of what was written until now. It waits a little for what is still in the pipe.
func (s *stderrPipe) text() string {
	within(s.ended, stderrWait)
	return s.tail.String()
}
