package probe

import (
	"cmp"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/process"
	"github.com/mcpctl/mcpctl/internal/redact"
	"github.com/mcpctl/mcpctl/internal/transport"
)

// failure is what an error text and its hint are made of.
type failure struct {
	server  Server
	options Options
	stage   Stage
	err     error
	stderr  string
	noise   []string
	stopped bool // the run was interrupted, which is the cause
}

// explain makes a failure one that a person can act on. The connection is nil when there is none.
func (a attempt) explain(ctx context.Context, stage Stage, err error, conn *transport.Conn) *Error {
	f := failure{server: a.server, options: a.options, stage: stage,
		err: ended(ctx, err, a.seen.heard.Load())}
	f.stopped = ctx.Err() != nil && f.err == context.Cause(ctx) && !is[*timeoutError](f.err)
	if conn != nil {
		f.stderr = conn.Stderr()
		f.noise = conn.Noise()
		if start := conn.Unended(); start != "" {
			f.noise = append(f.noise, start)
		}
	}
	if answer, ok := errors.AsType[*RPCError](err); ok {
		answer.Message = kit.Clip(a.masks().Text(answer.Message), longText)
		answer.shown, _ = a.masks().JSON(answer.data)
	}
	return &Error{
		Server: a.server.Name, Stage: stage, Stderr: a.masks().Cut(f.stderr), Hint: a.masks().Text(hint(f)),
		Err: &cause{text: text(f, a.masks()), original: f.err},
	}
}

// text returns the cause, with what the server wrote to stdout when that is all that it wrote.
func text(f failure, secrets redact.Secrets) string {
	text := plain(f.err)
	if f.server.HTTP != nil && unreachable(f.err) && !is[*transport.CredentialsError](f.err) {
		text = "cannot connect to " + f.shortURL() + ": " + text
	}
	text = kit.Clip(secrets.Text(text), longText)
	silent := exited(f.err) != "" && f.stderr == "" || is[*timeoutError](f.err)
	if !silent || len(f.noise) == 0 {
		return text
	}
	lines := kit.Map(f.noise, func(line string) string { return strings.TrimSpace(secrets.Cut(line)) })
	return text + "; it wrote to stdout: " + kit.Clip(strings.Join(lines, " | "), longText)
}

// originalOf returns the cause of an *Error with its secrets.
func originalOf(err error) error {
	if shown, ok := errors.AsType[*cause](err); ok {
		return shown.original
	}
	return err
}

// hint returns what to do next, or nothing. What is certain comes before what is likely.
func hint(f failure) string {
	if f.stopped {
		return ""
	}
	if is[*refusedStart](f.err) {
		return adviceIn(f.err)
	}
	for _, advise := range []func(failure) string{ownHint, startHint, exitHint, streamHint, networkHint,
		statusHint, protocolHint, answerHint} {
		if advice := advise(f); advice != "" {
			return advice
		}
	}
	if f.server.HTTP != nil && !factsOf(f).answered {
		return "check the host, the port and the path in the URL: no MCP server answers there"
	}
	return ""
}

// ownHint advises on what failed before the server was contacted.
func ownHint(f failure) string {
	switch {
	case is[*panicError](f.err):
		return "this is a bug in mcpctl: please report it with the server's name and version"
	case errors.Is(f.err, ErrNotTried):
		return "fix the server that failed first, or leave --fail-fast out"
	case is[*transport.CredentialsError](f.err):
		if advice := adviceIn(f.err); advice != "" {
			return advice
		}
		return "fix how the configuration gets the server's credentials; the server was not asked without " +
			"them"
	case badUsage.in(f.err):
		return "fix the configuration or the flag; no server was contacted"
	}
	return ""
}

// adviceIn returns the hint that an error brings along, or nothing.
func adviceIn(err error) string {
	var adviser interface {
		error
		Hint() string
	}
	if errors.As(err, &adviser) {
		return adviser.Hint()
	}
	return ""
}

