package probe

import (
	"slices"
	"sync"
	"sync/atomic"
)

// record is what one attempt at a server has seen so far. It may be used by several goroutines.
type record struct {
	id atomic.Int64 // the last request id; ids are unique over all links of an attempt

	mu      sync.Mutex
	last    string // what the server said last
	notices []Notice
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

func (r *record) note(notices ...Notice) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.notices = append(r.notices, notices...)
}

// seen are the notices in the order of their stages, so that the order of arrival does not show, each once.
func (r *record) seen() []Notice {
	r.mu.Lock()
	defer r.mu.Unlock()
	sorted := slices.Clone(r.notices)
	slices.SortStableFunc(sorted, func(a, b Notice) int { return a.Stage.order() - b.Stage.order() })
	var once []Notice
	for _, n := range sorted {
		if !slices.Contains(once, n) {
			once = append(once, n)
		}
	}
	return once
}
