package probe

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/transport"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// Session is one live connection to a server after its handshake. Its methods may be called at the same time.
type Session struct {
	attempt attempt
	conn    *transport.Conn
	caller  caller
	peer    peer

	renewing sync.Mutex
	renewals int // sessions of streamable HTTP after the first one

	stopListening func() // nil = Listen was not called
}

// Protocol returns the protocol version in effect, such as "2025-11-25".
func (s *Session) Protocol() string { return s.peer.Protocol }

// Transport returns "stdio", "streamable-http" or "sse".
func (s *Session) Transport() string { return s.conn.Kind }

// Notices returns the oddities that were seen until now, in the order of their stages.
func (s *Session) Notices() []Notice { return masked(s.attempt.seen.inOrder(), s.attempt.masks()) }

// Noise returns the first bytes of each line that a stdio server wrote to its stdout until now and that is
// not the protocol, oldest first.
func (s *Session) Noise() []string { return kit.Map(s.conn.Noise(), s.attempt.masks().Cut) }

// Done returns a channel that is closed when the connection is lost or closed. Streamable HTTP has no
// connection to lose.
func (s *Session) Done() <-chan struct{} { return s.conn.Done() }

// Close ends the connection and waits, with a bound, until all of it is gone. How a server takes its end is
// no error.
func (s *Session) Close() error {
	if s.stopListening != nil {
		s.stopListening()
	}
	if err := s.conn.Close(); err != nil {
		return s.attempt.explain(context.Background(), Closing, err, nil)
	}
	return nil
}

// Leave ends the connection as Close does. The end of a server that was started here goes to
// Options.Background.
func (s *Session) Leave() { s.attempt.leave(s.conn.Kind, func() { _ = s.Close() }) }

// Snapshot lists everything that the server declares and returns what arrived; it is never nil. The error is
// an *Error for each list that is not whole, joined.
func (s *Session) Snapshot(ctx context.Context) (*snapshot.Snapshot, error) {
	lists, err := s.List(ctx, snapshot.Kinds()...)
	shot := s.Hello()
	for _, list := range lists {
		shot.SetList(list)
	}
	return shot, err
}

// List asks for some kinds at once and gives a list for each, in order. One that is not whole has an *Error
// in the error.
func (s *Session) List(ctx context.Context, kinds ...snapshot.Kind) ([]snapshot.List, error) {
	s.attempt.meter.Restart()
	return listsOf(ctx, s, kinds)
}

// listsOf returns what List does, and goes on with the count of what the server sent.
func listsOf(ctx context.Context, s *Session, kinds []snapshot.Kind) ([]snapshot.List, error) {
	lists := make([]snapshot.List, len(kinds))
	failures := make([]error, len(kinds))
	var all sync.WaitGroup
	for i, kind := range kinds {
		all.Go(func() { lists[i], failures[i] = s.list(ctx, kind) })
	}
	all.Wait()
	return lists, errors.Join(failures...)
}

// list asks for one list, unless the server does not offer it. A failure is an *Error.
func (s *Session) list(ctx context.Context, kind snapshot.Kind) (list snapshot.List, _ error) {
	list.Kind = kind
	at := slices.IndexFunc(listMethods[:], func(m listMethod) bool { return m.kind == kind })
	if at < 0 || listMethods[at].state(s.peer) == undeclared {
		return list, nil
	}
	way := listMethods[at]
	// in a new session from the first page: cursors belong to a session
	err := inSession(ctx, s, func() (err error) {
		var notices []Notice
		list, notices, err = s.caller.list(ctx, way, way.state(s.peer))
		s.attempt.seen.note(notices...)
		return err
	})
	if err == nil {
		return s.attempt.withoutSecrets(way, list), nil
	}
	failure := s.fail(ctx, way.stage, err)
	if list = s.attempt.withoutSecrets(way, list); list.Whole() { // it broke off before there was a list
		list = snapshot.NewPart(kind, nil, "")
	}
	list.Problem = failure.Err.Error() // as it may be shown
	return list, failure
}

// requestTimer ends the request under way. Questions to a person stop it.
type requestTimer struct {
	timer atomic.Pointer[time.Timer]
}

// limit returns ctx with the time limit of a request; 0 = none.
func (t *requestTimer) limit(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	if limit <= 0 {
		return ctx, func() { cancel(nil) }
	}
	timer := time.AfterFunc(limit, func() { cancel(&timeoutError{limit: limit}) })
	t.timer.Store(timer)
	return ctx, func() { timer.Stop(); cancel(nil) }
}

