package probe

import (
	"context"
	"slices"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/mcpctl/mcpctl/internal/transport"
)

// route is one way to reach a server.
type route struct {
	stage Stage         // what dialling is
	grace time.Duration // what discover gets after initialize was answered
	dial  func(context.Context) (*transport.Link, error)
}

// On stdout replies keep their order, so discover's comes first if it comes at all. Over HTTP each has a way of its own.
const (
	stdioGrace = 250 * time.Millisecond
	httpGrace  = time.Second
)

// routes are the ways to reach a server, the best one first.
func routes(server Server, options Options) []route {
	if server.Stdio != nil {
		command := commandOf(*server.Stdio, options)
		return []route{{Starting, stdioGrace, func(ctx context.Context) (*transport.Link, error) {
			return transport.StartStdio(ctx, command)
		}}}
	}
	endpoint := endpointOf(*server.HTTP, options)
	streamable := route{Connecting, httpGrace, func(ctx context.Context) (*transport.Link, error) {
		return transport.OpenStreamable(ctx, endpoint)
	}}
	sse := route{Connecting, httpGrace, func(ctx context.Context) (*transport.Link, error) {
		return transport.OpenSSE(ctx, endpoint)
	}}
	switch server.HTTP.Kind {
	case StreamableHTTP:
		return []route{streamable}
	case SSE:
		return []route{sse}
	}
	return []route{streamable, sse}
}

func commandOf(stdio Stdio, options Options) transport.Command {
	environ := options.Environ
	if !options.InheritEnv {
		environ = transport.MinimalEnv(environ)
	}
	environ = slices.Clone(environ)
	for name, value := range stdio.Env {
		environ = append(environ, name+"="+value.Reveal())
	}
	return transport.Command{Path: stdio.Command, Args: stdio.Args, Env: environ, Dir: stdio.Dir}
}

func endpointOf(http HTTP, options Options) transport.Endpoint {
	headers := make(map[string]string, len(http.Headers))
	for name, value := range http.Headers {
		headers[name] = value.Reveal()
	}
	client := options.Client.known()
	return transport.Endpoint{
		URL: http.URL, Headers: headers, CACert: options.CACert, UserAgent: client.Name + "/" + client.Version,
	}
}

// line is a link with the context that it lives on.
type line struct {
	*transport.Link
	keep func() bool        // lets the link outlive the context it was dialled with
	end  context.CancelFunc // ends the life of the link, whatever Close did
}

// open dials a link that ends with ctx until keep is called.
func (r route) open(ctx context.Context) (line, error) {
	life, end := context.WithCancel(context.WithoutCancel(ctx))
	keep := context.AfterFunc(ctx, end)
	link, err := r.dial(life)
	if err != nil {
		keep()
		end()
		return line{}, err
	}
	return line{Link: link, keep: keep, end: end}, nil
}

func (l line) close() error {
	err := l.Close()
	l.keep()
	l.end()
	return err
}

// shake opens the protocol on a fresh link, as pinned or as the server has it.
func (c caller) shake(ctx context.Context, grace time.Duration, pin string) (hello, error) {
	switch {
	case pin == "" || pin == auto:
		return c.negotiate(ctx, grace)
	case mcp.IsModernProtocol(pin):
		return c.insist(ctx)
	}
	h, err := c.initialize(ctx, pin)
	if err == nil && h.protocol != pin {
		err = version.errorf("the server speaks protocol version %s, not the pinned %s", h.protocol, pin)
	}
	return h, err
}

// insist speaks the era without a handshake or not at all.
func (c caller) insist(ctx context.Context) (hello, error) {
	h, err := c.discover(ctx)
	switch {
	case hasAnswer(err):
		err = version.errorf("the server does not support the pinned protocol version %s: %v", modern, plain(err))
	case err == nil && !slices.Contains(h.supported, modern):
		err = version.errorf("the server does not support the pinned protocol version %s: it lists %s", modern, listing(h.supported))
	}
	return h, err
}

// settle makes the version hold for the link and, in the era of the handshake, ends the handshake.
func (c caller) settle(ctx context.Context, h hello) {
	c.link.SetProtocolVersion(h.protocol)
	c.record.note(h.notices...)
	if h.stateless {
		return
	}
	done := mcp.JSONRPCNotification{JSONRPC: mcp.JSONRPC_VERSION}
	done.Method = "notifications/initialized"
	if err := c.link.SendNotification(ctx, done); err != nil {
		c.record.note(Notice{Handshake, NoticeInitializedLost, "notifications/initialized was not taken: " + plain(err)})
	}
}
