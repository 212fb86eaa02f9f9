package watchrun

import (
	"time"

	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/printable"
	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/internal/seen"
)

// WatchEvent is one event of watch, about a server or at the end of the run. docs/watch.md describes its
// JSON.
type WatchEvent struct {
	Mcpctl   int           `json:"mcpctl"` // version of this form; JSON sets it
	Time     time.Time     `json:"time"`
	Event    string        `json:"event"`               // of pkg/watch, "reload", "build" or "summary"
	Server   string        `json:"server,omitempty"`    // configured name
	State    string        `json:"state,omitempty"`     // the state in effect
	Previous string        `json:"previous,omitempty"`  // state: the one before
	Cause    string        `json:"cause,omitempty"`     // why the lists were read
	Note     string        `json:"note,omitempty"`      // a remark for a person
	Files    []string      `json:"files,omitempty"`     // reload: those that changed, or some of them
	Elapsed  *int64        `json:"elapsedMs,omitempty"` // build: its duration
	Counts   seen.Counts   `json:"counts,omitzero"`     // state: number of known items of each kind
	Error    *seen.Failure `json:"error,omitempty"`     // the reason of trouble
	Findings seen.Findings `json:"findings,omitzero"`   // changed: what changed

	Dropped  int  `json:"dropped,omitempty"`  // changes before this one that the output refused
	Repeated bool `json:"repeated,omitempty"` // all since the last change that the output confirmed

	Status  *int          `json:"status,omitempty"`  // summary: by what was found, also after a signal
	Verdict exit.Verdict  `json:"verdict,omitempty"` // summary: the status as a word
	Servers []Watched     `json:"servers,omitempty"` // summary: in the order of the configuration
	Summary *seen.Summary `json:"summary,omitempty"` // summary: reported findings by level
}

// Watched is the outcome of one server.
type Watched struct {
	Name      string `json:"name"`
	State     string `json:"state"`               // the last one before watching ended
	Tolerated bool   `json:"tolerated,omitempty"` // mcpctl.yaml allows it to fail
	Unsaved   bool   `json:"unsaved,omitempty"`   // nothing was saved to compare with
	Watch     any    `json:"watch,omitempty"`     // numbers of readings, changes and the like
}

// JSON returns the event as one line of JSON, with its line end.
func (e WatchEvent) JSON() []byte {
	e.Mcpctl, e.Time = seen.FormVersion, e.Time.UTC().Truncate(time.Millisecond)
	raw, _ := rawjson.Encode(e) // every event has a JSON form
	return []byte(printable.Spaced(raw) + "\n")
}
