package watch

import (
	"context"
	"errors"

	"github.com/sony/gobreaker/v2"
)

// trials lets attempts at a server through until too many have failed in a row, and then one at a time, far apart.
type trials struct {
	options Options
	breaker *gobreaker.CircuitBreaker[struct{}]
}

func newTrials(o Options) *trials {
	t := &trials{options: o}
	t.reset()
	return t
}

// errEnded is the outcome of a trial that was broken off by the end of watching. It says nothing about the server.
var errEnded = errors.New("watching has ended")

// reset forgets all failures.
func (t *trials) reset() {
	t.breaker = gobreaker.NewCircuitBreaker[struct{}](gobreaker.Settings{
		Timeout:     t.options.Longest / 2, // below the shortest spread of Longest, after which the watcher comes back
		ReadyToTrip: func(c gobreaker.Counts) bool { return int(c.ConsecutiveFailures) >= t.options.MaxFailures },
		IsExcluded:  func(err error) bool { return errors.Is(err, errEnded) },
	})
}

// try runs one trial, unless it is not time for one: then false.
func (t *trials) try(ctx context.Context, trial func() error) (bool, error) {
	_, err := t.breaker.Execute(func() (struct{}, error) {
		err := trial()
		if ctx.Err() != nil {
			err = errEnded
		}
		return struct{}{}, err
	})
	refused := errors.Is(err, gobreaker.ErrOpenState) || errors.Is(err, gobreaker.ErrTooManyRequests)
	return !refused, err
}

// exhausted tells that too many trials in a row have failed.
func (t *trials) exhausted() bool { return t.breaker.State() != gobreaker.StateClosed }
