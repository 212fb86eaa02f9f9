// Package transport is what mcp-go's transports lack: framing with limits, process groups, an HTTP round tripper that
// remembers what went wrong, and the noise a server makes beside the protocol.
package transport

import (
	"time"

	"github.com/mark3labs/mcp-go/client/transport"
)

// Kinds of links, as shown to people.
const (
	KindStdio      = "stdio"
	KindStreamable = "streamable-http"
	KindSSE        = "sse"
)

// Link is one live connection to a server: mcp-go's transport, plus what it cannot tell on its own.
// Requests go through SendRequest of the embedded transport and may run at the same time.
type Link struct {
	transport.Interface
	Kind string
}

// Command is a stdio server to start.
type Command struct {
	Path  string        // a name looked up in the PATH of Env, or a path
	Args  []string      //
	Env   []string      // the whole environment of the child, "K=V"
	Dir   string        // working folder; empty = the current one
	Grace time.Duration // between closing stdin, SIGTERM and SIGKILL; 0 = 500 ms
}

// Endpoint is an HTTP server to contact.
type Endpoint struct {
	URL       string            //
	Headers   map[string]string // sent to this origin only
	UserAgent string            //
	CACert    []byte            // further PEM certificates to trust
}

// Noise is output on stdout that is not a protocol message.
type Noise struct {
	Text  string // the first 256 bytes
	Bytes int    // its whole length
}

// Trouble is what a link knows about why it went wrong. The zero value knows nothing.
type Trouble struct {
	Stderr string // tail of the child's stderr, at most 8 KiB
	Exited bool   // the child is gone
	Exit   string // how it ended: "exit status 7", "signal: killed"
	Status int    // the last HTTP status that was not 2xx; 0 = none
	Body   string // the first KiB of that reply's body
	Type   string // its Content-Type
	Auth   string // its WWW-Authenticate header
	URL    string // the URL that answered it, without user info and query
}
