package auth

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

// lane sends a request directly, where addresses are judged when they are dialled, or through the user's proxy, which
// dials in our stead.
type lane struct {
	realm
	direct, proxied http.RoundTripper
	patience        time.Duration // for one request, to the end of the body
}

// RoundTrip checks the URL, whoever made it, and bounds the wait.
func (l *lane) RoundTrip(req *http.Request) (*http.Response, error) {
	if _, err := l.check("the URL", req.URL.String()); err != nil {
		return nil, err
	}
	next := l.direct
	if proxy, err := http.ProxyFromEnvironment(req); err != nil || proxy != nil {
		next = l.proxied
	}
	ctx, cancel := context.WithTimeoutCause(req.Context(), l.patience, &slowError{l.patience})
	reply, err := next.RoundTrip(req.WithContext(ctx))
	if err != nil {
		defer cancel()
		return nil, slow(ctx, err)
	}
	reply.Body = &boundedBody{reply.Body, ctx, cancel}
	return reply, nil
}

// slowError is an answer that did not come, or did not end.
type slowError struct{ patience time.Duration }

// Error names the limit.
func (e *slowError) Error() string { return fmt.Sprintf("no whole answer within %s", e.patience) }

// slow is err, or that the time was up, if it was.
func slow(ctx context.Context, err error) error {
	if late, ok := errors.AsType[*slowError](context.Cause(ctx)); ok {
		return late
	}
	return err
}

// boundedBody is a body that ends with its context, and lets go of it when it was read to its end: not everybody who
// reads it closes it.
type boundedBody struct {
	io.ReadCloser
	ctx    context.Context
	cancel context.CancelFunc
}

// Read says when the time was up.
func (b *boundedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	switch {
	case errors.Is(err, io.EOF):
		b.cancel()
	case err != nil:
		err = slow(b.ctx, err)
	}
	return n, err
}

// Close lets go of the context.
func (b *boundedBody) Close() error {
	b.cancel()
	return b.ReadCloser.Close()
}
