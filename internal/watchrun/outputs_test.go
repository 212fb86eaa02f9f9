package watchrun

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/report"
)

// receiver is an output of a test.
type receiver struct {
	mu       sync.Mutex
	got      []string // "server note" of each change, and "+N" for those that were dropped before it
	notes    []string
	answer   func(try int) error // nil = success
	tries    int
	takes    time.Duration
	finished time.Duration
}

func (r *receiver) send(ctx context.Context, line []byte) error {
	select {
	case <-time.After(r.takes):
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.tries++
	if r.answer != nil {
		if err := r.answer(r.tries); err != nil {
			return err
		}
	}
	var e report.Event
	if err := json.Unmarshal(line, &e); err != nil {
		return err
	}
	text := e.Server + " " + e.Note
	if e.Dropped > 0 {
		text += fmt.Sprint(" +", e.Dropped)
	}
	r.got = append(r.got, text)
	return nil
}

// count returns how many events arrived.
func (r *receiver) count() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.got)
}

// queued runs a test with a queue for r in a bubble, and ends the queue.
func queued(t *testing.T, r *receiver, test func(*outputQueue)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		note := func(format string, args ...any) { r.notes = append(r.notes, fmt.Sprintf(format, args...)) }
		q := newOutputQueue(t.Context(), "--exec", note, r.send)
		test(q)
		began := time.Now()
		finish([]*outputQueue{q})
		r.finished = time.Since(began)
	})
}

func change(server string, n int) report.Event {
	return report.Event{Event: "changed", Server: server, Note: fmt.Sprint(n)}
}

// TestQueueKeepsTheOrder of each server, and adding never waits for the receiver.
func TestQueueKeepsTheOrder(t *testing.T) {
	r := &receiver{takes: time.Second}
	queued(t, r, func(q *outputQueue) {
		began := time.Now()
		for n := range 5 {
			q.add(change("a", n))
			q.add(change("b", n))
		}
		if took := time.Since(began); took > 0 {
			t.Errorf("adding took %v", took)
		}
	})
	want := []string{"a 0", "b 0", "a 1", "b 1", "a 2", "b 2", "a 3", "b 3", "a 4", "b 4"}
	if diff := cmp.Diff(want, r.got); diff != "" || len(r.notes) > 0 {
		t.Errorf("notes %q (-want +got):\n%s", r.notes, diff)
	}
}

// TestFullQueueDropsTheOldest, and the next change that is delivered says how many.
func TestFullQueueDropsTheOldest(t *testing.T) {
	r := &receiver{takes: 100 * time.Millisecond}
	queued(t, r, func(q *outputQueue) {
		q.add(change("a", 0))
		synctest.Wait() // it is being delivered
		for n := range maxQueued + 3 {
			q.add(change("a", n+1))
		}
	})
	if len(r.got) != maxQueued+1 || r.got[1] != "a 4 +3" || r.got[2] != "a 5" {
		t.Errorf("%d delivered: %q", len(r.got), r.got[:3])
	}
}

// TestThreeTries are made, the last after two pauses; what fails then is counted for the next change.
func TestThreeTries(t *testing.T) {
	down := errors.New("down")
	for name, c := range map[string]struct {
		answer func(int) error
		tries  int
		got    []string
	}{
		"works at last": {func(n int) error { return []error{down, down, nil}[min(n-1, 2)] }, 4, []string{"a 0", "a 1"}},
		"never":         {func(n int) error { return []error{down, down, down, nil}[min(n-1, 3)] }, 4, []string{"a 1 +1"}},
		"refused":       {func(n int) error { return []error{errRefused, nil}[min(n-1, 1)] }, 2, []string{"a 1 +1"}},
	} {
		t.Run(name, func(t *testing.T) {
			r := &receiver{answer: c.answer}
			queued(t, r, func(q *outputQueue) {
				q.add(change("a", 0))
				time.Sleep(4 * time.Second) // 1 s and 2 s
				q.add(change("a", 1))
			})
			if diff := cmp.Diff(c.got, r.got); diff != "" || r.tries != c.tries {
				t.Errorf("%d tries, notes %q (-want +got):\n%s", r.tries, r.notes, diff)
			}
		})
	}
}

// TestOutputsEndInTime, whatever a receiver does, and one that hangs does not delay another.
func TestOutputsEndInTime(t *testing.T) {
	hung := &receiver{takes: time.Hour}
	queued(t, hung, func(q *outputQueue) {
		q.add(change("a", 0))
		q.add(change("a", 1))
	})
	if hung.finished != finishTime || len(hung.notes) != 2 {
		t.Errorf("ended after %v: %q", hung.finished, hung.notes)
	}
	synctest.Test(t, func(t *testing.T) {
		slow, fast := &receiver{takes: 20 * time.Second}, &receiver{}
		ignore := func(string, ...any) {}
		both := []*outputQueue{newOutputQueue(t.Context(), "--exec", ignore, slow.send),
			newOutputQueue(t.Context(), "--webhook", ignore, fast.send)}
		for _, q := range both {
			q.add(change("a", 0))
			q.add(change("a", 1))
		}
		synctest.Wait()
		if fast.count() != 2 || slow.count() != 0 {
			t.Errorf("%q at once, and %q", fast.got, slow.got)
		}
		began := time.Now()
		if finish(both); time.Since(began) != finishTime || slow.count() != 1 {
			t.Errorf("ended after %v with %q", time.Since(began), slow.got)
		}
	})
}

// TestSignalEndsDeliveries at once.
func TestSignalEndsDeliveries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		r := &receiver{takes: time.Hour}
		q := newOutputQueue(ctx, "--exec", func(string, ...any) {}, r.send)
		q.add(change("a", 0))
		synctest.Wait()
		began := time.Now()
		cancel()
		if finish([]*outputQueue{q}); time.Since(began) > 0 {
			t.Errorf("ended after %v", time.Since(began))
		}
	})
}

// TestWebhookAnswers says which answers another try may change.
func TestWebhookAnswers(t *testing.T) {
	for status, again := range map[int]bool{200: false, 204: false, 302: false, 400: false, 404: true, 410: false, 429: true, 503: true} {
		site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			if string(body) != "{}\n" || r.Header.Get("Content-Type") != "application/json" {
				t.Errorf("%q as %s", body, r.Header.Get("Content-Type"))
			}
			w.Header().Set("Location", "/elsewhere")
			w.WriteHeader(status)
		}))
		err := webhookOutput(host.Process{}, site.URL+"/?key=hidden")(t.Context(), []byte("{}\n"))
		site.Close()
		if (err == nil) != slices.Contains([]int{200, 204}, status) || err != nil && errors.Is(err, errRefused) == again {
			t.Errorf("%d: %v", status, err)
		}
	}
}
