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
// for each list that failed, joined. Such a list is nil in the snapshot, and the others are complete.
func (s *Session) Snapshot(ctx context.Context) (*snapshot.Snapshot, error) {
	shot := s.Hello()
	lists, err := s.List(ctx, snapshot.Kinds()...)
	for kind, list := range lists {
		shot.SetList(kind, list)
	}
	return shot, err
}

// List asks for lists of some kinds, all at once. A kind that failed is absent from the result and has an *Error in the
// error; one that the server does not offer is nil.
func (s *Session) List(ctx context.Context, kinds ...snapshot.Kind) (map[snapshot.Kind]*snapshot.List, error) {
	lists := make([]*snapshot.List, len(kinds))
	failures := make([]error, len(kinds))
	var all sync.WaitGroup
	for i, kind := range kinds {
		all.Go(func() { lists[i], failures[i] = s.list(ctx, kind) })
	}
	all.Wait()
	byKind := make(map[snapshot.Kind]*snapshot.List, len(kinds))
	for i, kind := range kinds {
		if failures[i] == nil {
			byKind[kind] = lists[i]
		}
	}
	return byKind, errors.Join(failures...)
}

// list asks for one list, unless the server does not offer it. A failure is an *Error.
func (s *Session) list(ctx context.Context, kind snapshot.Kind) (list *snapshot.List, _ error) {
	way, ok := surfaceOf(kind)
	if !ok || way.standing(s.hello) == undeclared {
		return nil, nil
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
	if err != nil {
		return nil, s.attempt.explain(ctx, way.stage, err, s.line.Conn)
	}
	return s.attempt.withoutSecrets(way, list), nil
}
