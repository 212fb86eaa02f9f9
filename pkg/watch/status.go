package watch

import (
	"sync/atomic"
	"time"

	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// Status is how it stands with one server at one moment. Nothing in it is changed later.
type Status struct {
	State   State
	Since   time.Time          // when the state began
	Surface *snapshot.Snapshot // the last good surface; nil = none yet. A list of it that is not whole never arrived whole
	Seen    time.Time          // when the whole surface was last known to be current
	Err     error              // the trouble of the state; nil = none
	Counts  Counts
}

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
