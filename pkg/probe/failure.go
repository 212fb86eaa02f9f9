package probe

import (
	"context"
	"errors"
	"strings"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/redact"
	"github.com/mcpctl/mcpctl/internal/transport"
)

// failure is what an error text and its hint are made of.
type failure struct {
	server  Server
	options Options
	stage   Stage
	err     error
	stderr  string
	noise   []string
	noLogin bool // Authorize said that there is none
	stopped bool // the run was interrupted, which is the cause
}

// explain makes a failure one that a person can act on. The connection is nil when there is none.
func (a attempt) explain(ctx context.Context, stage Stage, err error, conn *transport.Conn) *Error {
	f := failure{server: a.server, options: a.options, stage: stage,
		err: ended(ctx, err, a.seen.heard.Load()), noLogin: a.seen.noLogin.Load()}
	f.stopped = ctx.Err() != nil && f.err == context.Cause(ctx) && !is[*timeoutError](f.err)
	if conn != nil {
		f.stderr = conn.Stderr()
		f.noise = conn.Noise()
		if start := conn.Unended(); start != "" {
			f.noise = append(f.noise, start)
		}
	}
	if answer, ok := errors.AsType[*RPCError](err); ok {
		answer.Message = kit.Clip(a.masks().Text(answer.Message), longText)
		answer.shown, _ = a.masks().JSON(answer.data)
	}
	code, seen := codeOf(f)
	stderr := a.masks().Cut(f.stderr)
	if len(f.stderr) >= transport.StderrKept {
		stderr = "…" + stderr // its first line is not whole
	}
	return &Error{
		Server: a.server.Name, Stage: stage, Code: code, Facts: seen.masked(a.masks()),
		Stderr: stderr, Hint: a.masks().Text(hintIn(f.err)),
		Err: &cause{text: text(f, a.masks()), original: f.err},
	}
}

// text returns the cause, with what the server wrote to stdout when that is all that it wrote.
func text(f failure, secrets redact.Secrets) string {
	text := plain(f.err)
	if f.server.HTTP != nil && unreachable(f.err) && !is[*transport.CredentialsError](f.err) {
		text = "cannot connect to " + f.shortURL() + ": " + text
	}
	text = kit.Clip(secrets.Text(text), longText)
	silent := exited(f.err) != "" && f.stderr == "" || is[*timeoutError](f.err)
	if !silent || len(f.noise) == 0 {
		return text
	}
	lines := kit.Map(f.noise, func(line string) string { return strings.TrimSpace(secrets.Cut(line)) })
	return text + "; it wrote to stdout: " + kit.Clip(strings.Join(lines, " | "), longText)
}

// originalOf returns the cause of an *Error with its secrets.
func originalOf(err error) error {
	if shown, ok := errors.AsType[*cause](err); ok {
		return shown.original
	}
	return err
}
