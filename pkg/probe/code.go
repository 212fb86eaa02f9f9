package probe

import (
	"cmp"
	"crypto/x509"
	"errors"
	"io/fs"
	"maps"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/process"
	"github.com/mcpctl/mcpctl/internal/redact"
	"github.com/mcpctl/mcpctl/internal/transport"
)

// Code says what kind of failure it is, for programs that advise on it; empty = nothing is known. The words
// are permanent; there may be more.
type Code string

// The codes. What a code's Facts hold beside URL, Command, Source and Status stands behind it.
const (
	// of the caller
	Bug              Code = "bug"                // in this package
	NotTried         Code = "not-tried"          // another server failed first, with Options.FailFast
	Forbidden        Code = "forbidden"          // by Server.Verify
	AuthorizeFailed  Code = "authorize-failed"   // HTTP.Authorize returned an error
	OptionsWrong     Code = "options-wrong"      // the probe makes no sense as it was asked for
	VersionPinned    Code = "version-pinned"     // the server does not speak Options.Protocol
	VersionPinnedFor Code = "version-pinned-for" // the server does not speak Server.Protocol

	// of a command
	FolderMissing     Code = "folder-missing"      // Stdio.Dir
	HomeNotExpanded   Code = "home-not-expanded"   // a path with ~ is for shells
	ArgumentsInside   Code = "arguments-inside"    // Stdio.Command holds the arguments, too
	CommandNotFound   Code = "command-not-found"   // or its interpreter
	NotExecutable     Code = "not-executable"      // the file may not be run
	PackageNotFound   Code = "package-not-found"   // the server exited: a registry lacks its package
	PackageProgram    Code = "package-program"     // it exited: its package has no program to start
	RegistryLost      Code = "registry-lost"       // it exited: its launcher could not reach a registry
	VariableMissing   Code = "variable-missing"    // it exited: an environment variable is not set
	FileMissing       Code = "file-missing"        // it exited: a file of its own is not there
	NodeModuleMissing Code = "node-module-missing" // it exited: a dependency is not installed
	PythonModule      Code = "python-module-missing"
	Exited            Code = "exited"             // nothing better is known
	OutputClosed      Code = "output-closed"      // it closed its stdout without an answer
	MessageBroken     Code = "message-over-lines" // it spreads a message over several lines
	ListensForHTTP    Code = "listens-for-http"   // it speaks HTTP: ListensAt

	// of a network
	UnknownAuthority  Code = "unknown-authority"  // none that is known signed the certificate
	BadCertificate    Code = "bad-certificate"    // it does not fit the host, or has ended
	NotTLS            Code = "not-tls"            // what answers does not speak TLS
	TLSClosed         Code = "tls-closed"         // the connection ended during the handshake of TLS
	SpeaksTLS         Code = "speaks-tls"         // and the URL has http://
	NotHTTP           Code = "not-http"           // what answers does not speak HTTP
	ProxyUnusable     Code = "proxy-unusable"     // the proxy was not reached
	ProxyWantsLogin   Code = "proxy-wants-login"  // Proxy
	ProxyAnswered     Code = "proxy-answered"     // the answer may be that of Proxy
	UnknownHost       Code = "unknown-host"       // the name has no address
	ConnectionRefused Code = "connection-refused" // nothing listens there
	ConnectionClosed  Code = "connection-closed"  // instead of an answer
	StreamEnded       Code = "stream-ended"       // before the answer was whole
	OutcomeUnknown    Code = "outcome-unknown"    // the same for a call, which may have been executed
	Redirected        Code = "redirected"         // to another address: Location
	RedirectedNowhere Code = "redirected-nowhere" // in a circle, or to what is no URL
	NoServerThere     Code = "no-server-there"    // nothing that came back is MCP

	// of HTTP
	Compressed        Code = "compressed"         // without being asked for
	LoginWanted       Code = "login-wanted"       // 401, or 403: Schemes
	TokenWanted       Code = "token-wanted"       // the same, and Authorize said that there is no login
	OtherLoginWanted  Code = "other-login-wanted" // none of Schemes takes a token
	TokenRejected     Code = "token-rejected"     // the one that was sent
	HeadersRejected   Code = "headers-rejected"   // those that were sent, and there is no login
	HostNameRejected  Code = "host-name-rejected" // 403 of this machine: it may insist on another name
	HostNameUnknown   Code = "host-name-unknown"  // 421
	AsksToWait        Code = "asks-to-wait"       // Wait
	TooManyRequests   Code = "too-many-requests"  // 429 without a time
	ServerFailed      Code = "server-failed"      // 5xx
	SessionLost       Code = "session-lost"       // the server does not know it anymore
	FailedAfterwards  Code = "failed-afterwards"  // the handshake was done at the same URL
	WebPage           Code = "web-page"           // HTML
	NoEndpoint        Code = "no-endpoint"        // 404 or 405: Kind
	HostOrPathWrong   Code = "host-or-path-wrong" // 400 of this machine
	RequestUnfit      Code = "request-unfit"      // another status
	EndpointUnnamed   Code = "endpoint-unnamed"   // HTTP+SSE: the stream names no endpoint
	EndpointElsewhere Code = "endpoint-elsewhere" // it names one of another origin
	EndpointWrong     Code = "endpoint-wrong"     // there is none where it says
	StreamSilent      Code = "stream-silent"      // replies do not come on it

	// of the protocol
	VersionNamed     Code = "version-named"     // the server names other Versions
	VersionUnknown   Code = "version-unknown"   // no version in common
	CapabilityWanted Code = "capability-wanted" // that the client did not declare
	AnswerWanted     Code = "answer-wanted"     // to a question of the server, while it works
	HandshakeUnknown Code = "handshake-unknown" // it speaks JSON-RPC, but not MCP
	RequestUnknown   Code = "request-unknown"   // method not found
	RequestRejected  Code = "request-rejected"  // the server answered a request with an error
	ListRejected     Code = "list-rejected"     // the same for what it offers
	SurfaceTooLarge  Code = "surface-too-large" // all lists together
	MessageTooLarge  Code = "message-too-large" // one message or list
	AnswerMalformed  Code = "answer-malformed"  // not what the protocol says
	Slow             Code = "slow"              // the time was up; the server had answered
	NoAnswer         Code = "no-answer"         // the time was up; nothing came
)

