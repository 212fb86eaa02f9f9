package transport

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"strings"
	"time"

	mcpgo "github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

// OpenStreamable returns a connection of streamable HTTP. It contacts nothing yet. The error is about the URL
// or the certificates.
func OpenStreamable(e Endpoint, h Handlers) (*Conn, error) {
	c, err := newRemote(KindStreamable, e, h)
	if err != nil {
		return nil, err
	}
	c.messages.Store(e.URL)
	c.carrier, err = mcpgo.NewStreamableHTTP(e.URL, mcpgo.WithHTTPBasicClient(c.web.client),
		mcpgo.WithHTTPLogger(quiet))
	return c, err // none: newWeb has read the URL
}

// noTimeout replaces the fixed timeouts of mcp-go: contexts limit every wait.
const noTimeout = time.Duration(math.MaxInt64)

// OpenSSE opens the event stream and waits until it has named its endpoint, or until ctx ends. It lives until
// Close.
func OpenSSE(ctx context.Context, e Endpoint, h Handlers) (*Conn, error) {
	c, err := newRemote(KindSSE, e, h)
	if err != nil {
		return nil, err
	}
	stream, err := mcpgo.NewSSE(e.URL, mcpgo.WithHTTPClient(c.web.client), mcpgo.WithSSELogger(quiet),
		mcpgo.WithEndpointTimeout(noTimeout), mcpgo.WithResponseTimeout(noTimeout))
	if err != nil {
		return nil, errURL
	}
	c.carrier = stream
	defer context.AfterFunc(ctx, func() { c.giveUp(context.Cause(ctx)) })()
	if err := stream.Start(c.life); err != nil {
		err = c.explain(ctx, err)
		if c.streams.Load() {
			err = &StreamError{c.StreamEndpoint(), err}
		}
		_ = c.Close()
		return nil, err
	}
	return c, nil
}

// StreamEndpoint returns where the server of HTTP+SSE takes messages, without query; empty = it named nothing
// yet, or the transport is another one.
func (c *Conn) StreamEndpoint() string {
	named, _ := c.messages.Load().(string)
	to, err := url.Parse(named)
	if named == "" || err != nil || c.Kind != KindSSE {
		return ""
	}
	return PlainURL(to)
}

// newRemote returns a connection over HTTP that still lacks its carrier. The error is about the endpoint.
func newRemote(kind string, e Endpoint, h Handlers) (*Conn, error) {
	c := newConn(kind, h)
	var err error
	c.web, err = newWeb(c, e)
	return c, err
}

// do sends a request beside mcp-go, with the headers that mcp-go sets, unless the given ones have them.
func (c *Conn) do(ctx context.Context, method string, body []byte, header http.Header) (*http.Response,
	error) {
	to, _ := c.messages.Load().(string)
	var none *pendingCall // of resume: what comes is not the reply itself
	req, err := http.NewRequestWithContext(context.WithValue(ctx, callKey{}, none), method, to,
		bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header = header
	req.Header.Set("Accept", eventStream)
	if method == http.MethodPost {
		req.Header.Set("Accept", "application/json, "+eventStream)
		req.Header.Set("Content-Type", "application/json")
	}
	version, _ := c.version.Load().(string)
	if version != "" {
		req.Header.Set(HeaderKeyProtocolVersion, version)
	}
	session := cmp.Or(req.Header.Get(HeaderKeySessionID), c.SessionID())
	if session != "" && !mcp.IsModernProtocol(version) {
		req.Header.Set(HeaderKeySessionID, session)
	}
	reply, err := c.web.client.Do(req)
	return reply, withoutURL(err)
}

// Listen opens the stream on which a server of streamable HTTP sends what belongs to no request (2025-11-25,
// transports, listening for messages), calls opened, and reads it to its end. Errors are those of
// SendRequest: a server without such a stream gives an *HTTPError with status 405.
//
// mcp-go listens only from the start on, and does not report whether the server has such a stream.
func (c *Conn) Listen(ctx context.Context, opened func()) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(c.life, func() { cancel(c.Lost()) })()
	reply, err := c.do(ctx, http.MethodGet, nil, http.Header{})
	if err != nil {
		return c.explain(ctx, err)
	}
	defer reply.Body.Close()
	opened()
	return c.explain(ctx, brokenStream(c.readAll(&metered{Reader: reply.Body}, io.Discard)))
}

// feed reads the event stream of HTTP+SSE, and returns what mcp-go gets of it: the endpoint, and receipts.
func (c *Conn) feed(body io.ReadCloser) io.ReadCloser {
	c.streams.Store(true)
	out, in := io.Pipe()
	c.readers.Go(func() {
		err := c.readAll(&metered{Reader: body, meter: c.handlers.Meter}, in)
		c.lose(brokenStream(err))
		_ = in.Close()
		_ = body.Close()
	})
	return out
}

// readAll reads a stream that belongs to no request until it ends, and writes the endpoint of HTTP+SSE and
// receipts.
func (c *Conn) readAll(body *metered, receipts io.Writer) error {
	for events, kept := newEventReader(body), false; ; kept = false {
		kind, data, err := events.next()
		if err != nil {
			return err
		}
		if kind == endpointEvent && c.Kind == KindSSE {
			endpoint, err := c.web.endpointIn(data)
			if err != nil {
				return err
			}
			c.messages.Store(endpoint) // mcp-go may read it after the next event only
			fmt.Fprintf(receipts, "event: endpoint\ndata: %s\n\n", endpoint)
		}
		if kind != messageEvent {
			continue
		}
		batch, wrong := parseMessages(data)
		if wrong != nil && brokenReply(data) {
			c.calls.failOne(idIn(data), wrong)
		} else if wrong != nil {
			c.noise.add(data)
		}
		for _, m := range batch {
			if call := c.take(c.life, m); call != nil {
				kept = true
				fmt.Fprintf(receipts, "data: %s\n\n", call.receipt())
			}
		}
		body.settle(kept)
	}
}

// brokenStream returns the reason for the end of a stream that belongs to no request.
func brokenStream(err error) error {
	switch {
	case errors.Is(err, io.EOF):
		return &LostError{Cause: "the server ended the event stream"}
	case is[*TooLongError](err), is[*TooMuchError](err), is[*RedirectError](err):
		return err
	}
	return &LostError{Cause: fmt.Sprintf("the event stream broke off: %v", err)}
}

// endpointIn returns the URL for our messages that a server of HTTP+SSE names, in the form that mcp-go
// accepts.
func (w *web) endpointIn(data []byte) (string, error) {
	to, err := w.home.Parse(string(bytes.TrimSpace(data)))
	switch {
	case err != nil:
		start, _, _ := strings.Cut(strings.TrimSpace(string(data)), "?") // behind it may be a secret
		return "", &RedirectError{From: PlainURL(w.home), To: quoteStart(start), Why: "it is not a URL"}
	case Origin(w.home) != Origin(to):
		return "", &RedirectError{From: PlainURL(w.home), To: PlainURL(to), Why: otherOrigin}
	}
	to.Host = w.home.Host // mcp-go compares hosts as text
	return to.String(), nil
}
