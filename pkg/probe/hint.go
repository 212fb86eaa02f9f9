package probe

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/redact"
	"github.com/mcpctl/mcpctl/internal/transport"
)

type failure struct {
	server  Server
	options Options
	stage   Stage
	err     error
	stderr  string
	heard   bool // the server said something before
	noise   []transport.Noise
}

// explain makes a failure one that a person can act on. The connection is nil when there is none.
func (a attempt) explain(ctx context.Context, stage Stage, err error, conn *transport.Conn) *Error {
	f := failure{server: a.server, options: a.options, stage: stage, err: ended(ctx, err, a.seen.heard()),
		heard: a.seen.heard() != ""}
	if conn != nil {
		f.stderr = conn.Stderr()
		f.noise = conn.Noise()
	}
	if end, ok := errors.AsType[*transport.LostError](err); ok && end.Stderr != "" {
		f.stderr = end.Stderr
	}
	if answer, ok := errors.AsType[*RPCError](err); ok {
		answer.Message = clip(a.masks().Text(answer.Message), longText)
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
	text = clip(secrets.Text(text), longText)
	silent := exited(f.err) != "" && f.stderr == "" || is[*timeoutError](f.err)
	if !silent || len(f.noise) == 0 {
		return text
	}
	said := kit.Map(f.noise,
		func(piece transport.Noise) string { return strings.TrimSpace(secrets.Cut(piece.Text)) })
	return text + "; it wrote to stdout: " + clip(strings.Join(said, " | "), longText)
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
	for _, advise := range []func(failure) string{ownHint, startHint, exitHint, networkHint, statusHint,
		protocolHint, answerHint} {
		if advice := advise(f); advice != "" {
			return advice
		}
	}
	if f.server.HTTP != nil && f.stage.order() <= Handshake.order() {
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
		return howToAuthorize(f)
	case badUsage.in(f.err):
		return "fix the configuration or the flag; no server was contacted"
	}
	return ""
}

// startHint advises on a command that could not be started.
func startHint(f failure) string {
	first, _, several := strings.Cut(f.start().Command, " ")
	_, known := runtimes[first]
	switch start := f.start(); {
	case start.Err != nil && strings.HasPrefix(start.Err.Error(), "working folder"):
		return "fix cwd in the configuration: it names the working directory of the server"
	case start.NotFound && several && known:
		return `"command" is the program alone: write its arguments as "args", ` +
			`such as "command": "npx", "args": ["-y", "PACKAGE"]`
	case start.NotFound && runtimes[program(f)] != "":
		return runtimes[program(f)] + "; if it is installed, give its full path or set PATH under env in " +
			"the configuration"
	case start.NotFound:
		return notInPath(f)
	case errors.Is(start.Err, syscall.EISDIR):
		return "that is a directory: name the program in it that starts the server, and then its arguments"
	case errors.Is(start.Err, fs.ErrPermission):
		return "make the file executable (chmod +x), or start it with its interpreter: command node, args " +
			"[server.js]"
	}
	return ""
}

// exitHint advises on a stdio server that ended, or closed its stdout.
func exitHint(f failure) string {
	said := func(pattern string) bool { return regexp.MustCompile(pattern).MatchString(f.stderr) }
	switch {
	case f.server.Stdio == nil || !lost(f.err):
		return ""
	case exited(f.err) == "":
		return "the command closed its output without answering: check that it is an MCP server, and that " +
			"its arguments choose " +
			"the stdio transport"
	case halfInstalled(f) != "":
		return "npx was interrupted while it installed the package: remove " + halfInstalled(f) +
			", and try again"
	case said(packageMissing):
		return "check the package's name and version: the package registry does not have it"
	case said(variableMissing):
		return "set the missing variable under env in the configuration, or with --env NAME=value"
	case said(moduleMissing):
		return "build the server and install its dependencies in its directory (npm install, pip install), " +
			"and check the path and " +
			"the working directory"
	case said(usageShown):
		return "give the server the arguments that its usage names: as args in the configuration, or after " +
			"-- on the command line"
	case filepath.Base(f.server.Stdio.Command) == "bwrap":
		return sandboxHint(f)
	}
	return "run the same command by hand to see why; servers get a minimal environment (--inherit-env " +
		"passes all of it) and what " +
		"env in the configuration sets"
}

// networkHint advises on a server at a URL that was not reached.
func networkHint(f failure) string {
	switch {
	case is[x509.UnknownAuthorityError](f.err):
		return "if you trust the server, give its certificate authority with --ca-cert FILE (PEM) or " +
			"SSL_CERT_FILE"
	case untrusted(f.err):
		return "the certificate does not fit: check the host name in the URL, this machine's clock, and " +
			"when the certificate ends"
	case notTLS(f.err):
		return "the server does not speak TLS: use http:// instead of https://"
	case proxied(f):
		return "the proxy could not be used: check HTTP_PROXY and HTTPS_PROXY, or name the host in NO_PROXY"
	case is[*net.DNSError](f.err):
		return "check the spelling of the host in the URL, and that this machine can resolve names (VPN, " +
			"proxy)"
	case f.server.HTTP != nil && transport.CutOff(f.err) && f.stage == Calling:
		return "the call may have been executed, its outcome is unknown: check that before calling again"
	case f.server.HTTP != nil && transport.CutOff(f.err):
		return "the server, or a gateway before it, closed the connection: look into its log, or allow " +
			"--retries"
	case refused(f.err):
		return "check that the server runs, and the port in the URL"
	case is[*transport.RedirectError](f.err):
		return newAddress(f)
	}
	return ""
}

// statusHint advises on an HTTP reply without a message.
func statusHint(f failure) string {
	if !is[*transport.HTTPError](f.err) {
		return ""
	}
	switch reply := f.reply(); {
	case reply.Proxy != "":
		return proxyHint(f)
	case reply.Encoding != "":
		return "a proxy or gateway before the server compresses for clients that did not ask for it: turn " +
			"that off for this URL"
	case reply.Status == http.StatusUnauthorized:
		return howToSignIn(f)
	case reply.Status == http.StatusForbidden && otherHost(f) != "" && !hasAuthorization(f):
		return fmt.Sprintf("the server may insist on another name of this machine: try %s in the URL "+
			"instead of %s",
			otherHost(f), f.address().Hostname())
	case reply.Status == http.StatusForbidden:
		return howToBeLetIn(f)
	case reply.Status == http.StatusTooManyRequests:
		return "the server limits requests: wait, or ask it less, with --parallel 1 and --retries, or a " +
			"longer --interval of watch"
	case reply.Status >= 500:
		return "the server, or a gateway before it, failed: look into its log, or allow --retries"
	case reply.Session:
		return "the server no longer knows the session: it may have restarted; try again"
	case f.stage.order() > Handshake.order():
		return "the server answered initialize at this URL, so the URL is right: look into the server's " +
			"log, and into that of a " +
			"gateway before it"
	case reply.HTML():
		return "this URL is a web page: MCP endpoints usually end with /mcp or /sse"
	case reply.Status == http.StatusNotFound, reply.Status == http.StatusMethodNotAllowed:
		return otherPath(f)
	}
	return "check that the URL is the one of an MCP endpoint, with its path (often /mcp or /sse) and its " +
		"headers"
}

// protocolHint advises on servers that have no protocol version in common with mcpctl.
func protocolHint(f failure) string {
	named := supportedBy(f.err)
	switch {
	case is[*timeoutError](f.err):
		return whatToWaitFor(f)
	case badVersion.in(f.err) && f.server.Protocol != "":
		return "take protocol out of this server's configuration to speak what the server speaks"
	case badVersion.in(f.err) && f.options.Protocol != "" && f.options.Protocol != auto:
		return "leave --protocol out to speak what the server speaks"
	case f.stage == Handshake && len(named) > 0 && !slices.Contains(named, modern):
		return "the server names version " + versions(named) + ": ask for it with --protocol " +
			clip(named[0], shortText)
	case badVersion.in(f.err), hasCode(f.err, codeUnsupportedVersion):
		return "update mcpctl or the server; --protocol asks for another version"
	}
	return ""
}

// answerHint advises on servers that answered with an error, or with nonsense.
func answerHint(f failure) string {
	acting := f.stage.order() >= Calling.order() && f.stage.order() <= Pinging.order()
	switch {
	case acting && hasCode(f.err, codeMissingCapability):
		return "the server asks questions while it works: run this in a terminal, or add --answer"
	case acting && hasCode(f.err, codeMethodNotFound):
		return "the server does not know this request: mcpctl show lists what it offers"
	case acting && is[*RPCError](f.err):
		return "the server says so of this request: look at it with --dry-run, and into its log"
	case hasCode(f.err, codeMissingCapability):
		return "the server wants a client with other capabilities: declare them with --client-capabilities"
	case f.stage == Handshake && hasCode(f.err, codeMethodNotFound):
		return "the program answers JSON-RPC but not MCP's handshake: check that it is an MCP server"
	case is[*transport.TooLargeError](f.err), overLimit.in(f.err):
		return "ask the server's author for pages (nextCursor) or smaller schemas"
	case is[*RPCError](f.err):
		return "the server itself says so: check its credentials, its network and its log"
	case refusedTLS(f.err):
		return "the server, or a proxy before it, refused TLS as mcpctl speaks it: it may want a " +
			"certificate of its clients, and " +
			"mcpctl sends none, or TLS older than 1.2"
	case is[*transport.ReplyError](f.err), is[*transport.TooDeepError](f.err), badShape.in(f.err),
		inCircle.in(f.err):
		return "this is a bug in the server, report it to its author: other clients will fail here too"
	}
	return ""
}
