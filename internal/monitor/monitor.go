// Package monitor serves over HTTP what is known of watched servers. It only reads what watching publishes; no client holds
// that up.
package monitor

import (
	"cmp"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpctl/mcpctl/internal/journal"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/pkg/watch"
)

// Options are what a Monitor needs to know. The zero value works.
type Options struct {
	Journal  *journal.Journal            // the events; nil = there are none
	Token    string                      // what clients must show, except for health; empty = nothing
	Loopback bool                        // only names of this machine are answered to, against DNS rebinding
	Version  string                      // of the program
	Explain  func(error) *report.Failure // a server's trouble as a report shows it; nil = its text alone
}

// Server is one server that is watched, or that is not and why.
type Server struct {
	Name      string
	Transport string              // "stdio" or "http"; empty = not known
	Status    func() watch.Status // how it stands with it now
	Refresh   chan<- struct{}     // has room for one request to read it at once; nil = it is not watched
	Trouble   *report.Failure     // why it is not
}

// now is how it stands with a server. One that watching has not begun with yet is about to be connected to.
func (s Server) now() watch.Status {
	now := s.Status()
	if now.State == "" {
		now.State = watch.Connecting
	}
	return now
}

// Monitor tells HTTP clients how it stands with servers. Methods may run at once; a nil Monitor does nothing.
type Monitor struct {
	options Options
	meter   *meter
	events  *journal.Journal
	asking  asking
	past    past
	shared  shared
	patient time.Duration // with clients that do not take what they are sent
	servers atomic.Pointer[[]Server]
	ready   atomic.Bool // every server has had its first outcome
	ending  atomic.Bool

	http    *http.Server
	serving sync.WaitGroup
}

// New makes a Monitor that watches no server yet.
func New(o Options) *Monitor {
	if o.Explain == nil {
		o.Explain = func(err error) *report.Failure { return &report.Failure{Message: err.Error()} }
	}
	if o.Journal == nil {
		o.Journal = journal.New()
	}
	m := &Monitor{options: o, events: o.Journal, patient: patience}
	m.servers.Store(new([]Server))
	m.meter = newMeter(m)
	return m
}

// Limits of what a client may take up.
const (
	headerTime     = 5 * time.Second  // to send the head of a request
	requestTime    = 10 * time.Second // to send all of it
	responseTime   = 30 * time.Second // to take the response, but for events
	idleTime       = time.Minute      // between requests
	headerBytes    = 16 << 10
	requestBytes   = 4 << 10
	maxConnections = 256
	closeTime      = 500 * time.Millisecond // for responses that are under way at the end
)

// Serve answers the clients of a listener until Close, over TLS unless secure is nil, most connections at once; 0 = 256.
func (m *Monitor) Serve(listener net.Listener, secure *tls.Config, most int) {
	m.http = &http.Server{
		Handler: serve(m.Handler()), ConnContext: placed, ReadHeaderTimeout: headerTime, ReadTimeout: requestTime, WriteTimeout: responseTime,
		IdleTimeout: idleTime, MaxHeaderBytes: headerBytes, ErrorLog: log.New(io.Discard, "", 0), // what clients do wrong is their own affair
	}
	clients := net.Listener(&connections{Listener: listener, most: max(cmp.Or(most, maxConnections), 2*spare), open: map[*connection]bool{}})
	if secure != nil {
		clients = tls.NewListener(clients, secure)
	}
	m.serving.Go(func() { _ = m.http.Serve(clients) }) // ends by Close
}

// Watch says which servers are watched from now on. What was counted of others is forgotten.
func (m *Monitor) Watch(servers []Server) {
	if m == nil {
		return
	}
	before := *m.servers.Swap(&servers)
	stay := map[string]bool{}
	for _, s := range servers {
		stay[s.Name] = true
		if s.Refresh != nil {
			m.meter.expect(s.Name)
		}
	}
	for _, s := range before {
		if !stay[s.Name] {
			m.meter.forget(s.Name)
			m.asking.forget(s.Name)
			m.past.forget(s.Name)
		}
	}
}

// Attempt counts an attempt to connect to a server or to read it.
func (m *Monitor) Attempt(server string, a watch.Attempt) {
	if m != nil {
		m.meter.attempt(server, a)
		m.past.read(server, a)
	}
}

