package transport

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/mark3labs/mcp-go/mcp"
)

const secret = "s3cr3t-token"

// streamable serves h and opens a streamable link to it.
func streamable(t *testing.T, h http.HandlerFunc) *Conn {
	t.Helper()
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	return openStreamable(t, Endpoint{URL: srv.URL + "/mcp", Headers: map[string]Credential{"Authorization": "Bearer " + secret},
		UserAgent: "mcpctl/test",
		Mask:      func(text string) string { return strings.ReplaceAll(text, secret, "***") }})
}

// inBubble is streamable for a test in a bubble of synctest, whose clock no real network may hold up: h is served over pipes in
// memory.
func inBubble(t *testing.T, h http.HandlerFunc) *Conn {
	t.Helper()
	pipes := &pipeListener{conns: make(chan net.Conn), closed: make(chan struct{})}
	srv := &http.Server{Handler: h}
	go func() { _ = srv.Serve(pipes) }()
	t.Cleanup(func() { _ = srv.Close() })
	l := openStreamable(t, Endpoint{URL: "http://server.example/mcp"})
	l.web.base.DialContext = pipes.dial
	return l
}

// pipeListener is a listener in memory.
type pipeListener struct {
	conns  chan net.Conn
	closed chan struct{}
}

func (p *pipeListener) dial(context.Context, string, string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	p.conns <- theirs
	return ours, nil
}

