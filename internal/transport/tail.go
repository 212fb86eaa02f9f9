package transport

import (
	"io"
	"sync"
)

const tailLimit = 8 << 10

// tail keeps the last tailLimit bytes of what is written to it; the zero value is empty.
type tail struct {
	mu   sync.Mutex
	last []byte
}

// Write never fails and never blocks.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := len(p)
	p = p[max(0, n-tailLimit):]
	t.last = append(t.last[max(0, len(t.last)+len(p)-tailLimit):], p...)
	return n, nil
}

// String is what is kept.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.last)
}

// drain reads a stream to its end into the tail, then closes done.
func (t *tail) drain(r io.Reader, done chan<- struct{}) {
	defer close(done)
	_, _ = io.Copy(t, r)
}
