// Package transport carries JSON-RPC messages to one server and back: over a child's standard streams,
// streamable HTTP or HTTP+SSE.
//
// mcp-go's client/transport does the carrying: it writes and posts our messages, matches replies, keeps the
// session and the protocol version, and reads and resumes event streams. It is made for agents, so it drops
// much that an inspector reports: HTTP statuses and challenges, noise, raw params and error data. It also
// bounds nothing and does not compare ids over HTTP. Therefore everything that a server sends passes a filter
// of ours before mcp-go sees it:
//
//   - lineFilter (lines.go) reads the stdout of a child, eventFilter (events.go) event streams, and web (roundtrip.go),
//     the RoundTripper below mcp-go, all other bodies. They bound what they read and parse each message once.
//   - inbox (inbox.go) takes the messages. Notifications, requests of the server and noise end there: mcp-go never sees
//     them, and the answers to requests are sent by the Conn.
//   - A reply stays in the inbox as well, byte for byte. mcp-go gets a receipt in its place: the same id with an empty
//     result. The receipt ends the wait in mcp-go, and SendRequest then returns the reply from the inbox.
//   - A request over HTTP carries its pendingCall in its context. A bad status becomes an *HTTPError of that call.
//
// docs/architecture.md lists the faults of mcp-go that made each of these necessary.
package transport

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"

	mcpgo "github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

// Kinds of connections, as shown to people.
const (
	KindStdio      = "stdio"
	KindStreamable = "streamable-http"
	KindSSE        = "sse"
)

// Headers of the streamable HTTP transport.
const (
	HeaderKeySessionID       = mcpgo.HeaderKeySessionID
	HeaderKeyProtocolVersion = mcpgo.HeaderKeyProtocolVersion
)

// Requests and responses are those of mcp-go.
type (
	JSONRPCRequest  = mcpgo.JSONRPCRequest
	JSONRPCResponse = mcpgo.JSONRPCResponse
)

// frameLimit is the size of the largest message that is accepted, in bytes.
const frameLimit = 64 << 20

// Conn is one live connection to a server. Requests may run at the same time.
type Conn struct {
	Kind string

	inbox
	carrier mcpgo.Interface
	child   *child          // nil over HTTP
	web     *web            // nil over stdio
	version atomic.Value    // string: the protocol version in effect
	life    context.Context // of answers and of the event stream of HTTP+SSE
	end     context.CancelFunc

	shut    sync.Once
	shutErr error
	unwatch atomic.Pointer[func() bool] // stops closing with the context of the connection

	lostMu sync.Mutex
	lost   error         // why the connection is gone
	done   chan struct{} // closed when lost is set
}

// quiet discards the logs of mcp-go: what they report, the filters report better.
var quiet = slog.New(slog.DiscardHandler)

func newConn(ctx context.Context, kind string) *Conn {
	c := &Conn{Kind: kind, done: make(chan struct{})}
	c.life, c.end = context.WithCancel(context.WithoutCancel(ctx))
	return c
}

// closeWith closes the connection when ctx ends.
func (c *Conn) closeWith(ctx context.Context) *Conn {
	stop := context.AfterFunc(ctx, func() {
		c.lose(context.Cause(ctx))
		_ = c.Close()
	})
	c.unwatch.Store(&stop)
	return c
}

// SendRequest sends one request and waits for its reply, the end of ctx, or the loss of the connection. The
// result is the server's bytes. A JSON-RPC error is a response with Error set, whatever the HTTP status; its
// Data is a json.RawMessage or nil. Errors: *HTTPError, *RedirectError, *CredentialsError, *TooLargeError,
// *TooDeepError, *ReplyError, *LostError.
func (c *Conn) SendRequest(ctx context.Context, r JSONRPCRequest) (*JSONRPCResponse, error) {
	waiting, cancel := context.WithCancel(ctx)
	defer cancel()
	call := c.calls.start(r.ID, cancel)
	defer c.calls.stop(call)
	call.repeat = repeatable(r.Method)
	if lost := c.Lost(); lost != nil { // asked after start: a loss after this fails the call
		return nil, lost
	}
	_, err := c.carrier.SendRequest(context.WithValue(waiting, callKey{}, call), r)
	call.fail(c.explain(ctx, call, err)) // unless it was answered, or failed for a better reason
	return call.response(r.ID)
}

