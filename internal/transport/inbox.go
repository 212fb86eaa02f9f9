package transport

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
)

// Handlers take what a server sends unasked.
type Handlers struct {
	// Notification receives the notifications, in order. It runs on the goroutine that reads, and must not
	// wait or send a request. nil = they are dropped.
	Notification func(Incoming)

	// Request answers a request of the server; nil and nil leave it to the default, which answers ping with
	// {} and refuses others as unknown methods. Its context ends with the connection, or the request that
	// the server works on. nil = the default.
	Request func(context.Context, Incoming) (json.RawMessage, *ErrorReply)

	// Meter bounds the replies; nil = each by itself.
	Meter *Meter
}

// Incoming is a notification or a request of a server.
type Incoming struct {
	Method string
	Params json.RawMessage // as sent; nil when absent
}

// ErrorReply is the JSON-RPC error that answers a request of the server.
type ErrorReply struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// Noise returns the pieces of what the server sent that is not a message, oldest first: the first 256 bytes
// of each, unescaped.
func (c *Conn) Noise() []string {
	c.noise.mu.Lock()
	defer c.noise.mu.Unlock()
	return slices.Clone(c.noise.pieces)
}

// Unended returns the start of a line on stdout that has not ended and is not a message; empty = none.
func (c *Conn) Unended() string {
	c.noise.mu.Lock()
	defer c.noise.mu.Unlock()
	return strings.TrimSpace(c.noise.start)
}

// take sorts a message that came on a stream that all calls share. It returns the call that it answers, or
// nil.
func (c *Conn) take(ctx context.Context, m message) *pendingCall {
	switch {
	case !m.isReply() && m.id != nil:
		c.answer(ctx, m)
		return nil
	case !m.isReply():
		if c.handlers.Notification != nil {
			c.handlers.Notification(Incoming{m.method, m.params})
		}
		return nil
	}
	call, late := c.calls.find(m.id)
	switch {
	case call != nil:
		call.answer(m)
	case !late:
		c.noise.add(m.raw)
	}
	return call
}

// mostAnswers is how many requests of a server are worked on at once; further ones are dropped.
const mostAnswers = 64

// answer answers a request of the server beside the reader. ctx ends the work on it.
func (c *Conn) answer(ctx context.Context, m message) {
	if !c.answers.TryAcquire(1) {
		return
	}
	go func() {
		defer c.answers.Release(1)
		member := `,"result":`
		value, refusal := c.decide(ctx, Incoming{m.method, m.params})
		if refusal != nil {
			member = `,"error":`
			value, _ = json.Marshal(refusal) // a number and a text can be encoded
		}
		c.respond(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s%s%s}`, m.id, member, value))
	}()
}

// respond sends the answer to a request of the server, also when the call that it belongs to has ended.
// Requests that follow report a failure.
func (c *Conn) respond(answer []byte) {
	if c.child != nil {
		_, _ = c.child.stdin.Write(append(answer, '\n'))
		return
	}
	ctx, cancel := context.WithTimeout(c.life, answerTimeout)
	defer cancel()
	if reply, err := c.do(ctx, http.MethodPost, answer, http.Header{}); err == nil {
		_ = reply.Body.Close()
	}
}

// decide returns the result for a request of the server, or the error: what the handler returns, else {} for
// ping and "method not found" for the rest.
func (c *Conn) decide(ctx context.Context, r Incoming) (json.RawMessage, *ErrorReply) {
	if c.handlers.Request != nil {
		if result, refusal := c.handlers.Request(ctx, r); result != nil || refusal != nil {
			return result, refusal
		}
	}
	if r.Method == string(mcp.MethodPing) {
		return json.RawMessage("{}"), nil
	}
	return nil, &ErrorReply{mcp.METHOD_NOT_FOUND, "method not found: " + r.Method}
}

// Limits of the noise that is kept.
const (
	noiseText  = 256  // bytes of one piece
	noiseCount = 1000 // pieces
)

// noiseLog keeps output of a server that is not a message; the zero value is empty.
type noiseLog struct {
	mu     sync.Mutex
	pieces []string
	start  string // of a line that has no end yet
}

func (l *noiseLog) add(text []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.pieces) < noiseCount {
		l.pieces = append(l.pieces, string(text[:min(len(text), noiseText)]))
	}
}

// wait keeps the start of a line that has no end yet; nothing = there is none.
func (l *noiseLog) wait(line []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.start = string(line[:min(len(line), noiseText)])
}
