package probe

import "fmt"

// Error is one failure of one server, at one stage, with all that helps to mend it. Secrets never appear in it.
type Error struct {
	Server string // configured name
	Stage  Stage  // what was being done
	Err    error  // the cause
	Stderr string // the last 8 KiB that the server wrote to stderr, unescaped
	Hint   string // what the user can do next; empty when nothing is known
}

// Error names the server and the stage once, then the cause.
func (e *Error) Error() string { return fmt.Sprintf("%s: %s: %v", e.Server, e.Stage, e.Err) }

// Unwrap is the cause.
func (e *Error) Unwrap() error { return e.Err }
