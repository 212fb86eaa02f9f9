package transport

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math"
	"net/http"
	"time"

	mcpgo "github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

// OpenStreamable makes a connection of streamable HTTP. It contacts nothing yet; the end of ctx ends every
// request. The error is about the URL or the certificates.
func OpenStreamable(ctx context.Context, e Endpoint) (*Conn, error) {
	c, err := newRemote(ctx, KindStreamable, e)
	if err != nil {
		return nil, err
	}
	c.carrier, err = mcpgo.NewStreamableHTTP(e.URL, mcpgo.WithHTTPBasicClient(c.web.client),
		mcpgo.WithHTTPLogger(quiet))
	if err != nil {
		return nil, errURL
	}
	c.respond = func(ctx context.Context, answer []byte) error { return c.post(ctx, e.URL, answer) }
	return c.closeWith(ctx), nil
}

// noTimeout replaces the fixed timeouts of mcp-go: contexts bound every wait.
const noTimeout = time.Duration(math.MaxInt64)

// OpenSSE opens the event stream and waits until it has named its endpoint. It lives until Close or the end
// of ctx.
func OpenSSE(ctx context.Context, e Endpoint) (*Conn, error) {
	c, err := newRemote(ctx, KindSSE, e)
	if err != nil {
		return nil, err
	}
	stream, err := mcpgo.NewSSE(e.URL, mcpgo.WithHTTPClient(c.web.client), mcpgo.WithSSELogger(quiet),
		mcpgo.WithEndpointTimeout(noTimeout), mcpgo.WithResponseTimeout(noTimeout))
	if err != nil {
		return nil, errURL
	}
	c.carrier = stream
	c.respond = func(ctx context.Context, answer []byte) error {
		if to := stream.GetEndpoint(); to != nil {
			return c.post(ctx, to.String(), answer)
		}
		return ErrTransportClosed
	}
	c.closeWith(ctx)
	if err := stream.Start(c.life); err != nil {
		err = c.explain(ctx, nil, err)
		_ = c.Close()
		return nil, err
	}
	return c, nil
}

func newRemote(ctx context.Context, kind string, e Endpoint) (*Conn, error) {
	w, err := newWeb(e)
	if err != nil {
		return nil, err
	}
	c := newConn(ctx, kind)
	c.web, w.conn = w, c
	return c, nil
}

// post sends the answer to a request of the server.
func (c *Conn) post(ctx context.Context, to string, answer []byte) error {
	ctx, cancel := context.WithTimeout(context.WithValue(ctx, callKey{}, nil), answerTimeout)
	defer cancel()
	return c.exchange(ctx, http.MethodPost, to, answer, func() {})
}

// Listen opens the stream on which a server of streamable HTTP sends what belongs to no request (2025-11-25,
// transports, listening for messages), calls opened, and hands notifications on until the stream ends. The
// server's requests are answered. Errors are those of SendRequest: a server without such a stream gives an
// *HTTPError with status 405.
//
// mcp-go can listen too, but only from the start on, and it does not report whether the server has such a
// stream.
func (c *Conn) Listen(ctx context.Context, opened func()) error {
	if c.Kind != KindStreamable {
		return errors.New("only streamable HTTP has a stream to listen to")
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(c.life, func() { cancel(c.Lost()) })()
	err := c.exchange(ctx, http.MethodGet, c.web.endpoint.URL, nil, opened)
	if err == nil {
		err = brokeOff("", io.EOF)
	}
	return c.explain(ctx, nil, err)
}

// exchange sends a request beside mcp-go, with the headers that mcp-go sets, calls opened when it is
// accepted, and lets the filters take what comes.
func (c *Conn) exchange(ctx context.Context, method, to string, body []byte, opened func()) error {
	req, err := http.NewRequestWithContext(ctx, method, to, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Accept", eventStream)
	if method == http.MethodPost {
		req.Header.Set("Accept", "application/json, "+eventStream)
		req.Header.Set("Content-Type", "application/json")
	}
	version, _ := c.version.Load().(string)
	if version != "" {
		req.Header.Set(HeaderKeyProtocolVersion, version)
	}
	if session := c.GetSessionId(); session != "" && !mcp.IsModernProtocol(version) {
		req.Header.Set(HeaderKeySessionID, session)
	}
	reply, err := c.web.client.Do(req)
	if err != nil {
		return err
	}
	defer reply.Body.Close()
	opened()
	_, err = io.Copy(io.Discard, reply.Body)
	return err
}

// takeEvent takes an event of a stream that belongs to no request, and returns what mcp-go gets of it.
func (c *Conn) takeEvent(e event) (pass [][]byte, _ error) {
	switch {
	case e.kind == endpointEvent && c.Kind == KindSSE:
		endpoint, err := c.web.endpointIn(e.data)
		return [][]byte{endpoint}, err
	case e.kind != messageEvent:
		return nil, nil
	}
	batch, ok := parseMessages(e.data)
	if !ok && nestedTooDeep(e.data) {
		c.calls.failOne(idIn(e.data), &TooDeepError{Limit: nestingLimit})
	} else if !ok {
		c.noise.add(e.data, 0)
	}
	for _, m := range batch {
		if m.isReply() && c.Kind != KindSSE { // which has no place here
			continue
		}
		if receipt := c.take(c.life, m); receipt != nil {
			pass = append(pass, receipt)
		}
	}
	return pass, nil
}

// endpointIn returns the URL for our messages that a server of HTTP+SSE names, in the form that mcp-go
// accepts.
func (w *web) endpointIn(data []byte) ([]byte, error) {
	to, err := w.home.Parse(string(bytes.TrimSpace(data)))
	switch {
	case err != nil:
		return nil, &RedirectError{From: PlainURL(w.home), To: "an unreadable URL", Why: otherOrigin}
	case !sameOrigin(w.home, to):
		return nil, &RedirectError{From: PlainURL(w.home), To: PlainURL(to), Why: otherOrigin}
	}
	to.Host = w.home.Host // mcp-go compares hosts as text
	return []byte(to.String()), nil
}

// streamEnded ends what depends on a stream that belongs to no request.
func (c *Conn) streamEnded(err error) {
	if c.Kind == KindSSE {
		c.lose(brokeOff("the event stream broke off", err))
		c.end()
	}
}
