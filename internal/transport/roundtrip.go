package transport

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/redact"
)

// Endpoint is an HTTP server to contact.
type Endpoint struct {
	URL         string            // absolute, http or https
	Headers     map[string]Secret // sent to this origin only
	Credentials *Credentials      // further headers, sent to this origin only; nil = none
	UserAgent   string            // empty = Go's
	CACert      []byte            // further PEM certificates to trust

	Allow func(netip.Addr) error // judges each address of the host before it is connected to; nil = all are right
}

// Times of a connection. Requests as a whole are bounded by their contexts alone: a stream may stay open for days.
const (
	dialTimeout   = 15 * time.Second
	tlsTimeout    = 15 * time.Second
	answerTimeout = 10 * time.Second       // for an answer to a request of the server
	deleteTimeout = 2 * time.Second        // a session's end must not keep the user
	endWait       = 100 * time.Millisecond // for the end of an answer behind all that it says
)

// Bounds of what is read of a reply that is no message.
const (
	bodyStart  = 1 << 10         // kept for people
	faultLimit = 1 << 20         // read to find a JSON-RPC error
	faultWait  = 2 * time.Second // for a body that does not end
)

// sessionHeader is set by mcp-go's name for it.
const sessionHeader = HeaderKeySessionID

// web is the HTTP client of one server: it adds our headers, stays at home.
type web struct {
	endpoint Endpoint
	home     *url.URL // the configured URL; no other origin is contacted
	base     *http.Transport
	client   *http.Client
	version  atomic.Value // string: the protocol version in effect
	lingers  atomic.Bool  // the server does not end its answers
}

var errURL = errors.New("the URL must be absolute and begin with http:// or https://")

// newWeb makes the client. The error is about the URL or the certificates.
func newWeb(e Endpoint) (*web, error) {
	u, err := url.Parse(e.URL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, errURL
	}
	base := &http.Transport{
		Proxy:                  e.proxy,
		DialContext:            e.dial,
		TLSHandshakeTimeout:    tlsTimeout,
		ForceAttemptHTTP2:      u.Scheme == "https", // getting ready for it takes memory
		MaxIdleConnsPerHost:    8,
		MaxResponseHeaderBytes: 1 << 20,
		IdleConnTimeout:        time.Minute,
		ReadBufferSize:         1 << 10, // most replies are short, and long ones are read past it
		WriteBufferSize:        1 << 10, // requests are short
	}
	if base.TLSClientConfig, err = TLSConfig(e.CACert); err != nil {
		return nil, err
	}
	w := &web{endpoint: e, home: u, base: base}
	w.client = &http.Client{Transport: w, CheckRedirect: checkRedirect}
	return w, nil
}

// Dial connects to an address that may be dialled. It is judged at that moment, so that a name cannot change its mind in between.
func Dial(ctx context.Context, network, address string, limit time.Duration, allow func(netip.Addr) error) (net.Conn, error) {
	d := net.Dialer{Timeout: limit, Control: func(_, dialled string, _ syscall.RawConn) error {
		at, err := netip.ParseAddrPort(dialled)
		if err != nil {
			return err
		}
		return allow(at.Addr())
	}}
	return d.DialContext(ctx, network, address)
}

// dial connects to the endpoint, or to a proxy, whose address does not matter.
func (e Endpoint) dial(ctx context.Context, network, address string) (net.Conn, error) {
	allow := e.Allow
	if allow == nil || e.viaProxy() {
		allow = func(netip.Addr) error { return nil }
	}
	return Dial(ctx, network, address, dialTimeout, allow)
}

// viaProxy tells whether the endpoint is reached by a proxy. What is dialled does not tell: net/http has its own spelling of hosts.
func (e Endpoint) viaProxy() bool {
	u, err := url.Parse(e.URL)
	if err != nil {
		return false
	}
	via, err := host.Proxy(&http.Request{URL: u})
	return err == nil && via != nil
}

// ProxyError is a variable for a proxy that names none.
type ProxyError = host.ProxyError

// proxy is the one of the environment. What it is asked to connect to is judged here, as far as it is an address.
func (e Endpoint) proxy(r *http.Request) (*url.URL, error) {
	via, err := host.Proxy(r)
	if ip, notIP := netip.ParseAddr(r.URL.Hostname()); err == nil && via != nil && e.Allow != nil && notIP == nil {
		err = e.Allow(ip)
	}
	return via, err
}

