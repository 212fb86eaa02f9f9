package transport

import (
	"bytes"
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
)

// Endpoint is an HTTP server to contact.
type Endpoint struct {
	URL         string                // absolute, http or https
	Headers     map[string]Credential // sent to this origin only
	Credentials *Credentials          // further headers, sent to this origin only; nil = none
	UserAgent   string                // empty = Go's
	CACert      []byte                // further PEM certificates to trust
	Cookies     http.CookieJar        // keeps what a load balancer sets; nil = cookies are dropped

	// Proxy returns the proxy for a request; nil, or a nil URL = none.
	Proxy func(*http.Request) (*url.URL, error)

	// Mask hides the secrets in a text of the server, which may quote the request; nil = there are none.
	Mask func(text string) string

	// ForeignType is called with the Content-Type of each JSON reply that is not application/json; nil = not.
	ForeignType func(contentType string)

	// Allow checks each address of the host before it is connected to; nil = all are allowed.
	Allow func(netip.Addr) error
}

// Time limits. Requests as a whole are limited by their contexts alone: a stream may stay open for days.
const (
	dialTimeout   = 15 * time.Second
	tlsTimeout    = 15 * time.Second
	answerTimeout = 10 * time.Second       // for an answer to a request of the server
	deleteTimeout = 2 * time.Second        // for the end of a session, which the server ends anyway
	endWait       = 100 * time.Millisecond // for the end of a body after its message
)

// Limits of what is read of a body that is not a message.
const (
	bodyStart  = 1 << 10         // kept for people
	faultLimit = 1 << 20         // read to find a JSON-RPC error
	faultWait  = 2 * time.Second // for a body that does not end
)

// web is the HTTP client of one server, below mcp-go: it adds headers, contacts one origin only, and reads
// all bodies.
type web struct {
	conn     *Conn
	endpoint Endpoint
	home     *url.URL // the configured URL
	base     *http.Transport
	client   *http.Client
	lingers  atomic.Bool // the server does not end its bodies
}

var errURL = errors.New("the URL must be absolute and begin with http:// or https://")

// newWeb returns a client. The error is about the URL or the certificates.
func newWeb(c *Conn, e Endpoint) (*web, error) {
	u, err := url.Parse(e.URL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, errURL
	}
	if e.Mask == nil {
		e.Mask = func(text string) string { return text }
	}
	if e.Allow == nil {
		e.Allow = func(netip.Addr) error { return nil }
	}
	w := &web{conn: c, endpoint: e, home: u}
	w.base = &http.Transport{
		Proxy:                  w.proxy,
		DialContext:            w.dial,
		TLSHandshakeTimeout:    tlsTimeout,
		ForceAttemptHTTP2:      u.Scheme == "https", // getting ready for it takes memory
		MaxIdleConnsPerHost:    8,
		MaxResponseHeaderBytes: 1 << 20,
		IdleConnTimeout:        time.Minute,
		OnProxyConnectResponse: refusedByProxy,
		ReadBufferSize:         1 << 10, // most replies are short, and long ones are read past it
		WriteBufferSize:        1 << 10, // requests are short
	}
	w.base.TLSClientConfig, err = TLSConfig(e.CACert)
	w.client = &http.Client{Transport: w, CheckRedirect: checkRedirect, Jar: e.Cookies}
	return w, err
}

// RoundTrip sends one request to our origin only. The reply to a call goes to that call: mcp-go gets its
// receipt, or the error. A connection that breaks is replaced once, for requests that change nothing.
func (w *web) RoundTrip(req *http.Request) (*http.Response, error) {
	if Origin(w.home) != Origin(req.URL) {
		return nil, &RedirectError{From: PlainURL(w.home), To: PlainURL(req.URL), Why: otherOrigin}
	}
	if req.Method == http.MethodDelete {
		ctx, cancel := context.WithTimeout(req.Context(), deleteTimeout)
		defer cancel()
		req = req.WithContext(ctx)
	}
	reply, err := w.exchange(req)
	if call := callOf(req); call != nil && call.repeatable && CutOff(err) {
		return w.exchange(afresh(req))
	}
	return reply, err
}

// exchange sends one request and reads the reply to a call.
func (w *web) exchange(req *http.Request) (*http.Response, error) {
	reply, err := w.send(req)
	if err != nil || reply.StatusCode/100 == 3 && reply.Header.Get("Location") != "" { // for http.Client
		return reply, err
	}
	call, isStream := callOf(req), mediaType(reply) == eventStream
	switch {
	case unaskedEncoding(reply) != "":
		_ = reply.Body.Close()
		return nil, w.fault(reply, nil)
	case !good(reply):
		return w.refuse(reply, call)
	case req.Method == http.MethodGet && !isStream:
		return nil, w.fault(reply, startOf(reply.Body))
	case req.Method == http.MethodGet && w.conn.Kind == KindSSE:
		reply.Body = w.conn.feed(reply.Body)
	case req.Method == http.MethodGet: // its reader waits for it
	case call == nil, w.conn.Kind == KindSSE: // nothing is to come here
		w.readEnd(reply)
		_ = reply.Body.Close()
		reply.Body = http.NoBody
	default:
		return w.readReply(reply, call)
	}
	reply.StatusCode = http.StatusOK // the only good one for mcp-go
	return reply, nil
}

