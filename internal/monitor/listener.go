package monitor

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/mcpctl/mcpctl/internal/match"
)

// connections are the clients of a listener, a bounded number. The one idle longest makes room for a new one, so that clients
// that hold connections keep nobody out; fewer requests than connections are served at once.
type connections struct {
	net.Listener
	most int

	mu     sync.Mutex
	open   map[*connection]bool
	served int // connections that a request is served on

	pace pace
}

// spare is how many connections are kept for requests that take no time.
const spare = 16

// Accept waits for a connection, and makes room for it.
func (l *connections) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	c := &connection{Conn: conn, of: l, since: time.Now()}
	l.mu.Lock()
	l.open[c] = true
	oldest := c
	for one := range l.open {
		if !one.serving && one.since.Before(oldest.since) {
			oldest = one
		}
	}
	full := len(l.open) > l.most
	l.mu.Unlock()
	if full {
		_ = oldest.Close()
	}
	return c, nil
}

// connection is one client.
type connection struct {
	net.Conn
	of      *connections
	since   time.Time // that nothing is done for it
	serving bool
}

// serve begins to serve a request; false = too many are, and this one is not urgent.
func (c *connection) serve(urgent bool) bool {
	c.of.mu.Lock()
	defer c.of.mu.Unlock()
	if c.of.served >= c.of.most-spare && !urgent {
		return false
	}
	c.of.served++
	c.serving = true
	return true
}

func (c *connection) served() {
	c.of.mu.Lock()
	defer c.of.mu.Unlock()
	c.of.served--
	c.serving, c.since = false, time.Now()
}

// Close gives the place back.
func (c *connection) Close() error {
	c.of.mu.Lock()
	delete(c.of.open, c)
	c.of.mu.Unlock()
	return c.Conn.Close()
}

// placed is the context of a connection, which serving asks for it.
func placed(ctx context.Context, conn net.Conn) context.Context {
	if secured, ok := conn.(*tls.Conn); ok {
		conn = secured.NetConn()
	}
	return context.WithValue(ctx, placeKey{}, conn)
}

type placeKey struct{}

// serve serves a request on its connection, if there is a place. The routes that life depends on take no time, and always have one.
func serve(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if c, ok := r.Context().Value(placeKey{}).(*connection); ok {
			c.of.pace.wait(r.Context())
			if !c.serve(r.URL.Path == "/healthz" || r.URL.Path == "/readyz") {
				w.Header().Set("Retry-After", "1")
				w.Header().Set("Connection", "close")
				refuse(w, http.StatusServiceUnavailable, "too many requests are answered already")
				return
			}
			defer c.served()
		}
		next.ServeHTTP(w, r)
	})
}

// How many requests are answered, whatever their number: a burst of one for each connection, and then so many in a second. Each waits for
// a quarter of one at most, since a connection has one request at a time.
const (
	paceBurst     = maxConnections
	pacePerSecond = 4 * maxConnections
)

// pace lets requests through one after the other, so that those who send without end leave the processor to others.
type pace struct {
	mu   sync.Mutex
	next time.Time // when the burst would be used up
}

// wait waits for the turn of a request, or until ctx ends.
func (p *pace) wait(ctx context.Context) {
	const each = time.Second / pacePerSecond
	p.mu.Lock()
	now := time.Now()
	if p.next.Before(now) {
		p.next = now
	}
	p.next = p.next.Add(each)
	early := p.next.Sub(now) - paceBurst*each
	p.mu.Unlock()
	if early <= 0 {
		return
	}
	turn := time.NewTimer(early)
	defer turn.Stop()
	select {
	case <-turn.C:
	case <-ctx.Done():
	}
}

// shutDown lets responses end for a moment, then breaks them off.
func shutDown(server *http.Server) {
	ctx, cancel := context.WithTimeout(context.Background(), closeTime)
	defer cancel()
	if server.Shutdown(ctx) != nil {
		_ = server.Close()
	}
}

// ParseAddress reads an address to listen on; a port alone is loopback.
func ParseAddress(text string) (netip.AddrPort, error) {
	host, port := "", text
	if i := strings.LastIndexByte(text, ':'); i >= 0 {
		host, port = text[:i], text[i+1:]
	}
	number, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		return netip.AddrPort{}, fmt.Errorf("%q has no port of 0 to 65535: write it as 127.0.0.1:9464", text)
	}
	if host == "" || host == "localhost" {
		host = "127.0.0.1"
	}
	address, err := netip.ParseAddr(strings.TrimSuffix(strings.TrimPrefix(host, "["), "]"))
	if err != nil {
		return netip.AddrPort{}, fmt.Errorf("%q is no IP address: write it as 127.0.0.1:9464, or 0.0.0.0:9464 for all interfaces", text)
	}
	return netip.AddrPortFrom(address.Unmap(), uint16(number)), nil
}

// guard keeps out requests for another host, as a page sends whose name was pointed at this machine (DNS rebinding), and
// those of pages of other origins, which may read nothing.
func (m *Monitor) guard(next http.Handler) http.Handler {
	foreign := http.NewCrossOriginProtection()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		head := w.Header()
		head.Set("X-Content-Type-Options", "nosniff")
		head.Set("Cache-Control", "no-store")
		r.Body = http.MaxBytesReader(w, r.Body, requestBytes)
		switch {
		case m.options.Loopback && !match.ThisMachine(r.Host):
			refuse(w, http.StatusMisdirectedRequest, "this listens on the loopback interface and answers to localhost, 127.0.0.1 and [::1] only, not to %q", r.Host)
		case foreign.Check(r) != nil, foreignPage(r):
			refuse(w, http.StatusForbidden, "a web page of another origin may not ask this")
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// foreignPage tells whether a browser asks for a page of another origin. A link to our own page may be anywhere.
func foreignPage(r *http.Request) bool {
	head := r.Header
	switch site := head.Get("Sec-Fetch-Site"); {
	case site != "":
		link := r.URL.Path == "/" && head.Get("Sec-Fetch-Mode") == "navigate" && head.Get("Sec-Fetch-Dest") == "document"
		return site != "same-origin" && site != "none" && !link
	case head.Get("Origin") != "": // of a browser that is older
		origin, err := url.Parse(head.Get("Origin"))
		return err != nil || origin.Host != r.Host
	}
	return false
}

// admit answers those who show the token, or everybody where there is none or the route is open.
func (m *Monitor) admit(open bool, answer http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if m.options.Token != "" && !open && !shows(r, m.options.Token) {
			w.Header().Set("WWW-Authenticate", `Bearer realm="mcpctl"`)
			refuse(w, http.StatusUnauthorized, "send the token that mcpctl was given as --listen-token: Authorization: Bearer TOKEN")
			return
		}
		answer(w, r)
	}
}

// shows compares in a time that tells nothing about the token, not even its length.
func shows(r *http.Request, token string) bool {
	scheme, sent, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	got, want := sha256.Sum256([]byte(strings.TrimSpace(sent))), sha256.Sum256([]byte(token))
	return subtle.ConstantTimeCompare(got[:], want[:]) == 1 && strings.EqualFold(scheme, "Bearer")
}
