package probe

import (
	"context"
	"errors"
	"sync"

	"github.com/mcpctl/mcpctl/internal/transport"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// Session is one live connection to a server after its handshake. Its methods may be called at the same time.
type Session struct {
	attempt attempt
	line    line
	caller  caller
	hello   hello
	changes changes
	asking  asking
	hush    func() // ends listening; nil = nobody listens
}

// Protocol is the protocol version in effect, such as "2025-11-25".
func (s *Session) Protocol() string { return s.hello.protocol }

// Transport is "stdio", "streamable-http" or "sse".
func (s *Session) Transport() string { return s.line.Kind }

// Notices are the oddities that were seen until now, in the order of their stages.
func (s *Session) Notices() []Notice { return masked(s.attempt.record.seen(), s.attempt.masks()) }

// Noise is what a stdio server wrote to its stdout until now that is not the protocol, oldest first.
func (s *Session) Noise() []Noise {
	var all []Noise
	for _, piece := range s.line.Noise() {
		all = append(all, Noise{Text: s.attempt.masks().Cut(piece.Text), Bytes: piece.Bytes})
	}
	return all
}

// Done is closed when the connection is lost or closed. A server at a URL has none to lose over streamable HTTP.
func (s *Session) Done() <-chan struct{} { return s.line.Done() }

// Close ends the connection and waits, with a bound, until all that belongs to it is gone. How a server takes its end is
// no error.
func (s *Session) Close() error {
	if s.hush != nil {
		s.hush()
	}
	if err := s.line.close(); err != nil {
		return s.attempt.explain(context.Background(), Closing, err, nil)
	}
	return nil
}

// Snapshot lists everything that the server declares and returns what arrived; it is never nil. The error is an *Error
// for each list that is not whole, joined.
func (s *Session) Snapshot(ctx context.Context) (*snapshot.Snapshot, error) {
	shot := s.Hello()
	lists, err := s.List(ctx, snapshot.Kinds()...)
	for _, list := range lists {
		shot.SetList(list)
	}
	return shot, err
}

// List asks for lists of some kinds, all at once, and gives one for each, in their order. A list that is not whole says
// why, and has an *Error in the error.
func (s *Session) List(ctx context.Context, kinds ...snapshot.Kind) ([]snapshot.List, error) {
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
	way, ok := surfaceOf(kind)
	if !ok || way.standing(s.hello) == undeclared {
		return list, nil
	}
	err := guard(func() (err error) {
		var notices []Notice
		list, notices, err = s.caller.list(ctx, way, way.standing(s.hello), standardLimits())
		s.attempt.record.note(notices...)
		return err
	})
	if status, ok := errors.AsType[*transport.HTTPError](err); ok && status.Session {
		s.line.GiveUp(status)
	}
	if err == nil {
		return s.attempt.withoutSecrets(way, list), nil
	}
	failure := s.attempt.explain(ctx, way.stage, err, s.line.Conn)
	if list = s.attempt.withoutSecrets(way, list); list.Whole() { // it broke off before there was a list
		list = snapshot.NewPart(kind, nil, "")
	}
	list.Problem = failure.Err.Error() // as it may be shown
	return list, failure
}