// startHint advises on a command that could not be started.
func startHint(f failure) string {
	start, ok := errors.AsType[*process.StartError](f.err)
	if !ok {
		return ""
	}
	words := strings.Fields(start.Command)
	inPath := func(name string) bool {
		_, err := process.LookPath(name, "", f.options.Environ)
		return err == nil
	}
	switch {
	case start.Err != nil && strings.HasPrefix(start.Err.Error(), "working folder"):
		return "fix cwd in the configuration: it names the working directory of the server"
	case start.NotFound && (strings.HasPrefix(start.Command, "~") || strings.Contains(start.Command, "/~/")):
		return "~ stands for the home directory in shells and in VS Code's files alone: write ${userHome}"
	case start.NotFound && len(words) > 1 && inPath(words[0]):
		return fmt.Sprintf(`"command" is the program alone: write its arguments as "args": `+
			`"command": %q, "args": ["%s"]`, words[0], strings.Join(words[1:], `", "`))
	case start.NotFound:
		return "check the spelling, install it, or give its full path; a PATH under env in the " +
			"configuration counts"
	case errors.Is(start.Err, fs.ErrPermission):
		return "make the file executable (chmod +x), or start it with its interpreter: command node, args " +
			"[server.js]"
	}
	return ""
}

// Patterns of what a server writes to stderr before it ends.
const (
	packageMissing = `\bE404\b|\bETARGET\b|404 Not Found - GET|No solution found when resolving|` +
		`No matching distribution found`
	moduleMissing   = `Cannot find (module|package) '|ModuleNotFoundError: `
	fileMissing     = `Cannot find module '(/|\.|[A-Za-z]:)`
	variableMissing = `(?i)\b[A-Z][A-Z0-9]*_[A-Z0-9_]+\b.{0,40}` +
		`(is required|not set|is missing|must be set|not provided|undefined)|` +
		`(missing|required|set|provide).{0,40}(environment variable|api key|access token)`
)

// RunByHand is the hint about a stdio server that exited where nothing better is known.
const RunByHand = "run the same command by hand to see why; servers get a minimal environment " +
	"(--inherit-env passes all of it) and what env in the configuration sets"

// exitHint advises on a stdio server that ended, or closed its stdout.
func exitHint(f failure) string {
	wrote := func(pattern string) bool { return regexp.MustCompile(pattern).MatchString(f.stderr) }
	switch {
	case f.server.Stdio == nil || !lost(f.err):
		return ""
	case exited(f.err) == "":
		return "the command closed its output without answering: check that it is an MCP server, and that " +
			"its arguments choose the stdio transport"
	case wrote(packageMissing):
		return "check the package's name and version: the registry does not have it, or shows it only " +
			"after a login"
	case wrote(variableMissing):
		return "set the missing variable under env in the configuration, or with --env NAME=value"
	case wrote(moduleMissing):
		return moduleHint(f)
	case filepath.Base(f.server.Stdio.Command) == "bwrap":
		return "in the sandbox it sees no network, no home, and of files only its program, its runtime and " +
			"the project: grant more in mcpctl.yaml (sandbox: {network: [HOST], write: [FOLDER]}), or run " +
			"it without --sandbox"
	}
	return RunByHand
}

// moduleHint advises on a file or package that a script needs and does not find.
func moduleHint(f failure) string {
	where := `"args" in ` + f.server.Source
	if f.server.Source == "" || f.server.Source == "argv" {
		where = "the path"
	}
	remedy := "install its dependencies (npm install)"
	switch {
	case regexp.MustCompile(fileMissing).MatchString(f.stderr):
		remedy = "run its build (npm run build)"
	case strings.Contains(f.stderr, "ModuleNotFoundError"):
		remedy = "install its dependencies (uv sync, pip install)"
	}
	return remedy + ", or check " + where
}

// networkHint advises on a server at a URL that was not reached.
func networkHint(f failure) string {
	dial, _ := errors.AsType[*net.OpError](f.err)
	switch {
	case is[x509.UnknownAuthorityError](f.err):
		return "if you trust the server, give its certificate authority with --ca-cert FILE (PEM) or " +
			"SSL_CERT_FILE"
	case untrusted(f.err):
		return "the certificate does not fit: check the host name in the URL, this machine's clock, and " +
			"when the certificate ends"
	case notTLS(f.err):
		return "the server does not speak TLS: use http:// instead of https://"
	case is[*transport.ProxyError](f.err) || dial != nil && dial.Op == "proxyconnect":
		return "the proxy could not be used: check HTTP_PROXY and HTTPS_PROXY, or name the host in NO_PROXY"
	case is[*net.DNSError](f.err):
		return "check the spelling of the host in the URL, and that this machine can resolve names (VPN, " +
			"proxy)"
	case f.server.HTTP != nil && (transport.CutOff(f.err) || lost(f.err)) && f.stage == Calling:
		return "the call may have been executed, its outcome is unknown: check that before calling again"
	case f.server.HTTP != nil && transport.CutOff(f.err):
		return "the server, or a gateway before it, closed the connection: look into its log, or allow " +
			"--retries"
	case f.server.HTTP != nil && lost(f.err) && f.stage != Watching:
		return "the server, or a gateway before it, ended the stream too early: look into its log"
	case refused(f.err):
		return "start the server, or check the port"
	}
	redirect, ok := errors.AsType[*transport.RedirectError](f.err)
	switch {
	case ok && redirect.From != redirect.To && strings.HasPrefix(redirect.To, "http"):
		return "if you trust it, use the new URL: " + redirect.To + "; headers are never sent to another " +
			"origin on their own"
	case ok:
		return "no MCP server is behind that redirect: check the URL, its path and https, and whether " +
			"something before the server wants a login"
	}
	return ""
}

