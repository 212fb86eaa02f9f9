package probe

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/cenkalti/backoff/v5"

	"github.com/mcpctl/mcpctl/internal/transport"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// Listen begins to listen for what the server announces, in the way of its era and transport; Close ends that. The channel
// is closed once it is known whether the server announces anything, which News tells then and whenever it changes.
func (s *Session) Listen() (settled <-chan struct{}) {
	ctx, cancel := context.WithCancel(context.Background())
	known, ended := make(chan struct{}), make(chan struct{})
	settle := sync.OnceFunc(func() { close(known) })
	s.hush = func() {
		cancel()
		<-ended
	}
	go func() {
		defer close(ended)
		defer settle()
		s.attend(ctx, settle)
	}()
	return known
}

// attend listens as long as there is a way to.
func (s *Session) attend(ctx context.Context, settle func()) {
	announced := s.hello.announces()
	switch {
	case len(announced) == 0:
	case s.hello.stateless:
		s.changes.settle(settle)
		s.persist(ctx, settle, s.subscribe)
	case s.line.Kind == transport.KindStreamable:
		s.changes.settle(settle)
		s.persist(ctx, settle, func(ctx context.Context) error {
			return s.line.Listen(ctx, func() { s.changes.resume(announced) })
		})
	default: // what is announced comes unasked
		s.changes.begin(announced)
	}
}

// subscribe asks for announcements and waits until there are no more (specification 2026-07-28, subscriptions/listen). A
// result is the server's regular end of it.
func (s *Session) subscribe(ctx context.Context) error {
	_, err := s.caller.call(ctx, "subscriptions/listen", map[string]any{"notifications": s.hello.filter()})
	return err
}

// persist listens again each time that listening has ended, with growing pauses, unless the server has no such thing.
func (s *Session) persist(ctx context.Context, settle func(), listen func(context.Context) error) {
	pause, opened := listenPace(), false
	for {
		began := time.Now()
		err := listen(ctx)
		opened = s.changes.cease() || opened
		settle()
		if ctx.Err() != nil || s.refused(err, opened) {
			return
		}
		if time.Since(began) >= steadyListening {
			pause.Reset()
		}
		select {
		case <-ctx.Done():
			return
		case <-s.Done():
			return
		case <-time.After(pause.NextBackOff()):
		}
	}
}

// steadyListening is how long listening must last to count as a success.
const steadyListening = 10 * time.Second

func listenPace() *backoff.ExponentialBackOff {
	return &backoff.ExponentialBackOff{
		InitialInterval: 500 * time.Millisecond, RandomizationFactor: 0.25, Multiplier: 2, MaxInterval: time.Minute,
	}
}

// refused tells that there is no point in listening again: the server has no such thing, or the session is over. One that
// was open before and is not known any more has ended (2025-11-25, session management).
func (s *Session) refused(err error, opened bool) bool {
	var status *transport.HTTPError
	var answer *RPCError
	switch {
	case errors.As(err, &answer):
		return true
	case !errors.As(err, &status):
		return s.line.Lost() != nil
	case status.Status == 404 && opened:
		s.line.GiveUp(err)
	}
	return status.Status < 500 && status.Status != 408 && status.Status != 429
}

// Hello is what the server said of itself, without its lists.
func (s *Session) Hello() *snapshot.Snapshot { return s.hello.snapshot() }

func (h hello) snapshot() *snapshot.Snapshot {
	return &snapshot.Snapshot{
		Protocol: h.protocol, Supported: h.supported, Server: h.server, Capabilities: h.capabilities, Instructions: h.instructions,
	}
}

// Lost is why the connection was lost, an *Error; nil while it lasts.
func (s *Session) Lost() error {
	if err := s.line.Lost(); err != nil {
		return s.attempt.explain(context.Background(), Watching, err, s.line.Conn)
	}
	return nil
}
