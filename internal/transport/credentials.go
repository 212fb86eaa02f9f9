package transport

import (
	"context"
	"crypto/tls"
	"fmt"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync/atomic"
)

// Credential is a value that cannot be printed: every verb of fmt and every encoder shows ***.
type Credential string

// Reveal returns the value itself, to be sent to the server and to nothing else.
func (s Credential) Reveal() string { return string(s) }

// String returns ***.
func (Credential) String() string { return "***" }

// GoString returns ***, for %#v.
func (Credential) GoString() string { return "***" }

// MarshalText returns ***, for encoders.
func (Credential) MarshalText() ([]byte, error) { return []byte("***"), nil }

// Refusal describes a refusal of a server that wants other credentials.
type Refusal struct {
	Status int // 401, or 403 for a token whose scopes do not suffice
	// its WWW-Authenticate headers (RFC 9110, 11.6.1), joined with ", "; the server's text
	Challenge string
	Sent      map[string]Credential // the headers of ours that it refused; nil = none
}

// Credentials are headers that are asked for when they are needed, shared by all connections to one server.
type Credentials struct {
	ask  func(context.Context, *Refusal) (map[string]Credential, error)
	turn chan struct{}  // held while ask runs, so that all others wait for the same answer
	last *issuedHeaders // guarded by turn
}

// issuedHeaders is one result of Credentials.ask.
type issuedHeaders struct {
	headers map[string]Credential
	err     error
	final   atomic.Bool // to ask for better ones is of no use, unless a server takes these
}

// CredentialsError reports a request that was not sent, or not sent again, for lack of credentials.
type CredentialsError struct{ Err error }

// Error names the reason.
func (e *CredentialsError) Error() string { return fmt.Sprintf("getting credentials: %v", e.Err) }

// Unwrap returns the reason.
func (e *CredentialsError) Unwrap() error { return e.Err }

// NewCredentials returns credentials that ask provides. It is called with nil before the first request, and
// with the refusal after one; then no headers mean that there are no better ones. Calls never overlap.
func NewCredentials(ask func(context.Context, *Refusal) (map[string]Credential, error)) *Credentials {
	return &Credentials{ask: ask, turn: make(chan struct{}, 1)}
}

// after returns headers that are newer than the refused ones, or nil; without refused ones the newest. It
// asks unless another request just did; headers that never worked are not renewed again.
func (c *Credentials) after(ctx context.Context, seen *issuedHeaders, refused *Refusal) (*issuedHeaders,
	error) {
	if c == nil {
		return &issuedHeaders{}, nil
	}
	select {
	case c.turn <- struct{}{}:
		defer func() { <-c.turn }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	switch {
	case c.last != seen:
		return c.last, c.last.err
	case seen != nil && seen.final.Load():
		return nil, nil
	}
	headers, err := c.ask(ctx, refused)
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, context.Cause(ctx) // the next request may have more time
	case err != nil:
		err = &CredentialsError{Err: err}
	case seen != nil && headers == nil:
		seen.final.Store(true)
		return nil, nil
	}
	c.last = &issuedHeaders{headers: headers, err: err}
	c.last.final.Store(seen != nil)
	return c.last, err
}

// send sends a request with our headers, and once more if it is refused and there are better credentials.
func (w *web) send(req *http.Request) (*http.Response, error) {
	now, err := w.endpoint.Credentials.after(req.Context(), nil, nil)
	if err != nil {
		if req.Body != nil {
			_ = req.Body.Close()
		}
		return nil, err
	}
	reply, err := w.sendWith(req, now)
	if err != nil || w.endpoint.Credentials == nil || !wantsCredentials(reply) {
		return reply, err
	}
	refused := &Refusal{Status: reply.StatusCode, Challenge: challenge(reply), Sent: now.headers}
	better, err := w.endpoint.Credentials.after(req.Context(), now, refused)
	if err == nil && better == nil {
		return reply, nil
	}
	_ = startOf(reply.Body)
	if err != nil {
		return nil, err
	}
	return w.sendWith(afresh(req), better)
}

// sendWith sends a request with these credentials, and notes that they worked if the server took them.
func (w *web) sendWith(req *http.Request, credentials *issuedHeaders) (*http.Response, error) {
	req = w.withHeaders(req, credentials)
	var broken atomic.Bool // not of a connection that was there before
	if req.URL.Scheme == "https" {
		req = req.WithContext(httptrace.WithClientTrace(req.Context(), &httptrace.ClientTrace{
			TLSHandshakeDone: func(_ tls.ConnectionState, err error) { broken.Store(err != nil) }}))
	}
	reply, err := w.base.RoundTrip(req)
	switch {
	case err != nil && broken.Load() && CutOff(err):
		err = &HandshakeError{err}
	case err != nil && (strings.Contains(err.Error(), malformed) || strings.Contains(err.Error(), early)):
		err = &NotHTTPError{err}
	}
	if err == nil && !wantsCredentials(reply) {
		credentials.final.Store(false)
	}
	return reply, err
}

// HandshakeError reports that the connection ended during the TLS handshake, before a request was sent.
type HandshakeError struct{ Err error }

// Error says what happened.
func (e *HandshakeError) Error() string {
	return "the server closed the connection during the TLS handshake"
}

// Unwrap returns how it ended.
func (e *HandshakeError) Unwrap() error { return e.Err }

// malformed is how net/http begins to say that the first line of an answer is not HTTP. The answer follows.
const malformed = "malformed HTTP "

// early is how net/http says that an answer came before there was a request.
const early = "readLoopPeekFailLocked: %!w(<nil>)"

// NotHTTPError reports that something else than HTTP came as the answer.
type NotHTTPError struct{ Err error }

// Error says what came, as net/http does.
func (e *NotHTTPError) Error() string {
	_, what, came := strings.Cut(e.Err.Error(), malformed)
	if !came {
		return "the answer is not HTTP: it came before the request"
	}
	return "the answer is not HTTP: " + malformed + what
}

// Unwrap returns the error of net/http.
func (e *NotHTTPError) Unwrap() error { return e.Err }

// TLS reports whether it was an alert of TLS.
func (e *NotHTTPError) TLS() bool {
	return strings.Contains(e.Err.Error(), malformed+`response "\x15\x03`)
}

// afresh returns a request to be sent once more. Its body is in memory, so that net/http can repeat it.
func afresh(req *http.Request) *http.Request {
	again := req.Clone(req.Context())
	if req.GetBody != nil {
		again.Body, _ = req.GetBody()
	}
	return again
}

// wantsCredentials reports whether other credentials may get a better reply.
func wantsCredentials(reply *http.Response) bool {
	return reply.StatusCode == http.StatusUnauthorized || reply.StatusCode == http.StatusForbidden &&
		strings.EqualFold(BearerParameter(challenge(reply), "error"), "insufficient_scope")
}

func challenge(reply *http.Response) string {
	return strings.Join(reply.Header.Values("WWW-Authenticate"), ", ")
}
