package probe

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/process"
	"github.com/mcpctl/mcpctl/internal/transport"
)

// start returns the command that could not be started; the zero value when that is not what happened.
func (f failure) start() process.StartError {
	if failed, ok := errors.AsType[*process.StartError](f.err); ok {
		return *failed
	}
	return process.StartError{}
}

// reply returns the HTTP reply that was no message; the zero value when that is not what happened.
func (f failure) reply() *transport.HTTPError {
	if reply, ok := errors.AsType[*transport.HTTPError](f.err); ok {
		return reply
	}
	return &transport.HTTPError{}
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
func (f failure) shortURL() string {
	short := url.URL{Scheme: f.address().Scheme, Host: f.address().Host, Path: f.address().Path}
	return short.String()
}

// program returns the name of the command without folder and extension: npx for C:\nodejs\npx.cmd.
func program(f failure) string {
	name := filepath.Base(f.start().Command)
	return strings.TrimSuffix(name, filepath.Ext(name))
}

// notInPath returns what to do about a command that is nowhere, and where it was looked for.
func notInPath(f failure) string {
	hint := "check the spelling, install it, or give its full path; a PATH under env in the configuration " +
		"counts"
	path := f.start().Path
	if folders := len(filepath.SplitList(path)); folders > 3 {
		path = fmt.Sprintf("the %d folders of its PATH", folders)
	}
	if path != "" {
		hint += " (looked for in " + path + ")"
	}
	return hint
}

// runtimes are the programs that servers are often started with, and how to get them.
var runtimes = map[string]string{
	"node":    "install Node.js (https://nodejs.org)",
	"npm":     "install Node.js (https://nodejs.org), which brings npm",
	"npx":     "install Node.js (https://nodejs.org), which brings npx",
	"bun":     "install Bun (https://bun.sh)",
	"bunx":    "install Bun (https://bun.sh), which brings bunx",
	"deno":    "install Deno (https://deno.com)",
	"python":  "install Python (https://www.python.org), or write python3",
	"python3": "install Python (https://www.python.org)",
	"uv":      "install uv (https://docs.astral.sh/uv)",
	"uvx":     "install uv (https://docs.astral.sh/uv), which brings uvx",
	"pipx":    "install pipx (https://pipx.pypa.io)",
	"docker":  "install Docker (https://docs.docker.com/get-docker), or write podman if you have that",
	"podman":  "install Podman (https://podman.io)",
	"go":      "install Go (https://go.dev)",
	"java":    "install a Java runtime (https://adoptium.net)",
	"dotnet":  "install .NET (https://dotnet.microsoft.com)",
}

const (
	packageMissing = `\bE404\b|404 Not Found - GET|No solution found when resolving|` +
		`No matching distribution found`
	moduleMissing   = `Cannot find (module|package) '|ModuleNotFoundError: `
	usageShown      = `(?im)^\s*usage:\s`
	variableMissing = `(?i)\b[A-Z][A-Z0-9]*_[A-Z0-9_]+\b.{0,40}` +
		`(is required|not set|is missing|must be set|not provided|undefined)|` +
		`(missing|required|set|provide).{0,40}(environment variable|api key|access token)`
)

// halfInstalled returns the folder of npx in which a module is missing that the package brings; else empty.
// npx takes what is there for whole.
func halfInstalled(f failure) string {
	if !regexp.MustCompile(`ERR_MODULE_NOT_FOUND|Cannot find module`).MatchString(f.stderr) {
		return ""
	}
	return regexp.MustCompile(`(?:[A-Za-z]:)?[^\s'"]+[/\\]_npx[/\\][0-9a-f]+`).FindString(f.stderr)
}

// heldBack is what a program in a sandbox tried, by what it wrote when that was refused.
var heldBack = [...]struct{ pattern, tried string }{
	{`ENOTFOUND|EAI_AGAIN|ENETUNREACH|ECONNREFUSED|(?i)network is unreachable|name resolution|` +
		`name or service not known|no such host|connection refused`,
		"the network (sandbox: {network: [HOST]})"},
	{`EROFS|(?i)read-only file system`, "to write (sandbox: {write: [FOLDER]})"},
	{`EAFNOSUPPORT|(?i)address family not supported`, "Unix sockets (tsx does without as node --import tsx)"},
	{`ENOMEM|EFBIG|(?i)cannot allocate memory|out of memory|file too large|resource temporarily unavailable`,
		"more memory, processes or room than there is"},
	{`ENOENT|(?i)no such file or directory|not found|cannot find module`, "files outside of the project"},
}

// sandboxHint returns what a server tried that the sandbox refused, and what could be granted.
func sandboxHint(f failure) string {
	var tried []string
	for _, held := range heldBack {
		if regexp.MustCompile(held.pattern).MatchString(f.stderr) {
			tried = append(tried, held.tried)
		}
	}
	if len(tried) == 0 {
		return "in the sandbox it sees no network, no home, and of files only its program, its runtime and " +
			"the project: run it without --sandbox to see whether it misses any of that"
	}
	return "it tried " + strings.Join(tried, ", and ") + ", which the sandbox does not give: grant what " +
		"can be granted in mcpctl.yaml, or run it without --sandbox"
}

// Of servers at a URL.

func proxied(f failure) bool {
	failed, ok := errors.AsType[*net.OpError](f.err)
	return ok && failed.Op == "proxyconnect" || is[*transport.ProxyError](f.err)
}

func newAddress(f failure) string {
	redirect, _ := errors.AsType[*transport.RedirectError](f.err)
	if !strings.HasPrefix(redirect.To, "http://") && !strings.HasPrefix(redirect.To, "https://") {
		return "no MCP server is behind that: check the URL, and who runs the server"
	}
	if redirect.Circular() {
		return "the server sends its clients in a circle: check the URL, its path and https, and whether " +
			"something before the server wants a login"
	}
	return fmt.Sprintf("if you trust it, use the new URL: %s; headers are never sent to another origin on "+
		"their own", redirect.To)
}

// howToAuthorize returns what the error itself advises.
func howToAuthorize(f failure) string {
	var wise interface {
		error
		Hint() string
	}
	if errors.As(f.err, &wise) {
		return wise.Hint()
	}
	return "fix how the configuration gets the server's credentials; the server was not asked without them"
}

func howToSignIn(f failure) string {
	hint := `pass a token with --bearer env:NAME, --header "Name: value", or headers in the configuration`
	if f.reply().Status == 401 {
		hint = "log in with mcpctl login " + sourceName(f) + ", or " + hint
	}
	if hasAuthorization(f) {
		hint = "the token that was sent was not accepted: check that it is whole, current and for this server"
	}
	if metadata := f.reply().Metadata; metadata != "" {
		hint += "; get one as described at " + metadata
	}
	return hint
}

// sourceName returns how the server is named on a command line.
func sourceName(f failure) string {
	if f.server.Source != "argv" && f.server.Name != "" {
		return f.server.Name
	}
	return f.shortURL()
}

func hasAuthorization(f failure) bool {
	if f.server.HTTP.Helper != nil {
		return true
	}
	for name := range f.server.HTTP.Headers {
		if strings.EqualFold(name, "Authorization") {
			return true
		}
	}
	return strings.Contains(f.server.HTTP.URL, "@")
}

func howToBeLetIn(f failure) string {
	if hasAuthorization(f) {
		return "the token was read and is not enough: check its scopes, and whether the server allows this " +
			"host name"
	}
	return howToSignIn(f)
}

// otherHost returns how else this machine can be called, when the URL is of this machine.
func otherHost(f failure) string {
	host := f.address().Hostname()
	switch ip := net.ParseIP(host); {
	case host == "localhost":
		return "127.0.0.1"
	case ip.IsLoopback():
		return "localhost"
	}
	return ""
}

func otherPath(f failure) string {
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

// Of servers that are reached and answer nothing, or nonsense.

func whatToWaitFor(f failure) string {
	switch {
	case slices.ContainsFunc(f.noise,
		func(n transport.Noise) bool { return strings.TrimSpace(n.Text) == "{" }):
		return "the server spreads its messages over several lines (pretty-printed): write each on one line"
	case f.heard:
		return "the server answers, but slowly: allow more with --timeout"
	case listensAt(f) != "":
		return "it seems to be an HTTP server: try mcpctl list " + listensAt(f)
	case f.server.Stdio != nil:
		return "allow more with --timeout if the first start downloads or builds something; else check " +
			"that the command is an " +
			"MCP server that speaks over stdio"
	}
	return "allow more with --timeout if the server is slow; else check that the URL is an MCP endpoint"
}

var listening = regexp.MustCompile(`(?i)\b(?:listening|running|started|serving|available)\b[^\n]*?` +
	`(?:https?://[\w.\[\]:-]+?:|\bport:? |:)(\d{2,5})\b(/[\w./-]*)?`)

// listensAt returns the URL at which a stdio server says that it listens for HTTP, or nothing.
func listensAt(f failure) string {
	said := f.stderr
	for _, piece := range f.noise {
		said += "\n" + piece.Text
	}
	found := listening.FindStringSubmatch(said)
	if f.server.Stdio == nil || found == nil {
		return ""
	}
	path := strings.TrimRight(found[2], "./")
	return "http://localhost:" + found[1] + cmp.Or(path, "/mcp")
}

// proxyHint advises on a reply of the proxy in the place of the server's.
func proxyHint(f failure) string {
	variable, proxy := strings.ToUpper(f.address().Scheme)+"_PROXY", f.reply().Proxy
	if f.reply().Status == http.StatusProxyAuthRequired {
		return fmt.Sprintf("the proxy %s wants a login: set %s=http://NAME:PASSWORD@HOST:PORT, or name the "+
			"host in NO_PROXY", proxy, variable)
	}
	return fmt.Sprintf("the answer may be that of the proxy %s: check %s, or name the host in NO_PROXY",
		proxy, variable)
}