func (p *pipeListener) Accept() (net.Conn, error) {
	select {
	case conn := <-p.conns:
		return conn, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipeListener) Close() error {
	close(p.closed)
	return nil
}

func (p *pipeListener) Addr() net.Addr { return &net.TCPAddr{} }

func openStreamable(t *testing.T, e Endpoint) *Conn {
	t.Helper()
	l, err := OpenStreamable(e, Handlers{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}

// write is a handler that sends one reply, with ID replaced by the request's id.
func write(status int, contentType, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var m struct{ ID json.RawMessage }
		_ = json.NewDecoder(r.Body).Decode(&m)
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, strings.ReplaceAll(body, "ID", string(m.ID)))
	}
}

// sse is text as one event.
func sse(text string) string { return "data: " + strings.TrimSpace(text) + "\n\n" }

const (
	jsonType = "application/json"
	sseType  = "text/event-stream; charset=utf-8"
	notFound = `{"jsonrpc":"2.0","id":ID,"error":{"code":-32601,"message":"no such method"}}`
	notYours = `{"jsonrpc":"2.0","id":99,"result":{}}`
)

func TestStreamableReplies(t *testing.T) {
	const html = "<!DOCTYPE html><html><body>Sign in</body></html>"
	tests := []struct {
		name              string
		status            int
		kind, body        string
		want, fault, fail string // exactly one
	}{
		{name: "json", status: 200, kind: jsonType, body: fine, want: `{"ok":true}`},
		{name: "json, odd values", status: 200, kind: jsonType, body: `{"jsonrpc":"2.0","id":ID,"result":` + odd + "}", want: odd},
		{name: "json, 201", status: 201, kind: jsonType, body: fine, want: `{"ok":true}`},
		{name: "json, string id", status: 200, kind: jsonType, body: `{"jsonrpc":"2.0","id":"ID","result":{}}`, want: `{}`},
		{name: "json, other id", status: 200, kind: jsonType, body: notYours, fail: "the reply has the id of another request"},
		{name: "json, no message", status: 200, kind: jsonType, body: `{"message":"hello"}`,
			fail: "the reply is JSON but not a JSON-RPC message"},
		{name: "json, batch", status: 200, kind: jsonType, body: "[" + notYours + "," + fine + "]", want: `{"ok":true}`},
		{name: "json, batch of others", status: 200, kind: jsonType, body: "[" + notYours + "]",
			fail: "the reply has the id of another request"},
		{name: "json, cut off", status: 200, kind: jsonType, body: `{"jsonrpc":"2.0","id":`, fail: "the reply is cut off"},
		{name: "json, deep", status: 200, kind: jsonType, body: deepReply,
			fail: "the reply is not valid JSON: invalid character '[' exceeded max depth"},
		{name: "json, broken", status: 200, kind: jsonType, body: `nope`,
			fail: `HTTP 200 OK with a body that is not JSON (Content-Type "application/json"): "nope"`},
		{name: "text", status: 200, kind: "text/plain", body: `nope`,
			fail: `HTTP 200 OK with a body that is not JSON (Content-Type "text/plain"): "nope"`},
		{name: "json, error", status: 200, kind: jsonType, body: notFound, fault: "-32601 no such method"},
		{name: "stream", status: 200, kind: sseType, body: "id: 1\ndata:\n\n: hi\n\nevent: message\r\n" + sse(fine), want: `{"ok":true}`},
		{name: "stream, odd values", status: 200, kind: sseType, body: sse(`{"jsonrpc":"2.0","id":ID,"result":` + odd + "}"), want: odd},
		{name: "stream, lines", status: 200, kind: sseType, body: "data: {\"jsonrpc\":\"2.0\",\ndata: \"id\":ID,\"result\":\ndata: {}}\n\n",
			want: `{}`},
		{name: "stream, no end", status: 200, kind: sseType, body: strings.TrimSpace(sse(fine)), want: `{"ok":true}`},
		{name: "stream, string id", status: 200, kind: sseType, body: sse(`{"jsonrpc":"2.0","id":"ID","result":{}}`), want: `{}`},
		{name: "stream, other first", status: 200, kind: sseType, body: sse(notYours) + sse(fine), want: `{"ok":true}`},
		{name: "stream, again and again", status: 200, kind: sseType, body: strings.Repeat(sse(fine), 9), want: `{"ok":true}`},
		{name: "stream, only other", status: 200, kind: sseType, body: sse(notYours),
			fail: "the server ended the event stream without a reply"},
		{name: "stream, junk", status: 200, kind: sseType, body: sse("hello"), fail: "the server ended the event stream without a reply"},
		{name: "stream, deep", status: 200, kind: sseType, body: sse(deepReply),
			fail: "the reply is not valid JSON: invalid character '[' exceeded max depth"},
		{name: "stream, empty", status: 200, kind: sseType, fail: "the server ended the event stream without a reply"},
		{name: "html", status: 200, kind: "text/html", body: html, fail: "HTTP 200 OK with an HTML page instead of JSON"},
		{name: "202", status: 202, fail: "HTTP 202 Accepted with an empty body"},
		{name: "400 json-rpc, null id", status: 400, kind: jsonType, body: strings.ReplaceAll(notFound, "ID", "null"),
			fault: "-32601 no such method"},
		{name: "404 json-rpc", status: 404, kind: jsonType, body: notFound, fault: "-32601 no such method"},
		{name: "500 json-rpc as text", status: 500, kind: "text/plain", body: notFound, fault: "-32601 no such method"},
		{name: "500 other json", status: 500, kind: jsonType, body: `{"message":"oops"}`, fail: `HTTP 500 Internal Server Error: "oops"`},
		{name: "401 json-rpc", status: 401, kind: jsonType, body: notFound, fail: `HTTP 401 Unauthorized: "no such method"`},
		{name: "403", status: 403, kind: "text/plain", body: "Access is only allowed at localhost:1\nmore",
			fail: `HTTP 403 Forbidden: "Access is only allowed at localhost:1"`},
		{name: "404", status: 404, kind: "text/html", body: html, fail: "HTTP 404 Not Found with an HTML page instead of JSON"},
		{name: "405", status: 405, fail: "HTTP 405 Method Not Allowed with an empty body"},
		{name: "429", status: 429, fail: "HTTP 429 Too Many Requests with an empty body"},
		{name: "304", status: 304, fail: "HTTP 304 Not Modified with an empty body"},
		{name: "502 quotes our token", status: 502, kind: "text/plain", body: "bad token " + secret,
			fail: `HTTP 502 Bad Gateway: "bad token ***"`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r, err := ask(t, streamable(t, write(test.status, test.kind, test.body)), 7)
			var got, fault, fail string
			switch {
			case err != nil:
				fail = err.Error()
			case r.Error != nil:
				fault = fmt.Sprint(r.Error.Code, " ", r.Error.Message)
			default:
				got = string(r.Result)
			}
			if diff := cmp.Diff([]string{test.want, test.fault, test.fail}, []string{got, fault, fail}); diff != "" {
				t.Errorf("result, JSON-RPC error, failure (-want +got):\n%s", diff)
			}
		})
	}
}

