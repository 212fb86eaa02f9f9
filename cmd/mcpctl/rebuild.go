package main

import (
	"context"
	"io"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/internal/process"
	"github.com/mcpctl/mcpctl/internal/report"
)

// rebuildTime bounds one build of --base-ref. It is there so that no run waits for ever, not to hurry anyone.
const rebuildTime = time.Hour

// rebuild runs --build in a folder, and gives nil or why it failed. What it leaves running in the background ends with it.
// Its output goes to standard error with --verbose, never to standard output.
func (inv *invocation) rebuild(ctx context.Context, line, dir string, environ []string) *report.Failure {
	said := process.Tail{Limit: shownOfBuild}
	var out io.Writer = &said
	if inv.Verbose {
		out = io.MultiWriter(&said, inv.Err)
	}
	environ = append(environ[:len(environ):len(environ)], "PWD="+dir)
	command := process.ShellCommand{Line: line, Dir: dir, Env: environ, Limit: rebuildTime, KillGroup: true}
	if err := command.Run(ctx, out, out); err != nil {
		return &report.Failure{Stage: "building", Message: err.Error(), Stderr: strings.TrimSpace(said.String())}
	}
	return nil
}
