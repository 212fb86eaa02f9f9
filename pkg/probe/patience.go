package probe

import (
	"context"
	"sync"
	"time"
)

// asking is the time for which a person was asked something: no server can help it, so it counts against no timeout.
type asking struct {
	mu    sync.Mutex
	open  int // questions that wait for an answer
	since time.Time
	spent time.Duration
}

// pause begins a question; the function it returns ends it.
func (a *asking) pause() (resume func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.open++; a.open == 1 {
		a.since = time.Now()
	}
	return func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		if a.open--; a.open == 0 {
			a.spent += time.Since(a.since)
		}
	}
}

// total is the time that questions have taken until now, and whether one is open.
func (a *asking) total() (spent time.Duration, open bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.open > 0 {
		return a.spent + time.Since(a.since), true
	}
	return a.spent, false
}

// patience is ctx with the time limit of a request, which stands still while a person is asked.
func (s *Session) patience(ctx context.Context) (context.Context, context.CancelFunc) {
	limit := s.attempt.timeout()
	ctx, cancel := context.WithCancelCause(ctx)
	if limit <= 0 {
		return ctx, func() { cancel(nil) }
	}
	start := time.Now()
	before, _ := s.asking.total()
	go func() {
		for left := limit; left > 0; {
			select {
			case <-ctx.Done():
				return
			case <-time.After(left):
			}
			asked, open := s.asking.total()
			if left = limit - (time.Since(start) - (asked - before)); open {
				left = max(left, askingStep)
			}
		}
		cancel(&timeoutError{limit})
	}()
	return ctx, func() { cancel(nil) }
}

// askingStep is how often an open question is looked at again.
const askingStep = 100 * time.Millisecond
