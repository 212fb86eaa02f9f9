// Package watch keeps the surface of a server live and tells every change once.
//
// It joins what each protocol era offers: notifications, polling beside them, and a full reading after every connection
// that was lost. The last surface that was read whole stays in effect until a newer one is there.
//
//	err := watch.Run(ctx, watch.Source{Name: "tickets", Open: open}, watch.Options{}, func(e watch.Event) { fmt.Println(e.Kind, e.Findings) })
//
// Stability: the words of states, events and causes stay for good. The Go API follows semantic versioning; before 1.0.0 a minor
// version may change it.
package watch

import (
	"cmp"
	"context"
	"math/rand/v2"
	"time"

	"github.com/mcpctl/mcpctl/pkg/diff"
	"github.com/mcpctl/mcpctl/pkg/finding"
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

	// Last is the surface as it was known last, before Run: the first that is read is told by what differs from it. nil = none
	// is known, and the first one is told by its state alone. It must be complete.
	Last *snapshot.Snapshot
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

	// Ping asks for a sign of life. An answer is one, whatever it says.
	Ping(context.Context) error

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
	Hears   bool            // what the server announces arrives, be it of some lists only
	Count   int             // announcements that made Changed
}

// Options are the times and limits of watching. The zero value works. All times but those of notifications are spread by
// a quarter to either side, so that many watchers do not fall into step.
type Options struct {
	Interval time.Duration // between polls; 0 = 30 s, and 5 min of a server that announces changes of every list
	Silence  time.Duration // after which a server that says nothing is pinged, and which an announcement may be late; 0 = 30 s
	Quiet    time.Duration // notifications are heeded once none has come for this long; 0 = 100 ms
	Longest  time.Duration // between attempts to connect, and between trials of a failed server; 0 = 1 min
	Backoff  time.Duration // before the first attempt to reconnect; it doubles up to Longest; 0 = 500 ms
	Retry    time.Duration // before the second of four attempts to read lists; it doubles; 0 = 1 s
	Timeout  time.Duration // for one attempt to read lists; 0 = none, but 30 s for a ping

	// MaxStaleness is how old a surface may be, whatever the connection seems to be; 0 = twice the time between polls.
	// A server is polled at least twice in it.
	MaxStaleness time.Duration

	MaxFailures int             // failures in a row until the server is failed; 0 = 5
	Diff        diff.Options    // how surfaces are compared; Server is set by Run
	Judge       Judge           // what is told of what was found; nil = all of it, as it is
	Refresh     <-chan struct{} // each value asks for a reading at once; nil = nobody asks
	Restart     <-chan struct{} // each value asks for a new session at once, whatever is under way; nil = nobody asks
	View        *View           // where the newest Status is kept for other goroutines; nil = nobody looks
	Observe     func(Attempt)   // called after each attempt, before what it led to is told; nil = nobody measures
	Random      func() float64  // in [0, 1), for the spread; nil = at random

	safety time.Duration // between polls of a server that announces changes of every list
}

// Judge gives findings the levels that a project wants, and leaves out what it does not want to hear of.
type Judge func([]finding.Finding) []finding.Finding

// complete fills in the defaults.
func (o Options) complete() Options {
	o.safety = cmp.Or(o.Interval, 5*time.Minute)
	o.Interval = cmp.Or(o.Interval, 30*time.Second)
	o.Silence = cmp.Or(o.Silence, 30*time.Second)
	o.Quiet = cmp.Or(o.Quiet, 100*time.Millisecond)
	o.Longest = cmp.Or(o.Longest, time.Minute)
	o.Backoff = min(cmp.Or(o.Backoff, 500*time.Millisecond), o.Longest)
	o.Retry = cmp.Or(o.Retry, time.Second)
	o.MaxFailures = cmp.Or(o.MaxFailures, 5)
	if o.Judge == nil {
		o.Judge = func(found []finding.Finding) []finding.Finding { return found }
	}
	if o.Observe == nil {
		o.Observe = func(Attempt) {}
	}
	if o.Random == nil {
		o.Random = rand.Float64
	}
	return o
}

// patience is how long a stream of notifications may go on before it is heeded all the same.
func (o *Options) patience() time.Duration { return 10 * o.Quiet }

// steady is how long a connection must last until the next one starts from Backoff again.
func (o *Options) steady() time.Duration { return 20 * o.Backoff }

// spread is d, a quarter more or less.
func (o *Options) spread(d time.Duration) time.Duration {
	return d*3/4 + time.Duration(o.Random()*float64(d/2))
}
