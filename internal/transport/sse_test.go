package transport

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// sseServer is an HTTP+SSE server: what is posted to it goes through reply, whose text goes out on the stream as it is.
// An empty text ends the stream.
type sseServer struct {
	hello string // the start of the stream; empty = the usual endpoint event
	reply func(id, posted string) string
	out   chan string
}

func (s *sseServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Authorization") != "Bearer "+secret {
		http.Error(w, "who are you?", http.StatusUnauthorized)
		return
	}
	if r.Method == http.MethodPost {
		posted, _ := io.ReadAll(r.Body)
		m, _ := parseMessage(posted)
		w.WriteHeader(http.StatusAccepted)
		s.out <- s.reply(string(m.id), string(posted))
		return
	}
	w.Header().Set("Content-Type", sseType)
	_, _ = io.WriteString(w, s.hello)
	for {
		_ = http.NewResponseController(w).Flush()
		select {
		case <-r.Context().Done():
			return
		case text := <-s.out:
			if text == "" {
				return
			}
			_, _ = io.WriteString(w, text)
		}
	}
}

const hello = "event: endpoint\ndata: /messages?session=1\n\n"

func openSSE(t *testing.T, h http.Handler) (*Conn, error) {
	t.Helper()
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	ctx, cancel := context.WithTimeout(t.Context(), mostWait+time.Minute) // longer than ask
	t.Cleanup(cancel)
	l, err := OpenSSE(ctx, Endpoint{URL: srv.URL + "/sse", Headers: map[string]Credential{"Authorization": "Bearer " + secret}}, Handlers{})
	if err == nil {
		t.Cleanup(func() { _ = l.Close() })
	}
	if ctx.Err() != nil {
		t.Fatal("opening hung")
	}
	return l, err
}

func TestSSEReplies(t *testing.T) {
	reply := func(text string) func(id, posted string) string {
		return func(id, _ string) string { return strings.ReplaceAll(text, "ID", id) }
	}
	tests := []struct {
		name       string
		reply      func(id, posted string) string
		want, fail string
	}{
		{name: "good", reply: reply("event: message\n" + sse(fine)), want: `{"ok":true}`},
		{name: "without a type", reply: reply(sse(fine)), want: `{"ok":true}`},
		{name: "odd values", reply: reply(sse(`{"jsonrpc":"2.0","id":ID,"result":` + odd + "}")), want: odd},
		{name: "string id", reply: reply(sse(`{"jsonrpc":"2.0","id":"ID","result":{}}`)), want: `{}`},
		{name: "lines", reply: reply("data: {\"jsonrpc\":\"2.0\",\ndata: \"id\":ID,\"result\":\ndata: {}}\n\n"), want: `{}`},
		{name: "batch", reply: reply(sse("[" + strings.TrimSpace(fine) + "]")), want: `{"ok":true}`},
		{name: "junk first", reply: reply(sse("hello") + "event: ping\n" + sse("{}") + sse(fine)), want: `{"ok":true}`},
		{name: "a request with our id first", reply: reply(sse(`{"jsonrpc":"2.0","id":ID,"method":"elicitation/create"}`) + sse(fine)),
			want: `{"ok":true}`},
		{name: "deep", reply: reply(sse(deepReply)), fail: "the reply is not valid JSON: invalid character '[' exceeded max depth"},
		{name: "the stream ends", reply: reply(""), fail: "the server ended the event stream"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := &sseServer{hello: hello, out: make(chan string, 8)}
			s.reply = func(id, posted string) string {
				if !strings.Contains(posted, `"method"`) { // our answer
					return ": ok\n\n"
				}
				return test.reply(id, posted)
			}
			l, err := openSSE(t, s)
			if err != nil {
				t.Fatal(err)
			}
			r, err := ask(t, l, 7)
			var got, fail string
			if err != nil {
				fail = err.Error()
			} else {
				got = string(r.Result)
			}
			if diff := cmp.Diff([]string{test.want, test.fail}, []string{got, fail}); diff != "" {
				t.Errorf("result, failure (-want +got):\n%s", diff)
			}
		})
	}
}

func TestSSEAnswersTheServer(t *testing.T) {
	answers := make(chan string, 8)
	s := &sseServer{hello: hello + sse(`{"jsonrpc":"2.0","id":1,"method":"ping"}`) + sse(`{"jsonrpc":"2.0","id":2,"method":"roots/list"}`),
		out: make(chan string, 8)}
	s.reply = func(_, posted string) string { answers <- posted; return ": ok\n\n" }
	if _, err := openSSE(t, s); err != nil {
		t.Fatal(err)
	}
	want := []string{`{"jsonrpc":"2.0","id":1,"result":{}}`,
		`{"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"method not found: roots/list"}}`}
	got := []string{receive(t, answers), receive(t, answers)}
	slices.Sort(got) // they are worked on side by side
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("answers (-want +got):\n%s", diff)
	}
}

func TestSSEDoesNotOpen(t *testing.T) {
	tests := []struct {
		name    string
		handler http.Handler
		want    string
	}{
		{"html", write(200, "text/html", "<html>"), "HTTP 200 OK with an HTML page instead of JSON"},
		{"404", write(404, "text/plain", "nothing here"), `HTTP 404 Not Found: "nothing here"`},
		{"no endpoint", write(200, sseType, ": nothing\n\n"), "the server ended the event stream"},
		{"endpoint elsewhere", &sseServer{hello: "event: endpoint\ndata: http://127.0.0.2:9/messages\n\n", out: make(chan string)},
			otherOrigin},
		{"endpoint without TLS", &sseServer{hello: "event: endpoint\ndata: https://127.0.0.1:1/messages\n\n", out: make(chan string)},
			otherOrigin},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := openSSE(t, test.handler)
			if err == nil || !strings.HasSuffix(err.Error(), test.want) {
				t.Errorf("error %v, want %s", err, test.want)
			}
		})
	}
}

// TestSSEPostIsDropped: a connection that ends instead of an answer to a post is noticed at once, after one more attempt.
func TestSSEPostIsDropped(t *testing.T) {
	var posts atomic.Int32
	s := &sseServer{hello: hello, out: make(chan string)}
	l, err := openSSE(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			posts.Add(1)
			panic(http.ErrAbortHandler)
		}
		s.ServeHTTP(w, r)
	}))
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	if _, err = ask(t, l, 7); !CutOff(err) || posts.Load() != 2 || time.Since(began) > mostWait/2 {
		t.Errorf("%d posts, after %v: %v", posts.Load(), time.Since(began), err)
	}
}
