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
	answer  func(i, now, ofHost int) (time.Duration, error) // ofHost: asked at once, of the host of this one too

	mu     sync.Mutex
	now    int
	hosts  map[string]int
	most   int
	asked  int // all attempts
	widths []int
	last   []error
	ended  []time.Duration
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
	s.hosts, s.last, s.ended = map[string]int{}, make([]error, len(s.servers)), make([]time.Duration, len(s.servers))
	began := time.Now()
	Each(ctx, s.servers, s.options, func(i int) error {
		host := hostOf(s.servers[i])
		s.mu.Lock()
		s.now, s.hosts[host], s.asked = s.now+1, s.hosts[host]+1, s.asked+1
		s.most, s.widths = max(s.most, s.now), append(s.widths, s.now)
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

// TestDeadServersKeepNobodyWaiting: one server in twenty is silent until its time is over, and all have ended before twice that time.
func TestDeadServersKeepNobodyWaiting(t *testing.T) {
	for _, parallel := range []int{0, 1, 4} {
		synctest.Test(t, func(t *testing.T) {
			s := simulated{servers: atHosts(2000, 100), options: Options{Parallel: parallel, Timeout: timeoutOfTests}, answer: func(i, _, _ int) (time.Duration, error) {
				if i%20 == 3 { // whole hosts
					return timeoutOfTests, failed(Handshake, &timeoutError{timeoutOfTests})
				}
				return 10 * time.Millisecond, nil
			}}
			if took := s.run(t.Context()); took >= 2*timeoutOfTests || s.failed() != 100 || s.asked != 2000 {
				t.Errorf("with %d at once it took %v, %d failed, %d attempts", parallel, took, s.failed(), s.asked)
			}
		})
	}
}

// TestSilentHost: only so many servers of one host wait aside, and servers that are started here keep their places.
func TestSilentHost(t *testing.T) {
	for name, c := range map[string]struct {
		server   Server
		parallel int
		least    int
		most     int
	}{
		"host":            {Server{HTTP: &HTTP{URL: "http://host/mcp"}}, 3, asideOfHost, asideOfHost + 3},
		"started":         {Server{Stdio: &Stdio{Command: "x"}}, 3, 3, 3},
		"started, no cap": {Server{Stdio: &Stdio{Command: "x"}}, 0, AtOnce(), AtOnce()},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := simulated{servers: slices.Repeat([]Server{c.server}, 600), options: Options{Parallel: c.parallel}, answer: func(int, int, int) (time.Duration, error) { return 10 * time.Minute, nil }}
			if s.run(t.Context()); s.most < c.least || s.most > c.most {
				t.Errorf("%s: %d at once, want %d to %d", name, s.most, c.least, c.most)
			}
		})
	}
}

// TestPlacesGrow while answers take no longer, to a bound of all and of a host; not at all when the number is given.
func TestPlacesGrow(t *testing.T) {
	for name, c := range map[string]struct{ hosts, parallel, want int }{
		"many hosts": {5000, 0, mostAtOnce}, "one host": {1, 0, mostOfHost}, "given": {5000, 7, 7}, "given, one host": {1, 100, 100},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := simulated{servers: atHosts(5000, c.hosts), options: Options{Parallel: c.parallel}, answer: func(int, int, int) (time.Duration, error) { return 50 * time.Millisecond, nil }}
			s.run(t.Context())
			if s.most != c.want || s.widths[0] != 1 {
				t.Errorf("%s: %d at once at most, want %d", name, s.most, c.want)
			}
		})
	}
}

// TestPlacesHoldLatency: servers that answer the slower the more are asked beyond forty are asked about as many as they bear.
func TestPlacesHoldLatency(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := simulated{servers: atHosts(20000, 20000), answer: func(_, now, _ int) (time.Duration, error) {
			return time.Duration(50*max(now, 40)/40) * time.Millisecond, nil
		}}
		s.run(t.Context())
		slices.Sort(s.widths)
		if usual := s.widths[len(s.widths)/2]; usual < 20 || usual > 120 {
			t.Errorf("%d at once as a rule", usual)
		}
	})
}

// TestSlowServers: that later servers take longer by themselves does not narrow the places for long.
func TestSlowServers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := simulated{servers: atHosts(4000, 4000), answer: func(i, _, _ int) (time.Duration, error) {
			if i < 1000 {
				return 10 * time.Millisecond, nil
			}
			return 90 * time.Millisecond, nil
		}}
		if took := s.run(t.Context()); took > 10*time.Second { // 67 s at four at once
			t.Errorf("it took %v", took)
		}
	})
}

