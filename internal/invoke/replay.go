package invoke

import (
	"context"
	"encoding/json"

	"github.com/mcpctl/mcpctl/internal/call"
	"github.com/mcpctl/mcpctl/internal/fleet"
	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/pkg/probe"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// Caller calls tools of one server, with the consent of the user. Questions of the server are declined.
type Caller struct{ client *Client }

// Open connects to a server. The error is that of the prober.
func Open(ctx context.Context, p host.Process, f *fleet.Fleet, t fleet.Target) (*Caller, error) {
	c := &Client{process: p, target: t, declines: true}
	var err error
	c.session, err = f.Open(ctx, t, fleet.SessionOptions{Elicit: c.elicit})
	if err != nil {
		return nil, err
	}
	return &Caller{c}, nil
}

// Close ends the connection.
func (c *Caller) Close() { _ = c.client.session.Close() }

// Hello returns what the server said of itself.
func (c *Caller) Hello() *snapshot.Snapshot { return c.client.session.Hello() }

// Transport returns how the server is reached, such as "stdio".
func (c *Caller) Transport() string { return c.client.session.Transport() }

// Lost returns the error that ended the connection; nil while it lasts.
func (c *Caller) Lost() error { return c.client.session.Lost() }

// Tools lists the tools of the server.
func (c *Caller) Tools(ctx context.Context) ([]snapshot.Item, error) {
	lists, err := c.client.session.List(ctx, snapshot.Tools)
	return lists[0].Items(), err
}

// Call calls a tool. Several calls may run at once.
func (c *Caller) Call(
	ctx context.Context, tool snapshot.Item, arguments json.RawMessage,
) (call.Result, error) {
	raw, err := c.client.send(ctx, toolRequest(tool, arguments))
	if err != nil {
		return call.Result{}, err
	}
	return call.ToolResult(c.client.mask(raw))
}

// toolRequest returns the request that calls a tool.
func toolRequest(tool snapshot.Item, arguments json.RawMessage) request {
	return request{stage: probe.Calling, message: call.Tool(tool.Key, arguments),
		schema: tool.Field("inputSchema"),
		read:   call.ToolResult}
}

// ReadOnly reports whether a tool says of itself that it only reads.
func ReadOnly(tool snapshot.Item) bool {
	annotations := snapshot.Item{Raw: tool.Field("annotations")}
	return string(annotations.Field("readOnlyHint")) == "true"
}
