package monitor

import (
	"context"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"unsafe"

	"github.com/mcpctl/mcpctl/pkg/snapshot"
	"github.com/mcpctl/mcpctl/pkg/watch"
)

// TestSlowClientsShareDocuments: however many clients ask for a surface or for changes and take nothing of it, it is held once.
func TestSlowClientsShareDocuments(t *testing.T) {
	m := monitorOf(Options{}, five()...)
	server := "/v1/servers/" + url.PathEscape(odd)
	for path, part := range map[string]string{server: `"inputSchema"`, server + "/changes": `"level"`} {
		const clients = 3
		entered, blocked := make(chan struct{}, clients), make(chan struct{})
		places := make(chan *byte, clients)
		var running sync.WaitGroup
		for range clients {
			running.Go(func() {
				w := &slowWriter{entered: entered, blocked: blocked, wrote: func(p []byte) {
					if strings.Contains(string(p), part) {
						places <- unsafe.SliceData(p)
					}
				}}
				m.Handler().ServeHTTP(w, httptest.NewRequest("GET", path, nil))
			})
		}
		for range clients {
			<-entered
		}
		close(blocked)
		running.Wait()
		first := <-places
		for range clients - 1 {
			if one := <-places; one != first {
				t.Errorf("%s: each client has a copy of its own", path)
			}
		}
		if n := len(m.shared.used); n != 0 {
			t.Errorf("%s: %d documents are kept when nobody reads them", path, n)
		}
	}
}

// TestFewDocumentsAreMadeAtOnce: the others wait for their turn, and no longer than their clients do.
func TestFewDocumentsAreMadeAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var d shared
		var making atomic.Int64
		finish := make(chan struct{})
		var running sync.WaitGroup
		ctx, leave := context.WithCancel(t.Context())
		for i := range 3 * makers {
			running.Go(func() {
				_, done := d.take(ctx, i, func() ([]byte, string) {
					making.Add(1)
					<-finish
					return nil, ""
				})
				done()
			})
		}
		synctest.Wait()
		if n := making.Load(); n != makers {
			t.Errorf("%d documents are made at once, want %d", n, makers)
		}
		leave()
		synctest.Wait()
		close(finish)
		running.Wait()
		if n := making.Load(); n != makers {
			t.Errorf("%d documents were made, though those who waited had left", n)
		}
		if len(d.used) != 0 {
			t.Errorf("%d documents are kept", len(d.used))
		}
	})
}

// TestMadeDocumentsWaitForNobody: one that is there is given while others are made, and one that is being made takes one turn,
// however many ask for it.
func TestMadeDocumentsWaitForNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var d shared
		finish := make(chan struct{})
		defer close(finish)
		slow := func() ([]byte, string) { <-finish; return nil, "" }
		_, done := d.take(t.Context(), "there", func() ([]byte, string) { return []byte("there"), "" })
		defer done()
		for range makers + 1 {
			go d.take(t.Context(), "slow", slow)
		}
		synctest.Wait()
		var other atomic.Bool
		go d.take(t.Context(), "other", func() ([]byte, string) { other.Store(true); return slow() })
		synctest.Wait()
		if !other.Load() {
			t.Error("those who ask for one document take the turns of others")
		}
		ctx, leave := context.WithCancel(t.Context())
		leave()
		if one, done := d.take(ctx, "there", slow); one == nil || string(one.text) != "there" {
			t.Error("what is there waits for a turn")
		} else {
			done()
		}
	})
}

// TestTokensAreCountedOnce for a surface, however many ask at the same time: counting takes a while.
func TestTokensAreCountedOnce(t *testing.T) {
	m := New(Options{})
	now := status(watch.Live)
	var running sync.WaitGroup
	var seen sync.Map
	for range 8 {
		running.Go(func() { seen.Store(m.meter.measure("s", now).tokens, true) })
	}
	running.Wait()
	n := 0
	seen.Range(func(any, any) bool { n++; return true })
	if n != 1 {
		t.Errorf("counted %d times", n)
	}
	other := now
	other.Surface = &snapshot.Snapshot{Protocol: "2025-11-25"}
	if m.meter.measure("s", other).surface != other.Surface {
		t.Error("what was counted of an older surface is taken for that of a newer one")
	}
}
