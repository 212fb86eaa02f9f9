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
	cmd := &exec.Cmd{Path: file, Args: append([]string{c.Path}, c.Args...), Env: c.Env, Dir: c.Dir, ExtraFiles: files}
	if cmd.Env == nil {
		cmd.Env = []string{} // nil would mean all of ours
	}
	cmd.SysProcAttr = process.OwnGroup()
	stdin, errIn := cmd.StdinPipe()
	stdout, errOut := cmd.StdoutPipe() // an *os.File, as stderr
	stderr, errErr := cmd.StderrPipe()
	if err := errors.Join(errIn, errOut, errErr); err != nil {
		return nil, &process.StartError{Command: c.Path, Err: err}
	}
	ch := &child{
		cmd: cmd, stdin: &stdinWriter{file: stdin, wake: make(chan struct{}, 1)}, stdout: stdout.(*os.File),
		stderr: &stderrPipe{file: stderr.(*os.File), ended: make(chan struct{}), tail: process.Tail{Limit: stderrKept}},
		grace:  cmp.Or(c.Grace, defaultGrace), exited: make(chan struct{}),
	}
	started := make(chan error, 1)
	go ch.run(started)
	if err = <-started; err != nil {
		return nil, process.StartFailure(c.Path, file, err)
	}
	go ch.stderr.run()
	return ch, nil
}

// run starts the child and waits for it on one thread: Linux sends the death signal when the thread that started it ends.
func (c *child) run(started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := c.cmd.Start(); err != nil {
		started <- err
		return
	}
	group, err := process.GroupOf(c.cmd.Process)
	if err != nil {
		_ = c.cmd.Process.Kill()
		_ = c.cmd.Wait()
		started <- err
		return
	}
	c.group = group
	started <- nil
	state, err := c.cmd.Process.Wait() // that of os/exec would close the pipes, and what is still in them would be lost
	if err == nil && !c.stopping.Load() {
		c.state = state.String()
	}
	close(c.exited)
}

// read ends with the stream, and soon after the child: a grandchild may hold the other end open for ever.
func (c *child) read(buf []byte) (int, error) {
	for {
		last := within(c.exited, 0)
		if last {
			if n := pending(c.stdout, buf); n > 0 { // a deadline may pass before its read begins
				return n, nil
			}
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

// loss is the end of the child, or of its stdout, as an error; it waits a little for the facts.
func (c *child) loss() *LostError {
	if !within(c.exited, exitWait) {
		return &LostError{Cause: "the server closed its standard output", Stderr: c.stderr.text()}
	}
	within(c.stderr.ended, drainWait)
	return &LostError{Exited: true, Exit: c.state, Stderr: c.stderr.text()}
}

// stop ends the child and its whole tree and waits for that. Its stdin must be closed.
func (c *child) stop() error {
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
	c.stdin.abort()
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

// Bounds of what waits for a child that does not read its stdin.
const (
	stdinLimit  = 16 << 20 // bytes, with our requests
	answerLimit = 1 << 20  // bytes, with answers to the child's own requests, of which it decides how many there are
)

var errNotReading = errors.New("the server does not read its standard input")

// stdinWriter writes to a child's stdin without ever making the caller wait.
type stdinWriter struct {
	file io.WriteCloser
	wake chan struct{} // capacity 1

	mu     sync.Mutex
	queue  []byte
	closed bool
	err    error
}

// write queues p, unless more than limit would wait then.
func (w *stdinWriter) write(p []byte, limit int) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.err != nil:
		return w.err
	case w.closed:
		return io.ErrClosedPipe
	case len(w.queue)+len(p) > limit:
		return errNotReading
	}
	w.queue = append(w.queue, p...)
	w.ring()
	return nil
}

func (w *stdinWriter) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closed = true
	w.ring()
}

// abort closes the file now, which ends a write that hangs.
func (w *stdinWriter) abort() {
	w.close()
	_ = w.file.Close()
}

// run writes until close. The error is of a child that no longer takes its stdin.
func (w *stdinWriter) run() error {
	defer w.file.Close()
	for range w.wake {
		batch, closed := w.take()
		if _, err := w.file.Write(batch); err != nil {
			return w.broke()
		}
		if closed {
			return nil
		}
	}
	return nil
}

func (w *stdinWriter) take() ([]byte, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	batch := w.queue
	w.queue = nil
	return batch, w.closed
}

func (w *stdinWriter) broke() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.err = &LostError{Cause: "the server closed its standard input"}
	return w.err
}

// ring wakes run; the caller holds the lock.
func (w *stdinWriter) ring() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}
