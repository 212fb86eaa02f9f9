// Package monitor serves over HTTP what is known of servers that are watched: metrics, health, surfaces and events.
//
// It only ever reads what watching publishes. Nothing that a client does, or leaves undone, holds up watching.
package monitor

import (
	"cmp"
	"crypto/tls"
	"net"
	"net/http"
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

// Monitor tells HTTP clients how it stands with servers. Its methods may be called at the same time; those of a nil
// Monitor do nothing.
type Monitor struct {
	options Options
	meter   *meter
	events  *journal.Journal
	asking  asking
	past    past
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
	m.servers.Store(&[]Server{})
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

// Serve answers the clients of a listener until Close, over TLS unless secure is nil. At most as many connections as most are
// open; 0 = 256.
func (m *Monitor) Serve(listener net.Listener, secure *tls.Config, most int) {
	m.http = &http.Server{
		Handler: serve(m.Handler()), ConnContext: placed, ReadHeaderTimeout: headerTime, ReadTimeout: requestTime, WriteTimeout: responseTime,
		IdleTimeout: idleTime, MaxHeaderBytes: headerBytes, ErrorLog: silent(),
	}
	clients := net.Listener(bounded(listener, max(cmp.Or(most, maxConnections), 2*spare)))
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