// TestHostThatHasEnough: all servers of a host that refuses more than it bears are had, and few requests are refused; another host is
// none the slower for it.
func TestHostThatHasEnough(t *testing.T) {
	for _, after := range []string{"", "1"} {
		for _, parallel := range []int{0, 50} {
			for _, bears := range []int{1, 5, 20} {
				t.Run(fmt.Sprintf("%d of %d, %q", bears, parallel, after), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) { hostThatHasEnough(t, parallel, bears, after) })
				})
			}
		}
	}
}

func hostThatHasEnough(t *testing.T, parallel, bears int, after string) {
	s := simulated{servers: slices.Concat(atHosts(500, 1), atHosts(502, 2)[1:]), options: Options{Parallel: parallel, Timeout: timeoutOfTests}}
	if bears == 5 {
		s.options.Timeout = 0 // none
	}
	refused := 0
	s.answer = func(i, _, ofHost int) (time.Duration, error) {
		if hostOf(s.servers[i]) == "host0" && ofHost > bears {
			refused++
			return time.Millisecond, busyFor(after)
		}
		return 50 * time.Millisecond, nil
	}
	took := s.run(t.Context())
	if s.failed() > 0 || refused > 2*max(parallel, 20)+len(s.servers)/20 {
		t.Errorf("%d failed, %d refusals, %v", s.failed(), refused, took)
	}
	other := time.Duration(0)
	for i, server := range s.servers {
		if hostOf(server) == "host1" {
			other = max(other, s.ended[i])
		}
	}
	if other > 15*time.Second {
		t.Errorf("the other host was asked to the end after %v of %v", other, took)
	}
	t.Logf("%v, %d refusals, the other host %v", took, refused, other)
}

// TestRefusalsEnd: what is refused for ever is told in the end, and its host keeps nobody else waiting.
func TestRefusalsEnd(t *testing.T) {
	for after, c := range map[string]struct {
		n        int
		attempts int // at most
		time     time.Duration
	}{
		"":     {1, 1, time.Second},
		"0":    {1, 1, time.Second},
		"3":    {1, 11, timeoutOfTests},
		"3600": {40, 40, time.Second},
		"1":    {40, 300, timeoutOfTests + 2*time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := simulated{servers: append(atHosts(c.n, 1), Server{HTTP: &HTTP{URL: "http://other"}}), options: Options{Timeout: timeoutOfTests}}
			s.answer = func(i, _, _ int) (time.Duration, error) {
				if i == c.n {
					return time.Millisecond, nil
				}
				return time.Millisecond, busyFor(after)
			}
			took := s.run(t.Context())
			if s.failed() != c.n || s.asked > c.attempts+1 || took > c.time || s.ended[c.n] > time.Second {
				t.Errorf("%q: %d failed in %v after %d attempts, the other one after %v", after, s.failed(), took, s.asked, s.ended[c.n])
			}
		})
	}
}

// TestOneBrokenServer: one that always refuses does not slow down the others behind its gateway, nor is it asked for ever.
func TestOneBrokenServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := simulated{servers: atHosts(1000, 1), options: Options{Timeout: timeoutOfTests}, answer: func(i, _, _ int) (time.Duration, error) {
			if i%100 == 7 {
				return time.Millisecond, failed(Connecting, &transport.HTTPError{Status: 503})
			}
			return 50 * time.Millisecond, nil
		}}
		took := s.run(t.Context())
		if s.failed() != 10 || took > 20*time.Second || s.asked > 1100 {
			t.Errorf("%d failed in %v, %d attempts", s.failed(), took, s.asked)
		}
		t.Logf("%v, %d attempts", took, s.asked)
	})
}

// TestInterruptedPause: nothing waits for a host once the run has ended.
func TestInterruptedPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		s := simulated{servers: atHosts(300, 1), options: Options{Timeout: timeoutOfTests}, answer: func(int, int, int) (time.Duration, error) { return time.Millisecond, busyFor("20") }}
		if took := s.run(ctx); took != 5*time.Second {
			t.Errorf("it took %v", took)
		}
	})
}

// TestSlowHost: servers at a host that is slow and stands first keep no others waiting.
func TestSlowHost(t *testing.T) {
	for _, parallel := range []int{0, 4} {
		synctest.Test(t, func(t *testing.T) {
			s := simulated{servers: append(atHosts(900, 1), atHosts(900, 900)...), options: Options{Parallel: parallel, Timeout: timeoutOfTests}}
			s.answer = func(i, _, _ int) (time.Duration, error) {
				if i < 900 {
					return 20 * time.Second, nil
				}
				return 10 * time.Millisecond, nil
			}
			s.run(t.Context())
			if last := slices.Max(s.ended[901:]); last > 30*time.Second || s.failed() > 0 {
				t.Errorf("with %d at once the others ended after %v, %d failed", parallel, last, s.failed())
			}
		})
	}
}
