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
	"net/netip"
	"strconv"
	"strings"
	"sync"
)

// bounded is a listener that holds at most n connections at once; the others wait.
func bounded(l net.Listener, n int) net.Listener {
	return &boundedListener{Listener: l, places: make(chan struct{}, n), closed: make(chan struct{})}
}

type boundedListener struct {
	net.Listener
	places chan struct{}
	closed chan struct{}
	once   sync.Once
}

// Accept waits for a place, then for a connection.
func (l *boundedListener) Accept() (net.Conn, error) {
	select {
	case l.places <- struct{}{}:
	case <-l.closed:
		return nil, net.ErrClosed
	}
	conn, err := l.Listener.Accept()
	if err != nil {
		<-l.places
		return nil, err
	}
	return &placed{Conn: conn, leave: sync.OnceFunc(func() { <-l.places })}, nil
}

// Close ends waiting too.
func (l *boundedListener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return l.Listener.Close()
}

// placed is a connection that gives its place back once it is closed.
type placed struct {
	net.Conn
	leave func()
}

// Close gives the place back.
func (p *placed) Close() error {
	defer p.leave()
	return p.Conn.Close()
}

// silent is a log that nobody reads: what clients do wrong is their own affair.
func silent() *log.Logger { return log.New(io.Discard, "", 0) }

// shutDown lets responses end for a moment, then breaks them off.
func shutDown(server *http.Server) {
	ctx, cancel := context.WithTimeout(context.Background(), closeTime)
	defer cancel()
	if server.Shutdown(ctx) != nil {
		_ = server.Close()
	}
}

// ParseAddress reads an address to listen on. A port alone is one of the loopback interface, so that nothing is open to
// others unless their interface is written out.
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

// guard keeps out what no client of ours sends: requests for another host, which a web page makes whose name was pointed
// at this machine (DNS rebinding), and requests that a browser makes for a page of another origin. Nothing is said about
// other origins in responses, so that pages cannot read them.
func (m *Monitor) guard(next http.Handler) http.Handler {
	foreign := http.NewCrossOriginProtection()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		head := w.Header()
		head.Set("X-Content-Type-Options", "nosniff")
		head.Set("Cache-Control", "no-store")
		r.Body = http.MaxBytesReader(w, r.Body, requestBytes)
		switch {
		case m.options.Loopback && !here(r.Host):
			refuse(w, http.StatusMisdirectedRequest, "this listens on the loopback interface and answers to localhost, 127.0.0.1 and [::1] only, not to %q", r.Host)
		case foreign.Check(r) != nil:
			refuse(w, http.StatusForbidden, "a web page of another origin may not ask this")
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// here tells whether a Host header names the loopback interface.
func here(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	address, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return strings.EqualFold(host, "localhost") || err == nil && address.IsLoopback()
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
