package auth

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/mcpctl/mcpctl/internal/host"
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
	own, cancel := outlive(ctx)
	unrepeatable.Add(1)
	return host.AwaitFor(ctx, 0, func() (T, error) {
		defer unrepeatable.Done()
		defer cancel()
		return exchange(own)
	})
}

// outlive returns a context that ends finishTime after ctx.
func outlive(ctx context.Context) (context.Context, context.CancelFunc) {
	own, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(finishTime, cancel) })
	return own, func() { stop(); cancel() }
}

// outlivingTransport sends requests that end finishTime after the context of their caller.
type outlivingTransport struct{ http.RoundTripper }

// RoundTrip implements [http.RoundTripper].
func (t outlivingTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	own, cancel := outlive(r.Context())
	defer cancel() // integerTransport has read the body
	return t.RoundTripper.RoundTrip(r.WithContext(own))
}
