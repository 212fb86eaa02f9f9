package probe

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/mcpctl/mcpctl/internal/transport"
)

// reply is what a timed server does with a method: after a while it answers, or breaks.
type reply struct {
	after  time.Duration // since the start of the server, not of the request
	result string
	code   int   // of an error instead of a result
	err    error // of the transport instead of an answer
	panics bool
}

// timed is a server that answers at fixed times. It stands in for a transport where only time matters.
type timed struct {
	sender
	start   time.Time
	replies map[string]reply // silence for a method that is not there

	mu    sync.Mutex
	asked map[string]int
}

func (s *timed) SendRequest(ctx context.Context, r transport.JSONRPCRequest) (*transport.JSONRPCResponse, error) {
	s.count(r.Method)
	reply, ok := s.replies[r.Method]
	if !ok {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	select {
	case <-time.After(time.Until(s.start.Add(reply.after))):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	switch {
	case reply.panics:
		panic("boom")
	case reply.err != nil:
		return nil, reply.err
	case reply.result == "":
		return &transport.JSONRPCResponse{Error: &mcp.JSONRPCErrorDetails{Code: reply.code, Message: "no"}}, nil
	}
	return &transport.JSONRPCResponse{Result: json.RawMessage(reply.result)}, nil
}

func (s *timed) count(method string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked[method]++
}

// times is how often a method was asked for. A request that lost may still be on its way when negotiate returns.
func (s *timed) times(method string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked[method]
}

const (
	modernHello = `{"supportedVersions":["2026-07-28"],"capabilities":{}}`
	legacyHello = `{"protocolVersion":"2025-11-25","capabilities":{}}`
)

func TestEra(t *testing.T) {
	const ms = time.Millisecond
	tests := map[string]struct {
		replies     map[string]reply
		grace       time.Duration
		want        string        // protocol version; empty = an error
		after       time.Duration // when it is known
		initialized int           // requests of initialize
		anew        bool          // the error asks for a fresh connection
	}{
		"modern": {
			replies: map[string]reply{"server/discover": {after: 5 * ms, result: modernHello}},
			want:    modern, after: 5 * ms,
		},
		"slow modern": {
			replies: map[string]reply{"server/discover": {after: 6000 * ms, result: modernHello},
				"initialize": {after: 6001 * ms, code: -32601}},
			want: modern, after: 6000 * ms, initialized: 1,
		},
		"slow, speaks both": {
			replies: map[string]reply{"server/discover": {after: 6000 * ms, result: modernHello},
				"initialize": {after: 6000*ms + 1, result: legacyHello}},
			want: modern, after: 6000 * ms, initialized: 1,
		},
		"slow, speaks both, answers out of order": {
			replies: map[string]reply{"server/discover": {after: 4200 * ms, result: modernHello},
				"initialize": {after: 4000 * ms, result: legacyHello}},
			want: modern, after: 4200 * ms, initialized: 1,
		},
		"legacy": {
			replies: map[string]reply{"server/discover": {after: 5 * ms, code: -32601},
				"initialize": {after: 10 * ms, result: legacyHello}},
			want: legacy, after: 10 * ms, initialized: 1,
		},
		"slow legacy": {
			replies: map[string]reply{"server/discover": {after: 6000 * ms, code: 0},
				"initialize": {after: 6001 * ms, result: legacyHello}},
			want: legacy, after: 6001 * ms, initialized: 1,
		},
		"silent legacy": {
			replies: map[string]reply{"initialize": {after: 5 * ms, result: legacyHello}},
			want:    legacy, after: 2250 * ms, initialized: 1,
		},
		"silent legacy over HTTP": {
			replies: map[string]reply{"initialize": {after: 5 * ms, result: legacyHello}}, grace: httpGrace,
			want: legacy, after: 3000 * ms, initialized: 1,
		},
		"slow HTTP instance for discover, fast one for initialize": {
			replies: map[string]reply{"server/discover": {after: 2900 * ms, result: modernHello},
				"initialize": {after: 2100 * ms, result: legacyHello}},
			grace: httpGrace, want: modern, after: 2900 * ms, initialized: 1,
		},
		"initialize refused while discover is on its way": {
			replies: map[string]reply{"server/discover": {after: 3900 * ms, result: modernHello},
				"initialize": {after: 2100 * ms, code: -32600}},
			want: modern, after: 3900 * ms, initialized: 1,
		},
		"initialize refused, discover silent": {
			replies: map[string]reply{"initialize": {after: 2100 * ms, code: -32600}},
			after:   4100 * ms, initialized: 1,
		},
		"nothing": {after: 30 * time.Second, initialized: 1},
		"dies of discover": {
			replies: map[string]reply{"server/discover": {after: 5 * ms, err: &transport.LostError{Exit: "exit status 1"}}},
			after:   5 * ms, anew: true,
		},
		"dies of initialize": {
			replies: map[string]reply{
				"server/discover": {after: 5 * ms, code: -32601},
				"initialize":      {after: 9 * ms, err: &transport.LostError{Exit: "exit status 1"}},
			},
			after: 9 * ms, initialized: 1, anew: true,
		},
		"refuses a second opening": {
			replies: map[string]reply{"server/discover": {after: 5 * ms, result: `{"supportedVersions":["2025-11-25"]}`},
				"initialize": {after: 9 * ms, code: 0}},
			after: 9 * ms, initialized: 1, anew: true,
		},
		"panic": {
			replies:     map[string]reply{"server/discover": {panics: true}, "initialize": {panics: true}},
			initialized: 1,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				server := &timed{start: start, replies: test.replies, asked: map[string]int{}}
				c := caller{conn: server, seen: &observations{}}
				ctx, cancel, _ := limited(t.Context(), 30*time.Second)
				defer cancel()
				grace := test.grace
				if grace == 0 {
					grace = stdioGrace
				}
				got, err := c.negotiate(ctx, grace)
				if (err != nil) != (test.want == "") || err == nil && got.Protocol != test.want {
					t.Errorf("protocol %q, error %v; want %q", got.Protocol, err, test.want)
				}
				if took := time.Since(start); took.Truncate(ms) != test.after {
					t.Errorf("known after %v, want %v", took, test.after)
				}
				if got := server.times("initialize"); got != test.initialized {
					t.Errorf("asked for initialize %d times, want %d", got, test.initialized)
				}
				if got := server.times("server/discover"); got != 1 {
					t.Errorf("asked for discover %d times, want once", got)
				}
				if errors.Is(err, errFreshConn) != test.anew {
					t.Errorf("fresh connection asked for: %v, want %v (%v)", !test.anew, test.anew, err)
				}
			})
		})
	}
}
