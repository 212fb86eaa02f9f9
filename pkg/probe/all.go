package probe

import (
	"context"
	"iter"

	"golang.org/x/sync/errgroup"
)

// All probes servers side by side and yields each result as it is there; every server has one. A failure touches no
// other server, unless Options.FailFast asks for that: then the rest matches ErrNotTried. To stop iterating ends
// everything that is under way. The end of ctx does too, and every server still gets its result.
func All(ctx context.Context, servers []Server, options Options) iter.Seq[Result] {
	return func(yield func(Result) bool) {
		ctx, stop := context.WithCancelCause(ctx)
		results := visitAll(ctx, stop, servers, options)
		defer func() {
			stop(context.Canceled)
			for range results { // until every probe has ended
			}
		}()
		for result := range results {
			if !yield(result) {
				return
			}
		}
	}
}

// visitAll probes with a bound; the channel is closed when all have ended. A failure stops the rest before its place is
// free for the next server.
func visitAll(ctx context.Context, stop context.CancelCauseFunc, servers []Server, options Options) <-chan Result {
	results := make(chan Result)
	go func() {
		defer close(results)
		var group errgroup.Group
		group.SetLimit(options.parallel())
		for i, server := range servers {
			group.Go(func() error {
				result := visit(ctx, server, options)
				result.Index = i
				if result.Err != nil && options.FailFast {
					stop(ErrNotTried)
				}
				results <- result
				return nil
			})
		}
		_ = group.Wait() // the failures are in the results
	}()
	return results
}
