package probe

import (
	"time"

	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// Options hold for every server of one run. The zero value works.
type Options struct {
	Timeout    time.Duration // per server; 0 = none
	Parallel   int           // servers at once; 0 = 4
	Protocol   string        // pins a protocol version; empty or "auto" = negotiate
	Retries    int           // further attempts after a failure that can heal
	FailFast   bool          // stop starting servers after the first failure
	Environ    []string      // this process's environment, as os.Environ gives it
	InheritEnv bool          // hand all of Environ to stdio servers, not only the minimum
	CACert     []byte        // further PEM certificates to trust
	Client     Client        // how mcpctl introduces itself
}

// Client is how the prober introduces itself to servers (clientInfo, User-Agent).
type Client struct{ Name, Version string }

// Result is what one server of a run gave.
type Result struct {
	Index     int                // position of Server in the slice given to All
	Server    Server             // as given
	Snapshot  *snapshot.Snapshot // what arrived; not nil with an Err = partial
	Err       error              // nil, or an *Error, or several of them joined
	Transport string             // "stdio", "streamable-http" or "sse"; empty when none was reached
	Noise     []Noise            // what the server wrote to stdout that is not the protocol
	Notices   []Notice           // oddities that lost nothing
	Elapsed   time.Duration      // from the start of the first attempt to the last answer
	Attempts  int                // 1 + the retries that were used
}

// Noise is one piece of output on a stdio server's stdout that is not a JSON-RPC message of the protocol's framing.
type Noise struct {
	Text  string // the first bytes of it, unescaped
	Bytes int    // its whole length
}

// Notice is something a server did that is wrong or odd but lost nothing: a repeated cursor, a list it declares and does
// not have, a reply with invalid UTF-8.
type Notice struct {
	Stage   Stage  // when it was seen
	Code    string // kebab-case, permanent
	Message string // one sentence
}

// Stage is what the probe was doing.
type Stage string

// The stages, in the order in which they happen.
const (
	Starting         Stage = "starting"
	Connecting       Stage = "connecting"
	Handshake        Stage = "handshake"
	ListingTools     Stage = "listing tools"
	ListingPrompts   Stage = "listing prompts"
	ListingResources Stage = "listing resources"
	ListingTemplates Stage = "listing resource templates"
	Closing          Stage = "closing"
)
