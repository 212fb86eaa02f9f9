package transport

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/mark3labs/mcp-go/mcp"
)

// inbox takes every message of a server and keeps what mcp-go would lose.
type inbox struct {
	calls         pendingCalls
	noise         noiseLog
	notifications notificationQueue
	handler       atomic.Pointer[Handler]             // of the server's requests; nil = the default answers
	respond       func(context.Context, []byte) error // sends the answer to a request of the server

	readers sync.WaitGroup // filters that are open
	answers sync.WaitGroup
	busy    atomic.Int32 // answers under way
}

// mostAnswers is how many requests of a server are worked on at once; further ones are dropped.
const mostAnswers = 64

// OnNotification hands every notification to f, in order, those that came before this call first. f runs on
// the reader's goroutine: it must not block, send a request, or set a handler.
func (b *inbox) OnNotification(f func(Notification)) { b.notifications.open(f) }

// OnRequest sets how the server's requests are answered; by default ping gets {}, others "method not found".
func (b *inbox) OnRequest(f Handler) { b.handler.Store(&f) }

// Noise returns what the server sent that is no message, oldest first, without what it sent after Close.
func (b *inbox) Noise() []Noise { return b.noise.all() }

// take sorts a message that came on a connection shared by all calls. It returns the receipt of a reply that
// a call waits for, else nil.
func (b *inbox) take(ctx context.Context, m message) (receipt []byte) {
	switch {
	case m.isRequest():
		b.answer(ctx, m)
	case !m.isReply():
		b.notifications.add(m)
	default:
		call, late := b.calls.find(m.id)
		switch {
		case call != nil:
			return call.answer(m)
		case !late:
			b.noise.add(m.raw, 0)
		}
	}
	return nil
}

// answer answers a request of the server beside the reader. ctx ends the work on it.
func (b *inbox) answer(ctx context.Context, m message) {
	if b.busy.Add(1) > mostAnswers {
		b.busy.Add(-1)
		return
	}
	b.answers.Go(func() {
		defer b.busy.Add(-1)
		_ = b.respond(ctx, b.reply(ctx, m)) // a server that does not take it has to do without
	})
}

// reply returns the whole answer to a request of the server, under the id that it has.
func (b *inbox) reply(ctx context.Context, m message) []byte {
	member, value := `,"result":`, []byte(nil)
	result, refusal := b.decide(ctx, m)
	if value = result; refusal != nil {
		member = `,"error":`
		value, _ = json.Marshal(refusal) // a number and a text can be encoded
	}
	return bytes.Join([][]byte{[]byte(`{"jsonrpc":"2.0","id":`), m.id, []byte(member), value,
		[]byte("}")}, nil)
}

func (b *inbox) decide(ctx context.Context, m message) (json.RawMessage, *RPCError) {
	if handle := b.handler.Load(); handle != nil {
		if result, refusal := (*handle)(ctx, Request{m.method, m.params}); result != nil || refusal != nil {
			return result, refusal
		}
	}
	if m.method == string(mcp.MethodPing) {
		return json.RawMessage("{}"), nil
	}
	return nil, &RPCError{mcp.METHOD_NOT_FOUND, "method not found: " + m.method}
}

// pendingCall is a request that waits for its reply.
type pendingCall struct {
	id     mcp.RequestId
	key    string             // the id as mcp-go compares ids
	repeat bool               // it may be sent a second time: it changes nothing
	cancel context.CancelFunc // ends the wait in mcp-go

	streamed bool // the reply comes in an event stream of its own
	// the first oddity in that stream, if nothing better explains a failure
	odd atomic.Pointer[ReplyError]

	settled sync.Once
	reply   message
	err     error
}

// answer keeps the reply, if it is the first, and returns the receipt for mcp-go.
func (p *pendingCall) answer(m message) (receipt []byte) {
	p.settled.Do(func() {
		if p.reply = m; m.flaw() != "" {
			p.err = &ReplyError{m.flaw()}
		}
	})
	id, _ := p.id.MarshalJSON() // it was encoded before
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":{}}`, id)
}

// fail ends the wait without a reply. What came first stays.
func (p *pendingCall) fail(err error) {
	p.settled.Do(func() { p.err = err })
	p.cancel()
}

// withoutReply returns why the call's own stream had no reply: the oddity that was in it, else err.
func (p *pendingCall) withoutReply(err error) error {
	if odd := p.odd.Load(); odd != nil && is[*LostError](err) {
		return odd
	}
	return err
}

func (p *pendingCall) note(problem string) { p.odd.CompareAndSwap(nil, &ReplyError{problem}) }

// response returns the outcome of a settled call.
func (p *pendingCall) response(id mcp.RequestId) (*JSONRPCResponse, error) {
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

// lateLimit is how many of the requests that ended are remembered: a late reply to one of them is not noise.
const lateLimit = 1000

// pendingCalls are the requests of one connection; the zero value is empty.
type pendingCalls struct {
	mu   sync.Mutex
	open map[string]*pendingCall
	over []string // keys of the last requests that ended, newest last
}

func (s *pendingCalls) start(id mcp.RequestId, cancel context.CancelFunc) *pendingCall {
	p := &pendingCall{id: id, key: id.String(), cancel: cancel}
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

// find returns the open call that a reply's id means. The id may be of the wrong JSON type ("2" for 2);
// without one, the reply belongs to the only call there is. late reports that the id is of a call that ended.
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

// failOne fails the call that an id means, or all of them when that is unknown.
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

// keysOf returns the keys under which an id may be open, the most likely one first.
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

// Bounds of what is kept of noise.
const (
	noiseText  = 256  // bytes of one piece
	noiseCount = 1000 // pieces; what follows is added to the last one's length
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

// add keeps a text of which more bytes are already gone.
func (l *noiseLog) add(text []byte, more int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.frozen {
		return
	}
	if len(l.pieces) == noiseCount || len(text) == 0 && len(l.pieces) > 0 {
		l.pieces[len(l.pieces)-1].Bytes += len(text) + more
		return
	}
	l.pieces = append(l.pieces, Noise{Text: string(text[:min(len(text), noiseText)]),
		Bytes: len(text) + more})
}

// freeze ends the keeping: what a server writes while it is ended depends on chance.
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
