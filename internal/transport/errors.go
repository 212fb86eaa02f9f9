package transport

import (
	"errors"
	"fmt"

	"github.com/mark3labs/mcp-go/client/transport"
)

// TooLargeError is a message over the cap; it was not kept.
type TooLargeError struct{ Limit int } // bytes

// TooDeepError is a message that is nested over the cap.
type TooDeepError struct{ Limit int } // levels

// ReplyError is a reply that breaks JSON-RPC or its framing so that no client can use it.
type ReplyError struct {
	Problem string // what is wrong, to follow "the reply"
	Text    string // the first 256 bytes of it, unescaped
}

// LostError is the end of the connection while somebody waited. It wraps mcp-go's ErrTransportClosed.
type LostError struct {
	Exited bool   // the child is gone
	Exit   string // how: "exit status 7", "signal: killed"
	Stderr string // tail of its stderr, at most 8 KiB, unescaped
	Cause  string // what was lost, when no child is gone: "the server closed its standard output"
}

// Error names the limit.
func (e *TooLargeError) Error() string {
	return fmt.Sprintf("the message is larger than %d MiB", e.Limit>>20)
}

// Error names the limit.
func (e *TooDeepError) Error() string {
	return fmt.Sprintf("the message is nested deeper than %d levels", e.Limit)
}

// Error leaves out the text: it is the server's.
func (e *ReplyError) Error() string { return "the reply " + e.Problem }

// Error leaves out the stderr: it is the server's.
func (e *LostError) Error() string {
	if e.Exited {
		return "the server ended: " + e.Exit
	}
	return e.Cause
}

// Unwrap is mcp-go's ErrTransportClosed.
func (e *LostError) Unwrap() error { return transport.ErrTransportClosed }

// typed is the error of ours that is wrapped in one of mcp-go's or of net/http's, or nil.
func typed(err error) error {
	var (
		status   *HTTPError
		redirect *RedirectError
		large    *TooLargeError
		deep     *TooDeepError
		reply    *ReplyError
		lost     *LostError
		unknown  *CredentialsError
	)
	switch {
	case errors.As(err, &unknown):
		return unknown
	case errors.As(err, &status):
		return status
	case errors.As(err, &redirect):
		return redirect
	case errors.As(err, &large):
		return large
	case errors.As(err, &deep):
		return deep
	case errors.As(err, &reply):
		return reply
	case errors.As(err, &lost):
		return lost
	}
	return nil
}
