package transport

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/mark3labs/mcp-go/mcp"
)

// inbox takes every message of a server.
type inbox struct {
	calls   pendingCalls
	noise   noiseLog
	notify  atomic.Pointer[func(Notification)]       // nil = notifications are dropped
	handler atomic.Pointer[Handler]                  // nil = the default answers
	respond func(ctx context.Context, answer []byte) // sends the answer to a request of the server

	readers sync.WaitGroup // of stdout or an event stream
	answers sync.WaitGroup
	busy    atomic.Int32 // answers under way
}

// Notification is one notification of a server.
type Notification struct {
	Method string
	Params json.RawMessage // as sent; nil when absent
}

// Request is one request of the server's own.
type Request struct {
	Method string
	Params json.RawMessage // as sent; nil when absent
}

// RPCError is the JSON-RPC error that answers a request of the server.
type RPCError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// Handler answers the server's requests; nil and nil leave one to the default. Its context ends with the
// connection, or the request that the server works on.
type Handler func(context.Context, Request) (json.RawMessage, *RPCError)

// OnNotification sets f as the receiver of notifications, in order. f runs on the reader's goroutine: it must
// not block, or send a request.
func (b *inbox) OnNotification(f func(Notification)) { b.notify.Store(&f) }

// OnRequest sets how the server's requests are answered; by default ping gets {}, others "method not found".
func (b *inbox) OnRequest(f Handler) { b.handler.Store(&f) }

// Noise returns what the server sent that is not a message, oldest first, until Close.
func (b *inbox) Noise() []Noise { return b.noise.all() }

// take sorts a message that came on a stream that all calls share. It returns the call that it answers, or
// nil.
func (b *inbox) take(ctx context.Context, m message) *pendingCall {
	switch {
	case m.isRequest():
		b.answer(ctx, m)
		return nil
	case !m.isReply():
		if notify := b.notify.Load(); notify != nil {
			(*notify)(Notification{m.method, m.params})
		}
		return nil
	}
	call, late := b.calls.find(m.id)
	switch {
	case call != nil:
		call.answer(m)
	case !late:
		b.noise.add(m.raw, 0)
	}
	return call
}

// mostAnswers is how many requests of a server are worked on at once; further ones are dropped.
const mostAnswers = 64

// answer answers a request of the server beside the reader. ctx ends the work on it.
func (b *inbox) answer(ctx context.Context, m message) {
	if b.busy.Add(1) > mostAnswers {
		b.busy.Add(-1)
		return
	}
	b.answers.Go(func() {
		defer b.busy.Add(-1)
		member := `,"result":`
		value, refusal := b.decide(ctx, Request{m.method, m.params})
		if refusal != nil {
			member = `,"error":`
			value, _ = json.Marshal(refusal) // a number and a text can be encoded
		}
		b.respond(ctx, fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s%s%s}`, m.id, member, value))
	})
}

func (b *inbox) decide(ctx context.Context, r Request) (json.RawMessage, *RPCError) {
	if handle := b.handler.Load(); handle != nil {
		if result, refusal := (*handle)(ctx, r); result != nil || refusal != nil {
			return result, refusal
		}
	}
	if r.Method == string(mcp.MethodPing) {
		return json.RawMessage("{}"), nil
	}
	return nil, &RPCError{mcp.METHOD_NOT_FOUND, "method not found: " + r.Method}
}

// Limits of the noise that is kept.
const (
	noiseText  = 256  // bytes of one piece
	noiseCount = 1000 // pieces; the length of the last one includes what follows
)

// Noise is output of a server that is not a protocol message.
type Noise struct {
	Text  string // the first 256 bytes, unescaped
	Bytes int    // its whole length
}

// noiseLog keeps noise; the zero value is empty.
type noiseLog struct {
	mu     sync.Mutex
	pieces []Noise
	frozen bool
}

// add keeps a text that was longer by more bytes. An empty one belongs to the text before.
func (l *noiseLog) add(text []byte, more int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch n := len(l.pieces); {
	case l.frozen:
	case n == noiseCount || len(text) == 0 && n > 0:
		l.pieces[n-1].Bytes += len(text) + more
	default:
		start := text[:min(len(text), noiseText)]
		l.pieces = append(l.pieces, Noise{Text: string(start), Bytes: len(text) + more})
	}
}

// freeze ends the log: what a server writes while it is ended depends on chance.
func (l *noiseLog) freeze() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.frozen = true
}

func (l *noiseLog) all() []Noise {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.pieces)
}
