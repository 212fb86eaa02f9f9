package probe

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"slices"
	"strings"
	"syscall"

	"github.com/mcpctl/mcpctl/internal/lists"
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
	f := failure{server: a.server, options: a.options, stage: stage, err: ended(ctx, err, a.seen.heard()), heard: a.seen.heard() != ""}
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

// text is the cause, with the reason for it when the server told one on stdout before it ended.
func text(f failure, secrets redact.Secrets) string {
	text := clip(secrets.Text(plain(f.err)), longText)
	if exited(f.err) == "" || f.stderr != "" || len(f.noise) == 0 {
		return text
	}
	said := lists.Map(f.noise, func(piece transport.Noise) string { return strings.TrimSpace(secrets.Cut(piece.Text)) })
	return text + "; it wrote to stdout: " + clip(strings.Join(said, " | "), longText)
}

// originalOf is an *Error's cause before it was made fit to be shown.
func originalOf(err error) error {
	if shown, ok := errors.AsType[*cause](err); ok {
		return shown.original
	}
	return err
}

// hint is what to do next: what the first row of hints says that fits.
func hint(f failure) string {
	for _, row := range hints {
		if row.when(f) {
			return row.say(f)
		}
	}
	return ""
}

// always is a hint that is the same for every failure of a row.
func always(text string) func(failure) string { return func(failure) string { return text } }

// caused is a row for failures with an error of type E in them.
func caused[E error](f failure) bool { return is[E](f.err) }

// ofKind is a row for what the prober itself finds wrong.
func ofKind(k errorKind) func(failure) bool { return func(f failure) bool { return k.in(f.err) } }

func answeredWith(statuses ...int) func(failure) bool {
	return func(f failure) bool { return slices.Contains(statuses, f.reply().Status) }
}

// acting is a row for a JSON-RPC error with one of the codes, or any, of a server that was to do something.
func acting(codes ...int) func(failure) bool {
	return func(f failure) bool {
		doing := f.stage.order() >= Calling.order() && f.stage.order() <= Pinging.order()
		return doing && (hasCode(f.err, codes...) || len(codes) == 0 && is[*RPCError](f.err))
	}
}

