package transport

import "fmt"

// HTTPError is an HTTP reply in which there is no MCP message where one is needed: a bad status, or a body that is not
// JSON or an event stream. What it quotes from the reply has the values of our own headers masked.
type HTTPError struct {
	Status   int    // the HTTP status, also a good one
	Type     string // Content-Type
	Body     string // the first KiB
	Auth     string // WWW-Authenticate
	Metadata string // the resource_metadata URL in it (RFC 9728), if any
	URL      string // who answered, without user info and query
	Session  bool   // a 404 for a session that the server no longer knows
}

// RedirectError is a redirect, or an endpoint event, that was not followed.
type RedirectError struct {
	Status   int    // 0 for an endpoint event
	From, To string // URLs without user info and query
	Why      string // to follow "not following it:"
}

// Error names the status.
func (e *HTTPError) Error() string { return fmt.Sprintf("HTTP status %d", e.Status) }

// Error names both ends.
func (e *RedirectError) Error() string {
	return fmt.Sprintf("redirected from %s to %s: not following it: %s", e.From, e.To, e.Why)
}
