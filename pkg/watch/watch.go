// Package watch keeps the surface of a server live and tells every change once.
//
// It joins what each protocol era offers: notifications, polling beside them, and a full reading after every connection
// that was lost. The last surface that was read whole stays in effect until a newer one is there.
package watch

import (
	"context"
	"time"

	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// Source is one server to watch.
type Source struct {
	Name string

	// Open connects to the server once, within a time of its own. The session outlives the context.
	Open func(context.Context) (Session, error)

	// Saved is the snapshot to measure the distance from, read anew each time; nil when there is none. A nil function
	// means that each surface is compared with the one before it.
	Saved func() *snapshot.Snapshot
}

// Session is one live connection to a server. Its methods may be called at the same time.
type Session interface {
	// Hello is what the server said of itself, without lists.
	Hello() *snapshot.Snapshot

	// List reads lists of some kinds. What is wrong with those that are not whole is told in the error.
	List(context.Context, ...snapshot.Kind) ([]snapshot.List, error)

	// Signal has room for one signal, which says that News has something to tell.
	Signal() <-chan struct{}

	// News is what happened since the last call.
	News() News

	// Floor is the least time until a list that was read may be another one, as the server says; 0 = it does not say.
	Floor() time.Duration

	// Done is closed when the connection is lost; Lost then says why.
	Done() <-chan struct{}
	Lost() error

	// Close ends the connection and waits, with a bound, until all that belongs to it is gone.
	Close() error
}

// News is what a session has to tell.
type News struct {
	Changed []snapshot.Kind // lists that the server said to have changed
	Resumed bool            // notifications may have been missed, so every list is to be read again
	Covered bool            // the server announces changes of every list it offers, as things stand
	Count   int             // announcements that made Changed
}

// Run watches a server until ctx ends, and calls emit for every event, one at a time and in order. It returns when
// nothing is under way any more; the error is that of closing the last session.
func Run(ctx context.Context, source Source, options Options, emit func(Event)) error {
	w := newWatcher(source, options, emit)
	var err error
	for ctx.Err() == nil {
		turn, over := w.turn(ctx)
		if session := w.connect(turn); session != nil {
			w.follow(turn, session)
			err = session.Close()
		}
		if over() && ctx.Err() == nil {
			w.anew()
		}
	}
	w.become(Closed, nil)
	return err
}
