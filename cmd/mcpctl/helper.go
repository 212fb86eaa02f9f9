package main

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"sync"
	"time"

	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/process"
	"github.com/mcpctl/mcpctl/internal/redact"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/pkg/probe"
)

// Bounds of a command that gives headers. Claude Code gives its headersHelper ten seconds, too.
const (
	helperTime   = 10 * time.Second
	helperOutput = 64 << 10
)

// helped gives the headers of a server's helper. What it gave is kept for the run and in memory alone; after a refusal it
// is run once more, and what is no better then is no answer.
func helped(server probe.Server, environ []string, fixed map[string]probe.Secret) probe.Authorize {
	var turn sync.Mutex
	var last map[string]probe.Secret
	return func(ctx context.Context, refused *probe.Refused) (map[string]probe.Secret, error) {
		turn.Lock()
		defer turn.Unlock()
		if last != nil && (refused == nil || !maps.Equal(last, refused.Sent)) {
			return last, nil
		}
		fresh, err := runHelper(ctx, server, environ)
		if err != nil {
			return nil, err
		}
		maps.DeleteFunc(fresh, func(name string, _ probe.Secret) bool { _, set := fixed[name]; return set })
		if refused != nil && maps.Equal(fresh, refused.Sent) {
			return nil, nil
		}
		last = fresh
		return fresh, nil
	}
}

// helperError is a helper that gave no headers, and what to do about it.
type helperError struct {
	err  error
	line string // as it may be shown
}

// Error has what the command wrote, with the secrets that are known masked.
func (e *helperError) Error() string {
	return fmt.Sprintf("running the command that gives headers: %v", e.err)
}

// Hint says how to see more.
func (e *helperError) Hint() string {
	return fmt.Sprintf("run it by hand in the folder of its configuration: %s", e.line)
}

// runHelper runs a helper with the system's shell, in a process group of its own that ends with it.
func runHelper(ctx context.Context, server probe.Server, environ []string) (map[string]probe.Secret, error) {
	helper := *server.HTTP.Helper
	fail := func(err error) error { return &helperError{err, report.Visible(redact.MaskLine(helper.Command))} }
	said, out := &process.Tail{Limit: shownOfOutput}, &process.CappedBuffer{Limit: helperOutput}
	command := process.ShellCommand{Line: helper.Command, Dir: helper.Dir, Env: helperEnviron(server, environ), Limit: helperTime, KillGroup: true}
	switch err := command.Run(ctx, out, said); {
	case out.Over:
		return nil, fail(fmt.Errorf("it wrote more than %d KiB", helperOutput>>10))
	case err != nil:
		return nil, fail(fmt.Errorf("%w%s", err, process.Quoted(quieted(said.String(), string(out.Text), server, environ))))
	}
	headers, err := config.HelperHeaders(helper, out.Text)
	if err != nil {
		return nil, fail(fmt.Errorf("it wrote %w", err))
	}
	return headers, nil
}

// helperEnviron is the environment of a helper: all of ours, and which server it is for, as Claude Code tells its helpers,
// so that one script can serve several.
func helperEnviron(server probe.Server, environ []string) []string {
	return append(environ[:len(environ):len(environ)],
		"CLAUDE_CODE_MCP_SERVER_NAME="+server.Name, "CLAUDE_CODE_MCP_SERVER_URL="+server.HTTP.URL,
		"MCPCTL_SERVER_NAME="+server.Name, "MCPCTL_SERVER_URL="+server.HTTP.URL)
}

// quieted is what a failed helper wrote to its standard error, without what may be secret in it: what it wrote to its
// standard output, values of its environment and of the server's headers, and what looks like a token.
func quieted(text, output string, server probe.Server, environ []string) string {
	secrets := append(redact.InEnvironment(environ), strings.FieldsFunc(output, func(r rune) bool {
		return strings.ContainsRune(" \t\r\n\"'{}:,", r)
	})...)
	for _, value := range server.HTTP.Headers {
		secrets = append(secrets, redact.Header(value.Reveal())...)
	}
	return redact.MaskLine(redact.Of(secrets...).Cut(text))
}
