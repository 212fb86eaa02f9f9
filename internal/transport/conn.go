// Package transport carries JSON-RPC messages to one server and back: over a child's standard streams, streamable HTTP, or
// HTTP+SSE. A message is framed, parsed and matched once, and reaches the caller as the bytes that came. A test runs mcp-go's
// client over a Conn.
package transport

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/mark3labs/mcp-go/mcp"
)

// Kinds of connections, as shown to people.
const (
	KindStdio      = "stdio"
	KindStreamable = "streamable-http"
	KindSSE        = "sse"
)

// Conn is one live connection to a server. Requests may run at the same time.
type Conn struct {
	Kind string

	carrier       carrier
	calls         pendingCalls
	noise         noiseLog
	notifications notificationQueue
	handler       atomic.Pointer[Handler] // of the server's own requests; nil = none has any capability

	shut    sync.Once
	shutErr error
	unwatch atomic.Pointer[func() bool] // calls the end of the connection's context off

	lostMu sync.Mutex
	lost   error // why there is no connection any more
	done   chan struct{}
}

type carrier interface {
	send(ctx context.Context, m outgoing) error // a call may be answered before it returns
	close() error                               // ends all that belongs to the connection, and waits for that
}

type outgoing struct {
	body   []byte
	method string
	header http.Header  // for HTTP, beside those of the connection
	call   *pendingCall // nil = a notification
}

func newConn(kind string) *Conn { return &Conn{Kind: kind, done: make(chan struct{})} }

// SendRequest sends one request and waits for its reply, the end of ctx, or the loss of the connection. The result is the
// server's bytes. A JSON-RPC error is a response with Error set, whatever the HTTP status; its Data is a json.RawMessage or
// nil. Errors: *HTTPError, *RedirectError, *CredentialsError, *TooLargeError, *TooDeepError, *ReplyError, *LostError.
func (c *Conn) SendRequest(ctx context.Context, r JSONRPCRequest) (*JSONRPCResponse, error) {
	body, err := json.Marshal(r)
	if err != nil {
		return nil, fmt.Errorf("encoding the request: %w", err)
	}
	call := c.calls.start(r.ID)
	defer c.calls.stop(call)
	if lost := c.Lost(); lost != nil { // asked after start: a loss after this fails the call
		return nil, lost
	}
	if err := c.carrier.send(ctx, outgoing{body, r.Method, r.Header, call}); err != nil {
		call.fail(c.explain(ctx, err))
	}
	select {
	case <-call.done:
	case <-ctx.Done():
		call.fail(context.Cause(ctx))
	}
	return call.response(r.ID)
}

// SendNotification sends one notification; errors are those of SendRequest.
func (c *Conn) SendNotification(ctx context.Context, n mcp.JSONRPCNotification) error {
	body, err := json.Marshal(n)
	if err != nil {
		return fmt.Errorf("encoding the notification: %w", err)
	}
	if err := c.carrier.send(ctx, outgoing{body: body, method: n.Method}); err != nil {
		return c.explain(ctx, err)
	}
	return nil
}

// explain finds the best reason for a message that could not be sent or answered.
func (c *Conn) explain(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if lost := c.Lost(); lost != nil {
		return lost
	}
	if where, ok := errors.AsType[*url.Error](err); ok { // its text has the URL, and with it perhaps a secret
		return where.Err
	}
	return err
}

// OnNotification hands every notification to f, in order, those that came before this call first. f runs on the reader's
// goroutine: it must not block, send a request, or set a handler.
func (c *Conn) OnNotification(f func(Notification)) { c.notifications.open(f) }

// OnRequest says how the server's requests are answered; by default ping gets {}, others "method not found".
func (c *Conn) OnRequest(f Handler) { c.handler.Store(&f) }

// SetProtocolVersion is the version to name in HTTP headers from now on; it means nothing over stdio.
func (c *Conn) SetProtocolVersion(v string) {
	if h, ok := c.carrier.(interface{ setVersion(string) }); ok {
		h.setVersion(v)
	}
}

// GetSessionId is the session of streamable HTTP; empty when there is none.
//
//lint:ignore ST1003 the name is that of mcp-go's transports
func (c *Conn) GetSessionId() string {
	if s, ok := c.carrier.(*streamableHTTP); ok {
		id, _ := s.session.current()
		return id
	}
	return ""
}

// Done is closed when the connection is lost or closed; streamable HTTP has none to lose.
func (c *Conn) Done() <-chan struct{} { return c.done }

// Lost is why there is no connection any more; nil while there is one.
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

// Stderr is the end of what a child wrote to its stderr until now, at most 8 KiB, unescaped; empty when there is no child.
func (c *Conn) Stderr() string {
	if s, ok := c.carrier.(*stdio); ok {
		return s.stderr.text()
	}
	return ""
}

// Noise is what the server wrote to its stdout that is no message, oldest first; what it wrote after Close is left out.
func (c *Conn) Noise() []Noise { return c.noise.all() }

// Close ends the connection and waits, with a bound: the child's process tree is gone, an HTTP session deleted. Once only.
func (c *Conn) Close() error {
	c.shut.Do(func() {
		c.noise.freeze()
		if stop := c.unwatch.Load(); stop != nil {
			(*stop)()
		}
		c.lose(ErrTransportClosed)
		c.shutErr = c.carrier.close()
	})
	return c.shutErr
}

// closeWith closes the connection when ctx ends. It must be complete: that may be now.
func (c *Conn) closeWith(ctx context.Context) {
	stop := context.AfterFunc(ctx, func() {
		c.lose(context.Cause(ctx))
		_ = c.Close()
	})
	c.unwatch.Store(&stop)
}

