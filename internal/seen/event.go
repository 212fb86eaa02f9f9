package seen

import "time"

// EventLine is one line about a server, or about all of them, for a person, with what belongs below it.
type EventLine struct {
	Time     time.Time
	Server   string // empty = all of them
	Width    int    // columns of the longest name of a server
	Word     string // such as "live"
	Remark   string
	Error    *Failure
	Findings Findings
}
