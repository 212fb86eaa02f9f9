package probe

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/url"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/mcpctl/mcpctl/internal/process"
	"github.com/mcpctl/mcpctl/internal/redact"
	"github.com/mcpctl/mcpctl/internal/transport"
)

// request is an error as net/http gives it.
func request(err error) error {
	return fmt.Errorf("sending: %w", &url.Error{Op: "Post", URL: "http://host/mcp?token=x", Err: err})
}

func dialing(op string, err error) error { return request(&net.OpError{Op: op, Net: "tcp", Err: err}) }

// TestHints has a case for every row of the table of hints.
func TestHints(t *testing.T) {
	local := Server{HTTP: &HTTP{URL: "http://127.0.0.1:8931/mcp"}}
	named := Server{HTTP: &HTTP{URL: "http://localhost:8931/mcp"}}
	remote := Server{HTTP: &HTTP{URL: "https://mcp.example.com/"}}
	signed := Server{HTTP: &HTTP{URL: "https://mcp.example.com/mcp", Headers: map[string]Secret{"authorization": "Bearer x"}}}
	stdio := Server{Stdio: &Stdio{Command: "srv"}}
	pinnedStdio := Server{Stdio: stdio.Stdio, Protocol: legacy}
	gone := &transport.LostError{Exit: "exit status 1"}
	status := func(code int) error { return &transport.HTTPError{Status: code} }
	tests := map[string]struct {
		failure failure
		want    string // a part of the hint
	}{
		"panic":                {failure{server: stdio, err: &panicError{value: "x"}}, "report it"},
		"not tried":            {failure{server: stdio, err: ErrNotTried}, "--fail-fast"},
		"no credentials":       {failure{server: remote, err: &transport.CredentialsError{Err: io.EOF}}, "fix how the configuration"},
		"usage":                {failure{server: stdio, err: badUsage.errorf("no")}, "no server was contacted"},
		"no folder":            {failure{server: stdio, err: &process.StartError{Err: errors.New(`working folder "x" is not a directory`)}}, "cwd"},
		"no uvx":               {failure{server: stdio, err: &process.StartError{Command: "/usr/bin/uvx", NotFound: true}}, "install it"},
		"a whole line":         {failure{server: stdio, options: Options{Environ: os.Environ()}, err: &process.StartError{Command: "sh -y pkg", NotFound: true}}, `write its arguments as "args"`},
		"home of a shell":      {failure{server: stdio, err: &process.StartError{Command: "/src/~/bin/srv", NotFound: true}}, "${userHome}"},
		"no command":           {failure{server: stdio, err: &process.StartError{Command: "srv", NotFound: true}}, "full path"},
		"not executable":       {failure{server: stdio, err: &process.StartError{Command: "srv.js", Err: fs.ErrPermission}}, "chmod +x"},
		"no such package":      {failure{server: stdio, err: gone, stderr: "npm error code E404\nnpm error 404 Not Found - GET https://x"}, "package"},
		"variable missing":     {failure{server: stdio, err: gone, stderr: "GITHUB_PERSONAL_ACCESS_TOKEN not set"}, "--env"},
		"key missing":          {failure{server: stdio, err: gone, stderr: "Please provide an API key"}, "--env"},
		"in a sandbox":         {failure{server: Server{Stdio: &Stdio{Command: "/usr/bin/bwrap"}}, err: gone, stderr: "panic"}, "without --sandbox"},
		"no module, Node":      {failure{server: stdio, err: gone, stderr: "Error: Cannot find module '/srv/dist/index.js'"}, "run its build (npm run build), or check the path"},
		"no module, Python":    {failure{server: stdio, err: gone, stderr: "ModuleNotFoundError: No module named 'mcp'"}, "install its dependencies (uv sync, pip install), or"},
		"exited":               {failure{server: stdio, err: gone, stderr: "panic"}, "by hand"},
		"stdout closed":        {failure{server: stdio, err: &transport.LostError{Cause: "the server closed its standard output"}}, "stdio transport"},
		"unknown authority":    {failure{server: remote, err: request(&tls.CertificateVerificationError{Err: x509.UnknownAuthorityError{}})}, "--ca-cert"},
		"other host's":         {failure{server: remote, err: request(x509.HostnameError{Certificate: &x509.Certificate{}, Host: "h"})}, "host name"},
		"expired":              {failure{server: remote, err: request(x509.CertificateInvalidError{Reason: x509.Expired})}, "clock"},
		"plain HTTP":           {failure{server: remote, err: request(errors.New("http: server gave HTTP response to HTTPS client"))}, "http://"},
		"no TLS record":        {failure{server: remote, err: request(tls.RecordHeaderError{Msg: "x"})}, "http://"},
		"proxy":                {failure{server: remote, err: dialing("proxyconnect", syscall.ECONNREFUSED)}, "NO_PROXY"},
		"no host":              {failure{server: remote, err: dialing("dial", &net.DNSError{Err: "no such host", IsNotFound: true})}, "spelling of the host"},
		"cut off":              {failure{server: remote, err: request(io.EOF)}, "closed the connection"},
		"reset":                {failure{server: remote, err: request(syscall.ECONNRESET)}, "closed the connection"},
		"refused":              {failure{server: remote, err: dialing("dial", syscall.ECONNREFUSED)}, "port"},
		"redirect":             {failure{server: remote, err: request(&transport.RedirectError{Status: 301, To: "https://new.example/mcp"})}, "https://new.example/mcp"},
		"401":                  {failure{server: remote, err: status(401)}, "--bearer env:NAME"},
		"401, named":           {failure{server: Server{Name: "tickets", HTTP: &HTTP{URL: "https://h/mcp"}}, err: status(401)}, "mcpctl login tickets, or"},
		"401, not named":       {failure{server: Server{Name: "h", Source: "argv", HTTP: &HTTP{URL: "https://h/mcp?key=x"}}, err: status(401)}, "mcpctl login https://h/mcp, or"},
		"401 with token":       {failure{server: signed, err: status(401)}, "was not accepted"},
		"403 on 127.0.0.1":     {failure{server: local, err: status(403)}, "try localhost or"},
		"403 on localhost":     {failure{server: named, err: status(403)}, "or 127.0.0.1"},
		"403":                  {failure{server: remote, err: status(403)}, "--header"},
		"403 with token":       {failure{server: signed, err: status(403)}, "scopes"},
		"429":                  {failure{server: remote, err: status(429)}, "--parallel 1"},
		"502":                  {failure{server: remote, err: status(502)}, "gateway"},
		"page":                 {failure{server: remote, err: &transport.HTTPError{Status: 200, Type: "text/html"}}, "web page"},
		"404":                  {failure{server: remote, err: status(404)}, "try /mcp or /sse"},
		"404 at /mcp":          {failure{server: local, err: status(404)}, "check the path"},
		"404 of a session":     {failure{server: remote, err: &transport.HTTPError{Status: 404, Session: true}}, "session"},
		"405 told SSE":         {failure{server: Server{HTTP: &HTTP{URL: "http://h/", Kind: SSE}}, err: status(405)}, "streamable HTTP"},
		"405 told streamable":  {failure{server: Server{HTTP: &HTTP{URL: "http://h/", Kind: StreamableHTTP}}, err: status(405)}, "HTTP+SSE"},
		"404 of a list":        {failure{server: remote, stage: ListingTools, err: status(404)}, "so the URL is right"},
		"brotli":               {failure{server: remote, err: &transport.HTTPError{Status: 200, Encoding: "br"}}, "compresses"},
		"proxy wants a login":  {failure{server: remote, err: &transport.HTTPError{Status: 407, Proxy: "http://p:1"}}, "HTTPS_PROXY=http://NAME:PASSWORD@"},
		"proxy forbids":        {failure{server: remote, err: &transport.HTTPError{Status: 403, Proxy: "http://p:1"}}, "check HTTPS_PROXY"},
		"page of a proxy":      {failure{server: local, err: &transport.HTTPError{Status: 200, Type: "text/html", Body: "<html>", Proxy: "http://p:1"}}, "check HTTP_PROXY"},
		"proxy fails":          {failure{server: remote, err: &transport.HTTPError{Status: 502, Proxy: "http://p:1"}}, "check HTTPS_PROXY"},
		"call without a reply": {failure{server: remote, stage: Calling, err: &transport.LostError{Cause: "the server ended the event stream without a reply"}}, "outcome is unknown"},
		"list without a reply": {failure{server: remote, stage: ListingTools, err: &transport.LostError{Cause: "the server ended the event stream without a reply"}}, "into its log"},
		"call cut off":         {failure{server: remote, stage: Calling, err: request(io.EOF)}, "outcome is unknown"},
		"HTTP server":          {failure{server: stdio, err: &timeoutError{limit: time.Second, silent: true}, noise: []string{"Server listening on 3000"}}, "mcpctl list http://localhost:3000/mcp"},
		"HTTP server, its URL": {failure{server: stdio, err: &timeoutError{limit: time.Second, silent: true}, stderr: "Uvicorn running on http://127.0.0.1:8000/sse (Press CTRL+C to quit)"}, "mcpctl list http://localhost:8000/sse"},
		"version named":        {failure{server: stdio, stage: Handshake, err: &RPCError{Code: mcp.INVALID_PARAMS, data: json.RawMessage(`{"supported":["2021-01-01"]}`)}}, "--protocol 2021-01-01"},
		"406":                  {failure{server: remote, err: status(406)}, "MCP endpoint"},
		"timeout":              {failure{server: stdio, err: &timeoutError{limit: time.Second, silent: true}}, "--timeout"},
		"timeout at a URL":     {failure{server: remote, err: &timeoutError{limit: time.Second, silent: true}}, "MCP endpoint"},
		"timeout, heard":       {failure{server: remote, err: &timeoutError{limit: time.Second}}, "slowly"},
		"pinned alone":         {failure{server: pinnedStdio, err: badVersion.errorf("no"), options: Options{Protocol: legacy}}, "take protocol out of this server's configuration"},
		"version unnamed":      {failure{server: remote, stage: Connecting, err: &transport.HTTPError{Status: 400, Type: "text/plain", Body: "unsupported MCP-Protocol-Version"}}, "--protocol"},
		"version in a text":    {failure{server: remote, stage: Connecting, err: &transport.HTTPError{Status: 400, Body: "protocol version must be 2021-01-01"}}, "--protocol 2021-01-01"},
		"version refused":      {failure{server: stdio, stage: Handshake, err: &RPCError{Code: mcp.INVALID_PARAMS, Message: "Protocol version mismatch"}}, "--protocol"},
		"pinned":               {failure{server: stdio, err: badVersion.errorf("no"), options: Options{Protocol: legacy}}, "leave --protocol out"},
		"unknown version":      {failure{server: stdio, err: badVersion.errorf("no")}, "update"},
		"wants capability":     {failure{server: stdio, err: &RPCError{Code: mcp.MISSING_REQUIRED_CLIENT_CAPABILITY}}, "--client-capabilities"},
		"wants an answer":      {failure{server: stdio, stage: Calling, err: &RPCError{Code: mcp.MISSING_REQUIRED_CLIENT_CAPABILITY}}, "run this in a terminal"},
		"unknown request":      {failure{server: stdio, stage: Completing, err: &RPCError{Code: mcp.METHOD_NOT_FOUND}}, "mcpctl list"},
		"request refused":      {failure{server: stdio, stage: Pinging, err: &RPCError{Code: mcp.INVALID_PARAMS}}, "--dry-run"},
		"no handshake":         {failure{server: stdio, stage: Handshake, err: &RPCError{Code: mcp.METHOD_NOT_FOUND}}, "is an MCP server"},
		"too large":            {failure{server: stdio, err: &transport.TooLongError{Limit: 1}}, "nextCursor"},
		"over our limit":       {failure{server: stdio, err: overLimit.errorf("no")}, "nextCursor"},
		"answered error":       {failure{server: stdio, stage: ListingTools, err: &RPCError{Code: -32603}}, "log"},
		"garbled":              {failure{server: stdio, err: &transport.ReplyError{Problem: "x"}}, "author"},
		"no HTTP":              {failure{server: remote, stage: Handshake, err: request(errors.New("malformed HTTP response"))}, "the port and the path in the URL"},
		"shape":                {failure{server: stdio, err: badShape.errorf("no")}, "author"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := hint(test.failure); test.want == "" || !strings.Contains(got, test.want) {
				t.Errorf("hint %q has no %q", got, test.want)
			}
		})
	}
	if got := hint(failure{err: errors.New("something else")}); got != "" {
		t.Errorf("hint %q for what nothing is known of", got)
	}
}