// lose says why the connection is gone, to everybody who waits for a reply, too. The first reason stays.
func (c *Conn) lose(err error) {
	c.GiveUp(err)
	c.calls.failAll(c.Lost())
}

// receive takes a message that came on a connection for all of them: answer is called with a request of the server.
func (c *Conn) receive(m message, answer func(message)) {
	switch {
	case m.isRequest():
		answer(m)
	case !m.isReply():
		c.notifications.add(m)
	case c.calls.deliver(m):
		c.noise.add(m.raw, 0)
	}
}

// pendingCall is a request that waits for its reply.
type pendingCall struct {
	key  string        // the id as mcp-go tells ids apart
	done chan struct{} // closed once there is a reply or an error

	settled sync.Once
	reply   message
	err     error
}

func (p *pendingCall) answer(m message) {
	p.settled.Do(func() {
		if p.reply = m; m.flaw() != "" {
			p.err = &ReplyError{m.flaw()}
		}
		close(p.done)
	})
}

// fail is the end of the wait without a reply. What came first stays.
func (p *pendingCall) fail(err error) {
	p.settled.Do(func() {
		p.err = err
		close(p.done)
	})
}

// response waits for the end of the wait.
func (p *pendingCall) response(id mcp.RequestId) (*JSONRPCResponse, error) {
	<-p.done
	if p.err != nil {
		return nil, p.err
	}
	r := &JSONRPCResponse{JSONRPC: mcp.JSONRPC_VERSION, ID: id}
	if p.reply.fault == nil {
		r.Result = p.reply.result
		return r, nil
	}
	var err error
	r.Error, err = p.reply.details()
	return r, err
}

// lateLimit is how many of the requests that nobody waits for any more are remembered: a late reply to them is no surprise.
const lateLimit = 1000

// pendingCalls are the requests of one connection; the zero value is empty.
type pendingCalls struct {
	mu   sync.Mutex
	open map[string]*pendingCall
	over []string // keys of the last requests that ended, newest last
}

func (s *pendingCalls) start(id mcp.RequestId) *pendingCall {
	p := &pendingCall{key: id.String(), done: make(chan struct{})}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open == nil {
		s.open = map[string]*pendingCall{}
	}
	s.open[p.key] = p
	return p
}

func (s *pendingCalls) stop(p *pendingCall) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.open, p.key)
	if s.over = append(s.over, p.key); len(s.over) > lateLimit {
		s.over = slices.Delete(s.over, 0, lateLimit/2)
	}
}

// find is the open call that a reply's id means. The id may be of the wrong JSON type ("2" for 2); without one, the
// reply belongs to the only call there is. late says that the id is of a call that nobody waits for any more.
func (s *pendingCalls) find(id json.RawMessage) (p *pendingCall, late bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if id == nil && len(s.open) == 1 {
		for _, p = range s.open {
			return p, false
		}
	}
	for _, key := range keysOf(id) {
		if p = s.open[key]; p != nil {
			return p, false
		}
		late = late || slices.Contains(s.over, key)
	}
	return nil, late
}

// wants tells whether a message that begins like this may be the reply to an open call.
func (s *pendingCalls) wants(start []byte) bool {
	var head shape
	head.feed(start)
	s.mu.Lock()
	none := len(s.open) == 0
	s.mu.Unlock()
	if p, _ := s.find(head.id); p != nil || none {
		return !none
	}
	return len(head.id) == 0 || head.value && string(head.key) == "id" // it is still to come
}

// deliver hands a reply to the call that it answers. stray says that it answers nothing we asked.
func (s *pendingCalls) deliver(m message) (stray bool) {
	p, late := s.find(m.id)
	if p != nil {
		p.answer(m)
	}
	return p == nil && !late
}

// failOne fails the call that an id means, or all of them when that cannot be told.
func (s *pendingCalls) failOne(id json.RawMessage, err error) {
	p, late := s.find(id)
	switch {
	case p != nil:
		p.fail(err)
	case !late:
		s.failAll(err)
	}
}

func (s *pendingCalls) failAll(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.open {
		p.fail(err)
	}
}

// keysOf are the keys under which an id may be open, the most likely one first.
func keysOf(id json.RawMessage) []string {
	var own mcp.RequestId
	if id == nil || own.UnmarshalJSON(id) != nil {
		return nil
	}
	text, ok := own.Value().(string)
	if !ok {
		return []string{own.String(), "string:" + string(id)}
	}
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return []string{own.String(), mcp.NewRequestId(n).String()}
	}
	return []string{own.String()}
}

// Notification is one notification of a server.
type Notification struct {
	Method string
	Params json.RawMessage // as sent; nil when absent
}

// Bounds of the notifications that wait for a handler; further ones are dropped.
const (
	queueCount = 1000
	queueBytes = 1 << 20
)

// notificationQueue keeps notifications until there is a handler for them; the zero value is empty.
type notificationQueue struct {
	mu      sync.Mutex
	handler func(Notification)
	waiting []Notification
	size    int
}

func (q *notificationQueue) add(m message) {
	q.mu.Lock()
	defer q.mu.Unlock()
	n := Notification{m.method, m.params}
	if q.handler != nil {
		q.handler(n)
	} else if len(q.waiting) < queueCount && q.size+len(m.raw) <= queueBytes {
		q.waiting = append(q.waiting, n)
		q.size += len(m.raw)
	}
}

func (q *notificationQueue) open(handler func(Notification)) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.handler = handler
	for _, n := range q.waiting {
		handler(n)
	}
	q.waiting, q.size = nil, 0
}