func TestStreamableNeverEndingBodies(t *testing.T) {
	endless := func(status int, kind, start, more string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			write(status, kind, start)(w, r)
			for {
				_ = http.NewResponseController(w).Flush()
				select {
				case <-r.Context().Done():
					return
				case <-time.After(time.Millisecond):
				}
				_, _ = io.WriteString(w, more)
			}
		}
	}
	t.Run("after the reply in a stream", func(t *testing.T) {
		if _, err := ask(t, streamable(t, endless(200, sseType, sse(fine), sse(fine))), 1); err != nil {
			t.Error(err)
		}
	})
	t.Run("in a bad status", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			start := time.Now()
			_, err := ask(t, inBubble(t, endless(500, "text/plain", "oops", "")), 1)
			if want := `HTTP 500 Internal Server Error: "oops"`; err == nil || err.Error() != want {
				t.Errorf("error %v, want %s", err, want)
			}
			if took := time.Since(start); took != faultWait {
				t.Errorf("the body was waited for for %v, want %v", took, faultWait)
			}
		})
	})
	t.Run("in the reply", func(t *testing.T) {
		l := streamable(t, endless(200, jsonType, `{"jsonrpc":"2.0",`, " "))
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		_, err := l.SendRequest(ctx, request(1))
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v, want that of the context", err)
		}
	})
}

func request(id int64) JSONRPCRequest {
	return JSONRPCRequest{JSONRPC: "2.0", ID: mcp.NewRequestId(id), Method: "tools/list"}
}

func TestRedirects(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("another origin was contacted, with headers %v", r.Header)
	}))
	defer elsewhere.Close()
	tests := []struct {
		name, path string
		to         string
		status     int
		want       string // why it was not followed
	}{
		{name: "307 within the origin", to: "/ok", status: 307},
		{name: "308 within the origin", to: "/ok", status: 308},
		{name: "301 would be a GET", to: "/ok", status: 301, want: turnsIntoGet},
		{name: "303 would be a GET", to: "/ok", status: 303, want: turnsIntoGet},
		{name: "307 elsewhere", to: elsewhere.URL, status: 307, want: otherOrigin},
		{name: "302 elsewhere", to: elsewhere.URL, status: 302, want: otherOrigin},
		{name: "a circle", to: "/mcp", status: 307, want: tooManyHops},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			l := streamable(t, func(w http.ResponseWriter, r *http.Request) {
				if got := r.Header.Get("Authorization"); got != "Bearer "+secret {
					t.Errorf("authorization %q on %s", got, r.URL)
				}
				if r.URL.Path == "/ok" {
					write(200, jsonType, fine)(w, r)
					return
				}
				http.Redirect(w, r, test.to, test.status)
			})
			_, err := ask(t, l, 1)
			var refused *RedirectError
			switch {
			case test.want == "" && err != nil:
				t.Error(err)
			case test.want != "" && (!errors.As(err, &refused) || refused.Why != test.want || refused.Status != test.status):
				t.Errorf("error %v, want a *RedirectError: %s", err, test.want)
			}
		})
	}
}

// session is a server with a session: initialize starts it, prompts/list is unknown, everything else finds it gone.
func session(log *requestLog) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		method := log.add(r)
		w.Header().Set(HeaderKeySessionID, "abc")
		switch method {
		case "initialize":
			write(200, jsonType, fine)(w, r)
		case "prompts/list":
			write(404, jsonType, notFound)(w, r)
		default:
			write(404, jsonType, `{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"Session not found"}}`)(w, r)
		}
	}
}

// requestLog keeps what the tests compare of requests.
type requestLog struct {
	mu    sync.Mutex
	lines []string
}

// add logs a request and returns its method; the body can be read again.
func (l *requestLog) add(r *http.Request) string {
	text, _ := io.ReadAll(r.Body)
	r.Body = io.NopCloser(strings.NewReader(string(text)))
	var m struct{ Method string }
	_ = json.Unmarshal(text, &m)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, fmt.Sprint(r.Method, " ", m.Method, " session=", r.Header.Get(HeaderKeySessionID),
		" version=", r.Header.Get("Mcp-Protocol-Version"), " agent=", r.UserAgent(), " authorized=",
		r.Header.Get("Authorization") == "Bearer "+secret))
	return m.Method
}

