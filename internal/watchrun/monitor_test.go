package watchrun

import (
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpctl/mcpctl/internal/seen"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
	"github.com/mcpctl/mcpctl/pkg/watch"
)

// twoServers returns a monitor of a live server and a failed one; refresh receives requests to read the first.
func twoServers(token string, loopback bool) (m *monitor, refresh chan struct{}) {
	m, refresh = newMonitor(token, loopback), make(chan struct{}, 1)
	tools := snapshot.NewList(snapshot.Tools, []json.RawMessage{json.RawMessage("{\"name\": \"a\u202e\"}")})
	live := watch.Status{State: watch.Live, Surface: &snapshot.Snapshot{Tools: tools}, VerifiedAt: time.Now()}
	failed := watch.Status{State: watch.Failed, Err: errors.New("no licence")}
	m.watch([]monitoredServer{
		{name: "a b", transport: "stdio", status: func() watch.Status { return live }, refresh: refresh},
		{name: "bad", status: func() watch.Status { return failed }},
	})
	return m, refresh
}

// asked returns the answer to a request, with headers as "Name: value".
func asked(m *monitor, method, path string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, nil)
	r.Host = "127.0.0.1:9464"
	for _, header := range headers {
		name, value, _ := strings.Cut(header, ": ")
		if r.Header.Set(name, value); name == "Host" {
			r.Host = value
		}
	}
	w := httptest.NewRecorder()
	m.handler().ServeHTTP(w, r)
	return w
}

// TestRequests lists who gets an answer: by Host, origin, token, method and path.
func TestRequests(t *testing.T) {
	const bearer = "Authorization: Bearer s3cret"
	for _, c := range []struct {
		loopback, token bool
		method, path    string
		header          string
		want            int
	}{
		{true, false, "GET", "/v1/servers", "", 200},
		{true, false, "GET", "/v1/servers", "Host: [::1]:9464", 200},
		{true, false, "GET", "/v1/servers", "Host: evil.example", 421},
		{true, false, "GET", "/v1/servers", "Host: 127.0.0.1.evil.example", 421},
		{true, false, "GET", "/v1/servers", "Host: localhost.", 421},
		{true, false, "GET", "/v1/events", "Host: evil.example", 421},
		{true, false, "POST", "/v1/servers/a%20b/refresh", "Host: evil.example", 421},
		{false, true, "GET", "/v1/servers", bearer, 200},
		{false, true, "GET", "/v1/servers", "", 401},
		{false, true, "GET", "/v1/servers", "Authorization: Bearer s3cre", 401},
		{false, true, "GET", "/v1/servers", "Authorization: Basic s3cret", 401},
		{false, true, "GET", "/v1/servers", "Authorization: s3cret", 401},
		{false, true, "GET", "/v1/servers", "authorization: bearer s3cret", 200},
		{false, true, "GET", "/metrics", "", 401},
		{false, true, "GET", "/v1/events", "", 401},
		{false, true, "POST", "/v1/servers/a%20b/refresh", "", 401},
		{false, true, "GET", "/healthz", "", 200},
		{true, false, "POST", "/v1/servers/a%20b/refresh", "", 202},
		{true, false, "POST", "/v1/servers/a%20b/refresh", "Sec-Fetch-Site: cross-site", 403},
		{true, false, "POST", "/v1/servers/a%20b/refresh", "Origin: https://evil.example", 403},
		{true, false, "POST", "/v1/servers/a%20b/refresh", "Origin: null", 403},
		{true, false, "POST", "/v1/servers/a%20b/refresh", "Origin: http://127.0.0.1:9464", 202},
		{true, false, "GET", "/v1/servers", "Origin: http://127.0.0.1:9464", 200},
		{true, false, "GET", "/v1/servers", "Origin: http://127.0.0.1:3000", 403},
		{true, false, "GET", "/v1/servers", "Origin: http://evil.example", 403},
		{true, false, "GET", "/v1/events", "Origin: null", 403},
		{true, false, "GET", "/healthz", "Origin: http://evil.example", 403},
		{true, false, "GET", "/metrics", "Sec-Fetch-Site: cross-site", 403},
		{true, false, "GET", "/v1/events", "Sec-Fetch-Site: same-site", 403},
		{true, false, "GET", "/v1/servers", "Sec-Fetch-Site: same-origin", 200},
		{true, false, "GET", "/v1/servers", "Sec-Fetch-Site: none", 200},
		{true, false, "GET", "/v1/servers", "Sec-Fetch-Site: cross-site\nSec-Fetch-Mode: navigate\nSec-Fetch-Dest: document", 200},
		{true, false, "GET", "/v1/events", "Sec-Fetch-Site: cross-site\nSec-Fetch-Mode: navigate\nSec-Fetch-Dest: iframe", 403},
		{true, false, "GET", "/v1/events", "Sec-Fetch-Site: cross-site\nSec-Fetch-Mode: no-cors\nSec-Fetch-Dest: image", 403},
		{true, false, "POST", "/v1/servers/a%20b/refresh", "Sec-Fetch-Site: cross-site\nSec-Fetch-Mode: navigate\nSec-Fetch-Dest: document",
			403},
		{false, true, "GET", "/v1/servers", bearer + "\nOrigin: http://evil.example", 403},
		{true, false, "GET", "/v1/servers/a%20b/refresh", "", 405},
		{true, false, "DELETE", "/v1/servers/a%20b", "", 405},
		{true, false, "POST", "/v1/servers/bad/refresh", "", 409},
		{true, false, "POST", "/v1/servers/nobody/refresh", "", 404},
		{true, false, "GET", "/v1/servers/../../etc/passwd", "", 307},
		{true, false, "GET", "/", "", 404},
	} {
		token := ""
		if c.token {
			token = "s3cret"
		}
		m, _ := twoServers(token, c.loopback)
		headers := strings.Split(c.header, "\n")
		if c.header == "" {
			headers = nil
		}
		w := asked(m, c.method, c.path, headers...)
		if w.Code != c.want {
			t.Errorf("%s %s %q: %d, want %d", c.method, c.path, c.header, w.Code, c.want)
		}
		if body := w.Body.String(); w.Code >= 400 && (strings.Contains(body, "a b") || strings.Contains(body, "s3cret")) {
			t.Errorf("%s %s %q names what it must not: %s", c.method, c.path, c.header, body)
		}
		if allow := w.Header().Get("Access-Control-Allow-Origin"); allow != "" {
			t.Errorf("pages of %s may read the answer", allow)
		}
	}
}

