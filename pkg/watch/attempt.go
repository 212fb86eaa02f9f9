package watch

import (
	"context"
	"time"
)

// Attempt is one attempt to connect to a server, or to read its lists, for whoever measures.
type Attempt struct {
	Cause   Cause         // what made the lists be read; empty when it was to connect
	Outcome Outcome       // what came of it
	Took    time.Duration // with its repetitions and the pauses between them
}

// Outcome is what came of an attempt. The words are permanent.
type Outcome string

// The outcomes of an attempt.
const (
	Connected Outcome = "connected" // of connecting
	Same      Outcome = "unchanged" // of a reading: nothing to tell
	Different Outcome = "changed"   // of a reading: a change to tell
	Failure   Outcome = "failed"    // of either, also when some of the lists arrived
)

// observe tells of an attempt to connect, unless the end of watching broke it off.
func (w *watcher) observe(ctx context.Context, a Attempt) {
	if ctx.Err() == nil {
		w.options.Observe(a)
	}
}

func outcomeOf(err error) Outcome {
	if err != nil {
		return Failure
	}
	return Connected
}

// outcome of a reading whose lists were taken.
func (o outcome) word(err error) Outcome {
	switch {
	case err != nil:
		return Failure
	case o.changed:
		return Different
	}
	return Same
}
