package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"time"
)

// errand is a command line for the system's shell, and how long it may take.
type errand struct {
	line    string
	environ []string
	input   []byte
	limit   time.Duration
	dir     string // working folder; empty = the current one
	whole   bool   // what it leaves running in the background ends with it, and keeps nobody waiting
}

// commandGrace is how long the output of a command is waited for once the command has ended.
const commandGrace = time.Second

// run runs it with both outputs going to said.
func (e errand) run(ctx context.Context, said io.Writer) error { return e.runApart(ctx, said, said) }

// runApart runs it. When its time or ctx ends, so does everything that it has started, and the error is the reason.
func (e errand) runApart(ctx context.Context, out, said io.Writer) error {
	ctx, cancel := context.WithTimeoutCause(ctx, e.limit, fmt.Errorf("not done after %s", e.limit))
	defer cancel()
	shell := shellOf(e.line)
	cmd := exec.CommandContext(ctx, shell[0], shell[1:]...)
	cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = e.environ, bytes.NewReader(e.input), out, said, commandGrace
	cmd.Dir = e.dir
	endsWhole(cmd)
	err := cmd.Run()
	if e.whole {
		endRest(cmd)
		if errors.Is(err, exec.ErrWaitDelay) { // something in the background kept its output open
			err = nil
		}
	}
	if why := context.Cause(ctx); err != nil && why != nil {
		return why
	}
	return err
}
