package host

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
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

// TestWithin: what is not done in time is an error, whether it notices the end of its time or not; the end of the run is another one.
func TestWithin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		why := errors.New("interrupted")
		ended, cancel := context.WithCancelCause(t.Context())
		cancel(why)
		never := make(chan struct{})
		defer close(never)
		heeds := func(ctx context.Context) (int, error) { <-ctx.Done(); return 1, nil }
		heedless := func(context.Context) (int, error) { <-never; return 2, nil }
		quick := func(context.Context) (int, error) { return 3, nil }
		for _, c := range []struct {
			name  string
			ctx   context.Context
			limit time.Duration
			work  func(context.Context) (int, error)
			err   error
		}{
			{"is quick", t.Context(), time.Second, quick, nil},
			{"has all the time", t.Context(), 0, quick, nil},
			{"heeds its time", t.Context(), time.Second, heeds, context.DeadlineExceeded},
			{"heeds nothing", t.Context(), time.Second, heedless, context.DeadlineExceeded},
			{"heeds the run", ended, time.Second, heeds, nil},
			{"heeds nothing in a run that ended", ended, time.Second, heedless, why},
		} {
			if _, err := Within(c.ctx, c.limit, c.work); !errors.Is(err, c.err) {
				t.Errorf("work that %s: %v, want %v", c.name, err, c.err)
			}
		}
	})
}

// TestLastPages: a report may be written as long as the run goes on, and a moment longer.
func TestLastPages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		why := errors.New("interrupted")
		ctx, cancel := context.WithCancelCause(t.Context())
		late, done := ForLastPages(ctx)
		defer done()
		cancel(why)
		page := func() (int, error) { time.Sleep(finalGrace * 2 / 3); return 1, nil }
		if got, err := AwaitFor(late, 0, page); got != 1 || err != nil {
			t.Error(got, err)
		}
		if got, err := AwaitFor(late, 0, page); got != 0 || !errors.Is(err, why) {
			t.Error(got, err)
		}
		time.Sleep(finalGrace) // the page that was given up ends
	})
}
