package host

import (
	"bytes"
	"context"
	"io"
	"sync"
	"time"
)

// lastWords is how long a write may take once the run was interrupted.
const lastWords = time.Second

// Interruptible is w for a run that ctx ends: whoever reads it and stands still holds the run up no longer than a moment after
// that. What is written then is lost, and the error is why ctx ended.
func Interruptible(ctx context.Context, w io.Writer) io.Writer {
	return &interruptible{ended: ctx, w: w}
}

type interruptible struct {
	ended context.Context
	w     io.Writer
	mu    sync.Mutex
	gone  bool // a write was given up, and may still be under way
}

// Unwrap is the stream itself, which may be a terminal.
func (i *interruptible) Unwrap() io.Writer { return i.w }

// Write waits for whoever reads, as long as the run goes on.
func (i *interruptible) Write(p []byte) (int, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.gone {
		return 0, context.Cause(i.ended)
	}
	type outcome struct {
		n   int
		err error
	}
	p, written := bytes.Clone(p), make(chan outcome, 1)
	go func() {
		n, err := i.w.Write(p)
		written <- outcome{n, err}
	}()
	select {
	case o := <-written:
		return o.n, o.err
	case <-i.ended.Done():
	}
	select {
	case o := <-written:
		return o.n, o.err
	case <-time.After(lastWords):
		i.gone = true
		return 0, context.Cause(i.ended)
	}
}

// InterruptibleInput is r for a run that ctx ends: nobody may ever write to it. Reading it then fails with why ctx ended.
func InterruptibleInput(ctx context.Context, r io.Reader) io.Reader {
	return &interruptibleInput{ctx, r}
}

type interruptibleInput struct {
	ended context.Context
	r     io.Reader
}

// Unwrap is the stream itself, which may be a terminal.
func (i *interruptibleInput) Unwrap() io.Reader { return i.r }

// Read waits for whoever writes, as long as the run goes on.
func (i *interruptibleInput) Read(p []byte) (int, error) {
	type outcome struct {
		text []byte
		err  error
	}
	read := make(chan outcome, 1)
	go func() {
		text := make([]byte, len(p))
		n, err := i.r.Read(text)
		read <- outcome{text[:n], err}
	}()
	select {
	case o := <-read:
		return copy(p, o.text), o.err
	case <-i.ended.Done():
		return 0, context.Cause(i.ended)
	}
}
