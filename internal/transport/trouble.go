package transport

// Trouble is what a link knows about why it went wrong. The zero value knows nothing.
type Trouble struct {
	Stderr string // tail of the child's stderr, at most 8 KiB
	Exited bool   // the child is gone, and not because of us
	Exit   string // how it ended: "exit status 7", "signal: killed"
	Status int    // the last HTTP status that was not 2xx; 0 = none
	Body   string // the first KiB of that reply's body
	Type   string // its Content-Type
	Auth   string // its WWW-Authenticate header
	URL    string // the URL that answered it, without user info and query
}
