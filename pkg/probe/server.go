package probe

import (
	"context"
	"os"
	"time"

	"github.com/mcpctl/mcpctl/internal/transport"
)

// Server says how to reach one server. Exactly one of Stdio and HTTP is set.
type Server struct {
	Name    string        // configured name, or one made from the command or URL
	Stdio   *Stdio        // a command to start
	HTTP    *HTTP         // an address to contact
	Timeout time.Duration // for the whole probe; 0 = Options.Timeout
	Secrets []Secret      // values to mask in what the server says, beside those of environment, headers and URL
	Source  string        // where it was configured, "FILE:LINE" or "argv"

	Protocol string // pins a protocol version for this server; empty = Options.Protocol
}

// Stdio is a server that is started as a child process and speaks over its standard input and output.
type Stdio struct {
	Command string            // a name looked up in PATH, or a path
	Args    []string          // its arguments
	Env     map[string]Secret // added to the inherited minimum
	Dir     string            // working folder; empty = the current one

	// Files are opened anew for each start, and are its descriptors from 3 on; nil = it has none.
	Files func() ([]*os.File, error) `json:"-"`
}

// HTTP is a server that is reached at a URL.
type HTTP struct {
	URL     string            // absolute, http or https
	Headers map[string]Secret // sent with every request to this origin, never to another one
	Helper  *Helper           // a command that gives further headers, for hints; it is Authorize that runs it. nil = none
	Kind    HTTPKind          // which transport to speak

	// Authorize gives further headers when they are needed; nil = Headers are all there is.
	Authorize Authorize `json:"-"`
}

// Helper is a command whose output is headers for one origin. Like Stdio it is a command to run, so whoever decides what
// may be run must decide about it too, with all of its fields.
type Helper struct {
	Command string // a command line of the system's shell
	Dir     string // its working folder; empty = the current one
	Bearer  bool   // its output is a bearer token; otherwise a JSON object of headers (Claude Code's headersHelper)
}

// HTTPKind chooses between the two HTTP transports of the specification.
type HTTPKind string

// The HTTP transports.
const (
	AutoHTTP       HTTPKind = ""                // streamable HTTP, falling back to HTTP+SSE
	StreamableHTTP HTTPKind = "streamable-http" // 2025-03-26 and later
	SSE            HTTPKind = "sse"             // HTTP+SSE of 2024-11-05
)

// Secret is a value that cannot be printed: every verb of fmt and every encoder shows ***. Its method Reveal is the one way
// out, for the server and for nothing else.
type Secret = transport.Secret

// Authorize gives the headers that let requests into one server, beyond HTTP.Headers, over which they win. It is called
// with nil before the first request, and with the refusal after a 401, or a 403 that asks for further scopes; the request
// is then sent once more. Calls for one server never overlap: requests that need credentials at the same time share one.
//
// No headers and no error mean that there are none, or no better ones: the refusal stands. An error fails the server; one
// that has a method Hint() string tells the user what to do next. Headers go to the origin of HTTP.URL alone, and their
// values are masked in every text that leaves this package.
type Authorize func(ctx context.Context, refused *Refused) (map[string]Secret, error)

// Refused is what a server said when it wanted other credentials.
type Refused = transport.Refused

// credentialsOf hands an Authorize to the transports.
func credentialsOf(authorize Authorize) *transport.Credentials {
	return transport.NewCredentials(func(ctx context.Context, refused *Refused) (headers map[string]Secret, _ error) {
		err := guard(func() (err error) {
			headers, err = authorize(ctx, refused)
			return err
		})
		return headers, err
	})
}