// TLSConfig trusts further certificates beside the system's; nil when there are none.
func TLSConfig(further []byte) (*tls.Config, error) {
	if len(further) == 0 {
		return nil, nil
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		return nil, fmt.Errorf("reading the system's certificates: %w", err)
	}
	if !pool.AppendCertsFromPEM(further) {
		return nil, errors.New("the further certificates to trust hold no PEM certificate")
	}
	return &tls.Config{RootCAs: pool}, nil
}

func (w *web) setVersion(v string) { w.version.Store(v) }

// protocol is the protocol version in effect; empty as long as there is none.
func (w *web) protocol() string {
	v, _ := w.version.Load().(string)
	return v
}

// do sends one request: a POST of one message, a GET of an event stream, or a DELETE of a session.
func (w *web) do(ctx context.Context, method, to string, body []byte, header http.Header) (*http.Response, error) {
	req, err := w.request(ctx, method, to, body, header)
	if err != nil {
		return nil, err
	}
	return w.client.Do(req)
}

// request is a request with what the protocol wants in its header.
func (w *web) request(ctx context.Context, method, to string, body []byte, header http.Header) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, method, to, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	maps.Copy(req.Header, header)
	if v := w.protocol(); v != "" {
		req.Header.Set(HeaderKeyProtocolVersion, v)
	}
	switch method {
	case http.MethodPost:
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json, "+eventStream)
	case http.MethodGet:
		req.Header.Set("Accept", eventStream)
	}
	return req, nil
}

// stream gets an event stream. A reply that is none is an *HTTPError.
func (w *web) stream(ctx context.Context, header http.Header) (*http.Response, error) {
	reply, err := w.do(ctx, http.MethodGet, w.endpoint.URL, nil, header)
	switch {
	case err != nil:
		return nil, err
	case !good(reply):
		return nil, w.bad(reply, nil)
	case mediaType(reply.Header.Get("Content-Type")) != eventStream:
		return nil, w.fault(reply, startOf(reply.Body))
	}
	return reply, nil
}

// respond posts the answer to a request of the server. If that fails, the server has to live without: it cannot be told.
func (w *web) respond(ctx context.Context, to string, answer []byte, header http.Header) {
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	if reply, err := w.do(ctx, http.MethodPost, to, answer, header); err == nil {
		_ = reply.Body.Close()
	}
}

// RoundTrip sends one request with our headers to our origin only, redirects too, and once more with better credentials.
func (w *web) RoundTrip(req *http.Request) (*http.Response, error) {
	if !sameOrigin(w.home, req.URL) {
		return nil, &RedirectError{From: PlainURL(w.home), To: PlainURL(req.URL), Why: otherOrigin}
	}
	return w.send(req)
}

// CloseIdleConnections lets http.Client reach the transport below.
func (w *web) CloseIdleConnections() { w.base.CloseIdleConnections() }

// dressed is a request with our headers: the user's win over the protocol's, and credentials over both.
func (w *web) dressed(req *http.Request, credentials *issuedHeaders) *http.Request {
	req = req.Clone(req.Context())
	if w.endpoint.UserAgent != "" {
		req.Header.Set("User-Agent", w.endpoint.UserAgent)
	}
	for _, headers := range []map[string]Secret{w.endpoint.Headers, credentials.headers} {
		for name, value := range headers {
			req.Header.Set(name, value.Reveal())
			if http.CanonicalHeaderKey(name) == "Host" {
				req.Host = value.Reveal()
			}
		}
	}
	return req
}

// bad is a status that is not good. A JSON-RPC error in it is the answer to the call, except where the status itself
// matters: to authorization, and within a session, unless the method is unknown, since any other 404 is its end.
func (w *web) bad(reply *http.Response, call *pendingCall) error {
	body := startOf(reply.Body)
	fail := w.fault(reply, body)
	if call == nil {
		return fail
	}
	fail.Session = reply.Request.Header.Get(sessionHeader) != "" && endsSession(reply.StatusCode, body)
	m, ok := parseMessage(firstValue(body)) // its id does not matter: servers that refuse what they have not read write null
	if !ok || m.fault == nil || reply.StatusCode == http.StatusUnauthorized || reply.StatusCode == http.StatusForbidden {
		return fail
	}
	if details, err := m.details(); err != nil || fail.Session && details.Code != mcp.METHOD_NOT_FOUND {
		return fail
	}
	call.answer(m)
	return nil
}

