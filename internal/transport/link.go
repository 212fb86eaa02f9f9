// Package transport is what mcp-go's transports lack: framing with limits, process groups, an HTTP round tripper that
// remembers what went wrong, and the noise a server makes beside the protocol.
package transport

import (
	"context"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

// Kinds of links, as shown to people.
const (
	KindStdio      = "stdio"
	KindStreamable = "streamable-http"
	KindSSE        = "sse"
)

// Link is one live connection to a server: mcp-go's transport, plus what it cannot tell on its own.
// Requests may run at the same time. A Link is also what mcp-go's client expects of a transport.
type Link struct {
	transport.Interface
	Kind string

	done chan struct{}
}

// SendRequest sends one request and waits for its reply, for the end of ctx, or for the loss of the connection.
// The result is the server's bytes, unchanged. A reply that is a JSON-RPC error is a response with Error set, whatever
// the HTTP status was. Errors to match: *HTTPError, *RedirectError, *TooLargeError, *TooDeepError, *ReplyError, *LostError.
func (l *Link) SendRequest(ctx context.Context, r transport.JSONRPCRequest) (*transport.JSONRPCResponse, error) {
	return l.Interface.SendRequest(ctx, r)
}

// SendNotification sends one notification; errors are those of SendRequest.
func (l *Link) SendNotification(ctx context.Context, n mcp.JSONRPCNotification) error {
	return l.Interface.SendNotification(ctx, n)
}

// SetNotificationHandler hands every notification to f, in order, those that came before this call first. f runs on the
// reader's goroutine: it must not block and must not send a request.
func (l *Link) SetNotificationHandler(f func(mcp.JSONRPCNotification)) {
	l.Interface.SetNotificationHandler(f)
}

// SetRequestHandler replaces the answers to the server's own requests. Without it, ping gets {} and everything else the
// error "method not found".
func (l *Link) SetRequestHandler(f transport.RequestHandler) {}

// SetProtocolVersion is the version to name in HTTP headers from now on; it means nothing over stdio.
func (l *Link) SetProtocolVersion(v string) {}

// Done is closed when the connection is lost or closed: the child is gone, its stdout ended, the event stream ended.
// Streamable HTTP has no connection to lose, so there it means closed.
func (l *Link) Done() <-chan struct{} { return l.done }

// Trouble is what is known by now about what went wrong.
func (l *Link) Trouble() Trouble { return Trouble{} }

// Noise is what the server wrote to its stdout that is no message, oldest first.
func (l *Link) Noise() []Noise { return nil }

// Close ends the connection and everything that belongs to it, and waits for that, with a bound: the child and its
// whole process group are gone, an HTTP session is deleted. Further calls do nothing.
func (l *Link) Close() error { return nil }

// Kill is Close without any politeness or waiting.
func (l *Link) Kill() {}

// Trouble is what a link knows about why it went wrong. The zero value knows nothing.
type Trouble struct {
	Stderr string // tail of the child's stderr, at most 8 KiB
	Exited bool   // the child is gone
	Exit   string // how it ended: "exit status 7", "signal: killed"
	Status int    // the last HTTP status that was not 2xx; 0 = none
	Body   string // the first KiB of that reply's body
	Type   string // its Content-Type
	Auth   string // its WWW-Authenticate header
	URL    string // the URL that answered it, without user info and query
}
