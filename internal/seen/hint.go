package seen

import (
	"cmp"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/printable"
	"github.com/mcpctl/mcpctl/internal/process"
	"github.com/mcpctl/mcpctl/pkg/probe"
)

// FailureOf returns a failure of the prober as a report has it, with what to do next.
func FailureOf(e *probe.Error) Failure {
	return Failure{Stage: string(e.Stage), Message: e.Err.Error(), Hint: cmp.Or(e.Hint, hintOf(e)),
		Stderr: e.Stderr}
}

// table: hints are what to do next about a failure, by its code. Words in braces stand for its facts; hintOf has
// what depends on more.
var hints = map[probe.Code]string{
	probe.Bug:              "this is a bug in mcpctl: please report it with the server's name and version",
	probe.NotTried:         "fix the server that failed first, or leave --fail-fast out",
	probe.AuthorizeFailed:  "fix how the configuration gets the server's credentials; the server was not asked without them",
	probe.OptionsWrong:     "fix the configuration or the flag; no server was contacted",
	probe.VersionPinned:    "leave --protocol out to speak what the server speaks",
	probe.VersionPinnedFor: "take protocol out of this server's configuration to speak what the server speaks",

	probe.FolderMissing:     "fix cwd in the configuration: it names the working directory of the server",
	probe.HomeNotExpanded:   "~ stands for the home directory in shells and in VS Code's files alone: write ${userHome}",
	probe.ArgumentsInside:   `"command" is the program alone: write its arguments as "args": "command": {program}, "args": ["{args}"]`,
	probe.CommandNotFound:   "check the spelling, install it, or give its full path; a PATH under env in the configuration counts",
	probe.NotExecutable:     "make the file executable (chmod +x), or start it with its interpreter: command node, args [server.js]",
	probe.PackageProgram:    "the package has no program, or several, and none of its own name: check the name, or name the program: npx -p PACKAGE PROGRAM, uvx --from PACKAGE PROGRAM",
	probe.RegistryLost:      "the package registry was not reached: check its address in the settings of {launcher}, the network, and HTTPS_PROXY",
	probe.PackageNotFound:   "check the package's name and version: the registry does not have it, or shows it only after a login",
	probe.VariableMissing:   "set the missing variable under env in the configuration, or with --env NAME=value",
	probe.FileMissing:       "run its build (npm run build), or check {place}",
	probe.NodeModuleMissing: "install its dependencies (npm install), or check {place}",
	probe.PythonModule:      "install its dependencies (uv sync, pip install), or check {place}",
	probe.Exited:            "run the same command by hand to see why{line}; servers get a minimal environment (--inherit-env passes all of it) and what env in the configuration sets",
	probe.OutputClosed:      "the command closed its output without answering: check that it is an MCP server, and that its arguments choose the stdio transport",
	probe.MessageBroken:     "the server spreads its messages over several lines (pretty-printed): write each on one line",
	probe.ListensForHTTP:    "is it an HTTP server? mcpctl list {listensAt}",

	probe.UnknownAuthority:  "if you trust the server, give its certificate authority with --ca-cert FILE (PEM) or SSL_CERT_FILE",
	probe.BadCertificate:    "the certificate does not fit: check the host name in the URL, this machine's clock, and when the certificate ends",
	probe.NotTLS:            "what answers there does not speak TLS: use http:// instead of https:// if it is an HTTP server; else check the port",
	probe.TLSClosed:         "if the server speaks plain HTTP, use http:// instead of https://; else look into its log, or allow --retries",
	probe.SpeaksTLS:         "the server speaks TLS: use https:// instead of http://",
	probe.NotHTTP:           "no HTTP server listens there: check the host and the port in the URL",
	probe.ProxyUnusable:     "the proxy could not be used: check HTTP_PROXY and HTTPS_PROXY, or name the host in NO_PROXY",
	probe.ProxyWantsLogin:   "the proxy {proxy} wants a login: set {variable}=http://NAME:PASSWORD@HOST:PORT, or name the host in NO_PROXY",
	probe.ProxyAnswered:     "the answer may be that of the proxy {proxy}: check {variable}, or name the host in NO_PROXY",
	probe.UnknownHost:       "check the spelling of the host in the URL, and that this machine can resolve names (VPN, proxy)",
	probe.ConnectionRefused: "start the server, or check the port",
	probe.ConnectionClosed:  "the server, or a gateway before it, closed the connection: look into its log, or allow --retries",
	probe.StreamEnded:       "the server, or a gateway before it, ended the stream too early: look into its log",
	probe.OutcomeUnknown:    "the call may have been executed, its outcome is unknown: check that before calling again",
	probe.Redirected:        "if you trust it, use the new URL: {location}; headers are never sent to another origin on their own",
	probe.RedirectedNowhere: "no MCP server is behind that redirect: check the URL, its path and https, and whether something before the server wants a login",
	probe.NoServerThere:     "check the host, the port and the path in the URL: no MCP server answers there",

	probe.Compressed:        "a proxy or gateway before the server compresses for clients that did not ask for it: turn that off for this URL",
	probe.LoginWanted:       `log in with mcpctl login {server}, or pass a token with --bearer env:NAME, --header "Name: value", or headers in the configuration`,
	probe.TokenWanted:       `no login with OAuth was found at this server: pass a token with --bearer env:NAME, --header "Name: value", or headers in the configuration`,
	probe.OtherLoginWanted:  "the server wants {schemes}, which mcpctl does not speak: ask its operator for another way in, such as a token",
	probe.TokenRejected:     "the token that was sent was not accepted: check that it is current, for this server, and that its scopes suffice",
	probe.HeadersRejected:   "the headers that were sent did not suffice: check their names and values, or pass a token with --bearer env:NAME",
	probe.HostNameRejected:  "the server may insist on another name of this machine: try localhost or 127.0.0.1 in the URL",
	probe.HostNameUnknown:   "the server does not answer to the name {host}: use another name of it, such as localhost, or add this one to its allowed hosts",
	probe.AsksToWait:        "the server asks to wait {wait}: try again then, or ask it less, with --parallel 1 and --retries, or a longer --interval of watch",
	probe.TooManyRequests:   "the server limits requests: wait, or ask it less, with --parallel 1 and --retries, or a longer --interval of watch",
	probe.ServerFailed:      "the server, or a gateway before it, failed: look into its log, or allow --retries",
	probe.SessionLost:       "the server no longer knows the session: it may have restarted; try again",
	probe.FailedAfterwards:  "the server answered initialize at this URL, so the URL is right: look into the server's log, and into that of a gateway before it",
	probe.WebPage:           "this URL is a web page: MCP endpoints usually end with /mcp or /sse",
	probe.NoEndpoint:        "check the path of the URL: try {path}/mcp or {path}/sse",
	probe.HostOrPathWrong:   "check the path and the headers of the URL, or try another name of this machine, localhost or 127.0.0.1: the server may insist on it",
	probe.RequestUnfit:      "check that the URL is the one of an MCP endpoint, with its path (often /mcp or /sse) and its headers",
	probe.EndpointUnnamed:   "the server must name its endpoint first (event: endpoint): look into its log, or allow more with --timeout",
	probe.EndpointElsewhere: "the event stream works, so the URL is right: the server must name its endpoint as clients see it, with the scheme and the host of this URL",
	probe.EndpointWrong:     "the event stream works, so the URL is right: the server must name its endpoint as clients see it, with the prefix of a proxy before it",
	probe.StreamSilent:      "the event stream works, so the URL is right: replies to messages must come on it; look into the server's log, or allow more with --timeout",

	probe.VersionNamed:     "the server names version {versions}: ask for it with --protocol {version}",
	probe.VersionUnknown:   "update mcpctl or the server; --protocol asks for another version",
	probe.CapabilityWanted: "the server wants a client with other capabilities: declare them with --client-capabilities",
	probe.AnswerWanted:     "the server asks questions while it works: run this in a terminal, or add --answer",
	probe.HandshakeUnknown: "the program answers JSON-RPC but not MCP's handshake: check that it is an MCP server",
	probe.RequestUnknown:   "the server does not know this request: see what it offers with mcpctl list",
	probe.RequestRejected:  "the server rejected this request: show it with --dry-run, and read the server's log",
	probe.ListRejected:     "the server itself says so: check its credentials, its network and its log",
	probe.SurfaceTooLarge:  "no model can read that much: ask the server's author to offer less",
	probe.MessageTooLarge:  "ask the server's author for pages (nextCursor) or smaller schemas",
	probe.AnswerMalformed:  "this is a bug in the server, report it to its author: other clients will fail here too",
	probe.Slow:             "messages came from the server, but not this answer: allow more with --timeout, or look into its log",
	probe.NoAnswer:         "allow more with --timeout if the server is slow; else check that the URL is an MCP endpoint",
}

