// Package watch keeps the lists of a server current and reports each change once.
//
// It uses what each era of the protocol has: notifications, polling beside them, and a full reading after
// each lost connection. The last complete surface stays in effect until a newer one arrived. A nil context
// panics.
//
//	source := watch.Source{Name: "tickets", Open: open}
//	err := watch.Run(ctx, source, watch.Options{}, func(e watch.Event) { fmt.Println(e.Kind, e.Findings) })
//
// Stability: the words of states, events and causes are permanent. The Go API follows semantic versioning;
// before 1.0.0 a minor version may change it.
package watch

import (
	"cmp"
	"context"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/mcpctl/mcpctl/pkg/diff"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// Source is one server to watch.
type Source struct {
	Name string

	// Open connects to the server once, as probe.Open and Session.Listen do, within a time limit of its own.
	// The session outlives the context. An error of Open, or of a session's List, that has a method
	// AskedWait() time.Duration delays the next attempt by that time, a minute at most.
	Open func(context.Context) (Session, error)

	// Saved returns the snapshot to compare each surface with, or nil if there is none. A nil function means
	// that each surface is compared with the one before it.
	Saved func() *snapshot.Snapshot

	// Last is the surface known before Run: the first reading is compared with it. It must be complete. With
	// nil the first reading is reported by its state only.
	Last *snapshot.Snapshot

	// Unsure are surfaces that came after Last and may have been reported before Run ended early. What
	// differs from them is reported as well, with the first complete reading.
	Unsure []*snapshot.Snapshot
}

// Session is one live connection to a server. Its methods may be called at the same time.
type Session interface {
	// Hello returns what the server said about itself, without lists.
	Hello() *snapshot.Snapshot

	// List reads lists of some kinds. The error says what is wrong with those that are incomplete.
	List(context.Context, ...snapshot.Kind) ([]snapshot.List, error)

	// Signal receives a value when News has something to report. It has room for one.
	Signal() <-chan struct{}

	// News returns what happened since the last call.
	News() snapshot.News

	// Ping returns how long the server took to respond. Any answer will do: an error with a method Answered()
	// bool that returns true is one.
	Ping(context.Context) (time.Duration, error)

	// Done is closed when the connection is lost; Lost then returns the reason.
	Done() <-chan struct{}
	Lost() error

	// Close ends the connection and waits, for a limited time, until everything that belongs to it is gone.
	Close() error
}

// Staleness is how many polling intervals a surface may age without being verified until it is stale.
const Staleness = 3

// Options are the times and limits of watching. The zero value works. All times but Quiet are spread by a
// quarter to either side, so that many watchers do not act at the same moment.
type Options struct {
	Interval time.Duration // between polls; 0 = 30 s, and 5 min if the server announces changes of every list
	Silence  time.Duration // of a server until it is pinged; 0 = 30 s
	Quiet    time.Duration // without another notification until lists are read; 0 = 100 ms. It doubles, up to
	// Interval, with each notification of a change that did not happen
	Longest time.Duration // between attempts to connect, and between attempts at a failed server; 0 = 1 min
	Backoff time.Duration // before the first attempt to reconnect; it doubles up to Longest; 0 = 500 ms
	Retry   time.Duration // before the second attempt to read lists; it doubles; 0 = 1 s
	Timeout time.Duration // for one attempt to read lists; 0 = none, but 30 s for a ping

	Attempts    int             // to read lists, until a reading has failed; 0 = 4
	MaxFailures int             // in a row until the server is Failed; 0 = 5
	Diff        diff.Options    // how surfaces are compared; Run sets Server
	Judge       Judge           // sets levels and drops findings; nil = report them all as they are
	Refresh     <-chan struct{} // each value asks for a reading at once
	Restart     <-chan struct{} // each value asks for a new session at once
	View        *View           // receives each new Status
	Random      func() float64  // in [0, 1), for the spread; nil = math/rand

	// Keep receives each complete surface that differs from the one before it, after every event about it was
	// emitted.
	Keep func(*snapshot.Snapshot)
}

// announcedInterval is the time between polls of a server that announces changes of every list.
const announcedInterval = 5 * time.Minute

// Judge gives findings the levels that a project wants, and drops those that it does not want to see.
type Judge func([]finding.Finding) []finding.Finding

// withDefaults returns the options with the documented values in place of zeros. Interval and Timeout stay 0:
// what that means depends on the server and on what is limited.
func (o Options) withDefaults() Options {
	o.Silence = cmp.Or(o.Silence, 30*time.Second)
	o.Quiet = cmp.Or(o.Quiet, 100*time.Millisecond)
	o.Longest = cmp.Or(o.Longest, time.Minute)
	o.Backoff = min(cmp.Or(o.Backoff, 500*time.Millisecond), o.Longest)
	o.Retry = cmp.Or(o.Retry, time.Second)
	o.Attempts = cmp.Or(o.Attempts, 4)
	o.MaxFailures = cmp.Or(o.MaxFailures, 5)
	if o.Judge == nil {
		o.Judge = func(found []finding.Finding) []finding.Finding { return found }
	}
	if o.Keep == nil {
		o.Keep = func(*snapshot.Snapshot) {}
	}
	if o.Random == nil {
		o.Random = rand.Float64
	}
	return o
}

// interval returns the time between polls of a server that announces all changes, or not.
func (o *Options) interval(announced bool) time.Duration {
	if announced {
		return cmp.Or(o.Interval, announcedInterval)
	}
	return cmp.Or(o.Interval, 30*time.Second)
}

// spread returns d, a quarter more or less.
func (o *Options) spread(d time.Duration) time.Duration {
	return d*3/4 + time.Duration(o.Random()*float64(d/2))
}

// Event is one thing to report about a server.
type Event struct {
	Time     time.Time
	Server   string
	Kind     EventKind
	State    State // the state in effect
	Previous State // the state before, of a StateChanged

	Cause    Cause             // why the lists were read, if they were
	Findings []finding.Finding // of Changed
	Err      error             // the reason of a state of trouble, or of Stale
}

// EventKind is the kind of an event. The words are permanent.
type EventKind string

// The kinds of events.
const (
	StateChanged EventKind = "state"
	Changed      EventKind = "changed"
	Unchanged    EventKind = "unchanged" // nothing changed, though it was announced or there is a new session
	Stale        EventKind = "stale"     // not verified for Staleness intervals; the last good surface stays
	Recovered    EventKind = "recovered" // reading works again after Stale
)

// State is the state of one server. The words are permanent.
type State string

// The states of a server.
const (
	Disabled     State = "disabled"     // configured not to be contacted; Run never sets it
	Connecting   State = "connecting"   // for the first time
	Live         State = "live"         // connected; changes of every list are announced
	Polling      State = "polling"      // connected; changes of some lists are found by polling only
	Degraded     State = "degraded"     // connected; the last reading failed
	Reconnecting State = "reconnecting" // no connection; attempts go on
	Failed       State = "failed"       // too many failures in a row; tried at the longest interval only
	Closed       State = "closed"       // watching has ended
)

// States returns all states.
func States() []State {
	return []State{Disabled, Connecting, Live, Polling, Degraded, Reconnecting, Failed, Closed}
}

// Reached reports whether the surface of a server in this state is known and current.
func (s State) Reached() bool { return s == Live || s == Polling }

// Cause is the reason for a reading. The words are permanent.
type Cause string

// The causes of a reading.
const (
	Start        Cause = "start"        // the first connection
	Notification Cause = "notification" // the server announced a change
	Interruption Cause = "interruption" // notifications stopped arriving
	Resumption   Cause = "resumption"   // notifications began again, and some may have been missed
	Poll         Cause = "poll"         // the interval is over
	Reconnection Cause = "reconnection" // the connection had been lost
	Request      Cause = "request"      // the user asked
	Reload       Cause = "reload"       // the user asked for a new session
)

// Status is the state of one server at one moment. It is never modified after it was published.
type Status struct {
	State   State
	Since   time.Time          // when the state began
	Surface *snapshot.Snapshot // the last good surface; nil = none yet
	Err     error              // the reason of a state of trouble
	Counts  Counts

	VerifiedAt time.Time // when the complete surface last arrived; zero = never
	Stale      bool      // Surface may no longer be the server's
}

// Current reports whether the surface is known to be the server's.
func (s Status) Current() bool { return s.State.Reached() && !s.Stale }

// Counts are numbers since watching began.
type Counts struct {
	Readings      int `json:"readings"`      // times that lists were read, successfully or not
	Failures      int `json:"failures"`      // readings and connections that failed, after all their attempts
	Changes       int `json:"changes"`       // readings that found a change
	Announcements int `json:"announcements"` // notifications of changes
	Connections   int `json:"connections"`   // times that the server was connected to
}

// View holds the newest Status of one server for any number of readers. The zero value holds an empty one.
type View struct{ newest atomic.Pointer[Status] }

// Status returns the newest status. Its surface is never a mixture of old and new.
func (v *View) Status() Status {
	if s := v.newest.Load(); s != nil {
		return *s
	}
	return Status{}
}

func (v *View) publish(s Status) {
	if v != nil {
		v.newest.Store(&s)
	}
}
