package transport

import (
	"fmt"

	"github.com/mark3labs/mcp-go/client/transport"
)

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

// TooLargeError is a message over the cap; it was not read to its end.
type TooLargeError struct{ Limit int }

// TooDeepError is a message that is nested over the cap.
type TooDeepError struct{ Limit int }

// ReplyError is a reply that breaks JSON-RPC or its framing so that no client can use it.
type ReplyError struct {
	Problem string // what is wrong, to follow "the reply"
	Text    string // the first 256 bytes of it
}

// RedirectError is a redirect, or an endpoint event, that was not followed.
type RedirectError struct {
	Status   int    // 0 for an endpoint event
	From, To string // URLs without user info and query
	Why      string // to follow "not following it:"
}

// LostError is the end of the connection while somebody waited. It wraps mcp-go's ErrTransportClosed.
type LostError struct {
	Exited bool   // the child is gone
	Exit   string // how: "exit status 7", "signal: killed"
	Stderr string // tail of its stderr, at most 8 KiB
	Cause  string // what was lost, when no child is gone: "the server closed its standard output"
}

// StartError is a command that could not be started.
type StartError struct {
	Command  string // as configured
	NotFound bool   // there is no such command
	Path     string // the PATH that was searched, when it was
	Err      error  // the system's own error, if any
}

func (e *HTTPError) Error() string     { return fmt.Sprintf("HTTP status %d", e.Status) }
func (e *TooLargeError) Error() string { return fmt.Sprintf("message is larger than %d MiB", e.Limit>>20) }
func (e *TooDeepError) Error() string  { return fmt.Sprintf("message is nested deeper than %d", e.Limit) }
func (e *ReplyError) Error() string    { return "the reply " + e.Problem }
func (e *RedirectError) Error() string {
	return fmt.Sprintf("redirected from %s to %s: not following it: %s", e.From, e.To, e.Why)
}
func (e *LostError) Error() string  { return "connection lost" }
func (e *StartError) Error() string { return fmt.Sprintf("starting %q: %v", e.Command, e.Err) }

// Unwrap is mcp-go's ErrTransportClosed.
func (e *LostError) Unwrap() error { return transport.ErrTransportClosed }

// Unwrap is the system's own error.
func (e *StartError) Unwrap() error { return e.Err }