// Count counts the changes in an event.
func (m *Monitor) Count(e report.Event) {
	if m != nil {
		m.meter.found(e.Server, e.Findings)
		if len(e.Findings) > 0 {
			m.past.changed(e.Server)
		}
	}
}

// Dropped counts changes of a server that an output did not pass on.
func (m *Monitor) Dropped(output, server string, changes int) {
	if m != nil {
		m.meter.undelivered.add(float64(changes), label(server), output)
	}
}

// Close lets responses end for a moment: clients that listen to events have those that were added before the journal's end.
func (m *Monitor) Close() {
	if m == nil {
		return
	}
	m.ending.Store(true)
	_ = m.events.End() // whoever adds events hears of it
	if m.http != nil {
		shutDown(m.http)
	}
	m.serving.Wait()
}

// Times and limits of clients that listen to events.
const (
	heartbeat      = 15 * time.Second // between signs of life
	patience       = 10 * time.Second // for a client to take what it is sent
	maxSubscribers = 64
	reconnectAfter = time.Second // what clients are told to wait before they come back
)

// missed tells a client that there were events which it can no longer get.
type missed struct {
	Mcpctl int    `json:"mcpctl"`
	Event  string `json:"event"`
	Count  int    `json:"count,omitempty"` // absent = not known, for they were of an earlier run
}

// follow sends events as they come, from the one after Last-Event-ID or from now on (HTML standard, server-sent events).
func (m *Monitor) follow(w http.ResponseWriter, r *http.Request) {
	if m.meter.subscribers.Add(1) > maxSubscribers {
		m.meter.subscribers.Add(-1)
		w.Header().Set("Retry-After", "10")
		refuse(w, http.StatusServiceUnavailable, "%d clients listen to events already", maxSubscribers)
		return
	}
	defer m.meter.subscribers.Add(-1)
	s := subscriber{w: w, control: http.NewResponseController(w), journal: m.events, patient: m.patient}
	w.Header().Set("Content-Type", "text/event-stream")
	_ = s.control.SetReadDeadline(time.Time{}) // the request was read; what follows has no end
	err := s.start(r.Header.Get("Last-Event-ID"), r.Method == http.MethodHead)
	if err == nil && r.Method != http.MethodHead {
		err = s.follow(r)
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		m.meter.dropped.Add(1)
	}
}

// subscriber is a client that listens to events.
type subscriber struct {
	w       http.ResponseWriter
	control *http.ResponseController
	journal *journal.Journal
	patient time.Duration
	seen    int // number of the event that was sent last
}

func (s *subscriber) start(lastID string, head bool) error {
	number, known := s.journal.NumberOf(lastID)
	switch {
	case head:
		return nil
	case lastID == "":
		s.seen, _ = s.journal.Last()
	case known:
		s.seen = number
	default:
		s.seen = s.journal.Oldest() - 1
		if err := s.send("event: missed\ndata: %s\n", encode(missed{Mcpctl: report.Version, Event: "missed"})); err != nil {
			return err
		}
	}
	return s.send("retry: %d\n\n", reconnectAfter.Milliseconds())
}

// follow sends until the client leaves, the events end, or the client is too slow to take them.
func (s *subscriber) follow(r *http.Request) error {
	for {
		page := s.journal.After(s.seen)
		if err := s.tell(page); err != nil || page.Ended {
			return err
		}
		select {
		case <-page.More:
		case <-time.After(heartbeat):
			if err := s.send(":\n\n"); err != nil {
				return err
			}
		case <-r.Context().Done():
			return nil
		}
	}
}

// tell sends events, and before them how many are lost to this client.
func (s *subscriber) tell(p journal.Page) error {
	if p.Missed > 0 {
		if err := s.send("event: missed\ndata: %s\n", encode(missed{report.Version, "missed", p.Missed})); err != nil {
			return err
		}
	}
	for _, e := range p.Entries {
		if err := s.send("id: %s\nevent: %s\ndata: %s\n\n", e.ID, e.Kind, e.Line); err != nil {
			return err
		}
		s.seen = e.Number
	}
	return nil
}

// send writes within the time that a client has.
func (s *subscriber) send(format string, args ...any) error {
	_ = s.control.SetWriteDeadline(time.Now().Add(s.patient)) // a recorder has none
	if _, err := fmt.Fprintf(s.w, format, args...); err != nil {
		return err
	}
	return s.control.Flush()
}
