package monitor

import (
	"crypto/sha256"
	"crypto/subtle"
	"net"
	"net/http"
	"net/netip"
	"strings"
)

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
