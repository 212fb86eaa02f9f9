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
	maker  chan struct{} // has room for whoever makes it
	made   chan struct{} // closed when it is there
	users  int
	text   []byte
	digest string // of a surface
}

// take is the document of a key, which make makes if nobody has it; nil when the client leaves first. done gives it back.
func (d *shared) take(ctx context.Context, key any, make func() (text []byte, digest string)) (one *document, done func()) {
	if one, done = d.hold(key); !d.ready(ctx, one, make) {
		return nil, done
	}
	return one, done
}

// ready waits until a document is there, made by whoever is first to have it and a turn; false = ctx has ended before.
func (d *shared) ready(ctx context.Context, one *document, make func() (text []byte, digest string)) bool {
	select {
	case <-one.made:
		return true
	case one.maker <- struct{}{}:
		defer func() { <-one.maker }()
	case <-ctx.Done():
	}
	select {
	case <-one.made: // by the maker before
		return true
	default:
	}
	if ctx.Err() != nil {
		return false
	}
	select {
	case <-ctx.Done():
		return false
	case d.turns <- struct{}{}:
		defer func() { <-d.turns }()
	}
	one.text, one.digest = make()
	close(one.made)
	return true
}

// hold keeps a document until done.
func (d *shared) hold(key any) (one *document, done func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.used == nil {
		d.used, d.turns = map[any]*document{}, make(chan struct{}, makers)
	}
	if d.used[key] == nil {
		d.used[key] = &document{maker: make(chan struct{}, 1), made: make(chan struct{})}
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
