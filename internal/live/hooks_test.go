package live

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpctl/mcpctl/internal/host"
)

// passing is a queue whose deliveries a test takes, and what it notes.
func passing(t *testing.T, send func(context.Context, delivery) error) (q *queue, noted *[]string) {
	var mu sync.Mutex
	noted = new([]string)
	return newQueue(t.Context(), "--test", func(format string, args ...any) {
		mu.Lock()
		defer mu.Unlock()
		*noted = append(*noted, fmt.Sprintf(format, args...))
	}, send), noted
}

// TestDeadOutputStarvesNobody: one output that never ends takes nothing from another.
func TestDeadOutputStarvesNobody(t *testing.T) {
	const changes = 145
	synctest.Test(t, func(t *testing.T) {
		dead, _ := passing(t, func(ctx context.Context, _ delivery) error {
			<-ctx.Done()
			return ctx.Err()
		})
		var passed sync.WaitGroup
		passed.Add(changes)
		quick, noted := passing(t, func(context.Context, delivery) error {
			passed.Done()
			return nil
		})
		for i := range changes {
			for _, q := range []*queue{dead, quick} {
				q.add(fmt.Sprint("server", i%7), nil)
			}
		}
		passed.Wait()
		quick.finish()
		began := time.Now()
		dead.finish()
		if took := time.Since(began); took > finishTime {
			t.Errorf("the end took %v", took)
		}
		if len(*noted) > 0 {
			t.Errorf("noted %q", *noted)
		}
	})
}

// TestInOrderForEachServer: changes of a server are passed on one after the other, those of another one meanwhile. Those that
// are dropped have a number, too.
func TestInOrderForEachServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var got []string
		hold := make(chan struct{})
		q, _ := passing(t, func(_ context.Context, d delivery) error {
			if d.server == "slow" {
				<-hold
			}
			mu.Lock()
			defer mu.Unlock()
			got = append(got, fmt.Sprintf("%s %d %s", d.server, d.sequence, d.id[len(d.id)-1:]))
			return nil
		})
		for _, server := range []string{"slow", "slow", "other", "slow"} {
			q.add(server, nil)
		}
		synctest.Wait()
		close(hold)
		q.finish()
		if diff := cmp.Diff([]string{"other 1 3", "slow 1 1", "slow 2 2", "slow 3 4"}, got); diff != "" {
			t.Errorf("passed on (-want +got):\n%s", diff)
		}
		full := make(chan struct{})
		q, noted := passing(t, func(_ context.Context, d delivery) error {
			<-full
			mu.Lock()
			defer mu.Unlock()
			got = append(got, fmt.Sprint(d.sequence))
			return nil
		})
		for range mostQueued + 3 { // the first is under way
			q.add("s", nil)
			synctest.Wait()
		}
		if len(*noted) != 2 || !strings.HasPrefix((*noted)[0], "--test: a change of s was not passed on") {
			t.Errorf("noted %q", *noted)
		}
		close(full)
		synctest.Wait()
		q.add("s", nil)
		q.finish()
		if last := got[len(got)-1]; last != fmt.Sprint(mostQueued+4) {
			t.Errorf("the last one is %s", last)
		}
	})
}

// TestPostsCarryTheirPlace: what is posted again is the same delivery, and receivers can tell the order.
func TestPostsCarryTheirPlace(t *testing.T) {
	var mu sync.Mutex
	var got []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		got = append(got, r.Header.Get("X-Mcpctl-Delivery")+" "+r.Header.Get("X-Mcpctl-Sequence"))
		if len(got) == 1 {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	defer server.Close()
	all := Options{Post: Webhook{URL: server.URL}}.queues(t.Context(), host.Process{Quiet: true})
	all[0].add("s", []byte("{}\n"))
	all[0].add("s", []byte("{}\n"))
	all[0].finish()
	if len(got) != 3 || got[0] != got[1] || !strings.HasSuffix(got[0], "-1 1") || !strings.HasSuffix(got[2], "-2 2") {
		t.Errorf("posted %q", got)
	}
}