// TestPlain takes the layers off that say nothing to a user.
func TestPlain(t *testing.T) {
	tests := map[string]error{
		"connection refused":   dialing("dial", &os.SyscallError{Syscall: "connect", Err: syscall.ECONNREFUSED}),
		"no route to host":     dialing("dial", &os.SyscallError{Syscall: "connect", Err: syscall.EHOSTUNREACH}),
		"connection timed out": dialing("dial", os.ErrDeadlineExceeded),
		"no such host": dialing("dial", &net.DNSError{Err: "no such host", Name: "h",
			Server: "10.0.0.1:53", IsNotFound: true}),
		"lookup h: server misbehaving": dialing("dial", &net.DNSError{Err: "server misbehaving", Name: "h",
			IsTemporary: true}),
		"certificate signed by unknown authority": request(
			&tls.CertificateVerificationError{Err: x509.UnknownAuthorityError{}}),
		"server gave HTTP response to HTTPS client": request(
			errors.New("http: server gave HTTP response to HTTPS client")),
		"proxy 10.0.0.2:3128: connection refused": dialing("proxyconnect", &net.OpError{Op: "dial", Net: "tcp",
			Addr: &net.TCPAddr{IP: net.IPv4(10, 0, 0, 2), Port: 3128}, Err: syscall.ECONNREFUSED}),
		`"npx": no such command in PATH`: &process.StartError{Command: "npx", NotFound: true},
		"boom":                           errors.New("boom"),
		"the server closed the connection instead of answering": request(io.EOF),
	}
	for want, err := range tests {
		if got := plain(err); got != want {
			t.Errorf("plain(%q) = %q, want %q", err, got, want)
		}
	}
}

