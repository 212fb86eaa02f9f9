package probe

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// tiny is a server of streamable HTTP with a handshake, sessions and two tools on two pages, which misbehaves as asked.
type tiny struct {
	capabilities string // empty = tools
	version      string // empty = legacy

	// instead answers a request in the place of the server; it reports whether it did. count is how often the method came.
	instead func(w http.ResponseWriter, r *http.Request, method string, id json.RawMessage, count int) bool

	mu     sync.Mutex
	counts map[string]int
}

func (s *tiny) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var m struct {
		ID     json.RawMessage
		Method string
		Params struct{ Cursor string }
	}
	if r.Method != http.MethodPost {
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	_ = json.NewDecoder(r.Body).Decode(&m)
	s.mu.Lock()
	if s.counts == nil {
		s.counts = map[string]int{}
	}
	s.counts[m.Method]++
	count := s.counts[m.Method]
	s.mu.Unlock()
	switch {
	case s.instead != nil && s.instead(w, r, m.Method, m.ID, count):
		return
	case m.ID == nil:
		w.WriteHeader(http.StatusAccepted)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	write := func(member string) { _, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,%s}`, m.ID, member) }
	switch {
	case m.Method == "initialize":
		w.Header().Set("Mcp-Session-Id", fmt.Sprint("session-", count))
		capabilities, version := `{"tools":{}}`, legacy
		if s.capabilities != "" {
			capabilities = s.capabilities
		}
		if s.version != "" {
			version = s.version
		}
		write(`"result":{"protocolVersion":"` + version + `","serverInfo":{"name":"tiny","version":"1"},"capabilities":` + capabilities +
			`}`)
	case m.Method == "tools/list" && m.Params.Cursor == "":
		write(`"result":{"tools":[{"name":"one"}],"nextCursor":"2"}`)
	case m.Method == "tools/list":
		write(`"result":{"tools":[{"name":"two"}]}`)
	case m.Method == "tools/call":
		write(`"result":{"content":[]}`)
	default:
		write(`"error":{"code":-32601,"message":"method not found"}`)
	}
}

// tools probes a server and returns the names of its tools, or the error.
func (s *tiny) tools(t *testing.T, http HTTP) string {
	t.Helper()
	srv := httptest.NewServer(s)
	defer srv.Close()
	http.URL = srv.URL + "/mcp"
	for result := range All(t.Context(), []Server{{Name: "s", HTTP: &http}}, Options{Timeout: time.Minute}) {
		if result.Err != nil {
			return result.Err.Error()
		}
		names := []string{}
		for _, item := range result.Snapshot.List("tools").Items() {
			names = append(names, item.Key)
		}
		return strings.Join(names, " ")
	}
	return "no result"
}

// respond writes a status and a body.
func respond(w http.ResponseWriter, status int, contentType, body string) bool {
	w.Header().Set("Content-Type", contentType)
	w.WriteHeader(status)
	_, _ = io.WriteString(w, body)
	return true
}

// cut ends the connection without a reply.
func cut(w http.ResponseWriter) bool {
	conn, _, err := w.(http.Hijacker).Hijack()
	if err == nil {
		_ = conn.Close()
	}
	return true
}

// TestSessionIsRenewed: a server may forget its session at any request; the request is sent again in a new session.
func TestSessionIsRenewed(t *testing.T) {
	refusals := map[string]func(w http.ResponseWriter, id json.RawMessage) bool{
		"404": func(w http.ResponseWriter, _ json.RawMessage) bool {
			return respond(w, 404, "text/plain", "unknown session")
		},
		"410": func(w http.ResponseWriter, _ json.RawMessage) bool { return respond(w, 410, "text/plain", "gone") },
		"400": func(w http.ResponseWriter, _ json.RawMessage) bool {
			return respond(w, 400, "application/json",
				`{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"No valid session ID"}}`)
		},
		"404 with an error": func(w http.ResponseWriter, id json.RawMessage) bool {
			return respond(w, 404, "application/json", `{"jsonrpc":"2.0","id":`+string(id)+
				`,"error":{"code":-32001,"message":"Session not found"}}`)
		},
		"400 as text": func(w http.ResponseWriter, _ json.RawMessage) bool {
			return respond(w, 400, "text/plain", "Bad Request: invalid Mcp-Session-Id")
		},
		"-32001 in an event": func(w http.ResponseWriter, id json.RawMessage) bool {
			return respond(w, 200, "text/event-stream", `data: {"jsonrpc":"2.0","id":`+string(id)+
				`,"error":{"code":-32001,"message":"Session expired"}}`+"\n\n")
		},
		"-32001": func(w http.ResponseWriter, id json.RawMessage) bool {
			return respond(w, 200, "application/json", `{"jsonrpc":"2.0","id":`+string(id)+
				`,"error":{"code":-32001,"message":"Session not found"}}`)
		},
	}
	for name, refuse := range refusals {
		for _, at := range []int{1, 2} {
			t.Run(fmt.Sprint(name, " at page ", at), func(t *testing.T) {
				s := &tiny{instead: func(w http.ResponseWriter, r *http.Request, method string, id json.RawMessage, count int) bool {
					return method == "tools/list" && count == at && r.Header.Get("Mcp-Session-Id") == "session-1" && refuse(w, id)
				}}
				if got := s.tools(t, HTTP{}); got != "one two" {
					t.Errorf("tools %q", got)
				}
				if s.counts["initialize"] != 2 || s.counts["notifications/initialized"] != 2 {
					t.Errorf("requests %v", s.counts)
				}
			})
		}
	}
	requests := map[string]Stage{"tools/call": Calling, "prompts/get": Prompting, "resources/read": Reading,
		"completion/complete": Completing}
	for method, stage := range requests {
		for name, refuse := range refusals {
			t.Run(name+" at "+method, func(t *testing.T) {
				s := &tiny{instead: func(w http.ResponseWriter, r *http.Request, asked string, id json.RawMessage, _ int) bool {
					if asked != method {
						return false
					}
					return r.Header.Get("Mcp-Session-Id") == "session-1" && refuse(w, id) ||
						respond(w, 200, "application/json", `{"jsonrpc":"2.0","id":`+string(id)+`,"result":{}}`)
				}}
				if err := s.request(t, Request{Stage: stage, Method: method}); err != nil || s.counts["initialize"] != 2 ||
					s.counts[method] != 2 {
					t.Errorf("%v after %v", err, s.counts)
				}
			})
		}
	}
	t.Run("again and again", func(t *testing.T) {
		s := &tiny{instead: func(w http.ResponseWriter, _ *http.Request, method string, id json.RawMessage, _ int) bool {
			return method == "tools/list" && refusals["404"](w, id)
		}}
		if got := s.tools(t, HTTP{}); !strings.Contains(got, "no longer knows the session") || s.counts["initialize"] != 2 {
			t.Errorf("got %q after %v", got, s.counts)
		}
	})
}

// call calls a tool and returns the error.
func (s *tiny) call(t *testing.T) error {
	t.Helper()
	return s.request(t, Request{Stage: Calling, Method: "tools/call", Params: map[string]json.RawMessage{"name": json.RawMessage(`"one"`)}})
}

// request sends a request in a session of its own and returns the error.
func (s *tiny) request(t *testing.T, request Request) error {
	t.Helper()
	srv := httptest.NewServer(s)
	defer srv.Close()
	session, err := Open(t.Context(), Server{Name: "s", HTTP: &HTTP{URL: srv.URL + "/mcp"}}, Options{Timeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	_, err = session.Request(t.Context(), request)
	return err
}

// TestCallsAreNotRepeated unless they were certainly not executed.
func TestCallsAreNotRepeated(t *testing.T) {
	type instead = func(http.ResponseWriter, *http.Request, string, json.RawMessage, int) bool
	tests := map[string]struct {
		instead instead
		calls   int
		code    Code // of the error; empty = the call works
	}{
		"unknown session": {func(w http.ResponseWriter, _ *http.Request, method string, _ json.RawMessage, count int) bool {
			return method == "tools/call" && count == 1 && respond(w, 404, "text/plain", "no")
		}, 2, ""},
		"cut off": {func(w http.ResponseWriter, _ *http.Request, method string, _ json.RawMessage, _ int) bool {
			return method == "tools/call" && cut(w)
		}, 1, OutcomeUnknown},
		"unknown session when its stream is resumed": {
			func(w http.ResponseWriter, r *http.Request, method string, _ json.RawMessage, _ int) bool {
				return method == "tools/call" && respond(w, 200, "text/event-stream", "id: 1\nretry: 1\n\n")
			}, 1, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			s := &tiny{instead: test.instead}
			err := s.call(t)
			if failures := Failures(err); test.code != "" && (len(failures) != 1 || failures[0].Code != test.code) {
				t.Errorf("error %v, want the code %q", err, test.code)
			}
			if s.counts["tools/call"] != test.calls {
				t.Errorf("%d calls, want %d: %v", s.counts["tools/call"], test.calls, err)
			}
		})
	}
}

// TestCutConnections: what changes nothing is sent again on a new connection, once.
func TestCutConnections(t *testing.T) {
	for _, at := range []string{"server/discover", "initialize", "tools/list"} {
		s := &tiny{instead: func(w http.ResponseWriter, _ *http.Request, method string, _ json.RawMessage, count int) bool {
			return method == at && count == 1 && cut(w)
		}}
		if got := s.tools(t, HTTP{}); got != "one two" {
			t.Errorf("cut at %s: %q", at, got)
		}
	}
	ways := map[string]func(w http.ResponseWriter){
		"reset": func(w http.ResponseWriter) {
			conn, _, err := w.(http.Hijacker).Hijack()
			if err == nil {
				_ = conn.(*net.TCPConn).SetLinger(0)
				_ = conn.Close()
			}
		},
		"in the headers": func(w http.ResponseWriter) {
			conn, text, err := w.(http.Hijacker).Hijack()
			if err == nil {
				_, _ = text.WriteString("HTTP/1.1 200 OK\r\nContent-Ty")
				_ = errors.Join(text.Flush(), conn.Close())
			}
		},
		"in the body": func(w http.ResponseWriter) {
			w.Header().Set("Content-Length", "100")
			respond(w, 200, "application/json", `{"jsonrpc":"2.0",`)
		},
		"in a body without a length": func(w http.ResponseWriter) {
			conn, text, err := w.(http.Hijacker).Hijack()
			if err == nil {
				_, _ = text.WriteString("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n{\"result\":{")
				_ = errors.Join(text.Flush(), conn.Close())
			}
		},
		"in the stream": func(w http.ResponseWriter) {
			respond(w, 200, "text/event-stream", "event: message\n")
			panic(http.ErrAbortHandler)
		},
	}
	for name, end := range ways {
		for _, at := range []string{"initialize", "tools/list"} {
			s := &tiny{instead: func(w http.ResponseWriter, _ *http.Request, method string, _ json.RawMessage, count int) bool {
				if method == at && count == 1 {
					end(w)
				}
				return method == at && count == 1
			}}
			if got := s.tools(t, HTTP{}); got != "one two" {
				t.Errorf("%s of %s: %q", name, at, got)
			}
		}
		s := &tiny{instead: func(w http.ResponseWriter, _ *http.Request, method string, _ json.RawMessage, _ int) bool {
			if method == "tools/call" {
				end(w)
			}
			return method == "tools/call"
		}}
		if failures := Failures(s.call(t)); len(failures) != 1 || s.counts["tools/call"] != 1 ||
			failures[0].Code != OutcomeUnknown {
			t.Errorf("%s of tools/call: %v, %v", name, failures, s.counts)
		}
	}
	s := &tiny{instead: func(w http.ResponseWriter, _ *http.Request, method string, _ json.RawMessage, _ int) bool {
		return method == "tools/list" && cut(w)
	}}
	if got := s.tools(t, HTTP{}); !strings.Contains(got, "closed the connection") || s.counts["tools/list"] != 2 {
		t.Errorf("always cut: %q, %v", got, s.counts)
	}
}

// TestTLSClosed: a server that closes the connection at the first bytes of TLS was sent nothing, not even with a call, and may
// speak plain HTTP.
func TestTLSClosed(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	go func() {
		for reset := false; ; reset = !reset {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			most := 4096
			if reset { // what is not read resets the connection
				most = 1
			}
			_, _ = conn.Read(make([]byte, most))
			_ = conn.Close()
		}
	}()
	url := "https://" + listener.Addr().String() + "/mcp"
	for range 4 {
		_, err := Open(t.Context(), Server{Name: "s", HTTP: &HTTP{URL: url}}, Options{Timeout: time.Minute})
		failures := Failures(err)
		if len(failures) == 0 || failures[0].Code != TLSClosed || !strings.Contains(err.Error(), "during the TLS handshake") {
			t.Errorf("%v: %v", err, failures)
		}
	}
}

// TestOddAnswers: what comes instead of an answer decides what is said of it.
func TestOddAnswers(t *testing.T) {
	const ok = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
	tests := map[string]struct {
		first, answer string
		says          string
		code          Code
	}{
		// net/http may see it before the request is written
		"banner":     {first: "SSH-2.0-OpenSSH_9.0\r\n", says: "the answer is not HTTP: ", code: NotHTTP},
		"error":      {answer: "-ERR unknown command 'POST'\r\n", says: "the answer is not HTTP: malformed HTTP ", code: NotHTTP},
		"binary":     {answer: "E\x00\x00\x00\x10FATAL\x00", says: "the answer is not HTTP: malformed HTTP ", code: NotHTTP},
		"page alone": {answer: "<html></html>\n", says: "the answer is not HTTP: malformed HTTP ", code: NotHTTP},
		"alert":      {answer: "\x15\x03\x01\x00\x02\x02\x46", says: "the answer is not HTTP: malformed HTTP ", code: SpeaksTLS},
		"nothing":    {says: "the server closed the connection instead of answering", code: ConnectionClosed},
		"half a body": {answer: ok + "Content-Length: 99\r\n\r\n{\"jsonrpc\"", says: "the reply is cut off",
			code: ConnectionClosed},
		"other JSON": {answer: ok + "Content-Length: 2\r\n\r\n{}", says: "the reply is JSON but not a JSON-RPC message",
			code: RequestUnfit},
		"an array": {answer: ok + "Content-Length: 2\r\n\r\n[]", says: "the reply is JSON but not a JSON-RPC message",
			code: RequestUnfit},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			listener, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			defer listener.Close()
			go func() {
				for {
					conn, err := listener.Accept()
					if err != nil {
						return
					}
					_, _ = io.WriteString(conn, test.first)
					_, _ = conn.Read(make([]byte, 4096))
					_, _ = io.WriteString(conn, test.answer)
					_ = conn.Close()
				}
			}()
			url := "http://" + listener.Addr().String() + "/mcp"
			_, err = Open(t.Context(), Server{Name: "s", HTTP: &HTTP{URL: url}}, Options{Timeout: time.Minute})
			failures := Failures(err)
			if len(failures) == 0 || failures[0].Code != test.code || !strings.Contains(err.Error(), test.says) {
				t.Errorf("%v: %+v", err, failures)
			}
		})
	}
}

// TestCookies: what a load balancer sets comes back, beside the user's own cookies, and never reaches another server.
func TestCookies(t *testing.T) {
	for name, own := range map[string]map[string]Secret{"alone": nil, "beside": {"Cookie": "mine=1"}, "other case": {"cookie": "mine=1"}} {
		t.Run(name, func(t *testing.T) {
			var seen []string
			s := &tiny{instead: func(w http.ResponseWriter, r *http.Request, method string, _ json.RawMessage, _ int) bool {
				seen = append(seen, r.Header.Get("Cookie"))
				if method == "initialize" {
					http.SetCookie(w, &http.Cookie{Name: "lb", Value: "a7"})
				}
				return method == "tools/list" && !strings.Contains(r.Header.Get("Cookie"), "lb=a7") &&
					respond(w, 500, "text/plain", "another node")
			}}
			if got := s.tools(t, HTTP{Headers: own}); got != "one two" {
				t.Errorf("tools %q, cookies %q", got, seen)
			}
			if own != nil && slices.ContainsFunc(seen, func(c string) bool { return !strings.Contains(c, "mine=1") }) {
				t.Errorf("cookies %q", seen)
			}
			if strings.Contains(seen[0], "lb") {
				t.Errorf("the first request has %q", seen[0])
			}
		})
	}
}

// TestContentTypes: a reply is read whatever its type says, and one that cannot be read says why.
func TestContentTypes(t *testing.T) {
	const list = `{"jsonrpc":"2.0","id":ID,"result":{"tools":[{"name":"x"}]}}`
	tests := map[string]struct{ kind, encoding, body, want string }{
		"none":              {"", "", list, "x"},
		"text":              {"text/plain; charset=utf-8", "", list, "x"},
		"a dialect of JSON": {"application/vnd.example+json", "", list, "x"},
		"brotli":            {"application/json", "br", "\x1b\x00", `Content-Encoding "br"`},
		"zstd":              {"text/event-stream", "zstd", "\x28\xb5", `Content-Encoding "zstd"`},
		"identity":          {"application/json", "identity", list, "x"},
		"two encodings":     {"application/json", "gzip, br", "\x1b\x00", `Content-Encoding "gzip, br"`},
		"other event":       {"text/event-stream", "", "event: tools\ndata: " + list + "\n\n", `an event named "tools"`},
		"JSON as events":    {"text/event-stream", "", list, "x"},
		"marked JSON":       {"", "", "\ufeff" + list, "x"},
		"a page":            {"text/html", "", "<html>", "an HTML page instead of JSON"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			s := &tiny{instead: func(w http.ResponseWriter, _ *http.Request, method string, id json.RawMessage, _ int) bool {
				if method != "tools/list" {
					return false
				}
				if w.Header()["Content-Type"] = nil; test.encoding != "" {
					w.Header().Set("Content-Encoding", test.encoding)
				}
				if test.kind != "" {
					w.Header().Set("Content-Type", test.kind)
				}
				_, _ = io.WriteString(w, strings.ReplaceAll(test.body, "ID", string(id)))
				return true
			}}
			if got := s.tools(t, HTTP{}); !strings.Contains(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// TestVersionRefusals: a refusal names the versions of a server in many ways.
func TestVersionRefusals(t *testing.T) {
	tests := map[string]struct {
		status int
		answer string
	}{
		"-32602": {200,
			`"error":{"code":-32602,"message":"Unsupported protocol version","data":{"supported":["2024-11-05"],"requested":"x"}}`},
		"-32600": {200, `"error":{"code":-32600,"message":"no","data":{"supportedVersions":["2024-11-05"]}}`},
		"in words": {200,
			`"error":{"code":-32000,"message":"Unsupported protocol version: 2025-11-25 (supported versions: 2024-11-05)"}`},
		"as one version": {200, `"error":{"code":-32602,"message":"no","data":{"supported":"2024-11-05"}}`},
		"in another order": {200,
			`"error":{"code":-32602,"message":"Server supports protocol version 2024-11-05, client requested 2025-11-25"}`},
		"as a list": {200,
			`"error":{"code":-32000,"message":"Protocol version 2025-11-25 is not supported. Use one of: 2024-11-05"}`},
		"as a choice":     {200, `"error":{"code":-32602,"message":"protocolVersion must be one of \"2024-11-05\""}`},
		"as the only one": {200, `"error":{"code":-32600,"message":"Only 2024-11-05 is supported as protocol version"}`},
		"as expected":     {400, `"message":"unknown MCP-Protocol-Version 2025-11-25, expected 2024-11-05"`},
		"as HTTP 400":     {400, `"message":"Bad Request: Unsupported protocol version (supported versions: 2024-11-05)"`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			s := &tiny{version: "2024-11-05"}
			s.instead = func(w http.ResponseWriter, _ *http.Request, method string, id json.RawMessage, count int) bool {
				body := fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,%s}`, id, test.answer)
				return method == "initialize" && count == 1 && respond(w, test.status, "application/json", body)
			}
			if got := s.tools(t, HTTP{}); got != "one two" {
				t.Errorf("got %q", got)
			}
		})
	}
}

// TestUndeclaredLists: a server that declares no list is asked for all of them.
func TestUndeclaredLists(t *testing.T) {
	for capabilities, want := range map[string]string{
		`{}`: "one two", `{"logging":{}}`: "one two", `{"tools":null}`: "one two", `{"tools":{}}`: "one two", `{"prompts":{}}`: "",
	} {
		if got := (&tiny{capabilities: capabilities}).tools(t, HTTP{}); got != want {
			t.Errorf("capabilities %s: %q, want %q", capabilities, got, want)
		}
	}
}

// TestOpenAfterTheEnd opens a server for a run that has ended already, such as one that was interrupted.
func TestOpenAfterTheEnd(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, server := range []Server{{Stdio: &Stdio{Command: os.Args[0]}}, {HTTP: &HTTP{URL: "http://127.0.0.1:1/mcp"}}} {
		server.Verify = func() error {
			t.Error("the server is started or contacted")
			return nil
		}
		if _, err := Open(ctx, server, Options{}); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want the end of the context", err)
		}
	}
}
