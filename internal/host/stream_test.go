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
