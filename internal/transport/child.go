package transport

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/mcpctl/mcpctl/internal/process"
)

// stderrKept bounds what is kept of a child's stderr, in bytes: its end.
const stderrKept = 8 << 10

// What a child gets of time.
const (
	defaultGrace = 500 * time.Millisecond // between SIGTERM and SIGKILL
	killWait     = 2 * time.Second        // after SIGKILL; only a process stuck in the kernel needs it
	drainWait    = 200 * time.Millisecond // for what is still in its pipes once it is gone
	exitWait     = 500 * time.Millisecond // for its exit once its stdout has ended
)

// child is a running server and our ends of its pipes.
type child struct {
	cmd    *exec.Cmd
	group  *process.Group
	stdin  *feeder
	stdout *os.File
	stderr *os.File
	grace  time.Duration

	errors   process.Tail  // the end of stderr
	quiet    chan struct{} // closed when stderr has ended
	exited   chan struct{} // closed when the child is gone and state is set
	state    string        // how it ended
	stopping atomic.Bool   // it is us who end it
}

// startChild starts the command. Pipes are ours, not os/exec's: its Wait must not wait for a grandchild's end of them.
func startChild(c Command) (*child, error) {
	file, err := process.LookPath(c.Path, c.Dir, c.Env)
	if err != nil {
		return nil, err
	}
	p, err := newPipes()
	if err != nil {
		return nil, &process.StartError{Command: c.Path, Err: err}
	}
	cmd := &exec.Cmd{Path: file, Args: append([]string{c.Path}, c.Args...), Env: c.Env, Dir: c.Dir}
	if cmd.Env == nil {
		cmd.Env = []string{} // nil would mean all of ours
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = p[0].theirs, p[1].theirs, p[2].theirs
	cmd.SysProcAttr = process.OwnGroup()
	ch := &child{
		cmd: cmd, stdin: newFeeder(p[0].ours), stdout: p[1].ours, stderr: p[2].ours,
		grace: cmp.Or(c.Grace, defaultGrace), quiet: make(chan struct{}), exited: make(chan struct{}),
		errors: process.Tail{Limit: stderrKept},
	}
	started := make(chan error, 1)
	go ch.run(started)
	err = <-started
	p.closeTheirs()
	if err != nil {
		p.closeOurs()
		return nil, process.StartFailure(c.Path, file, err)
	}
	go func() {
		defer close(ch.quiet)
		_, _ = io.Copy(&ch.errors, ch.stderr)
	}()
	return ch, nil
}

// run starts the child and waits for it, on one thread from start to end: Linux sends the child its death signal when
// the thread that started it ends, not when the process does.
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
	_ = c.cmd.Wait()
	if !c.stopping.Load() {
		c.state = c.cmd.ProcessState.String()
	}
	close(c.exited)
}

// read is stdout's next bytes. It ends at the end of the stream, and soon after the child's: a grandchild may hold the
// other end open for ever.
func (c *child) read(buf []byte) (int, error) {
	for {
		last := c.gone()
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

func (c *child) gone() bool { return within(c.exited, 0) }

// loss is the end of the child, or of its stdout, as an error; it waits a little for the facts.
func (c *child) loss() *LostError {
	if !within(c.exited, exitWait) {
		return &LostError{Cause: "the server closed its standard output", Stderr: c.errors.String()}
	}
	within(c.quiet, drainWait)
	return &LostError{Exited: true, Exit: c.state, Stderr: c.errors.String()}
}

// stop ends the child and its whole group and waits for that. Its stdin must be closed.
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

// kill ends the group at once.
func (c *child) kill() {
	c.stopping.Store(true)
	c.group.Look()
	c.group.Kill()
}

// over waits for the child and then for the rest of its group.
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

// release closes what is left of the child's pipes and its group.
func (c *child) release() {
	c.stdin.abort()
	_ = c.stdout.Close()
	within(c.quiet, drainWait)
	_ = c.stderr.Close()
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