// Facts are what was seen of a failure, as far as it is known. They hold no secrets.
type Facts struct {
	URL       string        // of the server, without user, query and fragment; empty = it is a command
	Kind      HTTPKind      // HTTP.Kind
	Command   string        // Stdio.Command
	Args      []string      // Stdio.Args
	Dir       string        // Stdio.Dir
	Source    string        // Server.Source
	Status    int           // of the HTTP reply; 0 = none
	Wait      time.Duration // that the server asks for; 0 = none
	Schemes   []string      // of its challenges, as RFC 9110 writes them
	Versions  []string      // of the protocol that it names
	Proxy     string        // through which the answer came
	Location  string        // to which it redirects
	ListensAt string        // the URL at which a command says that it listens
}

// masked returns facts without secrets.
func (f Facts) masked(secrets redact.Secrets) Facts {
	for _, text := range []*string{&f.URL, &f.Command, &f.Dir, &f.Source, &f.Proxy, &f.Location,
		&f.ListensAt} {
		*text = secrets.Text(*text)
	}
	f.Args = kit.Map(redact.MaskArgs(f.Args), secrets.Text)
	f.Schemes, f.Versions = kit.Map(f.Schemes, secrets.Text), kit.Map(f.Versions, secrets.Text)
	return f
}

// evidence is what a code is chosen from: never from the words of a message.
type evidence struct {
	failure
	Facts
	reply  *transport.HTTPError   // what came instead of a message; nil = none
	stream *transport.StreamError // the event stream of HTTP+SSE that opened; nil = none

	introduced bool // the handshake was done at this URL
	answered   bool // something came back, be it of no use
	otherHost  bool // the server may not want to be called by this name
}

