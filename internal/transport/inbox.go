package transport

import (
	"sync"

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
