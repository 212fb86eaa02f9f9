package transport

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// Secret is a value that cannot be printed: every verb of fmt and every encoder shows ***.
type Secret string

// Reveal is the one way out: the value itself, to be handed to the server and to nothing else.
func (s Secret) Reveal() string { return string(s) }

// String hides the value.
func (Secret) String() string { return "***" }

// GoString hides the value from %#v.
func (Secret) GoString() string { return "***" }

// MarshalText hides the value from encoders.
func (Secret) MarshalText() ([]byte, error) { return []byte("***"), nil }

// Refused is what a server said when it wanted other credentials.
type Refused struct {
	Status int // 401, or 403 for a token whose scopes do not suffice
	// its WWW-Authenticate headers (RFC 9110, 11.6.1), joined with ", "; the server's text
	Challenge string
	Sent      map[string]Secret // the headers of ours that it refused; nil = none
}

// Credentials are headers that are asked for when they are needed: one value for an origin, shared by all
// links to it.
type Credentials struct {
	ask  func(context.Context, *Refused) (map[string]Secret, error)
	turn chan struct{}  // held by whoever asks, so that all others wait for the same answer
	last *issuedHeaders // guarded by turn

	mu    sync.Mutex
	given []Secret // values that were handed out, for masking
}

type issuedHeaders struct {
	headers map[string]Secret
	err     error
	renewed bool        // it came after a refusal
	worked  atomic.Bool // a server took it
	stands  bool        // a refusal of it is final: there is nothing better
}

// CredentialsError is a request that was not sent, or not sent again, because credentials could not be had.
type CredentialsError struct{ Err error }

// Error says what was wanted.
func (e *CredentialsError) Error() string { return fmt.Sprintf("getting credentials: %v", e.Err) }

// Unwrap is the reason.
func (e *CredentialsError) Unwrap() error { return e.Err }

// NewCredentials makes credentials of a function that gives headers. It is called with nil before the first
// request, and with the refusal after one; then no headers mean that there are no better ones. Calls never
// overlap.
func NewCredentials(ask func(context.Context, *Refused) (map[string]Secret, error)) *Credentials {
	return &Credentials{ask: ask, turn: make(chan struct{}, 1)}
}

// current is the newest answer; the first call asks.
func (c *Credentials) current(ctx context.Context) (*issuedHeaders, error) {
	if c == nil {
		return &issuedHeaders{stands: true}, nil
	}
	return c.after(ctx, nil, nil)
}

// after is an answer newer than the refused one, or nil. It asks unless somebody just did; credentials that
// never worked are not renewed again.
func (c *Credentials) after(ctx context.Context, seen *issuedHeaders, refused *Refused) (*issuedHeaders,
	error) {
	select {
	case c.turn <- struct{}{}:
		defer func() { <-c.turn }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	switch {
	case c.last != seen:
		return c.last, c.last.err
	case seen != nil && (seen.stands || seen.renewed && !seen.worked.Load()):
		return nil, nil
	}
	headers, err := c.ask(ctx, refused)
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, context.Cause(ctx) // the next one may have more time
	case err != nil:
		err = &CredentialsError{Err: err}
	case seen != nil && headers == nil:
		seen.stands = true
		return nil, nil
	}
	c.last = &issuedHeaders{headers: headers, err: err, renewed: seen != nil}
	c.remember(headers)
	return c.last, err
}

// mostGiven bounds what a session that lives for months remembers for masking.
const mostGiven = 64

func (c *Credentials) remember(headers map[string]Secret) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, value := range headers {
		c.given = append(c.given, value)
	}
	c.given = c.given[max(0, len(c.given)-mostGiven):]
}

// Given are the header values that were handed out until now, for masking them in texts.
func (c *Credentials) Given() []Secret {
	if c == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.given)
}

// send sends a request with our headers, and once more when it was refused and there are better credentials.
func (w *web) send(req *http.Request) (*http.Response, error) {
	now, err := w.endpoint.Credentials.current(req.Context())
	if err != nil {
		if req.Body != nil {
			_ = req.Body.Close()
		}
		return nil, err
	}
	reply, err := w.base.RoundTrip(w.dressed(req, now))
	if err != nil {
		return nil, err
	}
	if !refuses(reply) {
		now.worked.Store(true)
		return reply, nil
	}
	again, ok := afresh(req)
	if !ok || w.endpoint.Credentials == nil {
		return reply, nil
	}
	return w.sendAgain(again, reply, now)
}

// sendAgain sends a request that was refused with better credentials, if there are any.
func (w *web) sendAgain(req *http.Request, reply *http.Response, seen *issuedHeaders) (*http.Response,
	error) {
	refused := &Refused{Status: reply.StatusCode, Challenge: challenge(reply), Sent: seen.headers}
	better, err := w.endpoint.Credentials.after(req.Context(), seen, refused)
	if err == nil && better == nil {
		return reply, nil
	}
	_ = startOf(reply.Body)
	if err != nil {
		return nil, err
	}
	if reply, err = w.base.RoundTrip(w.dressed(req, better)); err == nil && !refuses(reply) {
		better.worked.Store(true)
	}
	return reply, err
}

// afresh is a request that can be sent a second time, when its body can be had again.
func afresh(req *http.Request) (*http.Request, bool) {
	again := req.Clone(req.Context())
	if req.Body == nil || req.Body == http.NoBody {
		return again, true
	}
	if req.GetBody == nil {
		return nil, false
	}
	var body io.ReadCloser
	body, err := req.GetBody()
	again.Body = body
	return again, err == nil
}

// refuses tells that other credentials may get a better reply.
func refuses(reply *http.Response) bool {
	switch reply.StatusCode {
	case http.StatusUnauthorized:
		return true
	case http.StatusForbidden:
		return strings.EqualFold(ChallengeParameter(challenge(reply), "error"), "insufficient_scope")
	}
	return false
}

func challenge(reply *http.Response) string {
	return strings.Join(reply.Header.Values("WWW-Authenticate"), ", ")
}

// ChallengeParameter is the value of a parameter in WWW-Authenticate headers that are joined with commas, or
// nothing.
func ChallengeParameter(header, name string) string {
	found := regexp.MustCompile(`(?i)(?:^|[\s,])` + name +
		`\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))`).FindStringSubmatch(header)
	if found == nil {
		return ""
	}
	return strings.NewReplacer(`\"`, `"`, `\\`, `\`).Replace(found[1]) + found[2]
}
