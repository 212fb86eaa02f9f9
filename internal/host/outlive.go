package host

import (
	"context"
	"sync"
	"time"
)

// outliving counts the running work that outlives its run.
var outliving sync.WaitGroup

// How long work that outlives its run may continue.
const (
	RenewalTime  = 5 * time.Second // where a login would be lost
	ExchangeTime = 700 * time.Millisecond
)

// Finish waits for the work that outlives its run, at most RenewalTime, or until again is closed. The program
// calls it before it exits. waits is called where that takes more than a moment.
func Finish(again <-chan struct{}, waits func()) {
	done := make(chan struct{})
	go func() {
		outliving.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-again:
	case <-time.After(ExchangeTime + finalGrace):
		waits()
		select {
		case <-done:
		case <-again:
		}
	}
}

// Outlive runs work that must not be lost half done, such as the exchange of a code that is valid once, on a
// context that outlives ctx by a time. It returns when the work is over, or earlier with the cause of ctx,
// while the work goes on.
func Outlive[T any](
	ctx context.Context, limit time.Duration, work func(context.Context) (T, error),
) (T, error) {
	own, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(limit, cancel) })
	outliving.Add(1)
	return AwaitFor(ctx, 0, func() (T, error) {
		defer outliving.Done()
		defer cancel()
		defer stop()
		return work(own)
	})
}
