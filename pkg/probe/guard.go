package probe

import (
	"fmt"
	"runtime/debug"
)

// panicError is a bug of ours that one server's oddity brought to light.
type panicError struct {
	value any
	stack []byte
}

// Error is what was panicked with.
func (e *panicError) Error() string { return fmt.Sprintf("panic in the prober: %v", e.value) }

// guard runs work and turns a panic in it into an error, so that it costs one server and not the run.
func guard(work func() error) (err error) {
	defer func() {
		if value := recover(); value != nil {
			err = &panicError{value: value, stack: debug.Stack()}
		}
	}()
	return work()
}