// TestUnreachable: the message names the URL without its secrets, unless something else was to be reached.
func TestUnreachable(t *testing.T) {
	refused := dialing("dial", syscall.ECONNREFUSED)
	server := Server{HTTP: &HTTP{URL: "https://user:pw@mcp.example.com:8443/mcp?key=x#y"}}
	tests := map[string]failure{
		"cannot connect to https://mcp.example.com:8443/mcp: connection refused": {server: server, err: refused},
		"connection refused": {server: Server{Stdio: &Stdio{Command: "x"}}, err: refused},
		"boom":               {server: server, err: errors.New("boom")},
	}
	for want, f := range tests {
		if got := text(f, redact.Secrets{}); got != want {
			t.Errorf("text of %v is %q, want %q", f.err, got, want)
		}
	}
}

// TestInterruptedHasNoHint: a run that was interrupted says so, and nothing about an address that may be right.
func TestInterruptedHasNoHint(t *testing.T) {
	stop := errors.New("interrupted by a signal")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(stop)
	a := attempt{server: Server{Name: "s", HTTP: &HTTP{URL: "https://h.example/mcp"}}, seen: &observations{}}
	got := a.explain(ctx, Connecting, fmt.Errorf("renewing the login: %w", context.Canceled), nil)
	if got.Hint != "" || !strings.Contains(got.Error(), stop.Error()) {
		t.Errorf("%v, hint %q", got, got.Hint)
	}
}