// evidenceOf collects what was seen.
func evidenceOf(f failure) evidence {
	seen := evidence{failure: f, introduced: f.stage.order() > Handshake.order()}
	seen.Source, seen.Versions, seen.ListensAt = f.server.Source, supportedBy(f.err), listensAt(f)
	if f.server.HTTP != nil {
		seen.URL, seen.Kind = f.shortURL(), f.server.HTTP.Kind
	} else if f.server.Stdio != nil {
		seen.Command, seen.Args = f.server.Stdio.Command, f.server.Stdio.Args
		seen.Dir = f.server.Stdio.Dir
	}
	seen.stream, _ = errors.AsType[*transport.StreamError](f.err)
	timeout, late := errors.AsType[*timeoutError](f.err)
	seen.answered = seen.introduced || seen.stream != nil || lost(f.err) || hasAnswer(f.err) ||
		is[*transport.ReplyError](f.err) || badShape.in(f.err) || late && !timeout.silent
	if redirect, ok := errors.AsType[*transport.RedirectError](f.err); ok {
		seen.Location = redirect.To
	}
	if reply, ok := errors.AsType[*transport.HTTPError](f.err); ok {
		local := kit.ThisMachine(f.address().Hostname())
		seen.reply, seen.answered = reply, true
		seen.Status, seen.Proxy, seen.Schemes = reply.Status, reply.Proxy, reply.Schemes
		seen.Wait = transport.AskedWait(reply.RetryAfter)
		seen.otherHost = reply.Status == http.StatusMisdirectedRequest ||
			local && (reply.Status == http.StatusForbidden && len(seen.Schemes) == 0 ||
				reply.Status == http.StatusBadRequest && strings.HasPrefix(reply.Type, "text/plain"))
	}
	return seen
}

// codeOf returns the kind of a failure, and its facts. What is certain comes before what is likely.
func codeOf(f failure) (Code, Facts) {
	seen := evidenceOf(f)
	if f.stopped {
		return "", seen.Facts
	}
	for _, decide := range []func(evidence) Code{ownCode, startCode, exitCode, streamCode, networkCode,
		statusCode, versionCode, answerCode} {
		if code := decide(seen); code != "" {
			return code, seen.Facts
		}
	}
	if f.server.HTTP != nil && !seen.answered {
		return NoServerThere, seen.Facts
	}
	return "", seen.Facts
}

// ownCode is that of what failed before the server was contacted.
func ownCode(seen evidence) Code {
	switch {
	case is[*refusedStart](seen.err):
		return Forbidden
	case is[*panicError](seen.err):
		return Bug
	case errors.Is(seen.err, ErrNotTried):
		return NotTried
	case is[*transport.CredentialsError](seen.err):
		return AuthorizeFailed
	case badUsage.in(seen.err):
		return OptionsWrong
	}
	return ""
}

// hintIn returns the hint that an error of Verify or Authorize brings along, or nothing.
func hintIn(err error) string {
	var adviser interface {
		error
		Hint() string
	}
	if (is[*refusedStart](err) || is[*transport.CredentialsError](err)) && errors.As(err, &adviser) {
		return adviser.Hint()
	}
	return ""
}

