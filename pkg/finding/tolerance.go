package finding

import (
	"slices"
	"time"
)

// Tolerance lets a server be unreachable for a while: the report says that it failed, the exit status does not.
type Tolerance struct {
	Server  string   `json:"-"` // its name
	Reason  string   `json:"reason"`
	Expires Day      `json:"expires,omitempty"` // the last day on which it holds; empty = it holds for ever
	Source  Location `json:"-"`                 // where it is written
}

// Tolerated is what lets a server with these names fail at a moment; nil when nothing does.
func Tolerated(tolerances []Tolerance, names []string, now time.Time) *Tolerance {
	for i, t := range tolerances {
		if slices.Contains(names, t.Server) && !t.Expires.Over(now) {
			return &tolerances[i]
		}
	}
	return nil
}
