package probe

import (
	"errors"
	"fmt"
)

// Error is one failure of one server, at one stage, with all that helps to mend it. Secrets never appear in it.
type Error struct {
	Server string // configured name
	Stage  Stage  // what was being done
	Err    error  // the cause
	Stderr string // the last 8 KiB that the server wrote to stderr, unescaped
	Hint   string // what the user can do next; empty when nothing is known

	// Unknown is the argument of a stdio server's command line that the server ended over at its start, since it does not
	// know it: "--read-only". Empty when there is no sign of that.
	Unknown string
}

// Error names the server and the stage once, then the cause.
func (e *Error) Error() string { return fmt.Sprintf("%s: %s: %v", e.Server, e.Stage, e.Err) }

// Unwrap is the cause.
func (e *Error) Unwrap() error { return e.Err }

// Failures are the *Errors that a result's Err is made of, in order.
func Failures(err error) []*Error {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		var all []*Error
		for _, part := range joined.Unwrap() {
			all = append(all, Failures(part)...)
		}
		return all
	}
	var failure *Error
	if errors.As(err, &failure) {
		return []*Error{failure}
	}
	return nil
}

// ErrNotTried is the cause of a server that was left out, or given up on the way, because another one failed first.
var ErrNotTried = errors.New("not tried to the end, since another server failed first")

// cause is an error as it may be shown: its text has no secrets, and so has nothing that can be unwrapped from it. It
// matches what the original matches.
type cause struct {
	text     string
	original error
}

// Error has no secrets.
func (c *cause) Error() string { return c.text }

// Is reports what the original error is.
func (c *cause) Is(target error) bool { return errors.Is(c.original, target) }

// As finds an RPCError and nothing else: other errors hold their text unmasked.
func (c *cause) As(target any) bool {
	answer, ok := target.(**RPCError)
	return ok && errors.As(c.original, answer)
}