// hintOf returns what to do next about a failure, or nothing.
func hintOf(e *probe.Error) string {
	address, err := url.Parse(e.Facts.URL)
	if err != nil {
		address = &url.URL{}
	}
	path, hint := strings.TrimSuffix(address.Path, "/"), hints[e.Code]
	switch {
	case e.Code == probe.Exited && filepath.Base(e.Facts.Command) == "bwrap":
		hint = "in the sandbox it sees no network, no home, and of files only its program, its runtime and " +
			"the project: grant more in mcpctl.yaml (sandbox: {network: [HOST], write: [FOLDER]}), or run " +
			"it without --sandbox"
	case e.Code == probe.CommandNotFound && strings.Contains(e.Facts.Command, "/"):
		hint = "check the path of the program, or install it there"
	case e.Code == probe.CommandNotFound && runtime.GOOS != "windows" &&
		strings.Contains(e.Facts.Command, `\`):
		hint = "this is a path of Windows: write the one that the program has on this machine"
	case e.Code == probe.NoAnswer && e.Facts.URL == "":
		hint = "allow more with --timeout if the first start downloads or builds something; else check " +
			"that the command is an MCP server that speaks over stdio"
	case e.Code == probe.LoginWanted && e.Facts.Status != 401: // a login gives no further scopes
		_, hint, _ = strings.Cut(hint, ", or ")
	case e.Code == probe.OtherLoginWanted && slices.Contains(e.Facts.Schemes, "Basic"):
		hint = `the server wants Basic, not a bearer token: give it with --header "Authorization: Basic ` +
			`…", or headers in the configuration`
	case e.Code == probe.NoEndpoint && e.Facts.Kind == probe.SSE:
		hint = "the server may speak streamable HTTP: leave the transport's type out, and both are tried"
	case e.Code == probe.NoEndpoint && e.Facts.Kind == probe.StreamableHTTP:
		hint = "the server may speak HTTP+SSE: leave the transport's type out, and both are tried"
	case e.Code == probe.NoEndpoint && path != "" && path != address.Path:
		hint = "try the URL without the slash at its end, or check its path"
	case e.Code == probe.NoEndpoint && (strings.HasSuffix(path, "/mcp") || strings.HasSuffix(path, "/sse")):
		hint = "check the path of the URL: the server has no MCP endpoint there"
	}
	server, place := e.Server, `"args" in `+e.Facts.Source
	if e.Facts.Source == "argv" || e.Server == "" {
		server = e.Facts.URL
	}
	if e.Facts.Source == "argv" || e.Facts.Source == "" {
		place = "the path"
	}
	program, args, _ := strings.Cut(strings.Join(strings.Fields(e.Facts.Command), " "), " ")
	wait := strings.Replace(e.Facts.Wait.Round(time.Second).String(), "m0s", "m", 1)
	return strings.NewReplacer(
		"{server}", server, "{place}", place, "{host}", address.Host, "{path}", path,
		"{line}", lineOf(e.Facts), "{launcher}", process.ProgramName(e.Facts.Command),
		"{program}", strconv.Quote(program), "{args}", strings.ReplaceAll(args, " ", `", "`),
		"{listensAt}", e.Facts.ListensAt, "{location}", e.Facts.Location, "{proxy}", e.Facts.Proxy,
		"{variable}", strings.ToUpper(address.Scheme)+"_PROXY",
		"{schemes}", kit.Some(kit.Distinct(e.Facts.Schemes)), "{wait}", strings.Replace(wait, "h0m", "h", 1),
		"{versions}", kit.Clip(strings.Join(e.Facts.Versions, ", "), 2<<10),
		"{version}", kit.Clip(append(e.Facts.Versions, "")[0], 64),
	).Replace(hint)
}

// inFile matches the Source of a server that a file configures: the file and a line.
var inFile = kit.Pattern(`:\d+$`)

// lineOf returns the command line of a server, behind a colon; nothing for one that is unknown, or too long
// to be read.
func lineOf(f probe.Facts) string {
	const most = 240
	words := kit.Map(append([]string{f.Command}, f.Args...), printable.ShellWord)
	line := strings.Join(words, " ")
	here, _ := os.Getwd()
	if f.Dir != "" && f.Dir != here && inFile().MatchString(f.Source) { // packages run anywhere
		line = "cd " + printable.ShellWord(f.Dir) + " && " + line
	}
	switch {
	case f.Command == "" || len(line) > most:
		return ""
	case slices.ContainsFunc(f.Args, func(word string) bool { return strings.Contains(word, "***") }):
		return ", with your secret for ***: " + line
	}
	return ": " + line
}
