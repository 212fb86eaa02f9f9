package probe

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/mcpctl/mcpctl/internal/process"
	"github.com/mcpctl/mcpctl/internal/transport"
)

// route is one way to reach a server.
type route struct {
	stage Stage         // what dialling is
	grace time.Duration // what discover gets after initialize was answered
	dial  func(context.Context) (*transport.Conn, error)
}

// On stdout replies keep their order, so discover's comes first if it comes at all. Over HTTP each has a way of its own.
const (
	stdioGrace = 250 * time.Millisecond
	httpGrace  = time.Second
)

// routes are the ways to reach a server, the best one first.
func (a attempt) routes() []route {
	server, options := a.server, a.options
	if server.Stdio != nil {
		command := commandOf(*server.Stdio, options)
		return []route{{Starting, stdioGrace, func(ctx context.Context) (*transport.Conn, error) {
			return transport.StartStdio(ctx, command)
		}}}
	}
	endpoint := endpointOf(*server.HTTP, options)
	endpoint.Credentials = a.credentials
	streamable := route{Connecting, httpGrace, func(ctx context.Context) (*transport.Conn, error) {
		return transport.OpenStreamable(ctx, endpoint)
	}}
	sse := route{Connecting, httpGrace, func(ctx context.Context) (*transport.Conn, error) {
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
		environ = process.MinimalEnv(environ)
	}
	environ = slices.Clone(environ)
	for name, value := range stdio.Env {
		environ = append(environ, name+"="+value.Reveal())
	}
	return transport.Command{Path: stdio.Command, Args: stdio.Args, Env: environ, Dir: stdio.Dir}
}

func endpointOf(http HTTP, options Options) transport.Endpoint {
	client := options.Client.known()
	return transport.Endpoint{
		URL: http.URL, Headers: http.Headers, CACert: options.CACert, UserAgent: client.Name + "/" + client.Version,
	}
}

// failing is the stage at which an opening failed: a stdio server that ends was never up, and an HTTP server that could
// not be talked to at all was never reached.
func (r route) failing(err error) Stage {
	if r.stage == Starting && exited(err) != "" || r.stage == Connecting && !talked(err) {
		return r.stage
	}
	return Handshake
}

// talked tells that whatever is at the URL got as far as MCP.
func talked(err error) bool {
	_, status := errors.AsType[*transport.HTTPError](err)
	_, redirected := errors.AsType[*transport.RedirectError](err)
	_, unauthorized := errors.AsType[*transport.CredentialsError](err)
	return !status && !redirected && !unauthorized && !unreachable(err) && !cutOff(err)
}
