package finding

import "time"

// Tolerance lets a server be unreachable for a while: the report says that it failed, the exit status does not.
type Tolerance struct {
	Server  string   `json:"-"` // its name
	Reason  string   `json:"reason"`
	Expires Day      `json:"expires,omitempty"` // the last day on which it holds; empty = it holds for ever
	Source  Location `json:"-"`                 // where it is written
}

// Tolerated is what lets a server fail at a moment; nil when nothing does.
func Tolerated(tolerances []Tolerance, server string, now time.Time) *Tolerance {
	for i, t := range tolerances {
		if t.Server == server && !t.Expires.Over(now) {
			return &tolerances[i]
		}
	}
	return nil
}