// endsSession tells whether a refusal says that the session is unknown: 404 (2025-11-25, transports, session management, 3),
// or 400 in words, after examples of the TypeScript SDK.
func endsSession(status int, body []byte) bool {
	return status == http.StatusNotFound ||
		status == http.StatusBadRequest && bytes.Contains(bytes.ToLower(body[:min(len(body), bodyStart)]), []byte("session"))
}

func (w *web) fault(reply *http.Response, body []byte) *HTTPError {
	auth := challenge(reply)
	return &HTTPError{
		Status:     reply.StatusCode,
		Type:       reply.Header.Get("Content-Type"),
		Body:       w.mask(string(body[:min(len(body), bodyStart)])),
		Auth:       w.mask(auth),
		Metadata:   w.mask(ChallengeParameter(auth, "resource_metadata")),
		RetryAfter: reply.Header.Get("Retry-After"),
	}
}

// mask hides our headers, credentials, user info and query in a text of the server, which may quote the request.
func (w *web) mask(text string) string {
	secrets := redact.URL(w.endpoint.URL)
	for _, value := range slices.AppendSeq(w.endpoint.Credentials.Given(), maps.Values(w.endpoint.Headers)) {
		secrets = append(secrets, redact.Header(value.Reveal())...)
	}
	return redact.Of(secrets...).Cut(text)
}

// startOf reads what is worth reading of a body that is no message, and closes it.
func startOf(body io.ReadCloser) []byte {
	defer body.Close()
	late := time.AfterFunc(faultWait, func() { _ = body.Close() })
	defer late.Stop()
	text, _ := io.ReadAll(io.LimitReader(body, faultLimit))
	return text
}

// leave is done with an answer that says nothing to us.
func (w *web) leave(reply *http.Response) {
	w.readEnd(reply)
	_ = reply.Body.Close()
}

// readEnd reads the end of an answer that has said all, which lets the connection be used again; from a server that once left an
// answer open none is waited for. HTTP/2 needs no end.
func (w *web) readEnd(reply *http.Response) {
	if reply.ProtoMajor > 1 || w.lingers.Load() {
		return
	}
	late := time.AfterFunc(endWait, func() { _ = reply.Body.Close() })
	defer late.Stop()
	if _, err := io.CopyN(io.Discard, reply.Body, bodyStart); !errors.Is(err, io.EOF) {
		w.lingers.Store(true)
	}
}

// good tells a status that promises what was asked for.
func good(reply *http.Response) bool { return reply.StatusCode >= 200 && reply.StatusCode < 300 }

func mediaType(header string) string {
	t, _, _ := mime.ParseMediaType(header)
	return t
}

// RedirectError is a redirect, or an endpoint event, that was not followed.
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

// Circular tells whether the other end is no place to go on from: the same URL, or one that leads on and on.
func (e *RedirectError) Circular() bool { return e.From == e.To || e.Why == tooManyHops }

const (
	otherOrigin  = "it is another origin, and would get the headers meant for the first one"
	maxRedirects = 10
	tooManyHops  = "it is one redirect too many"
	turnsIntoGet = "it would turn the POST into a GET"
)

// checkRedirect lets a request go on within its origin, as the request it was.
func checkRedirect(next *http.Request, via []*http.Request) error {
	last := via[len(via)-1]
	e := &RedirectError{Status: next.Response.StatusCode, From: PlainURL(last.URL), To: PlainURL(next.URL)}
	switch {
	case !sameOrigin(last.URL, next.URL):
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

func sameOrigin(a, b *url.URL) bool { return Origin(a) == Origin(b) }

// Origin is scheme, host and port of a URL (RFC 6454).
func Origin(u *url.URL) string {
	port := "80"
	if u.Scheme == "https" {
		port = "443"
	}
	return strings.ToLower(u.Scheme + "://" + u.Hostname() + ":" + cmp.Or(u.Port(), port))
}

// PlainURL is a URL without what may be secret in it.
func PlainURL(u *url.URL) string {
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}
