package watch

import (
	"context"
	"time"

	"github.com/mcpctl/mcpctl/pkg/finding"
)

// watcher is the one goroutine that watches one server.
type watcher struct {
	source  Source
	options Options
	emit    func(Event)
	trials  *trials

	status Status
	good   surface         // the last good one
	told   map[string]bool // fingerprints of the distance that was told last
	stale  bool            // Stale was told and Recovered was not
	wait   time.Duration   // before the next attempt to connect
	misses int             // attempts to connect that failed in a row

	renewed bool // the next session is one that was asked for

	covered   bool          // the server announces changes of every list
	dirty     bool          // a signal was received whose news are still to be asked for
	floor     time.Duration // the least time between polls that the server asks for
	pollAt    time.Time     // when to read everything again
	changedAt time.Time     // when a reading found a change last
	echo      echo
}

func newWatcher(source Source, options Options, emit func(Event)) *watcher {
	options = options.complete()
	options.Diff.Server = source.Name
	w := &watcher{source: source, options: options, emit: emit, trials: newTrials(options)}
	w.become(Connecting, nil)
	return w
}

// become tells a new state, or a new reason for the same trouble without telling it.
func (w *watcher) become(state State, err error) {
	previous := w.status.State
	w.status.State, w.status.Err = state, err
	if previous != state {
		w.status.Since = time.Now()
	}
	w.publish()
	if previous != state {
		w.tell(Event{Kind: StateChanged, Previous: previous, Err: err})
	}
}

// tell completes an event and hands it out.
func (w *watcher) tell(e Event) {
	e.Time, e.Server, e.State = time.Now(), w.source.Name, w.status.State
	finding.Sort(e.Findings)
	w.emit(e)
}

func (w *watcher) publish() { w.options.View.publish(w.status) }

// pause waits, and is cut short by a request to read at once; false = ctx has ended.
func (w *watcher) pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	case <-w.options.Refresh:
		w.trials.reset()
	}
	return ctx.Err() == nil
}
