package probe

import (
	"errors"
	"io"
	"net"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpctl/mcpctl/internal/process"
	"github.com/mcpctl/mcpctl/internal/transport"
)

// failed is an *Error as explain makes it.
func failed(stage Stage, err error) *Error {
	return &Error{Server: "s", Stage: stage, Err: &cause{text: err.Error(), original: err}}
}

// TestMayPass retries what may succeed a moment later.
func TestMayPass(t *testing.T) {
	gone := &transport.LostError{Exit: "exit status 1"}
	tests := map[string]struct {
		err  error
		want bool
	}{
		"refused":               {failed(Connecting, dialing("dial", syscall.ECONNREFUSED)), true},
		"cut off":               {failed(Connecting, request(io.EOF)), true},
		"429":                   {failed(Connecting, &transport.HTTPError{Status: 429}), true},
		"503":                   {failed(ListingTools, &transport.HTTPError{Status: 503}), true},
		"501":                   {failed(Connecting, &transport.HTTPError{Status: 501}), false},
		"401":                   {failed(Connecting, &transport.HTTPError{Status: 401}), false},
		"404":                   {failed(Connecting, &transport.HTTPError{Status: 404}), false},
		"timeout of connecting": {failed(Handshake, &timeoutError{limit: time.Second}), true},
		"timeout of a list":     {failed(ListingTools, &timeoutError{limit: time.Second}), false},
		"exit at the start":     {failed(Starting, gone), true},
		"exit during a list":    {failed(ListingTools, gone), true},
		"no command":            {failed(Starting, &process.StartError{Command: "x", NotFound: true}), false},
		"no such host":          {failed(Connecting, dialing("dial", &net.DNSError{IsNotFound: true, IsTemporary: true})), false},
		"resolver busy":         {failed(Connecting, dialing("dial", &net.DNSError{IsTemporary: true})), true},
		"usage":                 {failed(Starting, badUsage.errorf("no")), false},
		"the server's own word": {failed(Handshake, &RPCError{Code: -32603}), false},
		"its word for a list":   {failed(ListingPrompts, &RPCError{Code: -32603}), true},
		"its word for a call":   {failed(Calling, &RPCError{Code: -32603}), false},
		"the stream ended":      {failed(ListingTools, &transport.LostError{Cause: "the server closed the stream"}), true},
		"one of two heals": {errors.Join(failed(ListingTools, &transport.HTTPError{Status: 503}),
			failed(ListingPrompts, badShape.errorf("no"))), false},
		"both of two heal": {errors.Join(failed(ListingTools, &transport.HTTPError{Status: 503}),
			failed(ListingPrompts, &transport.HTTPError{Status: 502})), true},
		"interrupted by the user": {failed(Connecting, errors.New("context canceled")), false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				attempts := 0
				retry(t.Context(), 1, 0, func() error { attempts++; return test.err })
				if retried := attempts == 2; retried != test.want {
					t.Errorf("retried: %v, want %v", retried, test.want)
				}
			})
		})
	}
}

// TestRetry counts attempts and the time between them.
func TestRetry(t *testing.T) {
	busy := func(after string) error {
		return failed(Connecting, &transport.HTTPError{Status: 429, RetryAfter: after})
	}
	tests := map[string]struct {
		retries  int
		err      error
		attempts int
		least    time.Duration
		most     time.Duration
	}{
		"no retries":             {0, busy(""), 1, 0, 0},
		"negative":               {-1, busy(""), 1, 0, 0},
		"doubling, ± quarter":    {3, busy(""), 4, 2625 * time.Millisecond, 4375 * time.Millisecond},
		"asked to wait":          {1, busy("7"), 2, 7 * time.Second, 7 * time.Second},
		"asked to wait long":     {1, busy("86400"), 2, longestWait, longestWait},
		"asked for 317 years":    {1, busy("10000000000"), 2, longestWait, longestWait},
		"asked to wait for ever": {1, busy("99999999999999999999"), 2, longestWait, longestWait},
		"asked for nonsense":     {1, busy("soon"), 2, 375 * time.Millisecond, 625 * time.Millisecond},
		"asked for the past":     {1, busy("Mon, 02 Jan 1995 15:04:05 GMT"), 2, 375 * time.Millisecond, 625 * time.Millisecond},
		"asked for a date":       {1, busy("Sat, 01 Jan 2000 00:00:09 GMT"), 2, 9 * time.Second, 9 * time.Second},
		"does not heal":          {5, failed(Connecting, &transport.HTTPError{Status: 404}), 1, 0, 0},
		"works":                  {5, nil, 1, 0, 0},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { // begins at 2000-01-01 00:00:00 UTC
				start, attempts := time.Now(), 0
				retry(t.Context(), test.retries, time.Nanosecond, func() error {
					attempts++
					return test.err
				})
				if attempts != test.attempts {
					t.Errorf("%d attempts, want %d", attempts, test.attempts)
				}
				if took := time.Since(start); took < test.least || took > test.most {
					t.Errorf("took %v, want %v to %v", took, test.least, test.most)
				}
			})
		})
	}
}
