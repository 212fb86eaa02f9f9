package monitor

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpctl/mcpctl/internal/journal"
	"github.com/mcpctl/mcpctl/internal/report"
)

// tellN tells events whose notes are their numbers.
func tellN(m *Monitor, from, to int) {
	for i := from; i <= to; i++ {
		tell(m, report.Event{Event: "unchanged", Server: "s", Note: fmt.Sprint(i)})
	}
}

// heard is what a client hears that comes back with an id after all was told.
func heard(t *testing.T, m *Monitor, lastID string) []string {
	t.Helper()
	m.Close()
	var headers []string
	if lastID != "" {
		headers = []string{"Last-Event-ID: " + lastID}
	}
	_, body := ask(t, m.Handler(), "GET", "/v1/events", "", headers...)
	return words(strings.Split(body, "\n"))
}

// words are the ids without their run, the notes, and what was missed.
func words(lines []string) []string {
	var all []string
	for _, line := range lines {
		if _, number, ok := strings.Cut(line, "-"); ok && strings.HasPrefix(line, "id: ") {
			all = append(all, "#"+number)
		}
		if _, note, ok := strings.Cut(line, `"note": "`); ok {
			all = append(all, strings.TrimRight(note, `"}`))
		}
		if rest, ok := strings.CutPrefix(line, `data: {"mcpctl":1,"event":"missed"`); ok {
			all = append(all, "missed"+strings.TrimRight(rest, "}"))
		}
	}
	return all
}

