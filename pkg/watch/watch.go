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
	"sync/atomic"
	"time"

	"github.com/mcpctl/mcpctl/pkg/diff"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// Source is one server to watch.
type Source struct {
	Name string

	// Open connects to the server once, within a time of its own. The session outlives the context. An error of it, or of a session's List,
	// that has a method AskedWait() time.Duration puts the next attempt off for that long, a minute at most.
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
type News = snapshot.News

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

	// MaxStaleness is how old a surface may be; 0 = twice the time between polls. A server is polled at least twice in it.
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

// spread is d, a quarter more or less.
func (o *Options) spread(d time.Duration) time.Duration {
	return d*3/4 + time.Duration(o.Random()*float64(d/2))
}

// Event is one thing to tell about a server.
type Event struct {
	Time     time.Time
	Server   string
	Kind     EventKind
	State    State // the state in effect
	Previous State // the state before, of a StateChanged

	Cause    Cause             // what made the lists be read, of events that come from a reading
	Findings []finding.Finding // what changed, of Changed, and of Recovered unless a distance is measured
	Err      error             // why, of a state that tells of trouble and of Stale
	Note     string            // one remark for a person, such as that the server is slowed down; often empty

	Trouble   Trouble // what Err is, and of a change why the server's word did not come; empty = there is none
	Connected bool    // a connection stands, as far as is known
	Listening bool    // and what the server announces arrives on it

	// What a change was proven from, of Changed and Recovered; Silent has From and To of the change that it is about.
	From, To   string    // digests of the two surfaces; empty for one that is not known whole, or that there is not
	Announced  bool      // the server had said that lists changed
	Confirmed  bool      // each list of several pages that is another one came twice in a row as it is
	VerifiedAt time.Time // when the whole surface last arrived; zero = never
}

// Trouble tells kinds of trouble apart. The words are permanent.
type Trouble string

// The kinds of trouble.
const (
	Unreadable          Trouble = "unreadable"           // the server answers, but not with lists that can be used
	AnnouncedUnreadable Trouble = "announced-unreadable" // the same, of a change that it announced
	NotificationLost    Trouble = "notification-lost"    // of a change: an announcement of it may have got lost on the way
	ChangedSilently     Trouble = "changed-silently"     // of Silent
	Hung                Trouble = "hung"                 // the connection stands, and not even a ping is answered
	Gone                Trouble = "gone"                 // there is no connection
	Unverified          Trouble = "unverified"           // the surface did not arrive for longer than Options.MaxStaleness
)

// EventKind is what an event tells. The words are permanent.
type EventKind string

// The kinds of events.
const (
	StateChanged EventKind = "state"
	Changed      EventKind = "changed"   // the surface is another one
	Silent       EventKind = "silent"    // a change that was told before should have been announced, and never was
	Unchanged    EventKind = "unchanged" // a change was announced, or a new session asked for, and there is none
	Stale        EventKind = "stale"     // reading was given up; the last good surface stays
	Recovered    EventKind = "recovered" // reading works again after Stale; the findings are since the last good surface
)

// State is how it stands with one server. The words are permanent.
type State string

// The states of a server.
const (
	Disabled     State = "disabled"     // configured not to be contacted; never set by Run
	Connecting   State = "connecting"   // for the first time
	Live         State = "live"         // connected; the server announces changes
	Polling      State = "polling"      // connected; changes of some lists are found by asking only
	Degraded     State = "degraded"     // connected; the last reading failed, the last good surface stays
	Reconnecting State = "reconnecting" // there is no connection; attempts go on
	Failed       State = "failed"       // too many failures in a row; tried at the longest interval only
	Closed       State = "closed"       // watching has ended
)

// States are all states.
func States() []State {
	return []State{Disabled, Connecting, Live, Polling, Degraded, Reconnecting, Failed, Closed}
}

// Reached tells whether the surface of a server in this state is known and current.
func (s State) Reached() bool { return s == Live || s == Polling }

// Cause is what made the lists be read. The words are permanent.
type Cause string

// The causes of a reading.
const (
	Start        Cause = "start"        // the first connection
	Notification Cause = "notification" // the server announced a change
	Interruption Cause = "interruption" // notifications stopped to arrive
	Resumption   Cause = "resumption"   // notifications began anew, and some may have been missed
	Poll         Cause = "poll"         // it was time
	Reconnection Cause = "reconnection" // the connection had been lost
	Request      Cause = "request"      // somebody asked
	Reload       Cause = "reload"       // somebody asked for a new session
)

// Status is how it stands with one server at one moment. Nothing in it is changed later.
type Status struct {
	State   State
	Since   time.Time          // when the state began
	Surface *snapshot.Snapshot // the last good surface; nil = none yet. A list of it that is not whole never arrived whole
	Err     error              // the trouble of the state; nil = none
	Trouble Trouble            // what it is; empty = there is none
	Counts  Counts

	Connected  bool      // a connection stands, as far as is known
	Listening  bool      // and what the server announces arrives on it
	VerifiedAt time.Time // when the whole surface last arrived; zero = never
	Stale      bool      // Surface may no longer be the server's
}

// Current tells whether the surface is known to be the server's.
func (s Status) Current() bool { return s.State.Reached() && !s.Stale }

// Counts are numbers since watching began.
type Counts struct {
	Readings      int `json:"readings"`      // times that lists were read, or tried to be
	Failures      int `json:"failures"`      // readings and connections that failed, after all their attempts
	Changes       int `json:"changes"`       // readings that found a change
	Announcements int `json:"announcements"` // notifications of changes that came
	Silent        int `json:"silent"`        // changes that a server which announces changes did not announce
	Needless      int `json:"needless"`      // announcements without a change
	Connections   int `json:"connections"`   // times that the server was connected to
}

// View keeps the newest Status of one server for any number of readers. The zero value has an empty one.
type View struct{ newest atomic.Pointer[Status] }

// Status is the newest one: the old surface or the new one, never a mixture.
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
