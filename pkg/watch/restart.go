package watch

import "context"

// turn is the time until ctx ends or a new session is asked for. The function that it returns ends it, and tells whether
// one was.
func (w *watcher) turn(ctx context.Context) (_ context.Context, over func() (asked bool)) {
	turn, end := context.WithCancel(ctx)
	asked := make(chan bool, 1)
	go func() {
		select {
		case <-w.options.Restart:
			asked <- true
			end()
		case <-turn.Done():
			asked <- false
		}
	}()
	return turn, func() bool {
		end()
		return <-asked
	}
}

// anew forgets all failures and waits, since the next session is to be one that somebody asked for.
func (w *watcher) anew() {
	w.trials.reset()
	w.wait, w.misses, w.echo, w.renewed = 0, 0, echo{}, true
	if w.status.State != Connecting {
		w.become(Reconnecting, nil)
	}
}