// statusHint advises on an HTTP reply without a message.
func statusHint(f failure) string {
	seen := factsOf(f)
	reply := seen.reply
	if reply == nil {
		return ""
	}
	login := reply.Status == http.StatusUnauthorized || reply.Status == http.StatusForbidden
	switch {
	case reply.Proxy != "" && reply.Status == http.StatusProxyAuthRequired:
		return fmt.Sprintf("the proxy %s wants a login: set %s=http://NAME:PASSWORD@HOST:PORT, or name the "+
			"host in NO_PROXY", reply.Proxy, f.proxyVariable())
	case reply.Proxy != "":
		return fmt.Sprintf("the answer may be that of the proxy %s: check %s, or name the host in NO_PROXY",
			reply.Proxy, f.proxyVariable())
	case reply.Encoding != "":
		return "a proxy or gateway before the server compresses for clients that did not ask for it: turn " +
			"that off for this URL"
	case login && !seen.bearer():
		return seen.otherScheme()
	case login && f.hasAuthorization():
		return "the token that was sent was not accepted: check that it is current, for this server, and " +
			"that its scopes suffice"
	case reply.Status == http.StatusForbidden && seen.otherHost:
		return "the server may insist on another name of this machine: try localhost or 127.0.0.1 in the URL"
	case reply.Status == http.StatusMisdirectedRequest:
		return "the server does not answer to the name " + f.address().Host + ": use another name of it, " +
			"such as localhost, or add this one to its allowed hosts"
	case login:
		return f.loginHint(reply.Status)
	case seen.wait > 0 && (reply.Status == http.StatusTooManyRequests || reply.Status >= 500):
		return seen.waitHint()
	case reply.Status == http.StatusTooManyRequests:
		return "the server limits requests: wait, or ask it less, with --parallel 1 and --retries, or a " +
			"longer --interval of watch"
	case reply.Status >= 500:
		return "the server, or a gateway before it, failed: look into its log, or allow --retries"
	case reply.Session:
		return "the server no longer knows the session: it may have restarted; try again"
	case seen.introduced:
		return "the server answered initialize at this URL, so the URL is right: look into the server's " +
			"log, and into that of a gateway before it"
	case reply.HTML():
		return "this URL is a web page: MCP endpoints usually end with /mcp or /sse"
	case reply.Status == http.StatusNotFound, reply.Status == http.StatusMethodNotAllowed:
		return f.pathHint()
	case refusesVersion(f.err):
		return protocolHint(f)
	case seen.otherHost:
		return "check the path and the headers of the URL, or try another name of this machine, localhost " +
			"or 127.0.0.1: the server may insist on it"
	}
	return "check that the URL is the one of an MCP endpoint, with its path (often /mcp or /sse) and its " +
		"headers"
}

func (f failure) proxyVariable() string { return strings.ToUpper(f.address().Scheme) + "_PROXY" }

func (f failure) hasAuthorization() bool {
	remote := f.server.HTTP
	return remote.Helper != nil || strings.Contains(remote.URL, "@") ||
		slices.ContainsFunc(slices.Collect(maps.Keys(remote.Headers)),
			func(name string) bool { return strings.EqualFold(name, "Authorization") })
}

// loginHint advises on a server that wants credentials.
func (f failure) loginHint(status int) string {
	token := `pass a token with --bearer env:NAME, --header "Name: value", or headers in the configuration`
	switch {
	case status != http.StatusUnauthorized:
		return token
	case f.server.Source == "argv" || f.server.Name == "":
		return "log in with mcpctl login " + f.shortURL() + ", or " + token
	}
	return "log in with mcpctl login " + f.server.Name + ", or " + token
}

