// Package process runs commands: found as a child's own environment finds them, in a process group that ends as a whole.
package process

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"runtime"
	"time"
)

// ShellCommand is a command line for the system's shell, and how long it may take.
type ShellCommand struct {
	Line      string
	Dir       string   // working folder; empty = the current one
	Env       []string // "K=V"; nil = ours
	Stdin     []byte
	Limit     time.Duration
	KillGroup bool // what it leaves running in the background ends with it, and keeps nobody waiting
}

// Run runs the command with its outputs going to stdout and stderr. When its time or ctx ends, so does everything that it has
// started, and the error is the reason.
func (c ShellCommand) Run(ctx context.Context, stdout, stderr io.Writer) error {
	ctx, cancel := context.WithTimeoutCause(ctx, c.Limit, fmt.Errorf("not done after %s", c.Limit))
	defer cancel()
	shell := shellOf(c.Line)
	cmd := exec.CommandContext(ctx, shell[0], shell[1:]...)
	cmd.Dir, cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = c.Dir, c.Env, bytes.NewReader(c.Stdin), stdout, stderr
	err := Run(cmd, c.KillGroup)
	if c.KillGroup && errors.Is(err, exec.ErrWaitDelay) { // something in the background kept its output open
		err = nil
	}
	if why := context.Cause(ctx); err != nil && why != nil {
		return why
	}
	return err
}

// outputWait is how long the output of a command is waited for once the command has ended.
const outputWait = time.Second

// Run runs a command, made by exec.CommandContext, in a process group of its own, all of which ends with its context; with
// killRest, what is left of the group when the command has ended is ended too.
func Run(cmd *exec.Cmd, killRest bool) error {
	runtime.LockOSThread() // see OwnGroup
	defer runtime.UnlockOSThread()
	var group *Group
	started := make(chan struct{})
	cmd.SysProcAttr, cmd.WaitDelay = OwnGroup(), outputWait
	cmd.Cancel = func() error {
		if <-started; group == nil {
			return cmd.Process.Kill()
		}
		group.Kill()
		return nil
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	group, err := GroupOf(cmd.Process)
	close(started)
	if err != nil {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		return err
	}
	defer group.Release()
	err = cmd.Wait()
	if killRest {
		group.Kill()
	}
	return err
}
