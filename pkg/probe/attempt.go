package probe

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/cookiejar"
	"slices"
	"time"

	"github.com/mcpctl/mcpctl/internal/process"
	"github.com/mcpctl/mcpctl/internal/redact"
	"github.com/mcpctl/mcpctl/internal/transport"
)

// attempt is one try to reach a server, and what all connections of that try share.
type attempt struct {
	server      Server
	options     Options
	secrets     redact.Secrets // those of the configuration
	credentials *transport.Credentials
	cookies     http.CookieJar
	seen        *observations
	timer       *requestTimer
	listener    *listener
	meter       *transport.Meter
}

// newAttempt returns an attempt that has seen nothing yet. What is set for the server wins over the options.
func newAttempt(server Server, options Options) attempt {
	options.Protocol = cmp.Or(server.Protocol, options.Protocol)
	options.Timeout = cmp.Or(server.Timeout, options.Timeout)
	options.ClientName = cmp.Or(options.ClientName, "mcp-client")
	options.ClientVersion = cmp.Or(options.ClientVersion, "dev")
	if server.Capabilities != nil {
		options.Capabilities = server.Capabilities
	} else if options.Capabilities == nil {
		options.Capabilities = ClientCapabilities()
	}
	a := attempt{server: server, options: options, secrets: redactorFor(server, options.Environ),
		seen: &observations{}, timer: &requestTimer{}, listener: newListener(),
		meter: &transport.Meter{Small: smallServer, Limit: mostBytes}}
	if server.HTTP != nil && server.HTTP.Authorize != nil {
		a.credentials = credentialsOf(server.HTTP.Authorize, a.seen)
	}
	a.cookies, _ = cookiejar.New(nil) // no error without options
	return a
}

// credentialsOf returns the credentials that authorize gives. A panic in it is an error of this server alone.
func credentialsOf(authorize Authorize, seen *observations) *transport.Credentials {
	return transport.NewCredentials(func(ctx context.Context, r *transport.Refusal) (
		map[string]transport.Credential, error) {
		var refused *Refused
		if r != nil {
			refused = &Refused{r.Status, r.Challenge, headersOf[Secret](r.Sent)}
		}
		var given map[string]Secret
		err := guard(func() (err error) {
			given, err = authorize(ctx, refused)
			return err
		})
		seen.keepCredentials(given)
		if errors.Is(err, ErrNoLogin) { // the refusal says more
			seen.noLogin.Store(true)
			return nil, nil
		}
		return headersOf[transport.Credential](given), err
	})
}

// headersOf returns headers with values of another type; nil for nil, which differs from none.
func headersOf[To, From ~string](headers map[string]From) map[string]To {
	if headers == nil {
		return nil
	}
	converted := make(map[string]To, len(headers))
	for name, value := range headers {
		converted[name] = To(value)
	}
	return converted
}

// first returns the stage at which every attempt at the server begins.
func (a attempt) first() Stage {
	if a.server.HTTP != nil {
		return Connecting
	}
	return Starting
}

// Open reaches one server and shakes hands with it, once: Options.Retries is for All. The timeout of the
// server, or else of the options, holds for Open alone; the session outlives ctx and ends with Close. The
// error is an *Error.
func Open(ctx context.Context, server Server, options Options) (*Session, error) {
	a := newAttempt(server, options)
	ctx, cancel, _ := limited(ctx, a.options.Timeout)
	defer cancel()
	return a.open(ctx)
}

// open tries the transports that the server may speak until one is taken.
func (a attempt) open(ctx context.Context) (*Session, error) {
	if err := check(a.server, a.options); err != nil {
		return nil, a.explain(ctx, a.first(), err, nil)
	}
	if a.server.Stdio != nil {
		return a.take(ctx, transport.KindStdio)
	}
	if a.server.HTTP.Kind == SSE {
		return a.take(ctx, transport.KindSSE)
	}
	session, err := a.take(ctx, transport.KindStreamable)
	if err == nil || a.server.HTTP.Kind == StreamableHTTP || !oldTransport(err) {
		return session, err
	}
	second, sseErr := a.take(ctx, transport.KindSSE)
	streams := is[*transport.StreamError](originalOf(sseErr))
	if sseErr != nil && !streams && (oldTransport(sseErr) || !is[*transport.HTTPError](originalOf(sseErr))) {
		return nil, err // that of the first transport says more
	}
	return second, sseErr
}

// oldTransport reports whether the server may be one of HTTP+SSE: it turned initialize down with a status
// that the specification names for this (2025-11-25, transports, backwards compatibility).
func oldTransport(err error) bool {
	status, ok := errors.AsType[*transport.HTTPError](originalOf(err))
	return ok && slices.Contains([]int{400, 404, 405}, status.Status)
}

// On stdout replies keep their order, so discover's comes first if it comes at all. Over HTTP each has a way
// of its own.
const (
	stdioGrace = 250 * time.Millisecond
	httpGrace  = time.Second
)