// startCode is that of a command that could not be started.
func startCode(seen evidence) Code {
	start, ok := errors.AsType[*process.StartError](seen.err)
	if !ok {
		return ""
	}
	words := strings.Fields(start.Command)
	inPath := func(name string) bool {
		_, err := process.LookPath(name, "", seen.options.Environ)
		return err == nil
	}
	switch {
	case start.Err != nil && strings.HasPrefix(start.Err.Error(), "working folder"):
		return FolderMissing
	case start.NotFound && (strings.HasPrefix(start.Command, "~") || strings.Contains(start.Command, "/~/")):
		return HomeNotExpanded
	case start.NotFound && len(words) > 1 && inPath(words[0]):
		return ArgumentsInside
	case start.NotFound:
		return CommandNotFound
	case errors.Is(start.Err, fs.ErrPermission):
		return NotExecutable
	}
	return ""
}

// Patterns of what a server writes to stderr before it ends.
const (
	packageProgram = `could not determine executable to run|does not provide any executables|` +
		`No apps associated with`
	// as npm, uv and pip write it
	registryLost = `(?m)^npm (error|ERR!) .*request to \S+ failed, reason: |` +
		`^\W*(error|Caused by): (Failed to fetch: |Request failed after )|^WARNING: Retrying \(Retry\(`
	packageMissing = `(?m)^npm (error|ERR!) .*(\bE404\b|\bETARGET\b|404 Not Found - GET)|` +
		`^\W*(error: )?No solution found when resolving|^ERROR: No matching distribution found`
	moduleMissing   = `Cannot find (module|package) '|ModuleNotFoundError: `
	fileMissing     = `Cannot find module '(/|\.|[A-Za-z]:)`
	variableMissing = `(?i)\b[A-Z][A-Z0-9]*_[A-Z0-9_]+\b.{0,40}` +
		`(is required|not set|is missing|must be set|not provided|undefined)|` +
		`(missing|required|provide|(^|\n|[.:] |please |must |should |(need|have) to )set\b).{0,40}` +
		`(environment variable|api key|access token)`
)

// notFetched reports whether a launcher wrote that it did not get the server that it was to start, so that
// starting it again is of no use.
func notFetched(stderr string) bool {
	return regexp.MustCompile(registryLost + "|" + packageMissing).MatchString(stderr)
}

// exitCode is that of a stdio server that ended, or closed its stdout. Where a line names an error, what a
// server wrote before is no cause: it went on after that.
func exitCode(seen evidence) Code {
	last := seen.stderr
	if at := process.NamedError().FindStringIndex(last); at != nil {
		last = last[at[0]:]
	}
	matches := func(text, pattern string) bool { return regexp.MustCompile(pattern).MatchString(text) }
	wrote := func(pattern string) bool { return matches(last, pattern) }
	launcher := func(pattern string) bool { return matches(seen.stderr, pattern) }
	switch {
	case seen.server.Stdio == nil || !lost(seen.err):
		return ""
	case exited(seen.err) == "":
		return OutputClosed
	case launcher(registryLost):
		return RegistryLost
	case launcher(packageProgram):
		return PackageProgram
	case launcher(packageMissing):
		return PackageNotFound
	case wrote(variableMissing):
		return VariableMissing
	case wrote(fileMissing):
		return FileMissing
	case strings.Contains(last, "ModuleNotFoundError: "):
		return PythonModule
	case wrote(moduleMissing):
		return NodeModuleMissing
	}
	return Exited
}

// networkCode is that of a server at a URL that was not reached.
func networkCode(seen evidence) Code {
	dial, _ := errors.AsType[*net.OpError](seen.err)
	foreign, _ := errors.AsType[*transport.NotHTTPError](seen.err)
	remote := seen.server.HTTP != nil
	switch {
	case is[x509.UnknownAuthorityError](seen.err):
		return UnknownAuthority
	case untrusted(seen.err):
		return BadCertificate
	case notTLS(seen.err):
		return NotTLS
	case is[*transport.HandshakeError](seen.err):
		return TLSClosed
	case is[*transport.ProxyError](seen.err) || dial != nil && dial.Op == "proxyconnect":
		return ProxyUnusable
	case is[*net.DNSError](seen.err):
		return UnknownHost
	case remote && (transport.CutOff(seen.err) || lost(seen.err) || foreign != nil) && seen.stage == Calling:
		return OutcomeUnknown
	case foreign != nil && foreign.TLS():
		return SpeaksTLS
	case foreign != nil:
		return NotHTTP
	case remote && transport.CutOff(seen.err):
		return ConnectionClosed
	case remote && lost(seen.err) && seen.stage != Watching:
		return StreamEnded
	case refused(seen.err):
		return ConnectionRefused
	}
	redirect, ok := errors.AsType[*transport.RedirectError](seen.err)
	switch {
	case ok && redirect.From != redirect.To && strings.HasPrefix(redirect.To, "http"):
		return Redirected
	case ok:
		return RedirectedNowhere
	}
	return ""
}