// withHeaders returns a request with our headers: the user's replace the protocol's, and credentials both.
func (w *web) withHeaders(req *http.Request, credentials *issuedHeaders) *http.Request {
	req = req.Clone(req.Context())
	if w.endpoint.UserAgent != "" {
		req.Header.Set("User-Agent", w.endpoint.UserAgent)
	}
	for _, headers := range []map[string]Credential{w.endpoint.Headers, credentials.headers} {
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

// refuse handles a status that is not good. A JSON-RPC error in it is the reply to the call, except where the
// status itself matters: to authorization, and within a session, unless the method is unknown, since any
// other 404 is its end.
func (w *web) refuse(reply *http.Response, call *pendingCall) (*http.Response, error) {
	body := startOf(reply.Body)
	fail := w.fault(reply, body)
	fail.Session = reply.Request.Header.Get(HeaderKeySessionID) != "" && endsSession(reply.StatusCode, body)
	if call == nil {
		return nil, fail
	}
	authorization := reply.StatusCode == http.StatusUnauthorized || reply.StatusCode == http.StatusForbidden
	// its id does not matter: a server that did not read ours writes null
	m, ok := parseMessage(firstValue(body))
	readable := ok && m.fault != nil && m.flaw == ""
	if readable && !authorization && (!fail.Session || m.fault.Code == mcp.METHOD_NOT_FOUND) {
		return deliver(reply, call, m, nil)
	}
	return deliver(reply, call, message{}, fail)
}

// endsSession reports whether a refusal says that the session is unknown: 404 (2025-11-25, transports,
// session management, 3), 410, or in words 400 and error -32001, as in examples of the TypeScript SDK.
func endsSession(status int, body []byte) bool {
	inWords := strings.Contains(strings.ToLower(string(body[:min(len(body), bodyStart)])), "session")
	return status == http.StatusNotFound || status == http.StatusGone ||
		status == http.StatusBadRequest && inWords
}

// fault returns the error for a reply without a message.
func (w *web) fault(reply *http.Response, body []byte) *HTTPError {
	header := challenge(reply)
	auth := w.endpoint.Mask(header)
	return &HTTPError{
		Status:     reply.StatusCode,
		Type:       reply.Header.Get("Content-Type"),
		Body:       w.endpoint.Mask(string(body[:min(len(body), bodyStart)])),
		Auth:       auth,
		Schemes:    schemes(header, auth),
		RetryAfter: reply.Header.Get("Retry-After"),
		Encoding:   unaskedEncoding(reply),
		Proxy:      w.proxyOf(reply.StatusCode),
	}
}

// unaskedEncoding returns the Content-Encoding of a body that cannot be read, or nothing. net/http asks for
// gzip, decodes it and removes the header.
func unaskedEncoding(reply *http.Response) string {
	encoding := reply.Header.Get("Content-Encoding")
	if strings.EqualFold(encoding, "identity") {
		return ""
	}
	return encoding
}

// deliver gives a call its reply, and mcp-go a receipt in the place of that. If the session has ended, mcp-go
// must forget it, which it does for 404 alone.
func deliver(reply *http.Response, call *pendingCall, m message, err error) (*http.Response, error) {
	if fail, ok := errors.AsType[*HTTPError](err); ok && fail.Session {
		call.fail(fail)
		reply.StatusCode, reply.Body = http.StatusNotFound, http.NoBody
		return reply, nil
	}
	if err != nil {
		return nil, err
	}
	call.answer(m)
	reply.StatusCode, reply.ContentLength = http.StatusOK, -1
	reply.Header.Set("Content-Type", "application/json")
	reply.Body = io.NopCloser(bytes.NewReader(call.receipt()))
	return reply, nil
}

// readFor reads a body up to a limit of bytes or of time, after which it is closed.
func readFor(body io.ReadCloser, limit int64, wait time.Duration) ([]byte, error) {
	late := time.AfterFunc(wait, func() { _ = body.Close() })
	defer late.Stop()
	return io.ReadAll(io.LimitReader(body, limit))
}

// startOf reads what is worth reading of a body that is not a message, and closes it.
func startOf(body io.ReadCloser) []byte {
	defer body.Close()
	text, _ := readFor(body, faultLimit, faultWait)
	return text
}

// readEnd reads the end of a body after its message, which lets the connection be used again. A server that
// once left a body open is not waited for. HTTP/2 needs no end.
func (w *web) readEnd(reply *http.Response) {
	if reply.ProtoMajor > 1 || w.lingers.Load() {
		return
	}
	if rest, err := readFor(reply.Body, bodyStart, endWait); err != nil || len(rest) == bodyStart {
		w.lingers.Store(true)
	}
}

// CutOff reports whether the connection ended instead of an answer, or in the middle of one.
func CutOff(err error) bool {
	if is[*NotHTTPError](err) {
		return false
	}
	for _, broken := range []error{syscall.ECONNRESET, syscall.EPIPE, wsaReset, io.EOF, io.ErrUnexpectedEOF,
		errCutOff} {
		if errors.Is(err, broken) {
			return true
		}
	}
	return err != nil && (strings.Contains(err.Error(), "transport connection broken") ||
		strings.Contains(err.Error(), "server closed idle connection"))
}

// wsaReset is what Windows reports instead of ECONNRESET.
const wsaReset = syscall.Errno(10054)

// good reports whether a status promises what was asked for.
func good(reply *http.Response) bool { return reply.StatusCode/100 == 2 }

func mediaType(reply *http.Response) string {
	t, _, _ := mime.ParseMediaType(reply.Header.Get("Content-Type"))
	return t
}
