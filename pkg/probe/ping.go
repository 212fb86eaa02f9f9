package probe

import (
	"context"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
)

// Ping asks the server for a sign of life and tells how long that took: by ping, or since 2026-07-28, which has none, by
// server/discover. The error is an *Error.
func (s *Session) Ping(ctx context.Context) (time.Duration, error) {
	method := string(mcp.MethodPing)
	if s.hello.stateless {
		method = "server/discover"
	}
	began := time.Now()
	_, err := s.Request(ctx, Request{Stage: Pinging, Method: method})
	return time.Since(began), err
}