// pathHint advises on a URL that has no MCP endpoint.
func (f failure) pathHint() string {
	path := strings.TrimSuffix(f.address().Path, "/")
	switch {
	case f.server.HTTP.Kind == SSE:
		return "the server may speak streamable HTTP: leave the transport's type out, and both are tried"
	case f.server.HTTP.Kind == StreamableHTTP:
		return "the server may speak HTTP+SSE: leave the transport's type out, and both are tried"
	case strings.HasSuffix(path, "/mcp"), strings.HasSuffix(path, "/sse"):
		return "check the path of the URL: the server has no MCP endpoint there"
	}
	return fmt.Sprintf("check the path of the URL: try %s/mcp or %s/sse", path, path)
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

// protocolHint advises on servers that have no protocol version in common with mcpctl.
func protocolHint(f failure) string {
	named := supportedBy(f.err)
	switch {
	case is[*timeoutError](f.err):
		return timeoutHint(f)
	case badVersion.in(f.err) && f.server.Protocol != "":
		return "take protocol out of this server's configuration to speak what the server speaks"
	case badVersion.in(f.err) && f.options.Protocol != "" && f.options.Protocol != auto:
		return "leave --protocol out to speak what the server speaks"
	case f.stage.order() <= Handshake.order() && len(named) > 0 && !slices.Contains(named, modern):
		return "the server names version " + versions(named) + ": ask for it with --protocol " +
			kit.Clip(named[0], shortText)
	case badVersion.in(f.err), hasCode(f.err, mcp.UNSUPPORTED_PROTOCOL_VERSION),
		f.stage.order() <= Handshake.order() && refusesVersion(f.err):
		return "update mcpctl or the server; --protocol asks for another version"
	}
	return ""
}

// answerHint advises on servers that answered with an error, or with nonsense.
func answerHint(f failure) string {
	acting := f.stage.order() >= Calling.order() && f.stage.order() <= Pinging.order()
	switch {
	case acting && hasCode(f.err, mcp.MISSING_REQUIRED_CLIENT_CAPABILITY):
		return "the server asks questions while it works: run this in a terminal, or add --answer"
	case acting && hasCode(f.err, mcp.METHOD_NOT_FOUND):
		return "the server does not know this request: see what it offers with mcpctl list"
	case acting && is[*RPCError](f.err):
		return "the server rejected this request: show it with --dry-run, and read the server's log"
	case hasCode(f.err, mcp.MISSING_REQUIRED_CLIENT_CAPABILITY):
		return "the server wants a client with other capabilities: declare them with --client-capabilities"
	case f.stage == Handshake && hasCode(f.err, mcp.METHOD_NOT_FOUND):
		return "the program answers JSON-RPC but not MCP's handshake: check that it is an MCP server"
	case is[*transport.TooMuchError](f.err):
		return "no model can read that much: ask the server's author to offer less"
	case is[*transport.TooLongError](f.err), overLimit.in(f.err):
		return "ask the server's author for pages (nextCursor) or smaller schemas"
	case is[*RPCError](f.err):
		return "the server itself says so: check its credentials, its network and its log"
	case is[*transport.ReplyError](f.err), badShape.in(f.err):
		return "this is a bug in the server, report it to its author: other clients will fail here too"
	}
	return ""
}

// timeoutHint advises on a server that did not answer in time.
func timeoutHint(f failure) string {
	timeout, _ := errors.AsType[*timeoutError](f.err)
	switch {
	case slices.ContainsFunc(f.noise, func(line string) bool { return strings.TrimSpace(line) == "{" }):
		return "the server spreads its messages over several lines (pretty-printed): write each on one line"
	case !timeout.silent:
		return "the server answers, but slowly: allow more with --timeout"
	case listensAt(f) != "":
		return "is it an HTTP server? mcpctl list " + listensAt(f)
	case f.server.Stdio != nil:
		return "allow more with --timeout if the first start downloads or builds something; else check " +
			"that the command is an MCP server that speaks over stdio"
	}
	return "allow more with --timeout if the server is slow; else check that the URL is an MCP endpoint"
}

// listening matches what a server writes about where it listens; its groups are the port and the path.
var listening = regexp.MustCompile(`(?i)\b(?:listening|running|started|serving|available)\b[^\n]*?` +
	`(?:https?://[\w.\[\]:-]+?:|\b(?:on|port):? |:)(\d{2,5})\b(/[\w./-]*)?`)

// listensAt returns the URL at which a stdio server says that it listens for HTTP, or nothing.
func listensAt(f failure) string {
	found := listening.FindStringSubmatch(f.stderr + "\n" + strings.Join(f.noise, "\n"))
	if f.server.Stdio == nil || found == nil {
		return ""
	}
	path := strings.TrimRight(found[2], "./")
	return "http://localhost:" + found[1] + cmp.Or(path, "/mcp")
}
