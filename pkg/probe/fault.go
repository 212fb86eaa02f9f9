package probe

import (
	"errors"
	"fmt"
)

// fault is what the prober itself finds wrong, as opposed to what a system or a server reports.
type fault int

const (
	usage   fault = iota // the probe makes no sense as it was asked for
	version              // no protocol version in common
	shape                // a result is not what the method returns
	limit                // a result is over a limit
	circle               // a list leads back to where it was
)

type faultError struct {
	fault fault
	text  string
}

// Error is a sentence of our own.
func (e *faultError) Error() string { return e.text }

// errorf is an error of the kind.
func (f fault) errorf(format string, args ...any) error {
	return &faultError{fault: f, text: fmt.Sprintf(format, args...)}
}

// in tells that err is of the kind.
func (f fault) in(err error) bool {
	found, ok := errors.AsType[*faultError](err)
	return ok && found.fault == f
}
