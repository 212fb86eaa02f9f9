package transport

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
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
	// keeps what a load balancer sets to find the same server again; nil = none are kept
	Cookies http.CookieJar
	// is called with the Content-Type of each JSON reply that is not application/json; nil = not called
	ForeignType func(contentType string)

	// judges each address of the host before it is connected to; nil = all are right
	Allow func(netip.Addr) error
}

// Times of a connection. Requests as a whole are bounded by their contexts alone: a stream may stay open for
// days.
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

// web is the HTTP client of one server, below mcp-go: it adds our headers, stays at home, and reads all that
// comes.
type web struct {
	conn     *Conn
	endpoint Endpoint
	home     *url.URL // the configured URL; no other origin is contacted
	base     *http.Transport
	client   *http.Client
	lingers  atomic.Bool // the server does not end its answers
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
		OnProxyConnectResponse: refusedByProxy,
		ReadBufferSize:         1 << 10, // most replies are short, and long ones are read past it
		WriteBufferSize:        1 << 10, // requests are short
	}
	if base.TLSClientConfig, err = TLSConfig(e.CACert); err != nil {
		return nil, err
	}
	w := &web{endpoint: e, home: u, base: base}
	w.client = &http.Client{Transport: w, CheckRedirect: checkRedirect, Jar: e.Cookies}
	return w, nil
}

