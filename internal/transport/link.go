// Package transport is what mcp-go's transports lack: framing with limits, process groups, an HTTP round tripper that
// remembers what went wrong, and the noise a server makes beside the protocol.
package transport

import (
	"context"
	"errors"
	"log/slog"
	"net/url"
	"sync"
	"sync/atomic"

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
// Requests may run at the same time. The server's own requests are answered here: mcp-go would take numbers for floats,
// forget the order of members, and not wait for a person.
type Link struct {
	transport.Interface
	Kind string

	open   exchanges // requests that wait for their reply
	noise  noiseLog
	inbox  inbox // notifications
	answer desk  // the server's own requests

	shut    sync.Once
	shutErr error
	unwatch atomic.Pointer[func() bool] // calls the end of the link's context off
	end     func() error                // closes the connection and what belongs to it
	kill    func()                      // ends it at once; nil = nothing to do before end
	trouble func() Trouble              // what the connection knows
	child   *child                      // of a stdio link
	web     *web                        // of a streamable HTTP link

	lostMu sync.Mutex
	lost   error // why there is no connection any more
	done   chan struct{}
}

func newLink(kind string, inner transport.Interface) *Link {
	l := &Link{Interface: inner, Kind: kind, done: make(chan struct{})}
	inner.SetNotificationHandler(l.inbox.receive)
	return l
}

// SendRequest sends one request and waits for its reply, for the end of ctx, or for the loss of the connection.
// The result is the server's bytes, unchanged. A reply that is a JSON-RPC error is a response with Error set, whatever
// the HTTP status was. Errors to match: *HTTPError, *RedirectError, *TooLargeError, *TooDeepError, *ReplyError, *LostError.
func (l *Link) SendRequest(ctx context.Context, r transport.JSONRPCRequest) (*transport.JSONRPCResponse, error) {
	ctx, x, err := l.open.start(ctx, r.ID)
	if err != nil {
		return nil, err
	}
	defer l.open.stop(x)
	if lost := l.loss(); lost != nil { // asked after start: a loss after this fails x
		return nil, lost
	}
	response, err := l.Interface.SendRequest(ctx, r)
	if err == nil {
		return response, nil
	}
	var refused *refusal
	if errors.As(err, &refused) {
		return &refused.response, nil
	}
	return nil, l.explain(ctx, x, err)
}

// SendNotification sends one notification; errors are those of SendRequest.
func (l *Link) SendNotification(ctx context.Context, n mcp.JSONRPCNotification) error {
	err := l.Interface.SendNotification(ctx, n)
	if err == nil {
		return nil
	}
	return l.explain(ctx, &exchange{}, err)
}

// explain finds the best reason for a failure. mcp-go's own words are the last resort.
func (l *Link) explain(ctx context.Context, x *exchange, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	var lost *LostError
	if known := typed(err); known != nil && (!errors.As(known, &lost) || !within(l.done, exitWait)) {
		return known
	}
	if noted := x.noted(); noted != nil {
		return noted
	}
	if lost := l.loss(); lost != nil {
		return lost
	}
	var where *url.Error
	if errors.As(err, &where) { // its text has the URL, and with it perhaps a secret
		return where.Err
	}
	return err
}

// SetNotificationHandler hands every notification to f, in order, those that came before this call first. f runs on the
// reader's goroutine: it must not block, send a request, or set a handler.
func (l *Link) SetNotificationHandler(f func(mcp.JSONRPCNotification)) { l.inbox.open(f) }

// SetAnswer says how the server's own requests are answered. By default ping gets {} and everything else the error
// "method not found".
func (l *Link) SetAnswer(f Answer) { l.answer.set(f) }

// SetProtocolVersion is the version to name in HTTP headers from now on; it means nothing over stdio.
func (l *Link) SetProtocolVersion(v string) {
	if c, ok := l.Interface.(transport.HTTPConnection); ok {
		c.SetProtocolVersion(v)
	}
}

// Done is closed when the connection is lost or closed: the child is gone, its stdout ended, the event stream ended.
// Streamable HTTP has no connection to lose, so there it means closed.
func (l *Link) Done() <-chan struct{} { return l.done }

// Trouble is what is known by now about what went wrong.
func (l *Link) Trouble() Trouble { return l.trouble() }

// Noise is what the server wrote to its stdout that is no message, oldest first; what it wrote after Close is left out.
func (l *Link) Noise() []Noise { return l.noise.all() }

// Close ends the connection and everything that belongs to it, and waits for that, with a bound: the child and its
// whole process group are gone, an HTTP session is deleted. Further calls do nothing.
func (l *Link) Close() error {
	l.shut.Do(func() {
		l.noise.freeze()
		if stop := l.unwatch.Load(); stop != nil {
			(*stop)()
		}
		l.lose(transport.ErrTransportClosed)
		l.shutErr = l.end()
	})
	return l.shutErr
}

// Kill is Close without politeness: the child's group is killed at once.
func (l *Link) Kill() {
	if l.kill != nil {
		l.kill()
	}
	_ = l.Close()
}

// closeWith closes the link when ctx ends. The link must be complete: that may be now.
func (l *Link) closeWith(ctx context.Context) {
	stop := context.AfterFunc(ctx, func() {
		l.lose(context.Cause(ctx))
		_ = l.Close()
	})
	l.unwatch.Store(&stop)
}

// lose says why the connection is gone. The first reason stays.
func (l *Link) lose(err error) {
	l.lostMu.Lock()
	defer l.lostMu.Unlock()
	if l.lost == nil {
		l.lost = err
		close(l.done)
	}
}

func (l *Link) loss() error {
	l.lostMu.Lock()
	defer l.lostMu.Unlock()
	return l.lost
}

// silent keeps mcp-go from writing to our stderr.
func silent() *slog.Logger { return slog.New(slog.DiscardHandler) }
