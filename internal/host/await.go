package host

import (
	"context"
	"time"
)

// notice is how long what was interrupted may take to end by itself, with what it has.
const notice = 250 * time.Millisecond

// Await is what work returns. Once ctx has ended, work has a moment to notice; where it does not, it goes on unheeded, and the
// error is why ctx ended: what looks too seldom at its context keeps nobody waiting.
func Await[T any](ctx context.Context, work func() (T, error)) (T, error) {
	type outcome struct {
		result T
		err    error
	}
	done := make(chan outcome, 1)
	go func() {
		result, err := work()
		done <- outcome{result, err}
	}()
	select {
	case came := <-done:
		return came.result, came.err
	case <-ctx.Done():
	}
	select {
	case came := <-done:
		return came.result, came.err
	case <-time.After(notice):
		return outcome{}.result, context.Cause(ctx)
	}
}
