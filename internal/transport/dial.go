package transport

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/mcpctl/mcpctl/internal/kit"
)

// Dial connects to an address that allow accepts. It is asked as the address is dialed, so that a name cannot
// change in between.
func Dial(ctx context.Context, network, address string, limit time.Duration,
	allow func(netip.Addr) error) (net.Conn, error) {
	d := net.Dialer{Timeout: limit, Control: func(_, dialed string, _ syscall.RawConn) error {
		to, err := netip.ParseAddrPort(dialed)
		if err != nil {
			return err
		}
		return allow(to.Addr())
	}}
	return d.DialContext(ctx, network, address)
}

// dial connects to the endpoint, or to a proxy, whose address does not matter. What is dialed does not show
// which: net/http has its own spelling of hosts.
func (w *web) dial(ctx context.Context, network, address string) (net.Conn, error) {
	allow := w.endpoint.Allow
	if w.via() != nil {
		allow = func(netip.Addr) error { return nil }
	}
	return Dial(ctx, network, address, dialTimeout, allow)
}

// via returns the proxy on the way to the server; nil = none.
func (w *web) via() *url.URL {
	if w.endpoint.Proxy == nil {
		return nil
	}
	via, _ := w.endpoint.Proxy(&http.Request{URL: w.home})
	return via
}

// proxy returns the proxy for a request. It checks the address that the proxy would connect to, if the URL
// has one.
func (w *web) proxy(r *http.Request) (*url.URL, error) {
	if w.endpoint.Proxy == nil {
		return nil, nil
	}
	via, err := w.endpoint.Proxy(r)
	if err != nil {
		return nil, &ProxyError{err}
	}
	ip, notIP := netip.ParseAddr(r.URL.Hostname())
	if err == nil && via != nil && notIP == nil {
		err = w.endpoint.Allow(ip)
	}
	return via, err
}

// proxyOf returns the origin of the proxy on the way, for a status that a proxy may have sent itself.
func (w *web) proxyOf(status int) string {
	// https goes through it unread
	own := status == http.StatusProxyAuthRequired || w.home.Scheme == "http" &&
		slices.Contains([]int{http.StatusForbidden, http.StatusBadGateway, http.StatusServiceUnavailable,
			http.StatusGatewayTimeout}, status)
	if via := w.via(); via != nil && own {
		return Origin(via)
	}
	return ""
}

// refusedByProxy returns the error of a proxy that does not connect to the server.
func refusedByProxy(_ context.Context, via *url.URL, _ *http.Request, reply *http.Response) error {
	if good(reply) {
		return nil
	}
	return &HTTPError{Status: reply.StatusCode, Type: reply.Header.Get("Content-Type"), Proxy: Origin(via)}
}

// TLSConfig returns a configuration that trusts further certificates, as PEM, beside the system's; nil when
// there are none.
func TLSConfig(further []byte) (*tls.Config, error) {
	if len(further) == 0 {
		return nil, nil
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		return nil, fmt.Errorf("reading the system's certificates: %w", err)
	}
	if !pool.AppendCertsFromPEM(further) {
		return nil, errors.New("the further certificates to trust contain no PEM certificate")
	}
	return &tls.Config{RootCAs: pool}, nil
}

// RedirectError reports a redirect, or an endpoint event, that was not followed.
type RedirectError struct {
	Status   int    // 0 for an endpoint event
	From, To string // URLs without user info and query
	Why      string // to follow "not following it:"
}

// Error names both ends.
func (e *RedirectError) Error() string {
	how := "redirected"
	if e.Status != 0 {
		how = fmt.Sprintf("redirected (HTTP %d)", e.Status)
	}
	return fmt.Sprintf("%s from %s to %s: not following it: %s", how, e.From, e.To, e.Why)
}

// How many redirects are followed, and why one is not, for RedirectError.Why.
const (
	otherOrigin  = "it is another origin, and would get the headers meant for the first one"
	maxRedirects = 10
	tooManyHops  = "it is one redirect too many"
	turnsIntoGet = "it would turn the POST into a GET"
)

// checkRedirect allows redirects within the origin that keep the method.
func checkRedirect(next *http.Request, via []*http.Request) error {
	last := via[len(via)-1]
	e := &RedirectError{Status: next.Response.StatusCode, From: PlainURL(last.URL), To: PlainURL(next.URL)}
	switch {
	case Origin(last.URL) != Origin(next.URL):
		e.Why = otherOrigin
	case last.Method != next.Method:
		e.Why = turnsIntoGet
	case len(via) >= maxRedirects:
		e.Why = tooManyHops
	default:
		return nil
	}
	return e
}

// Origin returns the scheme, host and port of a URL (RFC 6454).
func Origin(u *url.URL) string {
	port := "80"
	if u.Scheme == "https" {
		port = "443"
	}
	return strings.ToLower(u.Scheme + "://" + u.Hostname() + ":" + cmp.Or(u.Port(), port))
}

// PlainURL returns a URL without user info, query and fragment, which may be secret.
func PlainURL(u *url.URL) string {
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}

// ProxyError reports that Endpoint.Proxy gave no answer.
type ProxyError struct{ error }

// Unwrap returns the reason.
func (e *ProxyError) Unwrap() error { return e.error }

// Proxy returns the proxy that the environment has for a request, as http.ProxyFromEnvironment does, which
// passes over a variable without a URL; nil = none. The error names the variable and not its value, in which
// there may be a password.
func Proxy(r *http.Request) (*url.URL, error) {
	name := strings.ToUpper(r.URL.Scheme) + "_PROXY"
	if os.Getenv(name) == "" {
		name = strings.ToLower(name)
	}
	value := os.Getenv(name)
	if value != "" && !strings.Contains(value, "://") { // the scheme may be missing
		value = "http://" + value
	}
	u, err := url.Parse(value)
	if (err != nil || value != "" && u.Host == "") && !kit.ThisMachine(r.URL.Hostname()) {
		return nil, errors.New(name + " holds no URL of a proxy, such as http://proxy.example:3128")
	}
	return http.ProxyFromEnvironment(r)
}
