package probe

import (
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// TestDeadServersKeepNobodyWaiting: of 2,000 servers at four places one in twenty is silent until its time is over, and all have ended
// before twice that time.
func TestDeadServersKeepNobodyWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const timeout = 30 * time.Second
		p, began := newPlaces(4), time.Now()
		var all sync.WaitGroup
		for i := range 2000 {
			done := p.take(Server{HTTP: &HTTP{URL: fmt.Sprintf("http://host%d/mcp", i%100)}})
			all.Go(func() {
				defer done()
				if i%20 == 3 {
					time.Sleep(timeout)
				} else {
					time.Sleep(10 * time.Millisecond)
				}
			})
		}
		all.Wait()
		if took := time.Since(began); took >= 2*timeout {
			t.Errorf("it took %v", took)
		}
		if p.waiting != 0 || len(p.taken) != 0 {
			t.Errorf("%d wait aside, %d places are taken", p.waiting, len(p.taken))
		}
	})
}

// TestPlacesOfOneHost: only so many servers of one host wait aside, and servers that are started here keep their places.
func TestPlacesOfOneHost(t *testing.T) {
	for name, want := range map[string]struct {
		server Server
		most   int
	}{"host": {Server{HTTP: &HTTP{URL: "http://host/mcp"}}, 3 + mostOfHost}, "started": {Server{Stdio: &Stdio{Command: "x"}}, 3}} {
		synctest.Test(t, func(t *testing.T) {
			p := newPlaces(3)
			var all sync.WaitGroup
			var mu sync.Mutex
			now, most := 0, 0
			for range 200 {
				done := p.take(want.server)
				all.Go(func() {
					defer done()
					mu.Lock()
					now++
					most = max(most, now)
					mu.Unlock()
					time.Sleep(time.Minute)
					mu.Lock()
					now--
					mu.Unlock()
				})
			}
			all.Wait()
			if most != want.most {
				t.Errorf("%s: %d at once, want %d", name, most, want.most)
			}
		})
	}
}
