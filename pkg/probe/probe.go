// Package probe reaches MCP servers and returns what they offer, whichever transport and revision of the
// protocol they speak.
//
//	for result := range probe.All(ctx, servers, probe.Options{Timeout: 30 * time.Second}) {
//		fmt.Println(result.Server.Name, result.Snapshot, result.Err)
//	}
//
// [Open] keeps a connection, to read lists again, to listen for changes and to send requests.
//
// What a server sends arrives byte by byte; secrets that it was given are masked in every text that leaves
// the package. The package prints nothing, reads no environment and keeps no state. A nil context panics.
//
// Stability: stages and codes stay for good. The Go API follows semantic versioning; before 1.0.0 a minor
// version may change it.
package probe

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"iter"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/cenkalti/backoff/v5"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/redact"
	"github.com/mcpctl/mcpctl/internal/transport"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// Options hold for every server of one run. The zero value works.
type Options struct {
	Timeout   time.Duration // for one attempt at one server; 0 = none
	Parallel  int           // servers at once; 0 = 64 at URLs, 8 at one host, AtOnce started here
	Protocol  string        // pins a protocol version; empty or "auto" = negotiate
	Retries   int           // further attempts after a failure that can heal
	FailFast  bool          // stop at the first failure
	ReadTwice bool          // ask for every list a second time, for Result.SecondRead
	CACert    []byte        // further PEM certificates to trust
	Elicit    Elicit        // answers the questions of servers; nil = they are declined

	// ClientName and ClientVersion are how servers know the program (clientInfo, User-Agent); empty =
	// "mcp-client" and "dev".
	ClientName, ClientVersion string

	// Environ is the environment of this process, as os.Environ gives it: it is needed to find a command
	// without its path. A stdio server gets a minimum of it, such as PATH and HOME, or all with InheritEnv.
	Environ    []string
	InheritEnv bool

	// Proxy returns the proxy for a request, such as http.ProxyFromEnvironment does; nil = none is used.
	Proxy func(*http.Request) (*url.URL, error)

	// Background runs the end of a server that was started here beside the run: it may take 2.5 seconds. Who
	// sets it waits for all that it was given. nil = All and Session.Leave wait for each end.
	Background func(end func())

	// Capabilities are declared to servers without Server.Capabilities; nil = all ClientCapabilities.
	// Servers that ask get an empty list of roots, and a refusal of sampling.
	Capabilities []string

	// OnProgress receives the params of notifications/progress of a request, secrets masked, and must not
	// wait; nil = progress is not asked for.
	OnProgress func(params json.RawMessage)
}

// ClientCapabilities returns the names of the capabilities that can be declared to servers.
func ClientCapabilities() []string { return []string{"roots", "sampling", "elicitation"} }

// Result is what one server of a run gave.
type Result struct {
	Index    int                // position of Server in the slice given to All
	Server   Server             // as given
	Snapshot *snapshot.Snapshot // what arrived; not nil with an Err = partial
	Err      error              // nil, or an *Error, or several of them joined
	// with Options.ReadTwice, the lists as they came the second time; nil when the first time was not whole
	SecondRead []snapshot.List
	Transport  string        // "stdio", "streamable-http" or "sse"; empty when none was reached
	Declared   []string      // the client capabilities that were declared to the server
	Noise      []string      // the first bytes of each line on stdout that is not the protocol, unescaped
	Notices    []Notice      // oddities that lost nothing
	Elapsed    time.Duration // from the start of the first attempt to the last answer
	Attempts   int           // 1 + the retries that were used; 0 = not tried
}

// auto is the word for no pin.
const auto = "auto"