// TestResuming goes on after the event that a client saw last, and says how many are gone.
func TestResuming(t *testing.T) {
	for name, c := range map[string]struct {
		lastID string // RUN is that of the monitor
		want   []string
	}{
		"from now on":      {"", nil},
		"nothing new":      {"RUN-6", nil},
		"two":              {"RUN-4", []string{"#5", "5", "#6", "6"}},
		"all that is kept": {"RUN-3", []string{"#4", "4", "#5", "5", "#6", "6"}},
		"too late":         {"RUN-1", []string{`missed,"count":2`, "#4", "4", "#5", "5", "#6", "6"}},
		"from the start":   {"RUN-0", []string{`missed,"count":3`, "#4", "4", "#5", "5", "#6", "6"}},
		"of another run":   {"OTHER-5", []string{"missed", "#4", "4", "#5", "5", "#6", "6"}},
		"of the future":    {"RUN-7", []string{"missed", "#4", "4", "#5", "5", "#6", "6"}},
		"nonsense":         {"-", []string{"missed", "#4", "4", "#5", "5", "#6", "6"}},
	} {
		t.Run(name, func(t *testing.T) {
			m := New(Options{Journal: journal.Bounded(3, journal.KeptBytes)})
			tellN(m, 1, 6)
			if diff := cmp.Diff(c.want, heard(t, m, strings.Replace(c.lastID, "RUN", runOf(m), 1))); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// runOf tells the ids of a monitor's events from those of another one's.
func runOf(m *Monitor) string {
	_, id := m.events.Last()
	run, _, _ := strings.Cut(id, "-")
	return run
}

// TestNothingAfterTheEnd tells what was told before it, and closes.
func TestNothingAfterTheEnd(t *testing.T) {
	m := New(Options{})
	tellN(m, 1, 1)
	m.Close()
	tellN(m, 2, 2)
	if diff := cmp.Diff([]string{"#1", "1"}, heard(t, m, runOf(m)+"-0")); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestHeartbeat keeps a quiet connection alive, and events come when they are told.
func TestHeartbeat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := New(Options{})
		ctx, leave := context.WithCancel(t.Context())
		w := &lines{}
		left := make(chan struct{})
		go func() {
			defer close(left)
			r := httptest.NewRequestWithContext(ctx, "GET", "/v1/events", nil)
			m.Handler().ServeHTTP(w, r)
		}()
		time.Sleep(20 * time.Second)
		tellN(m, 1, 2)
		synctest.Wait()
		tellN(m, 3, 3)
		time.Sleep(20 * time.Second)
		leave()
		<-left
		want := []string{"0s retry: 1000", "15s :", "20s id: 1", "20s id: 2", "20s id: 3", "35s :"}
		if diff := cmp.Diff(want, w.got); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
		if n := m.meter.subscribers.Load() + m.meter.dropped.Load(); n != 0 {
			t.Errorf("%d clients are left or count as dropped", n)
		}
	})
}

// lines keeps what a handler writes, with the time.
type lines struct {
	head  http.Header
	began time.Time
	got   []string
}

func (l *lines) Header() http.Header {
	if l.head == nil {
		l.head, l.began = http.Header{}, time.Now()
	}
	return l.head
}

func (l *lines) WriteHeader(int) {}

func (l *lines) Write(p []byte) (int, error) {
	line, _, _ := strings.Cut(string(p), "\n")
	if run, number, ok := strings.Cut(line, "-"); ok && strings.HasPrefix(run, "id: ") {
		line = "id: " + number
	}
	l.got = append(l.got, fmt.Sprint(time.Since(l.began), " ", line))
	return len(p), nil
}

func (l *lines) Flush() {}

// serveAt serves a monitor on the loopback interface until the end of the test, to as many connections as most if it is given.
func serveAt(t *testing.T, m *Monitor, most ...int) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	m.Serve(listener, nil, append(most, 0)[0])
	t.Cleanup(m.Close)
	return listener.Addr().String()
}

// subscribe opens a connection that listens to events, and reads the head of the response.
func subscribe(t *testing.T, address string) (net.Conn, *bufio.Reader) {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	fmt.Fprintf(conn, "GET /v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
	reader := bufio.NewReader(conn)
	for {
		line, err := reader.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(line, "retry:") {
			return conn, reader
		}
	}
}

// tellBig tells more than any connection holds back.
func tellBig(m *Monitor) {
	for range 30 {
		tell(m, report.Event{Event: "unchanged", Server: "s", Note: strings.Repeat("x", 1<<20)})
	}
}

// TestNobodyWaitsForASlowClient however patient with it the monitor is: neither who tells, nor another client, nor the end.
func TestNobodyWaitsForASlowClient(t *testing.T) {
	m := New(Options{Journal: journal.Bounded(100, 1<<30)})
	m.patient = time.Hour
	address := serveAt(t, m)
	subscribe(t, address)
	_, quick := subscribe(t, address)
	got := make(chan int)
	go func() {
		n := 0
		for n < 30 {
			line, err := quick.ReadString('\n')
			if err != nil {
				break
			}
			if strings.HasPrefix(line, "data:") {
				n++
			}
		}
		got <- n
	}()
	tellBig(m)
	if n := <-got; n != 30 {
		t.Errorf("the other client heard %d of 30 events", n)
	}
	if n := m.meter.subscribers.Load(); n != 2 {
		t.Errorf("%d clients listen, want the slow one as well", n)
	}
	m.Close()
}

// TestSlowClientIsDropped once the time is over that it has to take what it is sent.
func TestSlowClientIsDropped(t *testing.T) {
	m := New(Options{Journal: journal.Bounded(100, 1<<30)})
	m.patient = 100 * time.Millisecond
	subscribe(t, serveAt(t, m))
	tellBig(m)
	for late := time.Now().Add(30 * time.Second); m.meter.dropped.Load() == 0 && time.Now().Before(late); {
		time.Sleep(time.Millisecond)
	}
	if n := m.meter.dropped.Load(); n != 1 {
		t.Errorf("%d clients were dropped, want the slow one", n)
	}
}

// TestClosingIsQuick however many clients hold on, and gives those that listen the last event.
func TestClosingIsQuick(t *testing.T) {
	m := New(Options{})
	address := serveAt(t, m)
	_, listening := subscribe(t, address)
	idle, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer idle.Close()
	fmt.Fprint(idle, "GET /healthz HTTP/1.1\r\nHost: local") // and never the rest
	tell(m, report.Event{Event: "summary"})
	began := time.Now()
	m.Close()
	if took := time.Since(began); took > 4*closeTime { // one of them to be waited for
		t.Errorf("closing took %v", took)
	}
	var got []string
	for {
		line, err := listening.ReadString('\n')
		if err != nil {
			break
		}
		got = append(got, line)
	}
	if !slices.Contains(got, "event: summary\n") {
		t.Errorf("the last event is missing: %q", got)
	}
	if _, err := net.Dial("tcp", address); err == nil {
		t.Error("it still listens")
	}
}

// TestHealthAlwaysHasAPlace however many clients hold connections: those that wait between requests, those that never end a
// request, and those that listen to events, which stay.
func TestHealthAlwaysHasAPlace(t *testing.T) {
	for name, hold := range map[string]func(net.Conn){
		"idle": func(c net.Conn) {
			fmt.Fprint(c, "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
			_, _ = bufio.NewReader(c).ReadString('\n')
		},
		"silent": func(net.Conn) {},
		"slow":   func(c net.Conn) { fmt.Fprint(c, "GET /healthz HTTP/1.1\r\nHost: local") },
	} {
		t.Run(name, func(t *testing.T) {
			m := New(Options{})
			address := serveAt(t, m)
			_, listening := subscribe(t, address)
			for range maxConnections + 44 {
				conn, err := net.Dial("tcp", address)
				if err != nil {
					t.Fatal(err)
				}
				defer conn.Close()
				hold(conn)
			}
			client := http.Client{Timeout: headerTime / 2, Transport: &http.Transport{DisableKeepAlives: true}}
			response, err := client.Get("http://" + address + "/healthz")
			if err != nil {
				t.Fatal(err)
			}
			_ = response.Body.Close()
			tellN(m, 1, 1)
			for line := ""; !strings.HasPrefix(line, "id:"); {
				if line, err = listening.ReadString('\n'); err != nil {
					t.Fatalf("a client that listens was closed: %v", err)
				}
			}
		})
	}
}

// TestBusyHasAPlaceForHealth: when as many requests are served as may be, others are told, and health is answered.
func TestBusyHasAPlaceForHealth(t *testing.T) {
	m := New(Options{})
	address := serveAt(t, m, 2*spare)
	for range spare {
		subscribe(t, address)
	}
	for path, want := range map[string]int{"/v1/servers": 503, "/healthz": 200, "/readyz": 503} {
		response, err := http.Get("http://" + address + path)
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(response.Body)
		_ = response.Body.Close()
		if busy := strings.Contains(string(text), "too many"); response.StatusCode != want || busy != (path == "/v1/servers") {
			t.Errorf("%s gets %d: %s", path, response.StatusCode, text)
		}
	}
	http.DefaultClient.CloseIdleConnections()
}

// TestBigHeads are refused.
func TestBigHeads(t *testing.T) {
	address := serveAt(t, monitorOf(Options{Loopback: true}, five()...))
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Big: %s\r\n\r\n", strings.Repeat("x", 2*headerBytes))
	line, _ := bufio.NewReader(conn).ReadString('\n')
	if !strings.Contains(line, " 431 ") {
		t.Errorf("a big head gets %q", line)
	}
}
