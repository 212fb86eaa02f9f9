package watch

import (
	"time"

	"github.com/mcpctl/mcpctl/pkg/finding"
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
	Silent   bool              // of Changed: the server announces changes and did not announce this one
	Err      error             // why, of a state that tells of trouble and of Stale
	Note     string            // one remark for a person, such as that the server is slowed down; often empty
}

// EventKind is what an event tells. The words are permanent.
type EventKind string

// The kinds of events.
const (
	StateChanged EventKind = "state"
	Changed      EventKind = "changed"   // the surface is another one
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
	Resumption   Cause = "resumption"   // notifications began anew, and some may have been missed
	Poll         Cause = "poll"         // it was time
	Reconnection Cause = "reconnection" // the connection had been lost
	Request      Cause = "request"      // somebody asked
	Reload       Cause = "reload"       // somebody asked for a new session
)
