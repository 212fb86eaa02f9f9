package main

import (
	"errors"
	"fmt"
)

// The exit statuses. docs/usage.md tells what each means.
const (
	statusOK         = 0
	statusFindings   = 1 // findings at or above the threshold
	statusUsage      = 2 // wrong usage or configuration; nothing was contacted
	statusIncomplete = 3 // a server could not be reached, or answered in part
	statusNoBaseline = 4 // nothing saved to compare with
)

// usageError is a mistake in how mcpctl was called or configured: exit status 2.
type usageError struct{ err error }

// Error is the mistake in words.
func (u usageError) Error() string { return u.err.Error() }

// Unwrap is the mistake itself.
func (u usageError) Unwrap() error { return u.err }

// usagef makes a usageError.
func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// exitError carries a status whose reason has been reported already.
type exitError int

// Error names the status; what it stands for has been told already.
func (e exitError) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

// statusOf maps what a command returned to the exit status, for every command and format.
func statusOf(err error) int {
	var exit exitError
	var usage usageError
	switch {
	case err == nil:
		return statusOK
	case errors.As(err, &exit):
		return int(exit)
	case errors.As(err, &usage):
		return statusUsage
	}
	return statusIncomplete
}
