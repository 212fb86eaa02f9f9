package transport

import (
	"context"
	"errors"
)

// Endpoint is an HTTP server to contact.
type Endpoint struct {
	URL       string            // absolute, http or https
	Headers   map[string]string // sent to this origin only
	UserAgent string            // empty = Go's
	CACert    []byte            // further PEM certificates to trust
}

// OpenStreamable makes a streamable HTTP link. It contacts nothing yet; the end of ctx ends every request.
// The error is about the URL or the certificates.
func OpenStreamable(ctx context.Context, e Endpoint) (*Link, error) {
	return nil, errors.ErrUnsupported
}

// OpenSSE opens the event stream of an HTTP+SSE server and waits until it has named its endpoint, or for ctx. The
// stream lives until Close or the end of ctx. Errors are those of SendRequest.
func OpenSSE(ctx context.Context, e Endpoint) (*Link, error) {
	return nil, errors.ErrUnsupported
}
