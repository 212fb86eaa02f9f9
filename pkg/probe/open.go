package probe

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/mcpctl/mcpctl/internal/transport"
)

// Open reaches one server and shakes hands with it, once: Options.Retries is for All. The timeout of the server, or else
// of the options, holds for Open alone; the session outlives ctx and ends with Close. The error is an *Error.
func Open(ctx context.Context, server Server, options Options) (*Session, error) {
	a := newAttempt(server, options)
	ctx, cancel := limited(ctx, a.timeout())
	defer cancel()
	return a.open(ctx)
}

// open tries the ways to reach the server until one is taken.
func (a attempt) open(ctx context.Context) (*Session, error) {
	if err := check(a.server, a.options); err != nil {
		return nil, a.explain(ctx, a.first(), err, nil)
	}
	ways := a.routes()
	session, err := a.take(ctx, ways[0])
	if err == nil || len(ways) == 1 || !oldTransport(err) {
		return session, err
	}
	second, sseErr := a.take(ctx, ways[1])
	if sseErr == nil {
		return second, nil
	}
	return nil, both(err, sseErr)
}

// oldTransport tells that the server may be one of HTTP+SSE: it turned initialize down with a status that the
// specification names for this (2025-11-25, transports, backwards compatibility).
func oldTransport(err error) bool {
	status, ok := errors.AsType[*transport.HTTPError](originalOf(err))
	return ok && slices.Contains([]int{400, 404, 405}, status.Status)
}

// both is the failure of a URL that was tried with both transports. What to do is told for the reply that says more.
func both(streamable, sse error) error {
	first, ok := errors.AsType[*Error](streamable)
	second, also := errors.AsType[*Error](sse)
	if !ok || !also {
		return streamable
	}
	joined := *first
	if _, replied := errors.AsType[*transport.HTTPError](originalOf(sse)); replied && !oldTransport(sse) {
		joined = *second
	}
	joined.Err = &cause{text: fmt.Sprintf("%v; as HTTP+SSE: %v", first.Err, second.Err), original: originalOf(&joined)}
	return &joined
}

// take reaches the server in one way. When discover used the link up, initialize gets one of its own.
func (a attempt) take(ctx context.Context, way route) (*Session, error) {
	link, c, err := a.dial(ctx, way)
	if err != nil {
		return nil, a.explain(ctx, way.stage, err, nil)
	}
	h, err := c.shake(ctx, way.grace, a.options.Protocol)
	if errors.Is(err, errAnew) && ctx.Err() == nil {
		_ = link.close() // the reason for leaving it is told already
		if link, c, err = a.dial(ctx, way); err != nil {
			return nil, a.explain(ctx, way.stage, err, nil)
		}
		h, err = c.again(ctx, h)
	}
	if err != nil {
		defer link.close()
		return nil, a.explain(ctx, way.failing(err), h.uncommon(err), link.Conn)
	}
	h = h.withoutSecrets(a.surfaceSecrets())
	c.version = h.protocol
	c.settle(ctx, h)
	if !link.keep() { // the time was up while the server was told
		defer link.close()
		return nil, a.explain(ctx, Handshake, context.Cause(ctx), link.Conn)
	}
	return a.session(link, c, h), nil
}

// dial opens a link of one way, and a caller on it.
func (a attempt) dial(ctx context.Context, way route) (line, caller, error) {
	link, err := way.open(ctx)
	return link, caller{conn: link.Conn, client: a.options.Client, elicits: a.options.Elicit != nil, record: a.record}, err
}

// session makes the link the caller's own.
func (a attempt) session(link line, c caller, h hello) *Session {
	s := &Session{attempt: a, line: link, caller: c, hello: h}
	s.line.OnRequest(s.answer)
	s.hear()
	return s
}