// streamCode is that of a server of HTTP+SSE whose stream opened, and nothing else; empty = that is not it.
func streamCode(seen evidence) Code {
	switch {
	case seen.stream == nil || seen.introduced:
		return ""
	case is[*transport.RedirectError](seen.err):
		return EndpointElsewhere
	case seen.stream.Endpoint == "":
		return EndpointUnnamed
	case slices.Contains([]int{400, 404, 405, 421}, seen.Status):
		return EndpointWrong
	case is[*timeoutError](seen.err):
		return StreamSilent
	}
	return ""
}

// statusCode is that of an HTTP reply without a message.
func statusCode(seen evidence) Code {
	reply := seen.reply
	if reply == nil {
		return ""
	}
	login := reply.Status == http.StatusUnauthorized || reply.Status == http.StatusForbidden
	switch {
	case reply.Proxy != "" && reply.Status == http.StatusProxyAuthRequired:
		return ProxyWantsLogin
	case reply.Proxy != "":
		return ProxyAnswered
	case reply.Encoding != "":
		return Compressed
	case login && !seen.bearer():
		return OtherLoginWanted
	case login && seen.hasAuthorization():
		return TokenRejected
	case reply.Status == http.StatusForbidden && seen.otherHost:
		return HostNameRejected
	case reply.Status == http.StatusMisdirectedRequest:
		return HostNameUnknown
	case login && len(seen.server.HTTP.Headers) > 0 &&
		(seen.noLogin || reply.Status == http.StatusForbidden):
		return HeadersRejected
	case login && seen.noLogin:
		return TokenWanted
	case login:
		return LoginWanted
	case seen.Wait > 0 && (reply.Status == http.StatusTooManyRequests || reply.Status >= 500):
		return AsksToWait
	case reply.Status == http.StatusTooManyRequests:
		return TooManyRequests
	case reply.Status >= 500:
		return ServerFailed
	case reply.Session:
		return SessionLost
	case seen.introduced:
		return FailedAfterwards
	case reply.HTML():
		return WebPage
	case reply.Status == http.StatusNotFound, reply.Status == http.StatusMethodNotAllowed:
		return NoEndpoint
	case refusesVersion(seen.err):
		return versionCode(seen)
	case seen.otherHost:
		return HostOrPathWrong
	}
	return RequestUnfit
}

// bearer reports whether a bearer token may be what the server wants.
func (seen evidence) bearer() bool {
	return len(seen.Schemes) == 0 || slices.ContainsFunc(seen.Schemes,
		func(scheme string) bool { return scheme == "Bearer" || scheme == "" })
}

func (f failure) hasAuthorization() bool {
	remote := f.server.HTTP
	return remote.Helper != nil || strings.Contains(remote.URL, "@") ||
		slices.ContainsFunc(slices.Collect(maps.Keys(remote.Headers)),
			func(name string) bool { return strings.EqualFold(name, "Authorization") })
}

// address returns the URL of the server; the zero value when it has none.
func (f failure) address() *url.URL {
	if f.server.HTTP != nil {
		if address, err := url.Parse(f.server.HTTP.URL); err == nil {
			return address
		}
	}
	return &url.URL{}
}

