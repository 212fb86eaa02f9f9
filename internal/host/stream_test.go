package host_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpctl/mcpctl/internal/host"
)

// TestInterruptedWrite gives up a write that nothing reads a moment after the run was interrupted, and every
// later one at once.
func TestInterruptedWrite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		enough := errors.New("enough")
		ctx, interrupt := context.WithCancelCause(t.Context())
		reader, writer := io.Pipe()
		out := host.Interruptible(ctx, writer)
		time.AfterFunc(time.Hour, func() { interrupt(enough) })
		began := time.Now()
		for range 2 {
			if _, err := out.Write([]byte("x")); !errors.Is(err, enough) {
				t.Errorf("error %v", err)
			}
		}
		if took := time.Since(began); took < time.Hour || took > time.Hour+2*time.Second {
			t.Errorf("ended after %v", took)
		}
		_ = reader.Close()
	})
}

// TestWriteAfterInterrupt writes what an interrupted run still reports.
func TestWriteAfterInterrupt(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	interrupt()
	var text bytes.Buffer
	if n, err := host.Interruptible(ctx, &text).Write([]byte("bye")); n != 3 || err != nil || text.String() != "bye" {
		t.Errorf("wrote %q: %d, %v", text.String(), n, err)
	}
}

// TestInterruptedRead gives up a read when the run is interrupted.
func TestInterruptedRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		enough := errors.New("enough")
		ctx, interrupt := context.WithCancelCause(t.Context())
		reader, writer := io.Pipe()
		in := host.InterruptibleInput(ctx, reader)
		go func() { _, _ = writer.Write([]byte("word")) }()
		word := make([]byte, 9)
		if n, err := in.Read(word); string(word[:n]) != "word" || err != nil {
			t.Errorf("read %q, %v", word[:n], err)
		}
		time.AfterFunc(time.Hour, func() { interrupt(enough) })
		if _, err := in.Read(word); !errors.Is(err, enough) {
			t.Errorf("%v", err)
		}
		_ = writer.Close()
	})
}
