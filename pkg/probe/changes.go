package probe

import (
	"strings"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// changes remembers which lists a server said to have changed.
type changes struct {
	wake chan struct{} // holds at most one signal

	mu    sync.Mutex
	stale map[snapshot.Kind]bool
}

// Changed is signalled after the server said that a list changed; Stale then tells which. Several notifications may give
// one signal.
func (s *Session) Changed() <-chan struct{} { return s.changes.wake }

// Stale are the kinds that the server said to have changed since the last call, in the order of snapshot.Kinds.
func (s *Session) Stale() []snapshot.Kind {
	s.changes.mu.Lock()
	defer s.changes.mu.Unlock()
	var kinds []snapshot.Kind
	for _, kind := range snapshot.Kinds() {
		if s.changes.stale[kind] {
			kinds = append(kinds, kind)
		}
	}
	s.changes.stale = nil
	return kinds
}

// listen takes notice of notifications.
func (s *Session) listen() {
	s.changes.wake = make(chan struct{}, 1)
	s.line.SetNotificationHandler(func(n mcp.JSONRPCNotification) { s.changes.take(n.Method) })
}

// take runs on the goroutine that reads from the server, so it must not wait for anything.
func (c *changes) take(method string) {
	list, ok := strings.CutSuffix(method, "/list_changed")
	if !ok {
		return
	}
	switch list {
	case "notifications/tools":
		c.add(snapshot.Tools)
	case "notifications/prompts":
		c.add(snapshot.Prompts)
	case "notifications/resources":
		c.add(snapshot.Resources, snapshot.Templates)
	}
}

func (c *changes) add(kinds ...snapshot.Kind) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stale == nil {
		c.stale = map[snapshot.Kind]bool{}
	}
	for _, kind := range kinds {
		c.stale[kind] = true
	}
	select {
	case c.wake <- struct{}{}:
	default: // a signal is waiting already
	}
}