// shortURL returns the URL of the server without its user, query and fragment.
func (f failure) shortURL() string { return transport.PlainURL(f.address()) }

// versionCode is that of a server that has no protocol version in common with the prober.
func versionCode(seen evidence) Code {
	opening := seen.stage.order() <= Handshake.order()
	switch {
	case is[*timeoutError](seen.err):
		return timeoutCode(seen)
	case badVersion.in(seen.err) && seen.server.Protocol != "":
		return VersionPinnedFor
	case badVersion.in(seen.err) && seen.options.Protocol != "" && seen.options.Protocol != auto:
		return VersionPinned
	case opening && len(seen.Versions) > 0 && !slices.Contains(seen.Versions, modern):
		return VersionNamed
	case badVersion.in(seen.err), hasCode(seen.err, mcp.UNSUPPORTED_PROTOCOL_VERSION),
		opening && refusesVersion(seen.err):
		return VersionUnknown
	}
	return ""
}

// answerCode is that of a server that answered with an error, or with nonsense.
func answerCode(seen evidence) Code {
	acting := seen.stage.order() >= Calling.order() && seen.stage.order() <= Pinging.order()
	reply, isReply := errors.AsType[*transport.ReplyError](seen.err)
	switch {
	case acting && hasCode(seen.err, mcp.MISSING_REQUIRED_CLIENT_CAPABILITY):
		return AnswerWanted
	case acting && hasCode(seen.err, mcp.METHOD_NOT_FOUND):
		return RequestUnknown
	case acting && is[*RPCError](seen.err):
		return RequestRejected
	case hasCode(seen.err, mcp.MISSING_REQUIRED_CLIENT_CAPABILITY):
		return CapabilityWanted
	case seen.stage == Handshake && hasCode(seen.err, mcp.METHOD_NOT_FOUND):
		return HandshakeUnknown
	case is[*transport.TooMuchError](seen.err):
		return SurfaceTooLarge
	case is[*transport.TooLongError](seen.err), overLimit.in(seen.err):
		return MessageTooLarge
	case is[*RPCError](seen.err):
		return ListRejected
	case isReply && reply.Foreign() && seen.server.HTTP != nil && !seen.introduced:
		return RequestUnfit
	case isReply, badShape.in(seen.err):
		return AnswerMalformed
	}
	return ""
}

// timeoutCode is that of a server that did not answer in time.
func timeoutCode(seen evidence) Code {
	timeout, _ := errors.AsType[*timeoutError](seen.err)
	switch {
	case slices.ContainsFunc(seen.noise, func(line string) bool { return strings.TrimSpace(line) == "{" }) &&
		strings.Contains(strings.Join(seen.noise, "\n"), `"jsonrpc"`):
		return MessageBroken
	case !timeout.silent:
		return Slow
	case seen.ListensAt != "":
		return ListensForHTTP
	}
	return NoAnswer
}

// listening matches what a server writes about where it listens; its groups are the port and the path. The
// address is one of this machine, or all of them; a time is none.
var listening = regexp.MustCompile(`(?i)\b(?:listening|running|started|serving|available)\b[^\n]*?` +
	`(?:(?:\w+://|\s|\()(?:localhost|\d+\.\d+\.\d+\.\d+|\[[0-9a-f:]+\]|::|\*)?:|\b(?:on|port):? )` +
	`(\d{2,5})(/[\w./-]*)?(?:[^\w:/]|$|:\D|:$)`)

// listensAt returns the URL at which a stdio server says that it listens for HTTP, or nothing.
func listensAt(f failure) string {
	found := listening.FindStringSubmatch(f.stderr + "\n" + strings.Join(f.noise, "\n"))
	if f.server.Stdio == nil || found == nil {
		return ""
	}
	path := strings.TrimRight(found[2], "./")
	return "http://localhost:" + found[1] + cmp.Or(path, "/mcp")
}