func TestSessionIsDeletedWithOurHeaders(t *testing.T) {
	var log requestLog
	l := streamable(t, session(&log))
	if _, err := call(t, l, 1, "initialize"); err != nil {
		t.Fatal(err)
	}
	l.SetProtocolVersion("2025-11-25")
	if r, err := call(t, l, 2, "prompts/list"); err != nil || r.Error == nil || r.Error.Code != mcp.METHOD_NOT_FOUND {
		t.Errorf("an unknown method gives %v, %v, want the JSON-RPC error", r, err)
	}
	if err := errors.Join(l.Close(), l.Close()); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"POST initialize session= version= agent=mcpctl/test authorized=true",
		"POST prompts/list session=abc version=2025-11-25 agent=mcpctl/test authorized=true",
		"DELETE  session=abc version=2025-11-25 agent=mcpctl/test authorized=true",
	}
	if diff := cmp.Diff(want, log.lines); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
}

func TestDeletingASessionEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := inBubble(t, func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodDelete {
				<-r.Context().Done()
			}
			w.Header().Set(HeaderKeySessionID, "abc")
			write(200, jsonType, fine)(w, r)
		})
		_, err := call(t, l, 1, "initialize")
		start := time.Now()
		if err = errors.Join(err, l.Close()); err != nil || time.Since(start) != deleteTimeout {
			t.Errorf("closing took %v, %v", time.Since(start), err)
		}
	})
}

func TestBadURLs(t *testing.T) {
	for _, u := range []string{"", "mcp", "ftp://example.com", "http://", "//example.com/mcp", "http://%zz"} {
		if _, err := OpenStreamable(Endpoint{URL: u}, Handlers{}); !errors.Is(err, errURL) {
			t.Errorf("%q gives %v", u, err)
		}
		if _, err := OpenSSE(t.Context(), Endpoint{URL: u}, Handlers{}); !errors.Is(err, errURL) {
			t.Errorf("%q gives %v over SSE", u, err)
		}
	}
}

// TestHeadersStayAtHome: whatever mcp-go is made to ask for, another origin gets nothing.
func TestHeadersStayAtHome(t *testing.T) {
	w, err := newWeb(nil, Endpoint{URL: "http://example.invalid/mcp"})
	if err != nil {
		t.Fatal(err)
	}
	for _, elsewhere := range []string{"https://example.invalid/mcp", "http://example.invalid:81/", "http://a.example.invalid/"} {
		reply, err := w.client.Get(elsewhere)
		var refused *RedirectError
		if !errors.As(err, &refused) {
			t.Errorf("%s gives %v, want a *RedirectError", elsewhere, err)
		}
		if err == nil {
			_ = reply.Body.Close()
		}
	}
}

func TestRefusedConnectionHidesTheQuery(t *testing.T) {
	srv := httptest.NewServer(nil)
	srv.Close()
	_, err := ask(t, openStreamable(t, Endpoint{URL: srv.URL + "/mcp?key=" + secret}), 1)
	var dial *net.OpError
	if !errors.As(err, &dial) || strings.Contains(err.Error(), secret) {
		t.Errorf("error %v, want a dial error without the query", err)
	}
}

// TestAnswersOutliveTheirCall: the answer to a request of the server is sent, although the call that it came
// with has its reply already.
func TestAnswersOutliveTheirCall(t *testing.T) {
	answers, replied := make(chan string, 1), make(chan struct{})
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		if !strings.Contains(string(text), `"method"`) {
			answers <- string(text)
			w.WriteHeader(http.StatusAccepted)
			return
		}
		w.Header().Set("Content-Type", sseType)
		_, _ = io.WriteString(w, sse(`{"jsonrpc":"2.0","id":"q","method":"ask"}`)+
			sse(`{"jsonrpc":"2.0","id":1,"result":{}}`))
	}))
	defer srv.Close()
	l, err := OpenStreamable(Endpoint{URL: srv.URL}, Handlers{
		Request: func(context.Context, Incoming) (json.RawMessage, *ErrorReply) {
			<-replied
			return json.RawMessage(`{}`), nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if _, err := ask(t, l, 1); err != nil {
		t.Fatal(err)
	}
	close(replied)
	if got, want := receive(t, answers), `{"jsonrpc":"2.0","id":"q","result":{}}`; got != want {
		t.Errorf("answer %s, want %s", got, want)
	}
}
