package probe

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpctl/mcpctl/internal/transport"
)

// simulated are servers whose answers are functions of how many are asked at once.
type simulated struct {
	servers []Server
	options Options
	// ofHost: asked at once, of the host of this one too
	answer func(i, now, ofHost int) (time.Duration, error)

	mu    sync.Mutex
	now   int
	hosts map[string]int
	most  int
	asked int // all attempts
	last  []error
	ended []time.Duration
}

// atHosts are n servers at so many hosts.
func atHosts(n, hosts int) (servers []Server) {
	for i := range n {
		servers = append(servers, Server{HTTP: &HTTP{URL: fmt.Sprintf("http://host%d/%d", i%hosts, i)}})
	}
	return servers
}

// run asks them all, and gives how long that took.
func (s *simulated) run(ctx context.Context) time.Duration {
	s.hosts = map[string]int{}
	s.last, s.ended = make([]error, len(s.servers)), make([]time.Duration, len(s.servers))
	began := time.Now()
	Each(ctx, s.servers, s.options, func(i int) error {
		host := hostOf(s.servers[i])
		s.mu.Lock()
		s.now, s.hosts[host], s.asked = s.now+1, s.hosts[host]+1, s.asked+1
		s.most = max(s.most, s.now)
		took, err := s.answer(i, s.now, s.hosts[host])
		s.mu.Unlock()
		select {
		case <-time.After(took):
		case <-ctx.Done():
			err = ctx.Err()
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.now, s.hosts[host] = s.now-1, s.hosts[host]-1
		s.last[i], s.ended[i] = err, time.Since(began)
		return err
	})
	return time.Since(began)
}

func (s *simulated) failed() (n int) {
	for _, err := range s.last {
		if err != nil {
			n++
		}
	}
	return n
}

func busyFor(after string) error {
	return failed(Connecting, &transport.HTTPError{Status: 429, RetryAfter: after})
}

const timeoutOfTests = 30 * time.Second

// TestSilentServersDoNotBlock: one server in twenty is silent until its time is over, and all have
// ended before twice that time.
func TestSilentServersDoNotBlock(t *testing.T) {
	for _, parallel := range []int{0, 32} {
		synctest.Test(t, func(t *testing.T) {
			s := simulated{
				servers: atHosts(2000, 100),
				options: Options{Parallel: parallel, Timeout: timeoutOfTests},
				answer: func(i, _, _ int) (time.Duration, error) {
					if i%20 == 3 { // whole hosts
						return timeoutOfTests, failed(Handshake, &timeoutError{limit: timeoutOfTests})
					}
					return 10 * time.Millisecond, nil
				},
			}
			if took := s.run(t.Context()); took >= 2*timeoutOfTests || s.failed() != 100 || s.asked != 2000 {
				t.Errorf("with %d at once it took %v, %d failed, %d attempts", parallel, took, s.failed(), s.asked)
			}
		})
	}
}

// TestSilentHost: only so many silent servers wait in the pool, and servers that are started here keep
// their slots.
func TestSilentHost(t *testing.T) {
	for name, c := range map[string]struct {
		server   Server
		parallel int
		least    int
		most     int
	}{
		"host":            {Server{HTTP: &HTTP{URL: "http://host/mcp"}}, 3, maxSilent, maxSilent + 3},
		"started":         {Server{Stdio: &Stdio{Command: "x"}}, 3, 3, 3},
		"started, no cap": {Server{Stdio: &Stdio{Command: "x"}}, 0, AtOnce(), AtOnce()},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := simulated{
				servers: slices.Repeat([]Server{c.server}, 1600),
				options: Options{Parallel: c.parallel},
				answer:  func(int, int, int) (time.Duration, error) { return time.Hour, nil },
			}
			if s.run(t.Context()); s.most < c.least || s.most > c.most {
				t.Errorf("%s: %d at once, want %d to %d", name, s.most, c.least, c.most)
			}
		})
	}
}

// TestSlots: as many servers are asked at once as the limits of all and of a host allow, or as the number
// that is given.
func TestSlots(t *testing.T) {
	for name, c := range map[string]struct{ hosts, parallel, want int }{
		"many hosts":      {5000, 0, maxRemote},
		"one host":        {1, 0, maxPerHost},
		"given":           {5000, 7, 7},
		"given, one host": {1, 100, 100},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := simulated{servers: atHosts(5000, c.hosts), options: Options{Parallel: c.parallel}}
			s.answer = func(int, int, int) (time.Duration, error) { return 50 * time.Millisecond, nil }
			if s.run(t.Context()); s.most != c.want {
				t.Errorf("%s: %d at once at most, want %d", name, s.most, c.want)
			}
		})
	}
}

// TestSlotsInOrder: with one slot, servers that are started here have their turn in order.
func TestSlotsInOrder(t *testing.T) {
	var order []int
	servers := slices.Repeat([]Server{{Stdio: &Stdio{Command: "x"}}}, 50)
	Each(t.Context(), servers, Options{Parallel: 1}, func(i int) error {
		order = append(order, i)
		return nil
	})
	if len(order) != 50 || !slices.IsSorted(order) {
		t.Errorf("the order is %v", order)
	}
}

// TestInterruptedPause: nothing waits for a host once the run has ended.
func TestInterruptedPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		s := simulated{
			servers: atHosts(300, 1),
			options: Options{Timeout: timeoutOfTests},
			answer:  func(int, int, int) (time.Duration, error) { return time.Millisecond, busyFor("20") },
		}
		if took := s.run(ctx); took != 5*time.Second {
			t.Errorf("it took %v", took)
		}
	})
}
