package host

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
)

func TestAwait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		why, own := errors.New("interrupted"), errors.New("its own")
		ended, cancel := context.WithCancelCause(t.Context())
		cancel(why)
		never := make(chan struct{})
		defer close(never)
		for _, c := range []struct {
			name string
			ctx  context.Context
			work func() (int, error)
			want int
			err  error
		}{
			{"ends by itself", t.Context(), func() (int, error) { return 1, own }, 1, own},
			{"notices the end", ended, func() (int, error) { <-ended.Done(); return 2, nil }, 2, nil},
			{"notices nothing", ended, func() (int, error) { <-never; return 3, nil }, 0, why},
		} {
			if got, err := Await(c.ctx, c.work); got != c.want || !errors.Is(err, c.err) {
				t.Errorf("work that %s: %d, %v, want %d, %v", c.name, got, err, c.want, c.err)
			}
		}
	})
}