// TestHosts: of the texts that a request can have as its Host only names of this machine are answered.
func TestHosts(t *testing.T) {
	m, _ := twoServers("", true)
	for _, host := range []string{"127.0.0.1", "127.0.0.1:9464", "127.0.0.2:1", "localhost", "LocalHost:80", "[::1]", "[::1]:9464",
		"[::ffff:127.0.0.1]:1"} {
		if w := asked(m, "GET", "/v1/servers", "Host: "+host); w.Code != http.StatusOK {
			t.Errorf("%q: %d", host, w.Code)
		}
	}
	for _, host := range []string{"", ":9464", "evil.example", "127.0.0.1.evil.example", "127.0.0.1:1.evil.example", "127.0.0.1:evil",
		"127.0.0.1:", "127.0.0.1:-1", "127.0.0.1:+1", "127.0.0.1:65536", "127.0.0.1:80:80", "127.0.0.1.", "127.1", "0177.0.0.1",
		"2130706433", "localhost.", "localhost.evil.example", "localhost:1.evil.example", "evil.localhost", "localhost:80@evil.example",
		"evil.example@localhost", "evil:x@127.0.0.1:80", "localhost/", "localhost?x", "localhost#x", "localhost,evil.example",
		"localhost evil.example", " localhost", "localhost\t", "::1", "[::1]evil", "[::1].evil.example", "[::1]:1.evil.example",
		"[::1%25lo]", "[::1%lo]:80", "[127.0.0.1]", "[localhost]", "[::1", "::1]", "0.0.0.0", "[::]", "loc%61lhost", "loc\u0430lhost"} {
		if w := asked(m, "GET", "/v1/servers", "Host: "+host); w.Code != http.StatusMisdirectedRequest {
			t.Errorf("%q: %d", host, w.Code)
		}
	}
}

