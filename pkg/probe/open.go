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
	ways := routes(a.server, a.options)
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
	var status *transport.HTTPError
	var failure *Error
	return errors.As(err, &failure) && errors.As(failure.original(), &status) && slices.Contains([]int{400, 404, 405}, status.Status)
}

// both is the failure of a URL that was tried with both transports. What to do is told for the first.
func both(streamable, sse error) error {
	var first, second *Error
	if !errors.As(streamable, &first) || !errors.As(sse, &second) {
		return streamable
	}
	joined := *first
	joined.Err = &cause{
		text:     fmt.Sprintf("%v; as HTTP+SSE: %v", first.Err, second.Err),
		original: first.original(),
	}
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
		return nil, a.explain(ctx, way.failing(err), h.uncommon(err), link.Link)
	}
	c.version = h.protocol
	c.settle(ctx, h)
	if !link.keep() { // the time was up while the server was told
		defer link.close()
		return nil, a.explain(ctx, Handshake, context.Cause(ctx), link.Link)
	}
	return a.session(link, c, h), nil
}

// dial opens a link of one way, and a caller on it.
func (a attempt) dial(ctx context.Context, way route) (line, caller, error) {
	link, err := way.open(ctx)
	return link, caller{link: link.Link, client: a.options.Client, record: a.record}, err
}

// again is initialize after discover failed or was of no use on another link.
func (c caller) again(ctx context.Context, first hello) (hello, error) {
	h, err := c.initialize(ctx, newestLegacy(first.supported))
	h.supported = first.supported
	h.notices = append(h.notices, Notice{Handshake, NoticeRestarted,
		"the server took initialize only on a fresh connection, without server/discover before it"})
	return h, err
}

// failing is the stage at which an opening failed: a stdio server that ends was never up, and an HTTP server that could
// not be talked to at all was never reached.
func (r route) failing(err error) Stage {
	var status *transport.HTTPError
	var redirected *transport.RedirectError
	reached := !unreachable(err) && !cutOff(err) && !errors.As(err, &status) && !errors.As(err, &redirected)
	if r.stage == Starting && exited(err) == "" || r.stage == Connecting && reached {
		return Handshake
	}
	return r.stage
}

// session makes the link the caller's own.
func (a attempt) session(link line, c caller, h hello) *Session {
	s := &Session{attempt: a, line: link, caller: c, hello: h}
	s.listen()
	return s
}
