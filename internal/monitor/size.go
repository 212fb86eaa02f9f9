package monitor

import (
	"github.com/mcpctl/mcpctl/pkg/check"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
	"github.com/mcpctl/mcpctl/pkg/watch"
)

// size is what a surface takes up.
type size struct {
	surface *snapshot.Snapshot
	bytes   int
	tokens  *int // nil = its tools are not known
}

// measure is the size of the surface that a server has now, which is not nil.
func (t *meter) measure(server string, now watch.Status) size {
	t.sizes.mu.Lock()
	known := t.sizes.known[server]
	t.sizes.mu.Unlock()
	if known.surface == now.Surface {
		return known
	}
	known = sizeOf(now)
	t.sizes.mu.Lock()
	defer t.sizes.mu.Unlock()
	if t.sizes.known == nil {
		t.sizes.known = map[string]size{}
	}
	t.sizes.known[server] = known
	return known
}

func sizeOf(now watch.Status) size {
	s := size{surface: now.Surface}
	for _, kind := range snapshot.Kinds() {
		for _, item := range now.Surface.List(kind).Items() {
			s.bytes += len(item.Raw)
		}
	}
	if now.Surface.Tools.Whole() {
		n := check.Tokens(now.Surface)
		s.tokens = &n
	}
	return s
}

func (s *sizes) forget(server string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.known, server)
}