// Dial connects to an address that may be dialled. It is judged at that moment, so that a name cannot change
// its mind in between.
func Dial(ctx context.Context, network, address string, limit time.Duration,
	allow func(netip.Addr) error) (net.Conn, error) {
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

// viaProxy tells whether the endpoint is reached by a proxy. What is dialled does not tell: net/http has its
// own spelling of hosts.
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

// proxy is the one of the environment. What it is asked to connect to is judged here, as far as it is an
// address.
func (e Endpoint) proxy(r *http.Request) (*url.URL, error) {
	via, err := host.Proxy(r)
	if ip, notIP := netip.ParseAddr(r.URL.Hostname()); err == nil && via != nil && e.Allow != nil &&
		notIP == nil {
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

// RoundTrip sends one request with our headers to our origin only, redirects too, and once more with better
// credentials. What comes back for mcp-go are receipts; the reply itself, or why there is none, goes to the
// call of the request.
func (w *web) RoundTrip(req *http.Request) (*http.Response, error) {
	if !sameOrigin(w.home, req.URL) {
		return nil, &RedirectError{From: PlainURL(w.home), To: PlainURL(req.URL), Why: otherOrigin}
	}
	if req.Method == http.MethodDelete {
		ctx, cancel := context.WithTimeout(req.Context(), deleteTimeout)
		defer cancel()
		req = req.WithContext(ctx)
	}
	reply, err := w.send(req)
	// a kept connection had ended, say
	if call := callOf(req); err != nil && call != nil && call.repeat && cutOff(err) {
		if again, ok := afresh(req); ok {
			reply, err = w.send(again)
		}
	}
	if err != nil || redirects(reply) { // http.Client decides whether to follow
		return reply, err
	}
	if !decode(reply) {
		_ = reply.Body.Close()
		return nil, w.fault(reply, nil)
	}
	kind := mediaType(reply.Header.Get("Content-Type"))
	switch call := callOf(req); {
	case !good(reply):
		return w.refuse(reply, call)
	case req.Method == http.MethodGet && kind != eventStream:
		return nil, w.fault(reply, startOf(reply.Body))
	case req.Method == http.MethodGet && call == nil:
		reply.Body = w.conn.filter(reply.Body, w.conn.takeEvent, w.conn.streamEnded)
	case call == nil, w.conn.Kind == KindSSE: // nothing is to come here
		w.leave(reply)
		reply.Body = http.NoBody
	case kind == eventStream:
		w.streamReply(reply, call)
	default:
		return w.readReply(reply, call)
	}
	reply.StatusCode = http.StatusOK // mcp-go takes no other good one
	return reply, nil
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
			switch text := value.Reveal(); http.CanonicalHeaderKey(name) {
			case "Cookie": // beside those of the server
				req.Header.Set(name, strings.Join(append(req.Header.Values(name), text), "; "))
			case "Host":
				req.Host = text
				fallthrough
			default:
				req.Header.Set(name, text)
			}
		}
	}
	return req
}

// errAnswered ends a request for mcp-go whose call has its reply.
var errAnswered = errors.New("the call was answered")

// refuse handles a status that is not good. A JSON-RPC error in it is the reply to the call, except where the
// status itself matters: to authorization, and within a session, unless the method is unknown, since any
// other 404 is its end.
func (w *web) refuse(reply *http.Response, call *pendingCall) (*http.Response, error) {
	body := startOf(reply.Body)
	fail := w.fault(reply, body)
	if call == nil {
		return nil, fail
	}
	fail.Session = reply.Request.Header.Get(HeaderKeySessionID) != "" && endsSession(reply.StatusCode, body)
	fail.Taken = call.streamed
	authorization := reply.StatusCode == http.StatusUnauthorized || reply.StatusCode == http.StatusForbidden
	// its id does not matter: a server that did not read ours writes null
	m, ok := parseMessage(firstValue(body))
	if ok && m.fault != nil && !authorization {
		details, err := m.details()
		if err == nil && (!fail.Session || details.Code == mcp.METHOD_NOT_FOUND) {
			call.answer(m)
			return nil, errAnswered
		}
	}
	if !fail.Session {
		return nil, fail
	}
	return sessionGone(reply, call, fail), nil
}

// sessionGone fails a call for the end of the session, and makes mcp-go forget the session, which it does for
// 404 alone.
func sessionGone(reply *http.Response, call *pendingCall, fail *HTTPError) *http.Response {
	call.fail(fail)
	reply.StatusCode, reply.Body = http.StatusNotFound, http.NoBody
	return reply
}

// readReply reads the reply in a JSON body. A body that goes on after its value is not waited for.
func (w *web) readReply(reply *http.Response, call *pendingCall) (*http.Response, error) {
	defer reply.Body.Close()
	value, start, err := readValue(reply.Body)
	if err != nil {
		return nil, w.unreadable(reply, start, err)
	}
	batch, ok := parseMessages(value)
	if !ok {
		return nil, &ReplyError{"is JSON but no JSON-RPC message"}
	}
	for _, m := range batch {
		if flawFor(call, m) == "" {
			w.readEnd(reply)
			if kind := reply.Header.Get("Content-Type"); mediaType(kind) != "application/json" &&
				w.endpoint.ForeignType != nil {
				w.endpoint.ForeignType(kind)
			}
			details, _ := m.details()
			if gone := m.fault != nil && details.Code == codeSessionGone; gone &&
				endsSession(http.StatusBadRequest, value) {
				fail := w.fault(reply, value)
				fail.Session = true
				return sessionGone(reply, call, fail), nil
			}
			reply.StatusCode, reply.ContentLength = http.StatusOK, -1
			reply.Header.Set("Content-Type", "application/json")
			reply.Body = io.NopCloser(bytes.NewReader(call.answer(m)))
			return reply, nil
		}
	}
	return nil, &ReplyError{flawFor(call, batch[0])}
}

// unreadable returns why a body could not be read as JSON.
func (w *web) unreadable(reply *http.Response, start []byte, err error) error {
	ended := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
	switch {
	case tooDeep(err):
		return &TooDeepError{Limit: nestingLimit}
	case ended && opens(start):
		return &ReplyError{"is cut off"}
	case !ended && !is[*json.SyntaxError](err):
		return err
	}
	return w.fault(reply, start)
}

// readValue reads the JSON value that a body begins with, and at most a buffer of what follows. start is the
// first KiB.
func readValue(body io.Reader) (value json.RawMessage, start []byte, err error) {
	var head headWriter
	limited := &io.LimitedReader{R: io.TeeReader(unmarked(body, 16), &head), N: frameLimit + 1}
	if err = json.NewDecoder(limited).Decode(&value); limited.N <= 0 {
		err = &TooLargeError{Limit: frameLimit}
	}
	return value, head.start, err
}

// headWriter keeps the first bytes that are written.
type headWriter struct{ start []byte }

// Write never fails.
func (h *headWriter) Write(p []byte) (int, error) {
	h.start = append(h.start, p[:min(len(p), bodyStart-len(h.start))]...)
	return len(p), nil
}

// flawFor returns what makes a message useless as the reply to a call, or nothing.
func flawFor(call *pendingCall, m message) string {
	switch {
	case !m.isReply():
		return "is a request or a notification instead"
	case m.id != nil && !slices.Contains(keysOf(m.id), call.key):
		return "has the id of another request"
	}
	return m.flaw()
}

// streamReply puts a filter before the event stream in which the reply to a call is to come. Notifications
// and requests of the server come before it; what comes after it is left.
func (w *web) streamReply(reply *http.Response, call *pendingCall) {
	call.streamed = true
	ctx, stream := reply.Request.Context(), reply.Body
	take := func(e event) (receipt [][]byte, err error) {
		batch, ok := parseMessages(e.data)
		if e.kind != messageEvent {
			if ok && flawFor(call, batch[0]) == "" {
				return nil, &ReplyError{fmt.Sprintf("is in an event named %q, where MCP has %q", e.kind,
					messageEvent)}
			}
			return nil, nil
		}
		// the reply, most likely; what else cannot be read may be followed by it
		if !ok && nestedTooDeep(e.data) {
			return nil, &TooDeepError{Limit: nestingLimit}
		}
		if !ok {
			call.note("is no JSON-RPC message")
		}
		for _, m := range batch {
			switch problem := flawFor(call, m); {
			case !m.isReply():
				w.conn.take(ctx, m)
			case problem != "":
				call.note(problem)
			default:
				receipt = [][]byte{call.answer(m)}
				w.readEnd(&http.Response{Body: stream, ProtoMajor: reply.ProtoMajor})
				return receipt, io.EOF
			}
		}
		return nil, nil
	}
	reply.Body = w.conn.filter(stream, take, func(err error) {
		if !errors.Is(err, io.EOF) { // else mcp-go may resume the stream
			call.fail(call.withoutReply(brokeOff("the event stream broke off before the reply", err)))
		}
	})
}

// endsSession reports whether a refusal says that the session is unknown: 404 (2025-11-25, transports,
// session management, 3), 410, or in words 400 and error -32001, as in examples of the TypeScript SDK.
func endsSession(status int, body []byte) bool {
	inWords := bytes.Contains(bytes.ToLower(body[:min(len(body), bodyStart)]), []byte("session"))
	return status == http.StatusNotFound || status == http.StatusGone ||
		status == http.StatusBadRequest && inWords
}

// codeSessionGone is the JSON-RPC error of the TypeScript SDK for an unknown session.
const codeSessionGone = -32001

func (w *web) fault(reply *http.Response, body []byte) *HTTPError {
	auth := challenge(reply)
	return &HTTPError{
		Encoding:   reply.Header.Get("Content-Encoding"), // decode removes those that it knows
		Status:     reply.StatusCode,
		Type:       reply.Header.Get("Content-Type"),
		Body:       w.mask(string(body[:min(len(body), bodyStart)])),
		Auth:       w.mask(auth),
		Metadata:   w.mask(ChallengeParameter(auth, "resource_metadata")),
		RetryAfter: reply.Header.Get("Retry-After"),
		Proxy:      w.proxyOf(reply.StatusCode),
	}
}

// proxyOf returns the proxy on the way to the server, for a status that a proxy may have given itself.
func (w *web) proxyOf(status int) string {
	via, err := host.Proxy(&http.Request{URL: w.home})
	// https goes through it unread
	own := status == http.StatusProxyAuthRequired || w.home.Scheme == "http" &&
		slices.Contains([]int{http.StatusForbidden, http.StatusBadGateway, http.StatusServiceUnavailable,
			http.StatusGatewayTimeout}, status)
	if err != nil || via == nil || !own {
		return ""
	}
	return Origin(via)
}

// refusedByProxy returns the error of a proxy that does not connect to the server.
func refusedByProxy(_ context.Context, via *url.URL, _ *http.Request, reply *http.Response) error {
	if good(reply) {
		return nil
	}
	return &HTTPError{Status: reply.StatusCode, Type: reply.Header.Get("Content-Type"), Proxy: Origin(via)}
}

// mask hides our headers, credentials, user info and query in a text of the server, which may quote the
// request.
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

// readEnd reads the end of an answer that has said all, which lets the connection be used again; from a
// server that once left an answer open none is waited for. HTTP/2 needs no end.
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

// cutOff reports whether the connection ended in the place of an answer.
func cutOff(err error) bool {
	return errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE) || errors.Is(err, wsaReset) ||
		errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		err.Error() == "http: server closed idle connection"
}

// wsaReset is what Windows reports in the place of ECONNRESET.
const wsaReset = syscall.Errno(10054)

// redirects reports whether a reply names another place.
func redirects(reply *http.Response) bool {
	return reply.StatusCode >= 300 && reply.StatusCode < 400 && reply.Header.Get("Location") != ""
}

// good reports whether a status promises what was asked for.
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
