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
	now, err := s.caller.initialize(ctx, s.peer.protocol)
	if err != nil {
		return err
	}
	now.supported, now.notices = s.peer.supported, nil
	now = now.withoutSecrets(s.attempt.surfaceSecrets())
	if now.snapshot().Digest() != s.peer.snapshot().Digest() {
		return errAnother
	}
	s.caller.settle(ctx, now)
	s.renewals++
	return nil
}