// TestHostsOfRequests: neither several Host lines, none, nor a target with a host of its own pass for this machine.
func TestHostsOfRequests(t *testing.T) {
	m, _ := twoServers("", true)
	server := httptest.NewServer(m.handler())
	defer server.Close()
	for request, want := range map[string]string{
		"GET /v1/servers HTTP/1.1\r\nHost: localhost\r\n":                        "HTTP/1.1 200",
		"GET /v1/servers HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n":  "HTTP/1.1 400",
		"GET /v1/servers HTTP/1.1\r\nHost: evil.example\r\nHost: localhost\r\n":  "HTTP/1.1 400",
		"GET /v1/servers HTTP/1.1\r\n":                                           "HTTP/1.1 400",
		"GET /v1/servers HTTP/1.0\r\n":                                           "HTTP/1.0 421",
		"GET http://evil.example/v1/servers HTTP/1.1\r\nHost: localhost\r\n":     "HTTP/1.1 421",
		"GET http://localhost:1.evil/v1/servers HTTP/1.1\r\nHost: localhost\r\n": "HTTP/1.1 400",
	} {
		c, err := net.Dial("tcp", server.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.WriteString(c, request+"Connection: close\r\n\r\n")
		answer, _ := io.ReadAll(c)
		if _ = c.Close(); !strings.HasPrefix(string(answer), want) {
			t.Errorf("%q: %.80q, want %s", request, answer, want)
		}
	}
}

// TestServer shows one without characters that a terminal obeys, and two requests to read it are one.
func TestServer(t *testing.T) {
	m, refresh := twoServers("", false)
	if body := asked(m, "GET", "/v1/servers/a%20b").Body.String(); !strings.Contains(body, `"name":"a\u202e"`) {
		t.Errorf("%q", body)
	}
	for range 2 {
		if w := asked(m, "POST", "/v1/servers/a%20b/refresh"); w.Code != http.StatusAccepted {
			t.Errorf("%d", w.Code)
		}
	}
	if len(refresh) != 1 {
		t.Errorf("%d readings were asked for, want one for both requests", len(refresh))
	}
}

// TestSlowReaderIsDropped: a client that takes nothing is dropped after maxWaiting events, and no one waits
// for it.
func TestSlowReaderIsDropped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := hub{clients: map[chan clientEvent]bool{}}
		slow, _ := h.join()
		fast, _ := h.join()
		got := 0
		go func() {
			for range fast {
				got++
			}
		}()
		began := time.Now()
		for range maxWaiting + 10 {
			h.publish(clientEvent{kind: "state"})
			synctest.Wait()
		}
		if time.Since(began) > 0 || got != maxWaiting+10 || len(h.clients) != 1 {
			t.Errorf("after %v the other one has %d events, and %d clients are left", time.Since(began), got, len(h.clients))
		}
		left := 0
		for range slow {
			left++
		}
		if left != maxWaiting {
			t.Errorf("the slow one has %d events, then the end; want %d", left, maxWaiting)
		}
		h.leave(slow)
		h.close()
		if _, ok := h.join(); ok {
			t.Error("a client joined after the end")
		}
	})
}

// TestTooManyClients of events are refused; others are answered.
func TestTooManyClients(t *testing.T) {
	m, _ := twoServers("", false)
	for range maxClients {
		if _, ok := m.events.join(); !ok {
			t.Fatal("refused too early")
		}
	}
	if w := asked(m, "GET", "/v1/events"); w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" {
		t.Errorf("%d", w.Code)
	}
	if w := asked(m, "GET", "/healthz"); w.Code != http.StatusOK {
		t.Errorf("health: %d", w.Code)
	}
	m.events.close()
}

// TestSlowRequest that never ends its head is given up.
func TestSlowRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, _ := twoServers("", false)
		ours, theirs := net.Pipe()
		m.serve(&oneConnection{conn: theirs, closed: make(chan struct{})})
		began := time.Now()
		go func() { _, _ = io.WriteString(ours, "GET /healthz HTTP/1.1\r\nHost: local") }()
		_, _ = io.Copy(io.Discard, ours) // until they close
		if took := time.Since(began); took > headerTime+time.Second {
			t.Errorf("given up after %v", took)
		}
		m.close()
	})
}

// oneConnection is a listener with one client.
type oneConnection struct {
	conn   net.Conn
	closed chan struct{}
}

func (l *oneConnection) Accept() (net.Conn, error) {
	if conn := l.conn; conn != nil {
		l.conn = nil
		return conn, nil
	}
	<-l.closed
	return nil, net.ErrClosed
}

func (l *oneConnection) Close() error   { close(l.closed); return nil }
func (l *oneConnection) Addr() net.Addr { return &net.TCPAddr{} }

// TestMetrics counts findings by level, and forgets servers that went.
func TestMetrics(t *testing.T) {
	m, _ := twoServers("", false)
	waived := finding.Finding{Level: finding.Breaking, Waiver: &finding.Waiver{}}
	m.publish(WatchEvent{Server: "a b", Findings: seen.Findings{{Level: finding.Breaking}, {Level: finding.Info}, waived}}, nil)
	text := asked(m, "GET", "/metrics").Body.String()
	for _, want := range []string{
		`mcpctl_changes_total{level="breaking",server="a b"} 1`, `mcpctl_changes_total{level="waived",server="a b"} 1`,
		`mcpctl_changes_total{level="warning",server="bad"} 0`,
	} {
		if !strings.Contains(text, want+"\n") {
			t.Errorf("no %s", want)
		}
	}
	unknown := func() watch.Status { return watch.Status{} }
	m.watch([]monitoredServer{{name: "\xff", status: unknown}, {name: "\xfe", status: unknown}})
	if text = asked(m, "GET", "/metrics").Body.String(); strings.Contains(text, `"a b"`) ||
		!strings.Contains(text, `mcpctl_server_up{server="`+"\uFFFD"+`"} 0`) {
		t.Errorf("after other servers came:\n%s", text)
	}
}
