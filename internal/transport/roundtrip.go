package transport

import (
	"bytes"
	"context"
	"io"
	"mime"
	"net/http"
	"net/url"
	"sync"
	"time"
)

// Bounds of what is read of a reply that is no message.
const (
	bodyStart  = 1 << 10         // kept for people
	faultLimit = 1 << 20         // read to find a JSON-RPC error
	faultWait  = 2 * time.Second // for a body that does not end
)

// tripper is the round tripper under both HTTP transports. It adds our headers, stays at home, and turns what mcp-go
// would misread or wait for into errors or into replies that it understands.
type tripper struct {
	base     *http.Transport
	home     *url.URL // the configured URL; no other origin is contacted
	endpoint Endpoint
	judge    func(t *tripper, reply *http.Response) (*http.Response, error) // what to make of a 2xx

	mu      sync.Mutex
	trouble Trouble
}

// RoundTrip sends one request.
func (t *tripper) RoundTrip(req *http.Request) (*http.Response, error) {
	if !sameOrigin(t.home, req.URL) {
		return nil, &RedirectError{From: plainURL(t.home), To: plainURL(req.URL), Why: otherOrigin}
	}
	ctx, cancel := req.Context(), context.CancelFunc(func() {})
	if req.Method == http.MethodDelete {
		ctx, cancel = context.WithTimeout(ctx, deleteTimeout)
	}
	defer cancel()
	reply, err := t.send(req.WithContext(ctx))
	if err != nil {
		return nil, err
	}
	switch {
	case req.Method == http.MethodDelete:
		return acknowledged(reply), nil
	case isRedirect(reply):
		return reply, nil
	case reply.StatusCode >= 200 && reply.StatusCode < 300:
		return t.judge(t, reply)
	}
	return t.bad(reply)
}

// CloseIdleConnections lets http.Client reach the transport below.
func (t *tripper) CloseIdleConnections() { t.base.CloseIdleConnections() }

// dressed is a request with our headers: the user's win over the library's, and credentials over both.
func (t *tripper) dressed(req *http.Request, credentials *grant) *http.Request {
	req = req.Clone(req.Context())
	if t.endpoint.UserAgent != "" {
		req.Header.Set("User-Agent", t.endpoint.UserAgent)
	}
	for _, headers := range []map[string]string{t.endpoint.Headers, credentials.headers} {
		for name, value := range headers {
			req.Header.Set(name, value)
			if http.CanonicalHeaderKey(name) == "Host" {
				req.Host = value
			}
		}
	}
	return req
}

// bad is a status that is not good. A JSON-RPC error in it is the answer, except where the status itself matters to
// authorization. A lost session goes on to mcp-go, which must know of it.
func (t *tripper) bad(reply *http.Response) (*http.Response, error) {
	body := startOf(reply.Body)
	fail := t.fault(reply, body)
	x := exchangeOf(reply.Request.Context())
	session := reply.Request.Header.Get(sessionHeader) != "" && endsSession(reply.StatusCode, body)
	if r := refusalIn(body, x); r != nil && mayRefuse(reply.StatusCode, session, r.response.Error.Code) {
		return nil, r
	}
	if !session || x == nil {
		return nil, fail
	}
	fail.Session = true
	x.note(fail)
	reply.StatusCode, reply.Body = http.StatusNotFound, http.NoBody
	return reply, nil
}

// endsSession tells whether a refusal within a session says that the server does not know it. That is what 404 means
// (2025-11-25, transports, session management, 3); servers made after the examples of the TypeScript SDK write 400 and say
// so in words.
func endsSession(status int, body []byte) bool {
	return status == http.StatusNotFound ||
		status == http.StatusBadRequest && bytes.Contains(bytes.ToLower(body[:min(len(body), bodyStart)]), []byte("session"))
}

// fault describes a reply without a message, and remembers it.
func (t *tripper) fault(reply *http.Response, body []byte) *HTTPError {
	auth := challenge(reply)
	e := &HTTPError{
		Status:     reply.StatusCode,
		Type:       reply.Header.Get("Content-Type"),
		Body:       t.mask(string(body[:min(len(body), bodyStart)])),
		Auth:       t.mask(auth),
		Metadata:   t.mask(metadataURL(auth)),
		RetryAfter: reply.Header.Get("Retry-After"),
		URL:        plainURL(reply.Request.URL),
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.trouble = Trouble{Status: e.Status, Body: e.Body, Type: e.Type, Auth: e.Auth, URL: e.URL}
	return e
}

// last is the trouble of the last reply that was no good.
func (t *tripper) last() Trouble {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.trouble
}

// startOf reads what is worth reading of a body that is no message, and closes it.
func startOf(body io.ReadCloser) []byte {
	defer body.Close()
	late := time.AfterFunc(faultWait, func() { _ = body.Close() })
	defer late.Stop()
	text, _ := io.ReadAll(io.LimitReader(body, faultLimit))
	return text
}

// acknowledged is a reply whose body says nothing to us. A short one is read so that the connection can be used again.
func acknowledged(reply *http.Response) *http.Response {
	if reply.ContentLength > 0 && reply.ContentLength < bodyStart {
		_ = startOf(reply.Body)
	} else {
		_ = reply.Body.Close()
	}
	reply.StatusCode, reply.Body, reply.ContentLength = http.StatusAccepted, http.NoBody, 0
	return reply
}

func isRedirect(reply *http.Response) bool {
	switch reply.StatusCode {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return reply.Header.Get("Location") != ""
	}
	return false
}

func mediaType(header string) string {
	t, _, _ := mime.ParseMediaType(header)
	return t
}
