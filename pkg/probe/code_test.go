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

	"github.com/google/go-cmp/cmp"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/process"
	"github.com/mcpctl/mcpctl/internal/redact"
	"github.com/mcpctl/mcpctl/internal/transport"
)

// request is an error as net/http gives it.
func request(err error) error {
	return fmt.Errorf("sending: %w", &url.Error{Op: "Post", URL: "http://host/mcp?token=x", Err: err})
}

func dialing(op string, err error) error { return request(&net.OpError{Op: op, Net: "tcp", Err: err}) }

// TestCodes compares the code and the facts of each kind of failure with testdata/codes.json, which -update writes.
// The hints of the command line are made from that file, too.
func TestCodes(t *testing.T) {
	local := Server{HTTP: &HTTP{URL: "http://127.0.0.1:8931/mcp"}}
	named := Server{HTTP: &HTTP{URL: "http://localhost:8931/mcp"}}
	remote := Server{HTTP: &HTTP{URL: "https://mcp.example.com/"}}
	signed := Server{HTTP: &HTTP{URL: "https://mcp.example.com/mcp", Headers: map[string]Secret{"authorization": "Bearer x"}}}
	keyed := Server{HTTP: &HTTP{URL: "https://mcp.example.com/mcp", Headers: map[string]Secret{"X-API-Key": "x"}}}
	stdio := Server{Stdio: &Stdio{Command: "srv"}}
	pinnedStdio := Server{Stdio: stdio.Stdio, Protocol: legacy}
	gone := &transport.LostError{Exit: "exit status 1"}
	status := func(code int) error { return &transport.HTTPError{Status: code} }
	tests := map[string]failure{
		"panic":          {server: stdio, err: &panicError{value: "x"}},
		"not tried":      {server: stdio, err: ErrNotTried},
		"no credentials": {server: remote, err: &transport.CredentialsError{Err: io.EOF}},
		"usage":          {server: stdio, err: badUsage.errorf("no")},
		"no folder":      {server: stdio, err: &process.StartError{Err: errors.New(`working folder "x" is not a directory`)}},
		"no uvx":         {server: stdio, err: &process.StartError{Command: "/usr/bin/uvx", NotFound: true}},
		"a whole line": {server: Server{Stdio: &Stdio{Command: "sh -y pkg"}}, options: Options{Environ: os.Environ()},
			err: &process.StartError{Command: "sh -y pkg", NotFound: true}},
		"home of a shell":  {server: stdio, err: &process.StartError{Command: "/src/~/bin/srv", NotFound: true}},
		"no command":       {server: stdio, err: &process.StartError{Command: "srv", NotFound: true}},
		"not executable":   {server: stdio, err: &process.StartError{Command: "srv.js", Err: fs.ErrPermission}},
		"no such package":  {server: stdio, err: gone, stderr: "npm error code E404\nnpm error 404 Not Found - GET https://x"},
		"no program in it": {server: stdio, err: gone, stderr: "npm error could not determine executable to run"},
		"no registry": {server: Server{Stdio: &Stdio{Command: "/usr/bin/npx", Args: []string{"-y", "x"}}}, err: gone,
			stderr: "npm error code ECONNREFUSED\nnpm error FetchError: request to http://127.0.0.1:9/x failed, reason: no"},
		"with a secret":     {server: Server{Stdio: &Stdio{Command: "srv", Args: []string{"--api-key", "***", "a b"}}}, err: gone},
		"variable missing":  {server: stdio, err: gone, stderr: "GITHUB_PERSONAL_ACCESS_TOKEN not set"},
		"key missing":       {server: stdio, err: gone, stderr: "Please provide an API key"},
		"in a sandbox":      {server: Server{Stdio: &Stdio{Command: "/usr/bin/bwrap"}}, err: gone, stderr: "panic"},
		"no module, Node":   {server: stdio, err: gone, stderr: "Error: Cannot find module '/srv/dist/index.js'"},
		"no module, Python": {server: stdio, err: gone, stderr: "ModuleNotFoundError: No module named 'mcp'"},
		"exited":            {server: stdio, err: gone, stderr: "panic"},
		"exited, elsewhere": {server: Server{Source: "c.json:1", Stdio: &Stdio{Command: "srv", Dir: "/srv/my app"}}, err: gone},
		"stdout closed":     {server: stdio, err: &transport.LostError{Cause: "the server closed its standard output"}},
		"unknown authority": {server: remote, err: request(&tls.CertificateVerificationError{Err: x509.UnknownAuthorityError{}})},
		"other host's":      {server: remote, err: request(x509.HostnameError{Certificate: &x509.Certificate{}, Host: "h"})},
		"expired":           {server: remote, err: request(x509.CertificateInvalidError{Reason: x509.Expired})},
		"plain HTTP":        {server: remote, err: request(errors.New("http: server gave HTTP response to HTTPS client"))},
		"no TLS record":     {server: remote, err: request(tls.RecordHeaderError{Msg: "x"})},
		"proxy":             {server: remote, err: dialing("proxyconnect", syscall.ECONNREFUSED)},
		"no host":           {server: remote, err: dialing("dial", &net.DNSError{Err: "no such host", IsNotFound: true})},
		"not HTTP": {server: remote,
			err: request(&transport.NotHTTPError{Err: errors.New("malformed HTTP response \"SSH\"")})},
		"not HTTP, TLS": {server: remote,
			err: request(&transport.NotHTTPError{Err: errors.New(`malformed HTTP response "\x15\x03\x01"`)})},
		"401 with a key":      {server: keyed, err: status(401), noLogin: true},
		"403 with a key":      {server: keyed, err: status(403)},
		"cut off in TLS":      {server: remote, err: request(&transport.HandshakeError{Err: io.EOF})},
		"cut off":             {server: remote, err: request(io.EOF)},
		"reset":               {server: remote, err: request(syscall.ECONNRESET)},
		"refused":             {server: remote, err: dialing("dial", syscall.ECONNREFUSED)},
		"redirect":            {server: remote, err: request(&transport.RedirectError{Status: 301, To: "https://new.example/mcp"})},
		"401":                 {server: remote, err: status(401)},
		"401, no login":       {server: remote, err: status(401), noLogin: true},
		"401, named":          {server: Server{Name: "tickets", HTTP: &HTTP{URL: "https://h/mcp"}}, err: status(401)},
		"401, not named":      {server: Server{Name: "h", Source: "argv", HTTP: &HTTP{URL: "https://h/mcp?key=x"}}, err: status(401)},
		"401 with token":      {server: signed, err: status(401)},
		"403 on 127.0.0.1":    {server: local, err: status(403)},
		"403 on localhost":    {server: named, err: status(403)},
		"403":                 {server: remote, err: status(403)},
		"403 with token":      {server: signed, err: status(403)},
		"429":                 {server: remote, err: status(429)},
		"502":                 {server: remote, err: status(502)},
		"page":                {server: remote, err: &transport.HTTPError{Status: 200, Type: "text/html"}},
		"404":                 {server: remote, err: status(404)},
		"404 at /mcp":         {server: local, err: status(404)},
		"404 of a session":    {server: remote, err: &transport.HTTPError{Status: 404, Session: true}},
		"405 told SSE":        {server: Server{HTTP: &HTTP{URL: "http://h/", Kind: SSE}}, err: status(405)},
		"405 told streamable": {server: Server{HTTP: &HTTP{URL: "http://h/", Kind: StreamableHTTP}}, err: status(405)},
		"404 of a list":       {server: remote, stage: ListingTools, err: status(404)},
		"brotli":              {server: remote, err: &transport.HTTPError{Status: 200, Encoding: "br"}},
		"proxy wants a login": {server: remote, err: &transport.HTTPError{Status: 407, Proxy: "http://p:1"}},
		"proxy forbids":       {server: remote, err: &transport.HTTPError{Status: 403, Proxy: "http://p:1"}},
		"page of a proxy": {server: local, err: &transport.HTTPError{Status: 200, Type: "text/html", Body: "<html>",
			Proxy: "http://p:1"}},
		"proxy fails": {server: remote, err: &transport.HTTPError{Status: 502, Proxy: "http://p:1"}},
		"call without a reply": {server: remote, stage: Calling,
			err: &transport.LostError{Cause: "the server ended the event stream without a reply"}},
		"list without a reply": {server: remote, stage: ListingTools,
			err: &transport.LostError{Cause: "the server ended the event stream without a reply"}},
		"call cut off": {server: remote, stage: Calling, err: request(io.EOF)},
		"HTTP server": {server: stdio, err: &timeoutError{limit: time.Second, silent: true},
			noise: []string{"Server listening on 3000"}},
		"HTTP server, its URL": {server: stdio, err: &timeoutError{limit: time.Second, silent: true},
			stderr: "Uvicorn running on http://127.0.0.1:8000/sse (Press CTRL+C to quit)"},
		"version named": {server: stdio, stage: Handshake, err: &RPCError{Code: mcp.INVALID_PARAMS,
			data: json.RawMessage(`{"supported":["2021-01-01"]}`)}},
		"406":              {server: remote, err: status(406)},
		"timeout":          {server: stdio, err: &timeoutError{limit: time.Second, silent: true}},
		"timeout at a URL": {server: remote, err: &timeoutError{limit: time.Second, silent: true}},
		"timeout, heard":   {server: remote, err: &timeoutError{limit: time.Second}},
		"pinned alone":     {server: pinnedStdio, err: badVersion.errorf("no"), options: Options{Protocol: legacy}},
		"version unnamed": {server: remote, stage: Connecting, err: &transport.HTTPError{Status: 400, Type: "text/plain",
			Body: "unsupported MCP-Protocol-Version"}},
		"version in a text": {server: remote, stage: Connecting, err: &transport.HTTPError{Status: 400,
			Body: "protocol version must be 2021-01-01"}},
		"version refused": {server: stdio, stage: Handshake, err: &RPCError{Code: mcp.INVALID_PARAMS,
			Message: "Protocol version mismatch"}},
		"pinned":             {server: stdio, err: badVersion.errorf("no"), options: Options{Protocol: legacy}},
		"unknown version":    {server: stdio, err: badVersion.errorf("no")},
		"wants capability":   {server: stdio, err: &RPCError{Code: mcp.MISSING_REQUIRED_CLIENT_CAPABILITY}},
		"wants an answer":    {server: stdio, stage: Calling, err: &RPCError{Code: mcp.MISSING_REQUIRED_CLIENT_CAPABILITY}},
		"unknown request":    {server: stdio, stage: Completing, err: &RPCError{Code: mcp.METHOD_NOT_FOUND}},
		"request refused":    {server: stdio, stage: Pinging, err: &RPCError{Code: mcp.INVALID_PARAMS}},
		"no handshake":       {server: stdio, stage: Handshake, err: &RPCError{Code: mcp.METHOD_NOT_FOUND}},
		"too large":          {server: stdio, err: &transport.TooLongError{Limit: 1}},
		"over our limit":     {server: stdio, err: overLimit.errorf("no")},
		"answered error":     {server: stdio, stage: ListingTools, err: &RPCError{Code: -32603}},
		"garbled":            {server: stdio, err: &transport.ReplyError{Problem: "x"}},
		"no HTTP":            {server: remote, stage: Handshake, err: request(errors.New("something that net/http says"))},
		"no module, package": {server: stdio, err: gone, stderr: "Error: Cannot find module 'express'"},
		"pretty-printed": {server: stdio, err: &timeoutError{limit: time.Second, silent: true},
			noise: []string{"{", `"jsonrpc": "2.0",`}},
		"redirect, circle":    {server: remote, err: &transport.RedirectError{Status: 301, From: "https://h/", To: "https://h/"}},
		"401, Basic":          {server: remote, err: &transport.HTTPError{Status: 401, Schemes: []string{"Basic", "Digest"}}},
		"401, NTLM":           {server: remote, err: &transport.HTTPError{Status: 401, Schemes: []string{"Negotiate", "NTLM", "NTLM"}}},
		"421":                 {server: remote, err: status(421)},
		"503, a wait":         {server: remote, err: &transport.HTTPError{Status: 503, RetryAfter: "5400"}},
		"400 on 127.0.0.1":    {server: local, err: &transport.HTTPError{Status: 400, Type: "text/plain"}},
		"stream, no endpoint": {server: remote, err: &transport.StreamError{Err: io.EOF}},
		"stream, elsewhere":   {server: remote, err: &transport.StreamError{Endpoint: "/m", Err: &transport.RedirectError{}}},
		"stream, wrong path":  {server: remote, err: &transport.StreamError{Endpoint: "/m", Err: status(404)}},
		"stream, silent":      {server: remote, err: &transport.StreamError{Endpoint: "/m", Err: &timeoutError{}}},
		"too much":            {server: stdio, err: &transport.TooMuchError{}},
		"shape":               {server: stdio, err: badShape.errorf("no")},
	}
	type row struct {
		Name, Server string
		Stage        Stage
		Code         Code
		Facts        Facts
	}
	var rows []row
	for _, name := range kit.SortedKeys(tests) {
		code, facts := codeOf(tests[name])
		if code == "" {
			t.Errorf("%s: no code", name)
		}
		rows = append(rows, row{name, tests[name].server.Name, tests[name].stage, code, facts})
	}
	got, err := json.MarshalIndent(rows, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	const file = "testdata/codes.json"
	if *update {
		if err := os.WriteFile(file, append(got, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)+"\n"); diff != "" {
		t.Errorf("codes (-want +got):\n%s", diff)
	}
	if code, _ := codeOf(failure{err: errors.New("something else")}); code != "" {
		t.Errorf("code %s for what nothing is known of", code)
	}
}

// TestCausesOnStderr: the cause is in what a program wrote last, in words of launchers only where a launcher wrote them.
func TestCausesOnStderr(t *testing.T) {
	tests := map[string]Code{
		"GITHUB_TOKEN not set, using anonymous access\nfatal: port 3000 in use":              Exited,
		"DEBUG_MODE undefined, continuing\nError: database locked":                           Exited,
		"Cannot find module './x' of a plugin; skipping\nTypeError: boom\n    at x.js:1":     Exited,
		"Failed to set API key in config file: EACCES":                                       Exited,
		"API token is invalid or has expired":                                                Exited,
		"fetch https://api.example/item: 404 Not Found - GET item":                           Exited,
		"code E404 from upstream":                                                            Exited,
		"Error: No matching distribution found in the database":                              Exited,
		"Error: invalid environment:\n  GITHUB_TOKEN is required":                            VariableMissing,
		"Set the API_KEY environment variable":                                               VariableMissing,
		"Error: you must set an API key":                                                     VariableMissing,
		"npm error code E404\nnpm error 404 Not Found - GET https://registry.example/x":      PackageNotFound,
		"  × No solution found when resolving tool dependencies:\n  ╰─▶ Because x was not …": PackageNotFound,
		"ERROR: No matching distribution found for x":                                        PackageNotFound,
		"node:internal/modules\n  throw err;\n\nError: Cannot find module 'express'":         NodeModuleMissing,
		"Traceback (most recent call last):\nModuleNotFoundError: No module named 'mcp'":     PythonModule,
	}
	for stderr, want := range tests {
		code, _ := codeOf(failure{server: Server{Stdio: &Stdio{Command: "srv"}}, stderr: stderr,
			err: &transport.LostError{Exit: "exit status 1"}})
		if code != want {
			t.Errorf("%q: code %s, want %s", stderr, code, want)
		}
	}
}

// TestListensAt reads addresses of this machine, and neither times nor those of other machines.
func TestListensAt(t *testing.T) {
	tests := map[string]string{
		"Server listening on 3000":                                      "http://localhost:3000/mcp",
		"Listening on port: 8080":                                       "http://localhost:8080/mcp",
		"server started :8080":                                          "http://localhost:8080/mcp",
		"listening on :::3000":                                          "http://localhost:3000/mcp",
		"MCP server running at http://localhost:3001/sse.":              "http://localhost:3001/sse",
		"Uvicorn running on http://0.0.0.0:8000 (Press CTRL+C to quit)": "http://localhost:8000/mcp",
		"available at http://[::1]:4000/mcp/":                           "http://localhost:4000/mcp",
		"started at 12:30:45":                                           "",
		"[12:30:45] server started":                                     "",
		"server version: 12345 started":                                 "",
		"connected to the database running on http://db.example:5432/x": "",
		"started: see https://docs.example:8443/help":                   "",
	}
	for line, want := range tests {
		if got := listensAt(failure{server: Server{Stdio: &Stdio{Command: "srv"}}, stderr: line}); got != want {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
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

// TestInterruptedHasNoCode: a run that was interrupted says so, and nothing about an address that may be right.
func TestInterruptedHasNoCode(t *testing.T) {
	stop := errors.New("interrupted by a signal")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(stop)
	a := attempt{server: Server{Name: "s", HTTP: &HTTP{URL: "https://h.example/mcp"}}, seen: &observations{}}
	got := a.explain(ctx, Connecting, fmt.Errorf("renewing the login: %w", context.Canceled), nil)
	if got.Code != "" || !strings.Contains(got.Error(), stop.Error()) {
		t.Errorf("%v, code %s", got, got.Code)
	}
}
