package transport

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
)

// resumed ends the stream of each POST before the reply, and goes on in a GET. Each way is one line in the log.
type resumed struct {
	mu    sync.Mutex
	log   []string
	first string   // the stream of the POST
	more  []string // those of the GETs, in order; an empty one is refused
}

func (s *resumed) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log = append(s.log, fmt.Sprintf("%s after %q, session %q", r.Method, r.Header.Get("Last-Event-ID"), r.Header.Get(HeaderKeySessionID)))
	text := s.first
	switch {
	case r.Method == http.MethodPost:
		w.Header().Set(HeaderKeySessionID, "abc")
	case len(s.more) == 0 || s.more[0] == "":
		http.Error(w, "no", http.StatusMethodNotAllowed)
		return
	default:
		text, s.more = s.more[0], s.more[1:]
	}
	w.Header().Set("Content-Type", sseType)
	_, _ = io.WriteString(w, strings.ReplaceAll(text, "ID", "7"))
}

// TestStreamIsResumed: a server may end a stream to be asked for the rest of it (2025-11-25, SEP-1699).
func TestStreamIsResumed(t *testing.T) {
	tests := map[string]struct {
		server *resumed
		want   string // the result, or the error
		log    []string
	}{
		"once": {
			server: &resumed{first: "retry: 1\nid: e1\ndata:\n\n", more: []string{sse(fine)}},
			want:   `{"ok":true}`, log: []string{`POST after "", session ""`, `GET after "e1", session "abc"`},
		},
		"twice, the newest id counts": {
			server: &resumed{first: "retry: 1\nid: e1\n" + sse(`{"jsonrpc":"2.0","method":"notifications/x"}`),
				more: []string{"id: e2\n\n", "id: e3\n" + sse(fine)}},
			want: `{"ok":true}`, log: []string{`POST after "", session ""`, `GET after "e1", session "abc"`,
				`GET after "e2", session "abc"`},
		},
		"an id that the end cut off does not count": {
			server: &resumed{first: "retry: 1\nid: e1\n\nid: e2\n", more: []string{sse(fine)}},
			want:   `{"ok":true}`, log: []string{`POST after "", session ""`, `GET after "e1", session "abc"`},
		},
		"refused": {
			server: &resumed{first: "retry: 1\nid: e1\n\n"},
			want:   `HTTP 405 Method Not Allowed: "no"`, log: []string{`POST after "", session ""`, `GET after "e1", session "abc"`},
		},
		"without an id": {
			server: &resumed{first: "retry: 1\ndata:\n\n"},
			want:   "the server ended the event stream without a reply", log: []string{`POST after "", session ""`},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			srv := httptest.NewServer(test.server)
			t.Cleanup(srv.Close)
			r := request(7)
			r.Method = "initialize"
			reply, err := openStreamable(t, Endpoint{URL: srv.URL}).SendRequest(t.Context(), r)
			got := fmt.Sprint(err)
			if err == nil {
				got = string(reply.Result)
			}
			if diff := gocmp.Diff(test.want, got); diff != "" {
				t.Errorf("result (-want +got):\n%s", diff)
			}
			test.server.mu.Lock()
			defer test.server.mu.Unlock()
			if diff := gocmp.Diff(test.log, test.server.log); diff != "" {
				t.Errorf("requests (-want +got):\n%s", diff)
			}
		})
	}
}

// TestBytesAreKept: results, the data of errors, the parameters of notifications, and of the server's requests.
func TestBytesAreKept(t *testing.T) {
	const spread = "{\"a\":\n  [1.0,\n\n1e2],\t\"b\" : \"x\"}" // over lines, as only an event can be
	lines := func(text string) string { return "data: " + strings.ReplaceAll(text, "\n", "\ndata: ") + "\n\n" }
	asked := make(chan string, 1)
	var notified []string
	h := Handlers{
		Notification: func(n Incoming) { notified = append(notified, n.Method+" "+string(n.Params)) },
		Request: func(_ context.Context, r Incoming) (json.RawMessage, *ErrorReply) {
			asked <- r.Method + " " + string(r.Params)
			return json.RawMessage("{}"), nil
		},
	}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var m struct{ Method string }
		text, _ := io.ReadAll(r.Body)
		_ = json.Unmarshal(text, &m)
		if m.Method == "" {
			w.WriteHeader(http.StatusAccepted)
			return
		}
		r.Body = io.NopCloser(strings.NewReader(string(text)))
		write(200, sseType, lines(`{"jsonrpc":"2.0","method":"notifications/x","params":`+spread+`}`)+
			lines(`{"jsonrpc":"2.0","id":"q","method":"ask","params":`+spread+`}`)+
			map[bool]string{
				true:  lines(`{"jsonrpc":"2.0","id":ID,"result":` + spread + `}`),
				false: lines(`{"jsonrpc":"2.0","id":ID,"error":{"code":-1,"message":"no","data":` + spread + `}}`),
			}[m.Method == "good"])(w, r)
	}))
	t.Cleanup(srv.Close)
	l, err := OpenStreamable(Endpoint{URL: srv.URL}, h)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	good, err := call(t, l, 1, "good")
	if err != nil {
		t.Fatal(err)
	}
	question := receive(t, asked)
	bad, err := call(t, l, 2, "bad")
	if err != nil {
		t.Fatal(err)
	}
	receive(t, asked)
	want := []string{spread, spread, "ask " + spread, "notifications/x " + spread, "notifications/x " + spread}
	got := append([]string{string(good.Result), string(bad.Error.Data.(json.RawMessage)), question}, notified...)
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("texts (-want +got):\n%s", diff)
	}
}

// endless is a line without an end.
type endless struct {
	start string
	read  int
}

func (e *endless) Read(p []byte) (int, error) {
	n := copy(p, e.start)
	e.start = e.start[n:]
	for i := range p[n:] {
		p[n+i] = 'x'
	}
	if e.read += len(p); e.read > 2*frameLimit {
		return 0, io.EOF
	}
	return len(p), nil
}

// TestJunkIsBounded: of a line that cannot be a message little is kept, and one that never ends is reported on the way.
func TestJunkIsBounded(t *testing.T) {
	for start, limit := range map[string]int{"x": junkLimit, `{"level":"info","text":"`: frameLimit} {
		text := &endless{start: start}
		f := newFramer(text)
		reported := 0
		_ = f.next(func(one stdoutPart) { reported = cmp.Or(reported, text.read) })
		if reported > limit+1<<17 {
			t.Errorf("%s…: reported after %d bytes", start, reported)
		}
	}
}

// TestLongMessages: a long line that may be a message is kept, whichever member comes first.
func TestLongMessages(t *testing.T) {
	long := strings.Repeat("x", 2*junkLimit)
	for _, text := range []string{
		`{"jsonrpc":"2.0","id":1,"result":"` + long + `"}`,
		`{"result":"` + long + `","id":1,"jsonrpc":"2.0"}`,
		` [ {"_meta":{}, "id" : 1, "jsonrpc":"2.0","result":"` + long + `"}]`,
	} {
		var got []stdoutPart
		f := newFramer(strings.NewReader(text + "\n"))
		_ = f.next(func(one stdoutPart) { got = append(got, one) })
		if len(got) != 1 || got[0].noise != nil || len(got[0].message.result) != len(long)+2 {
			t.Errorf("%.40s… gives %d frames", text, len(got))
		}
	}
}