// hints are tried from the top: what is certain comes before what is likely.
var hints = [...]struct {
	when func(failure) bool
	say  func(failure) string
}{
	{caused[*panicError], always("this is a bug in mcpctl: please report it with the server's name and version")},
	{func(f failure) bool { return errors.Is(f.err, ErrNotTried) }, always("mend the server that failed first, or leave --fail-fast out")},
	{caused[*transport.CredentialsError], howToAuthorize},
	{ofKind(badUsage), always("mend the configuration or the flag; nothing was contacted")},

	{noFolder, always("mend cwd in the configuration: it names the working folder of the server")},
	{wholeLine, always("\"command\" is the program alone: write its arguments as \"args\", such as \"command\": \"npx\", \"args\": [\"-y\", \"PACKAGE\"]")},
	{noRuntime, howToGetRuntime},
	{func(f failure) bool { return f.start().NotFound }, notInPath},
	{func(f failure) bool { return errors.Is(f.start().Err, syscall.EISDIR) }, always("that is a folder: name the program in it that starts the server, with its arguments behind it")},
	{func(f failure) bool { return errors.Is(f.start().Err, fs.ErrPermission) }, always("make the file executable (chmod +x), or start it with its interpreter: command node, args [server.js]")},

	{func(f failure) bool { return halfInstalled(f) != "" }, func(f failure) string {
		return "npx was broken off while it installed the package: remove " + halfInstalled(f) + ", and try again"
	}},
	{diedSaying(packageMissing), always("check the package's name and version: the package registry does not have it")},
	{diedSaying(variableMissing), always("set the missing variable under env in the configuration, or with --env NAME=value")},
	{diedSaying(moduleMissing), always("build the server and install what it uses where it lies (npm install, pip install), and check the path and the working folder")},
	{diedSaying(usageTold), always("give the server the arguments that its usage names: as args in the configuration, or behind -- on the command line")},
	{diedInSandbox, whatTheSandboxHeld},
	{died, always("run the same command by hand to see why; servers get a minimal environment (--inherit-env hands on all of it) and what env in the configuration sets")},
	{func(f failure) bool { return lost(f.err) && f.server.Stdio != nil }, always("the command closed its output without answering: check that it is an MCP server and that its arguments choose the stdio transport")},

	{caused[x509.UnknownAuthorityError], always("if you trust the server, give its certificate authority with --ca-cert FILE (PEM) or SSL_CERT_FILE")},
	{func(f failure) bool { return untrusted(f.err) }, always("the certificate does not fit: check the host name in the URL, this machine's clock, and when the certificate ends")},
	{func(f failure) bool { return notTLS(f.err) }, always("the server does not speak TLS: use http:// instead of https://")},
	{proxied, always("the proxy could not be used: check HTTP_PROXY and HTTPS_PROXY, or name the host in NO_PROXY")},
	{caused[*net.DNSError], always("check the spelling of the host in the URL, and that this machine can resolve names (VPN, proxy)")},
	{func(f failure) bool { return f.server.HTTP != nil && cutOff(f.err) }, always("the server, or a gateway before it, closed the connection: look into its log, or allow --retries")},
	{func(f failure) bool { return refused(f.err) }, always("check that the server runs, and the port in the URL")},
	{caused[*transport.RedirectError], newAddress},

	{answeredWith(401), howToSignIn},
	{otherSpelling, func(f failure) string {
		return fmt.Sprintf("the server may insist on another name of this machine: try %s in the URL instead of %s", otherHost(f), f.address().Hostname())
	}},
	{answeredWith(403), howToBeLetIn},
	{answeredWith(429), always("the server limits requests: wait, or ask it less, with --parallel 1 and --retries, or a longer --interval of watch")},
	{func(f failure) bool { return f.reply().Status >= 500 }, always("the server, or a gateway before it, failed: look into its log, or allow --retries")},
	{func(f failure) bool { return f.reply().HTML() }, always("this URL is a web page: MCP endpoints usually end with /mcp or /sse")},
	{answeredWith(404, 405), otherPath},
	{caused[*transport.HTTPError], always("check that the URL is the one of an MCP endpoint, with its path (often /mcp or /sse) and its headers")},

	{caused[*timeoutError], whatToWaitFor},
	{func(f failure) bool { return badVersion.in(f.err) && f.server.Protocol != "" }, always("take protocol out of this server's configuration to speak what the server speaks")},
	{func(f failure) bool {
		return badVersion.in(f.err) && f.options.Protocol != "" && f.options.Protocol != auto
	}, always("leave --protocol out to speak what the server speaks")},
	{func(f failure) bool { return badVersion.in(f.err) || hasCode(f.err, codeUnsupportedVersion) }, always("update mcpctl or the server; --protocol asks for another version")},
	{acting(codeMissingCapability), always("the server wants to ask somebody while it works: run this in a terminal")},
	{acting(codeMethodNotFound), always("the server does not know this request: mcpctl show tells what it offers")},
	{acting(), always("the server says so of this request: look at it with --dry-run, and into its log")},
	{func(f failure) bool { return hasCode(f.err, codeMissingCapability) }, always("the server wants a client that does more than list (sampling, elicitation, roots); mcpctl offers none of that")},
	{func(f failure) bool { return f.stage == Handshake && hasCode(f.err, codeMethodNotFound) }, always("the program answers JSON-RPC but not MCP's handshake: check that it is an MCP server")},
	{tooLarge, always("ask the server's author for pages (nextCursor) or smaller schemas")},
	{caused[*RPCError], always("the server itself says so: check its credentials, its network and its log")},
	{func(f failure) bool { return refusedTLS(f.err) }, always("the server, or a proxy before it, refused TLS as mcpctl speaks it: it may want a certificate of its clients, and mcpctl sends none, or TLS older than 1.2")},
	{garbled, always("the server's author must mend this; other clients will fail here too")},
	{func(f failure) bool { return f.server.HTTP != nil && f.stage.order() <= Handshake.order() }, always("check the host, the port and the path in the URL: no MCP server answers there")},
}
