package auth

import (
	"context"
	"net/http"
	"sync"
	"time"
)

// unrepeatable counts the running exchanges with authorization servers that cannot be repeated: a refresh
// token or code that was redeemed is lost if the answer is.
var unrepeatable sync.WaitGroup

// finishTime is how long such an exchange may continue after its run has ended.
const finishTime = 30 * time.Second

// Finish waits for the exchanges that outlive their run, at most finishTime. The program calls it before it
// exits.
func Finish() { unrepeatable.Wait() }

// finish runs an exchange that cannot be repeated, from its request to the saved file, on a context that
// outlives ctx by finishTime. It returns when the exchange is over, or earlier with the cause of ctx, while
// the exchange goes on.
func finish[T any](ctx context.Context, exchange func(context.Context) (T, error)) (T, error) {
	own, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(finishTime, cancel) })
	type outcome struct {
		value T
		err   error
	}
	done := make(chan outcome, 1)
	unrepeatable.Go(func() {
		defer cancel()
		defer stop()
		value, err := exchange(own)
		done <- outcome{value, err}
	})
	select {
	case o := <-done:
		return o.value, o.err
	case <-ctx.Done():
		var none T
		return none, context.Cause(ctx)
	}
}

// outliving sends requests that end finishTime after the context of their caller.
type outliving struct{ http.RoundTripper }

// RoundTrip implements [http.RoundTripper].
func (o outliving) RoundTrip(r *http.Request) (*http.Response, error) {
	own, cancel := context.WithCancel(context.WithoutCancel(r.Context()))
	context.AfterFunc(r.Context(), func() { time.AfterFunc(finishTime, cancel) })
	return o.RoundTripper.RoundTrip(r.WithContext(own))
}
