package watchrun

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/printable"
	"github.com/mcpctl/mcpctl/internal/rawjson"
)

// monitor serves the state of watched servers over HTTP. It only reads what watching publishes, so no client
// can delay that. Its methods may be called at the same time; those of a nil monitor do nothing.
type monitor struct {
	token    string // that clients must send, except for /healthz; empty = none
	loopback bool   // only this machine can connect, by one of its names
	servers  atomic.Pointer[[]monitoredServer]
	metrics  *metrics
	events   hub
	http     *http.Server
	ended    chan struct{} // closed when serving has ended
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

// newMonitor returns a monitor without servers.
func newMonitor(token string, loopback bool) *monitor {
	m := &monitor{token: token, loopback: loopback, ended: make(chan struct{})}
	m.events.clients = map[chan clientEvent]bool{}
	m.servers.Store(new([]monitoredServer))
	m.metrics = newMetrics(m)
	return m
}

// serve answers the clients of a listener until close.
func (m *monitor) serve(listener net.Listener) {
	m.http = &http.Server{
		Handler: m.handler(), ReadHeaderTimeout: headerTime, ReadTimeout: requestTime,
		WriteTimeout: responseTime, IdleTimeout: idleTime, MaxHeaderBytes: headerBytes,
		ErrorLog: log.New(io.Discard, "", 0),
	}
	go func() {
		defer close(m.ended)
		_ = m.http.Serve(listener) // ends by close
	}()
}

// close sends clients the events that were published and ends serving.
func (m *monitor) close() {
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

// watch sets the servers. Metrics of others are forgotten.
func (m *monitor) watch(servers []monitoredServer) {
	if m == nil {
		return
	}
	before := *m.servers.Swap(&servers)
	for _, s := range servers {
		m.metrics.expect(s.name)
	}
	for _, old := range before {
		if !slices.ContainsFunc(servers, func(s monitoredServer) bool { return s.name == old.name }) {
			m.metrics.forget(old.name)
		}
	}
}

// publish sends an event, and its line of JSON, to the clients of /v1/events, and counts its findings.
func (m *monitor) publish(e WatchEvent, line []byte) {
	if m != nil {
		m.metrics.found(e.Server, e.Findings)
		m.events.publish(clientEvent{e.Event, line})
	}
}

// handler answers requests after it checked the Host, then the origin, then the token.
func (m *monitor) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, http.StatusOK, map[string]string{"status": "ok"})
	})
	mux.Handle("GET /metrics", m.admit(promhttp.HandlerFor(m.metrics.registry, promhttp.HandlerOpts{})))
	mux.Handle("GET /v1/servers", m.admit(http.HandlerFunc(m.listServers)))
	mux.Handle("GET /v1/servers/{name}", m.admit(http.HandlerFunc(m.showServer)))
	mux.Handle("POST /v1/servers/{name}/refresh", m.admit(http.HandlerFunc(m.refresh)))
	mux.Handle("GET /v1/events", m.admit(http.HandlerFunc(m.follow)))
	return m.checkHost(checkOrigin(mux))
}

// checkHost refuses a request that came to a loopback address under another name: a web page whose name was
// pointed at this machine sends it (DNS rebinding).
func (m *monitor) checkHost(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Cache-Control", "no-store")
		r.Body = http.MaxBytesReader(w, r.Body, requestBytes)
		if m.loopback && !isLocal(r.Host) {
			refuse(w, http.StatusMisdirectedRequest, "not a name of this machine: %q", r.Host)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// isLocal reports whether the text of a Host is a name of this machine, with or without a port.
func isLocal(text string) bool {
	u, err := url.Parse("http://" + text)
	if err != nil || u.Host != text || !kit.ThisMachine(u.Hostname()) {
		return false
	}
	_, wrong := strconv.ParseUint(u.Port(), 10, 16)
	return wrong == nil || u.Port() == "" && !strings.HasSuffix(text, ":")
}

// checkOrigin refuses requests that a browser sends for a page of another origin, reading ones too: such a
// page could keep the places of clients that follow events. Only opening an address as a page is left.
func checkOrigin(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		site, origin := r.Header.Get("Sec-Fetch-Site"), r.Header.Get("Origin")
		from, err := url.Parse(origin)
		opened := r.Method == http.MethodGet && r.Header.Get("Sec-Fetch-Mode") == "navigate" &&
			r.Header.Get("Sec-Fetch-Dest") == "document"
		foreign := origin != "" && (err != nil || from.Host == "" || !strings.EqualFold(from.Host, r.Host))
		if foreign || site != "" && site != "same-origin" && site != "none" && !opened {
			refuse(w, http.StatusForbidden, "a request of a page of another origin")
			return
		}
		next.ServeHTTP(w, r)
	})
}

// admit answers clients that send the token, or all of them if there is none.
func (m *monitor) admit(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if m.token != "" && !hasToken(r, m.token) {
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
