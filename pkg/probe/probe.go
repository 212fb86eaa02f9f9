package probe

import (
	"time"

	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// Options hold for every server of one run. The zero value works.
type Options struct {
	Timeout    time.Duration // for one attempt at one server; 0 = none
	Parallel   int           // servers at once; 0 = 4
	Protocol   string        // pins a protocol version; empty or "auto" = negotiate
	Retries    int           // further attempts after a failure that can heal
	FailFast   bool          // stop at the first failure
	Twice      bool          // ask for every list a second time, for Result.Again
	Environ    []string      // this process's environment, as os.Environ gives it
	InheritEnv bool          // hand all of Environ to stdio servers, not only the minimum
	CACert     []byte        // further PEM certificates to trust
	Client     Client        // how mcpctl introduces itself
	Elicit     Elicit        // answers the questions of servers; nil = the capability is not declared
	Hear       func(Heard)   // is told the progress and the log of requests, and must not wait; nil = neither is asked for
	LogLevel   string        // with Hear, the least level of log messages to ask for, such as "info"; empty = none (since 2026-07-28)
}

// Client is how the prober introduces itself to servers (clientInfo, User-Agent). The zero value is "mcpctl" "dev".
type Client struct{ Name, Version string }

// known is the client with its defaults filled in.
func (c Client) known() Client {
	if c.Name == "" {
		c.Name = "mcpctl"
	}
	if c.Version == "" {
		c.Version = "dev"
	}
	return c
}

// Result is what one server of a run gave.
type Result struct {
	Index     int                // position of Server in the slice given to All
	Server    Server             // as given
	Snapshot  *snapshot.Snapshot // what arrived; not nil with an Err = partial
	Err       error              // nil, or an *Error, or several of them joined
	Again     []snapshot.List    // with Options.Twice, the lists as they came the second time; nil when the first time was not whole
	Transport string             // "stdio", "streamable-http" or "sse"; empty when none was reached
	Noise     []Noise            // what the server wrote to stdout that is not the protocol
	Notices   []Notice           // oddities that lost nothing
	Elapsed   time.Duration      // from the start of the first attempt to the last answer
	Attempts  int                // 1 + the retries that were used; 0 = not tried
}

// Noise is one piece of output on a stdio server's stdout that is not a JSON-RPC message of the protocol's framing.
type Noise struct {
	Text  string // the first bytes of it, unescaped
	Bytes int    // its whole length
}

func (o Options) parallel() int {
	if o.Parallel > 0 {
		return o.Parallel
	}
	return 4
}
