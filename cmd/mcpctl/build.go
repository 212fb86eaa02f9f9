package main

import (
	"context"
	"time"

	"github.com/mcpctl/mcpctl/internal/process"
	"github.com/mcpctl/mcpctl/internal/reload"
	"github.com/mcpctl/mcpctl/internal/report"
)

// Bounds of --build.
const (
	buildTime    = 10 * time.Minute
	shownOfBuild = 16 << 10
)

// build is one run of --build, or of nothing.
type build struct {
	cancel context.CancelFunc
	done   chan *report.Failure // its outcome, once; nil = it succeeded
	ended  chan struct{}
}

// begin begins to build what the files are now. Until that has ended the server is not started.
func (d *development) begin(ctx context.Context, wanted bool) build {
	ctx, cancel := context.WithCancel(ctx)
	b := build{cancel: cancel, done: make(chan *report.Failure, 1), ended: make(chan struct{})}
	d.began, d.ended, d.doubted = time.Now(), time.Time{}, reload.Decision{}
	d.outputs.Begin()
	if !wanted {
		close(b.ended)
		d.ended = d.began
		return b
	}
	if d.how.build == "" {
		close(b.ended)
		b.done <- nil
		return b
	}
	if !d.held {
		<-d.ready
		d.held = true
	}
	go func() {
		defer close(b.ended)
		b.done <- d.build(ctx)
	}()
	return b
}

// build runs --build. A failure shows what the compiler had to say.
func (d *development) build(ctx context.Context) *report.Failure {
	said := process.Tail{Limit: shownOfBuild}
	command := process.ShellCommand{Line: d.how.build, Env: d.Environ, Limit: buildTime, KillGroup: true}
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
