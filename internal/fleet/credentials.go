package fleet

import (
	"context"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/process"
	"github.com/mcpctl/mcpctl/internal/redact"
	"github.com/mcpctl/mcpctl/internal/trust"
	"github.com/mcpctl/mcpctl/pkg/probe"
)

// originsOf returns the origins of admitted servers at a URL, sorted.
func originsOf(admitted []trust.Approved) []string {
	seen := map[string]bool{}
	for _, a := range admitted {
		if http := a.Entry().Server.HTTP; http != nil {
			if u, err := url.Parse(http.URL); err == nil {
				seen[u.Scheme+"://"+u.Host] = true
			}
		}
	}
	return kit.SortedKeys(seen)
}

// credentials are what the flags give to HTTP servers.
type credentials struct {
	headers map[string]probe.Secret
	helper  *probe.Helper
}

// credentials reads the flags.
func (c Contact) credentials(p host.Process) (flags credentials, err error) {
	in := config.Input{Home: p.Home, Lookup: p.Lookup}
	if flags.headers, err = in.Headers(c.Headers); err != nil {
		return flags, exit.Misuse(err)
	}
	if slices.ContainsFunc(c.Headers, func(header string) bool {
		name, value, _ := strings.Cut(header, ":")
		return !strings.HasPrefix(header, "@") && redact.Sensitive(name, strings.TrimSpace(value))
	}) {
		p.Note("every user of this machine can read command lines: --header @FILE and --bearer env:NAME " +
			"keep secrets out of them")
	}
	if c.Bearer == "" {
		return flags, nil
	}
	value, helper, err := in.Bearer(c.Bearer)
	switch {
	case err != nil:
		return flags, exit.Misuse(err)
	case flags.headers["Authorization"] != "":
		return flags, errTwoAuthorizations
	case helper != nil:
		flags.helper = helper
	default:
		flags.headers["Authorization"] = value
	}
	return flags, nil
}

// apply adds the headers of flags to an HTTP server; they win over its configuration.
func (c credentials) apply(server *probe.Server, environ []string) {
	http := *server.HTTP
	http.Headers = config.Merged(http.Headers, c.headers)
	switch bearer := c.headers["Authorization"] != ""; {
	case c.helper != nil:
		http.Helper = c.helper
	case bearer && http.Helper != nil && http.Helper.Bearer:
		http.Helper = nil
	}
	server.HTTP = &http
	server.Values = slices.AppendSeq(slices.Clone(server.Values), maps.Values(c.headers))
	_, own := http.Headers["Authorization"]
	switch {
	case http.Helper != nil:
		http.Authorize = helperAuthorizer(*server, environ, c.headers)
	case own:
		http.Authorize = nil // a configured header is sent instead of a login
	}
}

// Bounds of a command that gives headers. Claude Code gives its headersHelper ten seconds, too.
const (
	helperTime   = 10 * time.Second
	helperOutput = 64 << 10
	helperErrors = 2 << 10
)

// helperAuthorizer gives the headers of a server's helper, kept for the run in memory; after a refusal it
// runs once more.
func helperAuthorizer(server probe.Server, environ []string, fixed map[string]probe.Secret) probe.Authorize {
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

// runHelper runs a helper with the system's shell, in a process group of its own that ends with it.
func runHelper(ctx context.Context, server probe.Server, environ []string) (map[string]probe.Secret, error) {
	if server.Verify != nil {
		if err := server.Verify(); err != nil {
			return nil, err
		}
	}
	helper := *server.HTTP.Helper
	fail := func(err error) error { return errHelper(helper.Command, err) }
	said, out := &process.Tail{Limit: helperErrors}, &process.CappedBuffer{Limit: helperOutput}
	command := process.ShellCommand{Line: helper.Command, Env: helperEnviron(server, environ),
		Limit: helperTime, Dir: helper.Dir}
	switch err := command.Run(ctx, out, said); {
	case out.Over:
		return nil, fail(fmt.Errorf("it wrote more than %d KiB", helperOutput>>10))
	case err != nil:
		return nil, fail(fmt.Errorf("%w%s", err,
			process.Quoted(redactOutput(said.String(), string(out.Text), server, environ))))
	}
	headers, err := config.HelperHeaders(helper, out.Text)
	if err != nil {
		return nil, fail(fmt.Errorf("its output is %w", err))
	}
	return headers, nil
}

// helperEnviron returns the whole environment with the name and URL of the server, also under the names that
// Claude Code uses.
func helperEnviron(server probe.Server, environ []string) []string {
	environ = append(environ[:len(environ):len(environ)],
		"CLAUDE_CODE_MCP_SERVER_NAME="+server.Name, "CLAUDE_CODE_MCP_SERVER_URL="+server.HTTP.URL,
		"MCPCTL_SERVER_NAME="+server.Name, "MCPCTL_SERVER_URL="+server.HTTP.URL)
	for name, value := range server.HTTP.Helper.Env {
		environ = append(environ, name+"="+value)
	}
	return environ
}

// redactOutput returns the standard error of a failed helper without its output, values of its environment
// and headers.
func redactOutput(text, output string, server probe.Server, environ []string) string {
	secrets := append(redact.InEnvironment(environ), strings.FieldsFunc(output, func(r rune) bool {
		return strings.ContainsRune(" \t\r\n\"'{}:,", r)
	})...)
	for _, value := range server.HTTP.Headers {
		secrets = append(secrets, redact.Header(value.Reveal())...)
	}
	return redact.MaskLine(redact.Of(secrets...).Cut(text))
}
