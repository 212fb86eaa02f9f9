package process

import (
	"errors"
	"fmt"
	"strings"
	"sync"
)

// Tail keeps the end of what is written to it.
type Tail struct {
	Limit int // bytes that are kept

	mu   sync.Mutex
	last []byte
}

// Write never fails and never blocks.
func (t *Tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := len(p)
	p = p[max(0, n-t.Limit):]
	t.last = append(t.last[max(0, len(t.last)+len(p)-t.Limit):], p...)
	return n, nil
}

// String is what is kept.
func (t *Tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.last)
}

// Quoted is what a command wrote, to follow the error that it ended with; "" when it wrote nothing.
func Quoted(text string) string {
	if text = strings.TrimSpace(text); text == "" {
		return ""
	}
	return fmt.Sprintf(": it wrote %q", text)
}

// CappedBuffer keeps what is written up to a limit, and fails then.
type CappedBuffer struct {
	Limit int // bytes
	Text  []byte
	Over  bool // more was written
}

// Write fails once the limit is passed.
func (b *CappedBuffer) Write(p []byte) (int, error) {
	if len(b.Text)+len(p) > b.Limit {
		b.Over = true
		return 0, errors.New("too much")
	}
	b.Text = append(b.Text, p...)
	return len(p), nil
}
