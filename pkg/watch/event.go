package watch

import (
	"sync/atomic"
	"time"

	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

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
