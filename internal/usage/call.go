// Package usage keeps what is known of the calls that agents really made, and judges changes of servers by them.
//
// Calls are read from records that people already have: transcripts, traces, lines of JSON. What is kept of a call is its
// [Shape]: enough to decide whether a schema accepts it, and not to read it. docs/usage-records.md defines the form, what it can
// decide and what it cannot.
package usage

import (
	"encoding/json"
	"strings"
	"time"
)

// Call is one recorded call of a tool, as a reader of records finds it.
type Call struct {
	ID        string          // the same call has the same one wherever it is copied; empty = it has none
	Server    string          // as the record names it
	Tool      string          // as the record names it
	Agent     string          // who called, such as "claude-code"
	Time      time.Time       // zero = the record does not say
	Arguments json.RawMessage // as sent; nil = they are not recorded
	Failed    bool            // it was answered with an error
}

// day is when a call was made, in UTC; now where that is not recorded.
func (c Call) day(now time.Time) string {
	if c.Time.IsZero() || c.Time.After(now) {
		return dayOf(now)
	}
	return dayOf(c.Time)
}

func dayOf(t time.Time) string { return t.UTC().Format(time.DateOnly) }

// flat is a name as clients write it that join the names of servers and tools.
func flat(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '_'
	}, name)
}

// sameName tells whether a recorded name is that of a server or tool, which the client may have flattened.
func sameName(recorded, name string) bool { return recorded == name || recorded == flat(name) }
