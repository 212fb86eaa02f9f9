// Package monitor serves the state of watched servers over HTTP. It only reads what watching publishes, so no
// client can delay that.
package monitor

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/printable"
	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/pkg/watch"
)

// Options configure a Monitor. The zero value works.
type Options struct {
	Token    string                      // that clients must send, except for /healthz; empty = none
	Loopback bool                        // only this machine can connect, by one of its names
	Version  string                      // of the program
	Explain  func(error) *report.Failure // makes the "error" of a server; nil = its text only
}

// Server is one configured server.
type Server struct {
	Name      string
	Transport string              // "stdio" or "http"; empty = not known
	Status    func() watch.Status // the current state
	Refresh   chan<- struct{}     // takes a request to read it; nil = it is not watched
	Trouble   *report.Failure     // why it is not watched
}

// Monitor answers HTTP clients. Its methods may be called at the same time; those of a nil Monitor do
// nothing.
type Monitor struct {
	options Options
	servers atomic.Pointer[[]Server]
	metrics *metrics
	events  hub
	http    *http.Server
	ended   chan struct{} // closed when serving has ended
}

// Limits of what one client may use.
const (
	headerTime   = 5 * time.Second  // to send the head of a request
	requestTime  = 10 * time.Second // to send all of it
	responseTime = 30 * time.Second // to take a response other than events
	idleTime     = time.Minute      // between requests
	headerBytes  = 16 << 10
	requestBytes = 4 << 10
	closeTime    = 500 * time.Millisecond // for responses that are being sent at the end
)

// New returns a Monitor without servers.
func New(o Options) *Monitor {
	if o.Explain == nil {
		o.Explain = func(err error) *report.Failure { return &report.Failure{Message: err.Error()} }
	}
	m := &Monitor{options: o, events: hub{clients: map[chan message]bool{}}, ended: make(chan struct{})}
	m.servers.Store(new([]Server))
	m.metrics = newMetrics(m)
	return m
}

// Serve answers the clients of a listener until Close.
func (m *Monitor) Serve(listener net.Listener) {
	m.http = &http.Server{
		Handler: m.Handler(), ReadHeaderTimeout: headerTime, ReadTimeout: requestTime,
		WriteTimeout: responseTime, IdleTimeout: idleTime, MaxHeaderBytes: headerBytes,
		ErrorLog: log.New(io.Discard, "", 0),
	}
	go func() {
		defer close(m.ended)
		_ = m.http.Serve(listener) // ends by Close
	}()
}

// Close sends clients the events that were published and ends serving.
func (m *Monitor) Close() {
	if m == nil {
		return
	}
	m.events.close()
	ctx, cancel := context.WithTimeout(context.Background(), closeTime)
	defer cancel()
	if m.http.Shutdown(ctx) != nil {
		_ = m.http.Close()
	}
	<-m.ended
}

// Watch sets the servers. Metrics of others are forgotten.
func (m *Monitor) Watch(servers []Server) {
	if m == nil {
		return
	}
	before := *m.servers.Swap(&servers)
	for _, s := range servers {
		m.metrics.expect(s.Name)
	}
	for _, old := range before {
		if !slices.ContainsFunc(servers, func(s Server) bool { return s.Name == old.Name }) {
			m.metrics.forget(old.Name)
		}
	}
}

// Publish sends an event, and its line of JSON, to the clients of /v1/events, and counts its findings.
func (m *Monitor) Publish(e report.Event, line []byte) {
	if m != nil {
		m.metrics.found(e.Server, e.Findings)
		m.events.publish(message{e.Event, line})
	}
}

// Undelivered counts changes that an output did not receive.
func (m *Monitor) Undelivered(output string, changes int) {
	if m != nil {
		m.metrics.undelivered.WithLabelValues(output).Add(float64(changes))
	}
}

// Handler answers requests: the route, then the token, then the origin of writes, then the Host.
func (m *Monitor) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, http.StatusOK, map[string]string{"status": "ok"})
	})
	mux.Handle("GET /metrics", m.admit(m.metrics.handler()))
	mux.Handle("GET /v1/servers", m.admit(http.HandlerFunc(m.listServers)))
	mux.Handle("GET /v1/servers/{name}", m.admit(http.HandlerFunc(m.showServer)))
	mux.Handle("POST /v1/servers/{name}/refresh", m.admit(http.HandlerFunc(m.refresh)))
	mux.Handle("GET /v1/events", m.admit(http.HandlerFunc(m.follow)))
	return m.checkHost(http.NewCrossOriginProtection().Handler(mux))
}

// checkHost refuses a request that came to a loopback address under another name: a web page whose name was
// pointed at this machine sends it (DNS rebinding).
func (m *Monitor) checkHost(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Cache-Control", "no-store")
		r.Body = http.MaxBytesReader(w, r.Body, requestBytes)
		if m.options.Loopback && !kit.ThisMachine(r.Host) {
			refuse(w, http.StatusMisdirectedRequest, "not a name of this machine: %q", r.Host)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// admit answers clients that send the token, or all of them if there is none.
func (m *Monitor) admit(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if m.options.Token != "" && !hasToken(r, m.options.Token) {
			w.Header().Set("WWW-Authenticate", `Bearer realm="mcpctl"`)
			refuse(w, http.StatusUnauthorized, "send the token: Authorization: Bearer TOKEN")
			return
		}
		next.ServeHTTP(w, r)
	})
}

// hasToken compares in a time that does not depend on the token, not even on its length.
func hasToken(r *http.Request, token string) bool {
	scheme, sent, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	got, want := sha256.Sum256([]byte(strings.TrimSpace(sent))), sha256.Sum256([]byte(token))
	return subtle.ConstantTimeCompare(got[:], want[:]) == 1 && strings.EqualFold(scheme, "Bearer")
}

func refuse(w http.ResponseWriter, status int, format string, args ...any) {
	http.Error(w, fmt.Sprintf(format, args...), status)
}

// writeJSON answers with a value. Characters of strings that a terminal would obey are escaped.
func writeJSON(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	raw, _ := rawjson.Encode(value)            // every value of ours has a JSON form
	_, _ = w.Write(printable.EscapedJSON(raw)) // if it fails, the client has left
}