// take reaches the server over one transport. When discover used the connection up, initialize gets one of
// its own.
func (a attempt) take(ctx context.Context, kind string) (session *Session, _ error) {
	conn, c, err := a.dial(ctx, kind)
	if err != nil {
		return nil, a.explain(ctx, a.first(), err, nil)
	}
	defer func() {
		if session == nil && conn != nil { // after a panic too
			a.leave(kind, func() { _ = conn.Close() })
		}
	}()
	grace := httpGrace
	if kind == transport.KindStdio {
		grace = stdioGrace
	}
	p, err := c.shake(ctx, grace, a.options.Protocol)
	if end, ok := errors.AsType[*transport.LostError](err); ok && notFetched(conn.Stderr()) {
		err = end
	}
	if errors.Is(err, errFreshConn) && ctx.Err() == nil {
		_ = conn.Close() // how it ends does not matter, but it is not started twice at a time
		if conn, c, err = a.dial(ctx, kind); err != nil {
			return nil, a.explain(ctx, a.first(), err, nil)
		}
		p, err = c.initializeAfter(ctx, p)
	}
	if err != nil {
		stage, err := a.failedStage(err), p.noCommonVersion(a.options.ClientName, err)
		if endpoint := conn.StreamEndpoint(); endpoint != "" && (lost(err) || ctx.Err() != nil) {
			err = &transport.StreamError{Endpoint: endpoint, Err: err} // it came as far as that
		}
		return nil, a.explain(ctx, stage, err, conn)
	}
	p = p.withoutSecrets(a.surfaceSecrets())
	c.version = p.Protocol
	c.settle(ctx, p)
	return &Session{attempt: a, conn: conn, caller: c, peer: p}, nil
}

// leave ends a connection: over stdio in the background, if there is one.
func (a attempt) leave(kind string, end func()) {
	if kind == transport.KindStdio && a.options.Background != nil {
		a.options.Background(end)
		return
	}
	end()
}

// failedStage returns the stage at which an opening failed: a stdio server that ends was never up, and an
// HTTP server that could not be talked to at all was never reached.
func (a attempt) failedStage(err error) Stage {
	apart := is[*transport.HTTPError](err) || is[*transport.RedirectError](err) ||
		is[*transport.CredentialsError](err) || unreachable(err) || transport.CutOff(err) ||
		is[*transport.NotHTTPError](err)
	if a.server.Stdio != nil && exited(err) != "" || a.server.HTTP != nil && apart {
		return a.first()
	}
	return Handshake
}

// dial opens a connection over one transport, which lives until Close, and a caller on it.
func (a attempt) dial(ctx context.Context, kind string) (*transport.Conn, caller, error) {
	if ctx.Err() != nil { // nothing is started for a run that was interrupted
		return nil, caller{}, context.Cause(ctx)
	}
	if a.server.Verify != nil {
		if err := a.server.Verify(); err != nil {
			return nil, caller{}, &refusedStart{err}
		}
	}
	conn, err := a.connect(ctx, kind)
	if err != nil {
		return nil, caller{}, err
	}
	return conn, caller{conn: conn, client: a.options, capabilities: a.options.Capabilities,
		seen: a.seen}, nil
}

// connect starts the command, or opens one of the two HTTP transports. JSON that comes with another
// Content-Type is read, and noted.
func (a attempt) connect(ctx context.Context, kind string) (*transport.Conn, error) {
	handlers := transport.Handlers{Notification: a.hear, Request: a.answer, Meter: a.meter}
	if kind == transport.KindStdio {
		return transport.StartStdio(commandOf(*a.server.Stdio, a.options), handlers)
	}
	remote := a.server.HTTP
	endpoint := transport.Endpoint{
		URL: remote.URL, Headers: headersOf[transport.Credential](remote.Headers), Allow: remote.Allow,
		CACert:      a.options.CACert,
		UserAgent:   a.options.ClientName + "/" + a.options.ClientVersion,
		Credentials: a.credentials, Cookies: a.cookies, Proxy: a.options.Proxy,
		Mask: func(text string) string { return a.masks().Cut(text) },
		ForeignType: func(kind string) {
			message := "the server sends JSON without a Content-Type"
			if kind != "" {
				message = fmt.Sprintf("the server sends JSON with the Content-Type %q", kind)
			}
			a.seen.note(Notice{Handshake, NoticeContentType, message + " instead of application/json"})
		},
	}
	if kind == transport.KindSSE {
		return transport.OpenSSE(ctx, endpoint, handlers)
	}
	return transport.OpenStreamable(endpoint, handlers)
}

// commandOf returns the command with the environment of the child. Configured variables come last, so that
// they win over inherited ones.
func commandOf(stdio Stdio, options Options) transport.Command {
	environ := options.Environ
	if !options.InheritEnv {
		environ = append(process.MinimalEnv(environ), process.LauncherEnv(stdio.Command, environ)...)
	}
	environ = slices.Clone(environ)
	for name, value := range stdio.Env {
		environ = append(environ, name+"="+value.Reveal())
	}
	environ = append(environ, process.RetryPauses(stdio.Command, environ)...)
	return transport.Command{
		Path: stdio.Command, Args: stdio.Args, Env: environ, Dir: stdio.Dir, Search: stdio.Search,
		Files: stdio.Files,
	}
}
