package probe

import (
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// record is what one attempt at a server has seen so far. It may be used by several goroutines.
type record struct {
	id atomic.Int64 // the last request id; ids are unique over all links of an attempt

	mu      sync.Mutex
	last    string   // what the server said last
	notices []Notice // each once
	ttl     map[snapshot.Kind]time.Duration
}

func (r *record) nextID() int64 { return r.id.Add(1) }

// hear remembers what the server said last, for the error of a timeout.
func (r *record) hear(what string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.last = what
}

func (r *record) heard() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.last
}

// mostNotices bounds what a session that lives for months may collect.
const mostNotices = 10_000

func (r *record) note(notices ...Notice) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, n := range notices {
		if !slices.Contains(r.notices, n) && len(r.notices) < mostNotices {
			r.notices = append(r.notices, n)
		}
	}
}

// seen are the notices in the order of their stages, so that the order of arrival does not show, each once.
func (r *record) seen() []Notice {
	r.mu.Lock()
	defer r.mu.Unlock()
	sorted := slices.Clone(r.notices)
	slices.SortStableFunc(sorted, func(a, b Notice) int { return a.Stage.order() - b.Stage.order() })
	return sorted
}

// keep remembers how long a server takes a list to stay current.
func (r *record) keep(kind snapshot.Kind, ttl time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ttl == nil {
		r.ttl = map[snapshot.Kind]time.Duration{}
	}
	r.ttl[kind] = ttl
}

// shortest is the shortest time for which a list that was read stays current; 0 when one of them says nothing of it.
func (r *record) shortest() time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.ttl) == 0 {
		return 0
	}
	return slices.Min(slices.Collect(maps.Values(r.ttl)))
}