// pause stops the timer while a person is asked. resume gives the request its whole limit once more.
func (t *requestTimer) pause(limit time.Duration) (resume func()) {
	if timer := t.timer.Load(); timer != nil && timer.Stop() {
		return func() { timer.Reset(limit) }
	}
	return func() {}
}

// observations are what one attempt at a server has seen so far. It may be used by several goroutines.
type observations struct {
	id atomic.Int64 // the last request id; ids are unique over all links of an attempt

	heard   atomic.Bool // the server answered, asked or notified
	noLogin atomic.Bool // Authorize returned ErrNoLogin

	mu      sync.Mutex
	notices []Notice // each once
	issued  []Secret // values of headers that were asked for, for masking
}

func (o *observations) nextID() int64 { return o.id.Add(1) }

// mostNotices bounds what a session that lives for months may collect.
const mostNotices = 10_000

// note adds notices that were not made before, as far as mostNotices allows.
func (o *observations) note(notices ...Notice) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, n := range notices {
		if !slices.Contains(o.notices, n) && len(o.notices) < mostNotices {
			o.notices = append(o.notices, n)
		}
	}
}

// inOrder returns the notices in the order of their stages, so that the order of arrival does not show, each
// once.
func (o *observations) inOrder() []Notice {
	o.mu.Lock()
	defer o.mu.Unlock()
	sorted := slices.Clone(o.notices)
	slices.SortStableFunc(sorted, func(a, b Notice) int { return a.Stage.order() - b.Stage.order() })
	return sorted
}

// mostIssued bounds what a session that lives for months remembers for masking.
const mostIssued = 64

// keepCredentials remembers the values of headers that were asked for.
func (o *observations) keepCredentials(headers map[string]Secret) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.issued = slices.AppendSeq(o.issued, maps.Values(headers))
	o.issued = o.issued[max(0, len(o.issued)-mostIssued):]
}

// credentials returns what keepCredentials remembers.
func (o *observations) credentials() []Secret {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Clone(o.issued)
}

// Elicit asks the user for what a server wants to know. It gets the params of elicitation/create as sent,
// secrets masked, and gives an ElicitResult (specification, elicitation). The error is sent to the server.
type Elicit func(ctx context.Context, params json.RawMessage) (json.RawMessage, error)

// codeRejected is what the specification has for sampling that a user does not want.
const codeRejected = -1

// answer answers the server's own requests: with no roots, with a refusal of sampling, and with what
// Options.Elicit returns. The transport answers what is left.
func (a attempt) answer(ctx context.Context, asked transport.Incoming) (json.RawMessage,
	*transport.ErrorReply) {
	method := mcp.MCPMethod(asked.Method)
	a.seen.heard.Store(true)
	switch {
	case method == mcp.MethodListRoots:
		return json.RawMessage(`{"roots":[]}`), nil
	case method == mcp.MethodSamplingCreateMessage:
		return nil, &transport.ErrorReply{Code: codeRejected,
			Message: a.options.ClientName + " has no model: sampling is not supported"}
	case method != mcp.MethodElicitationCreate || !slices.Contains(a.options.Capabilities, "elicitation"):
		return nil, nil
	case a.options.Elicit == nil:
		return json.RawMessage(`{"action":"decline"}`), nil
	}
	defer a.timer.pause(a.options.Timeout)()
	params, _ := a.masks().JSON(asked.Params)
	result, err := a.options.Elicit(ctx, params)
	if err != nil {
		return nil, &transport.ErrorReply{Code: mcp.INTERNAL_ERROR, Message: err.Error()}
	}
	return result, nil
}

// hear takes a notification. It runs on the goroutine that reads.
func (a attempt) hear(n transport.Incoming) {
	a.seen.heard.Store(true)
	a.listener.take(n)
	if n.Method == "notifications/progress" && a.options.OnProgress != nil {
		params, _ := a.masks().JSON(n.Params)
		a.options.OnProgress(params)
	}
}

// listenDuringWait is how long the stream for what belongs to no request may take to open.
const listenDuringWait = 2 * time.Second

// listenDuring listens, while a request is under way, for what servers of streamable HTTP with a handshake
// send beside it: some send their questions there. The function it returns ends that.
func (s *Session) listenDuring(ctx context.Context) (stop func()) {
	if s.attempt.options.Elicit == nil || s.peer.stateless || s.conn.Kind != transport.KindStreamable {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	opened, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		_ = s.conn.Listen(ctx, func() { close(opened) }) // a server without it answers 405
	}()
	select {
	case <-opened:
	case <-ended:
	case <-ctx.Done():
	case <-time.After(listenDuringWait):
	}
	return func() {
		cancel()
		<-ended
	}
}
