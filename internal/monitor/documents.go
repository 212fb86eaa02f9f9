package monitor

import (
	"context"
	"sync"
)

// makers is how many documents are made at once.
const makers = 2

// shared are parts of answers that take time and memory in step with what a server offers. Whoever asks for one that
// somebody is being sent shares it, and few are made at once, so that health is answered and the end comes however many ask.
// The zero value is ready.
type shared struct {
	mu    sync.Mutex
	used  map[any]*document
	turns chan struct{}
}

// document is one that is being sent.
type document struct {
	once   sync.Once
	users  int
	text   []byte
	digest string // of a surface
}

// take is the document of a key, which make makes if nobody has it; nil when the client leaves first. done gives it back.
func (d *shared) take(ctx context.Context, key any, make func() (text []byte, digest string)) (one *document, done func()) {
	one, done = d.hold(key)
	select {
	case d.turns <- struct{}{}:
		defer func() { <-d.turns }()
	case <-ctx.Done():
		return nil, done
	}
	one.once.Do(func() { one.text, one.digest = make() })
	return one, done
}

// hold keeps a document until done.
func (d *shared) hold(key any) (one *document, done func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.used == nil {
		d.used, d.turns = map[any]*document{}, make(chan struct{}, makers)
	}
	if d.used[key] == nil {
		d.used[key] = &document{}
	}
	one = d.used[key]
	one.users++
	return one, func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		if one.users--; one.users == 0 {
			delete(d.used, key)
		}
	}
}