// repeatable reports whether a request changes nothing, so that it can be sent again when its fate is
// unknown.
func repeatable(method string) bool {
	return method == string(mcp.MethodInitialize) || method == string(mcp.MethodServerDiscover) ||
		method == string(mcp.MethodPing) || strings.HasSuffix(method, "/list")
}

// SendNotification sends one notification; errors are those of SendRequest.
func (c *Conn) SendNotification(ctx context.Context, n mcp.JSONRPCNotification) error {
	return c.explain(ctx, nil, c.carrier.SendNotification(ctx, n))
}

// explain returns the cause of a message that mcp-go could not send or did not see answered.
func (c *Conn) explain(ctx context.Context, call *pendingCall, err error) error {
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if errors.Is(err, errStdinEnded) {
		within(c.done, exitWait) // how the child ended says more
	}
	if lost := c.Lost(); lost != nil {
		return lost
	}
	if request, ok := errors.AsType[*url.Error](err); ok { // its text has the URL, which may contain a secret
		return request.Err
	}
	for _, known := range []error{ErrSessionTerminated, errStdinEnded, errNotReading} {
		if errors.Is(err, known) {
			return known
		}
	}
	if call != nil && call.streamed { // mcp-go read the stream to its end
		return call.withoutReply(&LostError{Cause: "the server ended the event stream without a reply"})
	}
	return err
}

// SetProtocolVersion sets the version for HTTP headers; it means nothing over stdio.
func (c *Conn) SetProtocolVersion(v string) {
	c.version.Store(v)
	if h, ok := c.carrier.(mcpgo.HTTPConnection); ok {
		h.SetProtocolVersion(v)
	}
}

// GetSessionId returns the session of streamable HTTP; empty when there is none.
//
//lint:ignore ST1003 the name is that of mcp-go's transports
func (c *Conn) GetSessionId() string { return c.carrier.GetSessionId() }

// Done is closed when the connection is lost or closed; streamable HTTP has none to lose.
func (c *Conn) Done() <-chan struct{} { return c.done }

// Lost returns why the connection is gone; nil while there is one.
func (c *Conn) Lost() error {
	c.lostMu.Lock()
	defer c.lostMu.Unlock()
	return c.lost
}

// GiveUp makes err the reason of a loss that only the caller sees; requests under way may still be answered.
func (c *Conn) GiveUp(err error) {
	c.lostMu.Lock()
	defer c.lostMu.Unlock()
	if c.lost == nil {
		c.lost = err
		close(c.done)
	}
}

// lose records why the connection is gone and fails every call that waits. The first reason stays.
func (c *Conn) lose(err error) {
	c.GiveUp(err)
	c.calls.failAll(c.Lost())
}

// Stderr returns the end of what a child wrote to its stderr until now, at most 8 KiB, unescaped; empty over
// HTTP.
func (c *Conn) Stderr() string {
	if c.child == nil {
		return ""
	}
	return c.child.stderr.text()
}

// Close ends the connection and waits, with a bound: the child's process tree is gone, an HTTP session
// deleted, and no goroutine of the connection runs.
func (c *Conn) Close() error {
	c.shut.Do(func() {
		c.noise.freeze()
		if stop := c.unwatch.Load(); stop != nil {
			(*stop)()
		}
		c.lose(ErrTransportClosed)
		c.end()
		if c.child != nil {
			c.shutErr = c.child.stop()
			c.readers.Wait() // mcp-go reads stdout to its end, so that no server waits for room in it
		}
		_ = c.carrier.Close() // deletes the session
		c.readers.Wait()
		c.answers.Wait()
		if c.web != nil {
			c.web.CloseIdleConnections()
		}
	})
	return c.shutErr
}

// callKey is the key of a request's pendingCall in its context.
type callKey struct{}

// callOf returns the call that an HTTP request belongs to, or nil: for a notification, an answer, or a stream
// for all.
func callOf(req *http.Request) *pendingCall {
	call, _ := req.Context().Value(callKey{}).(*pendingCall)
	return call
}
