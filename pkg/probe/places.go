package probe

import (
	"net/url"
	"sync"
	"time"
)

// How long a server at a URL keeps its place while it is silent: a multiple of what the others took, within bounds.
const (
	patienceFactor = 8
	leastPatience  = 100 * time.Millisecond
	mostPatience   = 3 * time.Second
	firstPatience  = time.Second // before anybody has answered
	mostAside      = 1024
	mostOfHost     = 64 // that wait aside
)

// places bounds how many servers are asked at once. A server at a URL that takes much longer than the others did waits aside, and
// gives its place to the next one: dead servers keep nobody waiting.
type places struct {
	taken chan struct{}

	mu       sync.Mutex
	aside    map[string]int // how many wait, by host
	waiting  int            // all of them
	answered int
	took     time.Duration // by all that answered in their places
}

func newPlaces(n int) *places {
	return &places{taken: make(chan struct{}, n), aside: map[string]int{}}
}

// take waits for a place for a server, which is free again once done is called, or the server waits aside.
func (p *places) take(server Server) (done func()) {
	p.taken <- struct{}{}
	free := sync.OnceFunc(func() { <-p.taken })
	host := hostOf(server)
	if host == "" {
		return free
	}
	began, left := time.Now(), false // left under the mutex
	timer := time.AfterFunc(p.patience(), func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.aside[host] < mostOfHost && p.waiting < mostAside {
			left, p.waiting = true, p.waiting+1
			p.aside[host]++
			free()
		}
	})
	return func() {
		timer.Stop()
		p.mu.Lock()
		defer p.mu.Unlock()
		if left {
			p.waiting--
			p.aside[host]--
		} else {
			p.answered, p.took = p.answered+1, p.took+time.Since(began)
			free()
		}
	}
}

// patience is how long the next server keeps its place while it is silent.
func (p *places) patience() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.answered == 0 {
		return firstPatience
	}
	return min(max(patienceFactor*p.took/time.Duration(p.answered), leastPatience), mostPatience)
}

// hostOf is where a server is reached; empty for one that is started here, which takes processors while it is silent.
func hostOf(server Server) string {
	if server.HTTP == nil {
		return ""
	}
	address, err := url.Parse(server.HTTP.URL)
	if err != nil {
		return ""
	}
	return address.Host
}
