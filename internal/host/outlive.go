package host

import (
	"context"
	"sync"
	"time"
)

// outliving counts the running work that outlives its run.
var outliving sync.WaitGroup

// outliveTime is how long such work may continue after its run has ended.
const outliveTime = 30 * time.Second

// Finish waits for the work that outlives its run, at most outliveTime. The program calls it before it exits.
func Finish() { outliving.Wait() }

// Outlive runs work that must not be lost half done, such as the exchange of a code that is valid once, on a
// context that outlives ctx by outliveTime. It returns when the work is over, or earlier with the cause of
// ctx, while the work goes on.
func Outlive[T any](ctx context.Context, work func(context.Context) (T, error)) (T, error) {
	own, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(outliveTime, cancel) })
	outliving.Add(1)
	return AwaitFor(ctx, 0, func() (T, error) {
		defer outliving.Done()
		defer cancel()
		defer stop()
		return work(own)
	})
}
