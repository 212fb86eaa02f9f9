package transport

import (
	"context"
	"encoding/json"
	"sync"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

// inboxLimit bounds the notifications that wait for a handler; further ones are dropped.
const inboxLimit = 1000

// inbox keeps notifications until there is a handler for them; the zero value is empty.
type inbox struct {
	mu      sync.Mutex
	handler func(mcp.JSONRPCNotification)
	waiting []mcp.JSONRPCNotification
}

func (b *inbox) receive(n mcp.JSONRPCNotification) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.handler != nil {
		b.handler(n)
	} else if len(b.waiting) < inboxLimit {
		b.waiting = append(b.waiting, n)
	}
}

func (b *inbox) open(handler func(mcp.JSONRPCNotification)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.handler = handler
	for _, n := range b.waiting {
		handler(n)
	}
	b.waiting = nil
}

// desk answers the server's own requests; the zero value answers as a client without any capability.
type desk struct {
	mu      sync.Mutex
	handler transport.RequestHandler
}

func (d *desk) set(handler transport.RequestHandler) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.handler = handler
}

func (d *desk) handle(ctx context.Context, r transport.JSONRPCRequest) (*transport.JSONRPCResponse, error) {
	d.mu.Lock()
	handler := d.handler
	d.mu.Unlock()
	switch {
	case handler != nil:
		return handler(ctx, r)
	case r.Method == string(mcp.MethodPing):
		return transport.NewJSONRPCResultResponse(r.ID, json.RawMessage("{}")), nil
	}
	return transport.NewJSONRPCErrorResponse(r.ID, mcp.METHOD_NOT_FOUND, "method not found: "+r.Method, nil), nil
}
