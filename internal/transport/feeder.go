package transport

import (
	"errors"
	"io"
	"sync"
)

// feederLimit bounds what waits for a child that does not read its stdin.
const feederLimit = 16 << 20

var errNotReading = errors.New("the server does not read its standard input")

// feeder writes to a child's stdin without ever making the writer wait.
type feeder struct {
	file io.WriteCloser
	wake chan struct{} // capacity 1

	mu     sync.Mutex
	queue  []byte
	closed bool
	err    error
}

func newFeeder(file io.WriteCloser) *feeder {
	return &feeder{file: file, wake: make(chan struct{}, 1)}
}

// Write queues p.
func (f *feeder) Write(p []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case f.err != nil:
		return 0, f.err
	case f.closed:
		return 0, io.ErrClosedPipe
	case len(f.queue)+len(p) > feederLimit:
		return 0, errNotReading
	}
	f.queue = append(f.queue, p...)
	f.ring()
	return len(p), nil
}

// Close closes the file once the queue is written.
func (f *feeder) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
	f.ring()
	return nil
}

// abort closes the file now, which ends a write that hangs.
func (f *feeder) abort() {
	_ = f.Close()
	_ = f.file.Close()
}

// run writes until Close. The error is of a child that no longer takes its stdin.
func (f *feeder) run() error {
	defer f.file.Close()
	for range f.wake {
		batch, closed := f.take()
		if _, err := f.file.Write(batch); err != nil {
			return f.broke()
		}
		if closed {
			return nil
		}
	}
	return nil
}

func (f *feeder) take() ([]byte, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	batch := f.queue
	f.queue = nil
	return batch, f.closed
}

func (f *feeder) broke() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.err = &LostError{Cause: "the server closed its standard input"}
	return f.err
}

// ring wakes run; the caller holds the lock.
func (f *feeder) ring() {
	select {
	case f.wake <- struct{}{}:
	default:
	}
}