// check finds what no server could be asked with. Errors are of the kind badUsage.
func check(server Server, options Options) error {
	if pin := options.Protocol; pin != "" && pin != auto && !isKnown(pin) {
		return badUsage.errorf("unknown protocol version %q: %s and %s exist", pin, auto,
			versions(Versions()))
	}
	if (server.Stdio == nil) == (server.HTTP == nil) {
		return badUsage.errorf("a server needs either a command or a URL")
	}
	if s := server.Stdio; s != nil && options.Environ == nil && s.Search == "" && s.Env["PATH"] == "" &&
		!strings.ContainsAny(s.Command, `/\`) {
		return badUsage.errorf("%q is looked up in PATH, and there is no Options.Environ: set it to "+
			"os.Environ(), or give the path of the command", s.Command)
	}
	return nil
}

// All probes servers side by side and yields each result as it is there; every server has one. A failure
// touches no other server, unless Options.FailFast asks for that: then the rest matches ErrNotTried. To stop
// iterating ends everything that is under way. The end of ctx does too, and every server still gets its
// result.
func All(ctx context.Context, servers []Server, options Options) iter.Seq[Result] {
	return func(yield func(Result) bool) {
		ctx, stop := context.WithCancelCause(ctx)
		results, large := make(chan delivery), newSlots(1)
		go func() {
			defer close(results)
			eachSlot(ctx, servers, options, func(i int) {
				place := &largePlace{slots: large}
				defer place.leave()
				result := probeOne(ctx, servers[i], options, place)
				result.Index = i
				if result.Err != nil && options.FailFast && !servers[i].MayFail {
					stop(ErrNotTried) // before the slot is free
				}
				taken := make(chan struct{})
				results <- delivery{result, taken}
				if place.taken() {
					<-taken
				}
			})
		}()
		defer func() {
			stop(context.Canceled)
			for left := range results { // until every probe has ended
				close(left.taken)
			}
		}()
		for result := range results {
			goOn := yield(result.Result)
			if close(result.taken); !goOn {
				return
			}
		}
	}
}

// delivery is a result on its way; taken is closed once the caller of All has it.
type delivery struct {
	Result
	taken chan struct{}
}

// probeOne asks one server for everything, as often as Options.Retries and the server allow.
func probeOne(ctx context.Context, server Server, options Options, place *largePlace) Result {
	a := newAttempt(server, options)
	if ctx.Err() != nil {
		return Result{Server: server, Err: a.explain(ctx, a.first(), context.Cause(ctx), nil)}
	}
	again := newRetrier(options.Retries, a.options.Timeout)
	options, gone := options.oneAtATime()
	for start := time.Now(); ; gone(ctx) {
		result := newAttempt(server, options).run(ctx, start, again, place)
		if !again.after(ctx, result.Err) {
			result.Attempts = again.tries
			return result
		}
	}
}

// oneAtATime returns options for several attempts at one server, and a function that waits until the server
// of the attempt before is gone, or ctx ends: it may hold a port or a lock.
func (o Options) oneAtATime() (_ Options, gone func(context.Context)) {
	background := o.Background
	if background == nil {
		return o, func(context.Context) {}
	}
	var leaving sync.WaitGroup
	o.Background = func(end func()) {
		leaving.Add(1)
		background(func() {
			defer leaving.Done()
			end()
		})
	}
	return o, func(ctx context.Context) {
		all := make(chan struct{})
		go func() {
			leaving.Wait()
			close(all)
		}()
		select {
		case <-all:
		case <-ctx.Done():
		}
	}
}

// run makes one attempt. The connection is closed after the result is complete.
func (a attempt) run(
	ctx context.Context, start time.Time, again *retrier, place *largePlace,
) (result Result) {
	result.Server = a.server
	defer func() { a.finish(ctx, start, &result) }()
	defer recovered(&result.Err)
	limit, cancel := a.limitedIn(ctx, place)
	defer cancel()
	session, err := a.open(limit)
	if err != nil {
		result.Err = err
		return result
	}
	defer session.Leave()
	result.Transport, result.Declared = session.Transport(), a.options.Capabilities
	result.Snapshot, result.Err = session.Snapshot(limit)
	for result.Err != nil && session.conn.Lost() == nil && again.after(ctx, result.Err) {
		result.Err = session.complete(ctx, result.Snapshot, place)
	}
	result.Elapsed = time.Since(start)
	result.Noise = session.Noise()
	if result.Err == nil && a.options.ReadTwice {
		// lists that fail now say so, and take nothing from the first answer
		result.SecondRead, _ = session.List(limit, snapshot.Kinds()...)
	}
	return result
}

// finish completes a result once its connection is closed.
func (a attempt) finish(ctx context.Context, start time.Time, result *Result) {
	if result.Elapsed == 0 {
		result.Elapsed = time.Since(start)
	}
	result.Notices = masked(a.seen.inOrder(), a.masks())
	if is[*panicError](result.Err) && len(Failures(result.Err)) == 0 { // it was not explained yet
		result.Err = a.explain(ctx, a.first(), result.Err, nil)
	}
}

// limitedIn returns ctx with the time limit of an attempt, whose clock stands while a large server waits.
func (a attempt) limitedIn(ctx context.Context, place *largePlace) (context.Context, func()) {
	limit, cancel, pause := limited(ctx, a.options.Timeout)
	a.meter.In(func() { place.take(limit, pause) })
	return limit, cancel
}

// complete asks once more for the lists that a snapshot lacks. The error is that of List.
func (s *Session) complete(ctx context.Context, shot *snapshot.Snapshot, place *largePlace) error {
	limit, cancel := s.attempt.limitedIn(ctx, place)
	defer cancel()
	kinds := kit.Map(shot.Incomplete(), func(l snapshot.List) snapshot.Kind { return l.Kind })
	lists, err := listsOf(limit, s, kinds)
	for _, list := range lists {
		shot.SetList(list)
	}
	return err
}

// retrier allows another try as long as all failures may pass and there are retries left. Tries that the
// server asks for with Retry-After do not count, while their waits are no longer than a limit in all.
type retrier struct {
	retries int
	left    time.Duration // of the waits that the server may ask for
	pauses  *backoff.ExponentialBackOff
	tries   int  // that have ended
	over    bool // there is no other one
}

// newRetrier returns a retrier with a limit; 0 = longestWait.
func newRetrier(retries int, limit time.Duration) *retrier {
	return &retrier{retries: retries, left: cmp.Or(limit, longestWait), pauses: pace(30 * time.Second)}
}

// after reports, once it is time, whether there is another try after one that ended with err.
func (r *retrier) after(ctx context.Context, err error) bool {
	if !r.over {
		r.tries++
		r.over = !r.allows(ctx, err)
	}
	return !r.over
}

// allows decides about one try.
func (r *retrier) allows(ctx context.Context, err error) bool {
	failures := Failures(err)
	if len(failures) == 0 || slices.ContainsFunc(failures, func(e *Error) bool { return !e.mayPass() }) {
		return false
	}
	pause := slices.Max(kit.Map(failures, (*Error).AskedWait))
	if pause > 0 && pause <= r.left {
		r.left -= pause
	} else if r.retries--; r.retries < 0 {
		return false
	} else {
		pause = cmp.Or(min(pause, longestWait), r.pauses.NextBackOff())
	}
	select {
	case <-ctx.Done():
		return false
	case <-time.After(pause):
		return true
	}
}

// retry makes one try after another as long as there may be one; see retrier.
func retry(ctx context.Context, retries int, limit time.Duration, once func() error) {
	for again := newRetrier(retries, limit); again.after(ctx, once()); {
	}
}

// longestWait bounds what a server may ask for with Retry-After.
const longestWait = time.Minute

// AskedWait returns how long the server asks to wait; 0 = it does not.
func (e *Error) AskedWait() time.Duration {
	status, ok := errors.AsType[*transport.HTTPError](originalOf(e))
	if !ok {
		return 0
	}
	return transport.AskedWait(status.RetryAfter)
}

// mayPass reports whether another attempt may succeed: an expired session, 429 and 5xx but for 501, a refused
// or broken connection, a lookup that failed for now; any error with which a server answers for a list, and
// its end meanwhile; a timeout only up to the handshake.
func (e *Error) mayPass() bool {
	err := originalOf(e)
	listing := e.Stage.order() >= ListingTools.order() && e.Stage.order() <= ListingSkills.order()
	if listing && (is[*RPCError](err) || lost(err)) {
		return true
	}
	if status, ok := errors.AsType[*transport.HTTPError](err); ok {
		return status.Session || status.Status == 429 || status.Status >= 500 && status.Status != 501
	}
	if is[*timeoutError](err) || exited(err) != "" {
		return e.Stage.order() <= Handshake.order()
	}
	lookup, ok := errors.AsType[*net.DNSError](err)
	return refused(err) || transport.CutOff(err) || ok && lookup.IsTemporary && !lookup.IsNotFound
}

// wsaRefused is what Windows reports instead of ECONNREFUSED.
const wsaRefused = syscall.Errno(10061)

func refused(err error) bool {
	return errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, wsaRefused)
}

// Server says how to reach one server. Exactly one of Stdio and HTTP is set.
type Server struct {
	Name    string        // configured name, or one made from the command or URL
	Stdio   *Stdio        // a command to start
	HTTP    *HTTP         // an address to contact
	Timeout time.Duration // for the whole probe; 0 = Options.Timeout
	// secrets to mask in all texts of the server, beside those of environment, headers and URL
	Secrets []Secret
	// what the configuration takes from the environment, a file or a command: masked in errors and stderr,
	// and in what the server offers where that cannot take away ordinary words
	Values []Secret
	Source string // where it was configured, "FILE:LINE" or "argv"

	Protocol string // pins a protocol version for this server; empty = Options.Protocol
	// Capabilities are declared to this server, of ClientCapabilities; nil = Options.Capabilities
	Capabilities []string

	MayFail bool `json:"-"` // its failure does not stop a run with Options.FailFast

	// Verify is called before each start or connection; its error refuses it. nil = always allowed.
	Verify func() error `json:"-"`
}

// Stdio is a server that is started as a child process and speaks over its standard input and output.
type Stdio struct {
	Command string            // a name looked up in PATH, or a path
	Args    []string          // its arguments
	Env     map[string]Secret // added to the inherited minimum
	Dir     string            // working folder; empty = the current one
	// the PATH that Command is looked up in; empty = that of the child's environment
	Search string

	// Files are opened anew for each start, and are its descriptors from 3 on; nil = it has none.
	Files func() ([]*os.File, error) `json:"-"`
}

// HTTP is a server that is reached at a URL.
type HTTP struct {
	URL     string            // absolute, http or https
	Headers map[string]Secret // sent with every request to this origin, never to another one
	// a command that gives further headers, for hints; it is Authorize that runs it. nil = none
	Helper *Helper
	Kind   HTTPKind // which transport to speak

	// Allow judges each address of the host before it is connected to; nil = all are right.
	Allow func(netip.Addr) error `json:"-"`

	// Authorize gives further headers when they are needed; nil = Headers are all there is.
	Authorize Authorize `json:"-"`
}

// Helper is a command whose output is headers for one origin. What decides about commands must decide
// about it too.
type Helper struct {
	Command string            // a command line of the system's shell
	Dir     string            // its working folder; empty = the current one
	Env     map[string]string // added to its environment
	// its output is a bearer token; otherwise a JSON object of headers (Claude Code's headersHelper)
	Bearer bool
}

// HTTPKind chooses between the two HTTP transports of the specification.
type HTTPKind string

// The HTTP transports.
const (
	AutoHTTP       HTTPKind = ""                // streamable HTTP, falling back to HTTP+SSE
	StreamableHTTP HTTPKind = "streamable-http" // 2025-03-26 and later
	SSE            HTTPKind = "sse"             // HTTP+SSE of 2024-11-05
)

// Secret is a value that every verb of fmt and every encoder shows as ***.
type Secret string

// Reveal returns the value itself, to be sent to the server and to nothing else.
func (s Secret) Reveal() string { return string(s) }

// String returns ***.
func (Secret) String() string { return redact.Mask }

// GoString returns ***, for %#v.
func (Secret) GoString() string { return redact.Mask }

// MarshalText returns ***, for encoders.
func (Secret) MarshalText() ([]byte, error) { return []byte(redact.Mask), nil }

// Authorize gives the headers that let requests into one server; they win over HTTP.Headers. It is called
// with nil before the first request, and with the refusal after a 401, or a 403 that asks for further scopes;
// the request is then sent once more. Calls for one server never overlap.
//
// No headers and no error: the refusal stands, and with ErrNoLogin, too. Another error fails the server; its
// method Hint() string, if any, says what to do next. Headers go to the origin of HTTP.URL alone, and their
// values are masked.
type Authorize func(ctx context.Context, refused *Refused) (map[string]Secret, error)

// Refused is what a server said when it wanted other credentials.
type Refused struct {
	Status int // 401, or 403 for a token whose scopes do not suffice
	// its WWW-Authenticate headers (RFC 9110, 11.6.1), joined with ", "; the server's text
	Challenge string
	Sent      map[string]Secret // the headers of Authorize that it refused; nil = none
}
