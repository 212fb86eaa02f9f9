package probe

import (
	"context"
	"errors"

	"github.com/mcpctl/mcpctl/internal/transport"
)

// inSession runs work, which sends requests. If the server does not know the session any more, it begins a
// new one and runs work once more (2025-11-25, transports, session management). A session that listens is
// lost instead: what the server announced in between is not known.
func inSession(ctx context.Context, s *Session, work func() error) error {
	s.renewing.Lock()
	before := s.renewals
	s.renewing.Unlock()
	err := guard(work)
	if !sessionEnded(err) || s.stopListening != nil || renew(ctx, s, before) != nil {
		return err
	}
	return guard(work)
}

// sessionEnded reports whether a request was refused, and thus certainly not executed, since the server does
// not know the session.
func sessionEnded(err error) bool {
	status, ok := errors.AsType[*transport.HTTPError](err)
	return ok && status.Session && !status.Taken || errors.Is(err, transport.ErrSessionTerminated)
}

// renew begins a new session, unless another request did since the count was read.
func renew(ctx context.Context, s *Session, count int) error {
	s.renewing.Lock()
	defer s.renewing.Unlock()
	if s.renewals != count {
		return nil
	}
	now, err := s.introduceAgain(ctx)
	if err == nil {
		now.notices = nil
		s.caller.settle(ctx, now)
		s.renewals++
	}
	return err
}

// Recheck asks a server without a connection to lose, which may have been replaced since, how it introduces
// itself; if otherwise than before, the session is lost. Any failure is left to the requests that follow.
func (s *Session) Recheck(ctx context.Context) {
	if s.conn.Kind != transport.KindStreamable || !s.peer.stateless && s.conn.SessionID() != "" {
		return
	}
	if _, err := s.introduceAgain(ctx); errors.Is(err, errAnother) {
		s.conn.GiveUp(errAnother)
	}
}

// errAnother is why a connection is of no more use once the server says something else of itself.
var errAnother = errors.New("the server introduces itself differently now")

// introduceAgain opens the protocol once more. The error is errAnother if the server says something else of
// itself than before.
func (s *Session) introduceAgain(ctx context.Context) (now peer, err error) {
	err = guard(func() (err error) {
		if s.peer.stateless {
			now, err = s.caller.discover(ctx)
			return err
		}
		now, err = s.caller.initialize(ctx, s.peer.Protocol)
		now.Supported = s.peer.Supported
		return err
	})
	now = now.withoutSecrets(s.attempt.surfaceSecrets())
	if err == nil && now.Digest() != s.peer.Digest() {
		err = errAnother
	}
	return now, err
}
