// Package transport exchanges JSON-RPC messages with one server: over a child's standard streams, streamable
// HTTP or HTTP+SSE.
//
// mcp-go's client/transport sends: it writes and posts messages, keeps the session and the protocol version,
// and deletes the session. It is made for agents, so its reading loses much that an inspector reports, bounds
// nothing and does not compare ids over HTTP (docs/architecture.md lists the faults). Therefore this package
// reads everything that a server sends, once:
//
//   - framer reads the stdout of a child, eventReader event streams, and web, the RoundTripper below mcp-go,
//     all other bodies. They limit the size of what they read.
//   - Conn.take sorts the messages. Notifications and requests of the server end at their handlers.
//   - A reply ends at the pendingCall that waits for it, byte for byte. mcp-go gets a receipt, the same id
//     with an empty result, which ends its wait.
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
	"golang.org/x/sync/semaphore"
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

// Requests and responses are those of mcp-go. The id of a request must be an int64.
type (
	JSONRPCRequest  = mcpgo.JSONRPCRequest
	JSONRPCResponse = mcpgo.JSONRPCResponse
)

// frameLimit is the size of the largest message that is accepted, in bytes.
const frameLimit = 64 << 20

// Conn is one live connection to a server. Requests may run at the same time.
type Conn struct {
	Kind string

	handlers Handlers
	calls    pendingCalls
	noise    noiseLog
	readers  sync.WaitGroup      // of stdout or an event stream
	answers  *semaphore.Weighted // a slot for each answer under way
	carrier  mcpgo.Interface
	child    *stdioChild     // nil over HTTP
	web      *web            // nil over stdio
	version  atomic.Value    // string: the protocol version in effect
	streams  atomic.Bool     // the event stream of HTTP+SSE has opened
	messages atomic.Value    // string: the URL for our messages; over HTTP+SSE the one that the server named
	life     context.Context // ends when the connection is lost or closed; its cause is why
	giveUp   context.CancelCauseFunc

	shut    sync.Once
	shutErr error
}

// quiet discards the logs of mcp-go: this package reports what they say.
var quiet = slog.New(slog.DiscardHandler)

// newConn returns a connection without a carrier.
func newConn(kind string, h Handlers) *Conn {
	c := &Conn{Kind: kind, handlers: h, answers: semaphore.NewWeighted(mostAnswers)}
	c.life, c.giveUp = context.WithCancelCause(context.Background())
	return c
}

// SendRequest sends one request and waits for its reply, the end of ctx, or the loss of the connection. The
// result is the server's bytes. A JSON-RPC error is a response with Error set, with any HTTP status; its
// Data is a json.RawMessage or nil. Errors: *HTTPError, *RedirectError, *CredentialsError, *TooLongError,
// *ReplyError, *LostError.
func (c *Conn) SendRequest(ctx context.Context, r JSONRPCRequest) (*JSONRPCResponse, error) {
	waiting, cancel := context.WithCancel(ctx)
	defer cancel()
	call := c.calls.start(r, cancel)
	defer c.calls.stop(call)
	if lost := c.Lost(); lost != nil { // asked after start: a loss after this fails the call
		return nil, lost
	}
	_, err := c.carrier.SendRequest(context.WithValue(waiting, callKey{}, call), r)
	call.fail(c.explain(ctx, err)) // unless it is settled
	if call.err != nil {
		return nil, call.err
	}
	return &JSONRPCResponse{JSONRPC: mcp.JSONRPC_VERSION, ID: r.ID, Result: call.reply.result,
		Error: call.reply.fault}, nil
}

// SendNotification sends one notification; errors are those of SendRequest.
func (c *Conn) SendNotification(ctx context.Context, n mcp.JSONRPCNotification) error {
	return c.explain(ctx, c.carrier.SendNotification(ctx, n))
}

// explain returns the cause of an error of mcp-go.
func (c *Conn) explain(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if errors.Is(err, errStdinEnded) {
		within(c.Done(), exitWait) // how the child ended says more
	}
	if lost := c.Lost(); lost != nil {
		return lost
	}
	err = withoutURL(err)
	for _, known := range []error{ErrSessionTerminated, errStdinEnded, errNotReading} {
		if errors.Is(err, known) {
			return known
		}
	}
	if endpoint := c.StreamEndpoint(); endpoint != "" && is[*HTTPError](err) {
		return &StreamError{endpoint, err}
	}
	return err
}

// withoutURL returns the cause of an error of http.Client, whose text has the URL, which may contain a
// secret.
func withoutURL(err error) error {
	if request, ok := errors.AsType[*url.Error](err); ok {
		return request.Err
	}
	return err
}

// SetProtocolVersion sets the version for HTTP headers; over stdio it has no effect.
func (c *Conn) SetProtocolVersion(v string) {
	c.version.Store(v)
	if h, ok := c.carrier.(mcpgo.HTTPConnection); ok {
		h.SetProtocolVersion(v)
	}
}

// SessionID returns the session of streamable HTTP; empty when there is none.
func (c *Conn) SessionID() string { return c.carrier.GetSessionId() }

// Done returns a channel that is closed when the connection is lost or closed.
func (c *Conn) Done() <-chan struct{} { return c.life.Done() }

// Lost returns why the connection is gone; nil while it lasts.
func (c *Conn) Lost() error { return context.Cause(c.life) }

// GiveUp marks the connection as lost because of err; requests under way may still be answered. The first
// reason stays.
func (c *Conn) GiveUp(err error) { c.giveUp(err) }

// lose marks the connection as lost and fails every call that waits.
func (c *Conn) lose(err error) {
	c.GiveUp(err)
	c.calls.failAll(c.Lost())
}

// Stderr returns the end of what a child has written to its stderr, at most 8 KiB, unescaped; empty over
// HTTP.
func (c *Conn) Stderr() string {
	if c.child == nil {
		return ""
	}
	return c.child.stderr.String()
}

// Close ends the connection and waits, with a limit: the child's process tree is gone, an HTTP session
// deleted, and no goroutine of the connection runs. It must not be called while Listen runs.
func (c *Conn) Close() error {
	c.shut.Do(func() {
		c.lose(mcpgo.ErrTransportClosed)
		if c.child != nil {
			c.shutErr = c.child.stop()
			c.readers.Wait() // mcp-go takes receipts until it is closed
		}
		_ = c.carrier.Close() // deletes the session
		c.readers.Wait()
		_ = c.answers.Acquire(context.Background(), mostAnswers) // of all of them, and none follows
		if c.web != nil {
			c.web.base.CloseIdleConnections()
		}
	})
	return c.shutErr
}

// callKey is the key of a request's pendingCall in its context.
type callKey struct{}

// callOf returns the call that an HTTP request belongs to; nil for notifications, answers and streams.
func callOf(req *http.Request) *pendingCall {
	call, _ := req.Context().Value(callKey{}).(*pendingCall)
	return call
}

// repeatable reports whether a method changes nothing, so that a request can be sent twice.
func repeatable(method string) bool {
	return method == string(mcp.MethodInitialize) || method == string(mcp.MethodServerDiscover) ||
		method == string(mcp.MethodPing) || strings.HasSuffix(method, "/list")
}
