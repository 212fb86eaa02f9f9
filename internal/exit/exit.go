// Package exit maps what a command returned to the exit status of the program, in one place for every command
// and format.
package exit

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// The exit statuses; docs/reference.md explains them. An interrupted run exits with 129, 130 or 143,
// as in shells.
const (
	OK         = 0
	Findings   = 1 // findings at or above the threshold
	Usage      = 2 // wrong usage or configuration; nothing was contacted
	Incomplete = 3 // a server could not be reached, or answered in part
	NoBaseline = 4 // nothing saved to compare with
)

// UsageError is a mistake in how the program was called or configured.
type UsageError struct{ err error }

// Error returns the message of the mistake.
func (u UsageError) Error() string { return u.err.Error() }

// Unwrap returns the mistake itself.
func (u UsageError) Unwrap() error { return u.err }

// Usagef formats a UsageError.
func Usagef(format string, args ...any) error { return UsageError{fmt.Errorf(format, args...)} }

// UsageHint formats a UsageError with what to do next.
func UsageHint(do, format string, args ...any) error { return UsageError{Advise(do, format, args...)} }

// Misuse wraps err in a UsageError; nil stays nil.
func Misuse(err error) error {
	if err == nil {
		return nil
	}
	return UsageError{err}
}

// unsavedError is the lack of a saved snapshot.
type unsavedError struct{ error }

// Unwrap returns the error itself.
func (u unsavedError) Unwrap() error { return u.error }

// UnsavedHint formats an error whose status is NoBaseline, with what to do next.
func UnsavedHint(do, format string, args ...any) error {
	return unsavedError{Advise(do, format, args...)}
}

// advice is an error with what to do next.
type advice struct {
	error
	do string
}

// Unwrap returns the error without its hint.
func (a *advice) Unwrap() error { return a.error }

// Hint returns what to do next.
func (a *advice) Hint() string { return a.do }

// Advise formats an error whose method Hint returns what to do next.
func Advise(do, format string, args ...any) error { return &advice{fmt.Errorf(format, args...), do} }

// HintOf returns the hint of an error, or of one that it wraps; empty without one.
func HintOf(err error) string {
	var advised interface{ Hint() string }
	if errors.As(err, &advised) {
		return advised.Hint()
	}
	return ""
}

// Code is an error with a status whose reason is reported already.
type Code int

// Error names the status.
func (c Code) Error() string { return fmt.Sprintf("exit status %d", int(c)) }

// Reported returns the error for a status whose reason is reported already; nil for OK.
func Reported(status int) error {
	if status == OK {
		return nil
	}
	return Code(status)
}

// CodeOf returns the exit status for the error of a command.
func CodeOf(err error) int {
	var code Code
	var usage UsageError
	var interrupted Interrupted
	switch {
	case err == nil:
		return OK
	case errors.As(err, &interrupted):
		return interrupted.Status()
	case errors.As(err, &code):
		return int(code)
	case errors.As(err, &usage):
		return Usage
	case errors.As(err, new(unsavedError)):
		return NoBaseline
	}
	return Incomplete
}

// Interrupted is the end of a run by a signal.
type Interrupted struct{ Signal os.Signal }

// Error names the signal.
func (i Interrupted) Error() string { return fmt.Sprintf("%s (%v)", InterruptedBy, i.Signal) }

// InterruptedBy begins the text of Interrupted.
const InterruptedBy = "interrupted by a signal"

// Status returns 128 plus the signal's number, as shells have it.
func (i Interrupted) Status() int {
	if number, ok := i.Signal.(syscall.Signal); ok && number != syscall.SIGINT {
		return 128 + int(number)
	}
	return 130
}

// Verdict is an exit status in one word.
type Verdict string

// The verdicts of a run.
const (
	Pass       Verdict = "pass"        // 0: nothing at or above the threshold
	Fail       Verdict = "fail"        // 1: findings at or above the threshold
	Invalid    Verdict = "error"       // 2: wrong usage or configuration
	Unfinished Verdict = "incomplete"  // 3: could not find out
	Unsaved    Verdict = "unsaved"     // 4: nothing saved to compare with
	Stopped    Verdict = "interrupted" // 129, 130 and 143: by a signal
)

// VerdictOf returns the word for an exit status.
func VerdictOf(status int) Verdict {
	switch status {
	case OK:
		return Pass
	case Findings:
		return Fail
	case Incomplete:
		return Unfinished
	case NoBaseline:
		return Unsaved
	case 129, 130, 143:
		return Stopped
	}
	return Invalid
}

// Meaning returns what a verdict says of a run that did not pass, in a few words.
func (v Verdict) Meaning() string {
	return map[Verdict]string{Pass: "", Fail: "findings at or above the threshold", Unfinished: "incomplete",
		Unsaved: "no saved snapshot to compare with", Stopped: "interrupted: what was finished is shown",
		Invalid: "wrong usage or configuration"}[v]
}
