package transport

import (
	"fmt"
	"io"
	"sync"
)

// TooMuchError reports that the replies of a server are over the limit in all.
type TooMuchError struct{ Limit int } // bytes

// Error names the limit.
func (e *TooMuchError) Error() string {
	return fmt.Sprintf("the lists are larger than %d MiB in all", e.Limit>>20)
}

// Meter bounds the replies of one server, also while they arrive. A nil Meter has no bounds.
type Meter struct {
	Small int // bytes that need no place
	Limit int // bytes in all

	mu     sync.Mutex
	used   int
	place  func()    // waits for a place
	placed sync.Once // Small was passed
}

// In sets what waits for a place when Small is passed for the first time.
func (m *Meter) In(place func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.place = place
}

// Restart counts from nothing again: what came before was let go, or is the caller's.
func (m *Meter) Restart() {
	if m != nil {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.used = 0
	}
}

// add counts bytes that arrived, or were let go, and waits for a place where they need one. The error is a
// *TooMuchError.
func (m *Meter) add(n int) error {
	if m == nil {
		return nil
	}
	m.mu.Lock()
	m.used += n
	used, place := m.used, m.place
	m.mu.Unlock()
	if used > m.Small && place != nil {
		m.placed.Do(place)
	}
	if used > m.Limit+junkLimit { // what comes around messages counts
		return &TooMuchError{m.Limit}
	}
	return nil
}

// metered counts what is read from a server.
type metered struct {
	io.Reader
	meter *Meter
	open  int // bytes that may be let go
}

// Read reads, and fails once the limit is passed.
func (r *metered) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	r.open += n
	if over := r.meter.add(n); over != nil {
		return 0, over
	}
	return n, err
}

// settle ends the count of the bytes that were read until now: they stay counted if they are kept.
func (r *metered) settle(kept bool) {
	if !kept {
		_ = r.meter.add(-r.open)
	}
	r.open = 0
}
