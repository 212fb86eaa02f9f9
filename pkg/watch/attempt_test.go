package watch_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/pkg/snapshot"
	"github.com/mcpctl/mcpctl/pkg/watch"
)

// TestAttemptsAreMeasured counts every attempt once, with the time it took, and none that the end of watching broke off.
func TestAttemptsAreMeasured(t *testing.T) {
	var mu sync.Mutex
	var seen []string
	measured := func() []string {
		mu.Lock()
		defer mu.Unlock()
		all := seen
		seen = nil
		return all
	}
	options := watch.Options{Observe: func(a watch.Attempt) {
		mu.Lock()
		defer mu.Unlock()
		seen = append(seen, fmt.Sprint(a.Cause, " ", a.Outcome, " ", a.Took))
	}}
	bubble(t, func() *server { return newServer("a") }, options, func(r *run) {
		r.after(time.Second)
		want(t, "start", measured(), " connected 0s", "start unchanged 0s")
		r.set(snapshot.Tools, "a", "b")
		r.after(30 * time.Second)
		want(t, "change", measured(), "poll changed 0s")
		r.breaks(snapshot.Tools, errors.New("no"))
		r.after(40 * time.Second) // four attempts, 1, 2 and 4 seconds apart
		want(t, "trouble", measured(), "poll failed 7s")
		r.breaks(snapshot.Tools, nil)
		r.onEach(func(snapshot.Kind, *session) { r.drop("gone") })
		r.refuses(errors.New("refused"))
		r.ask <- struct{}{}
		r.after(time.Second)
		want(t, "lost", measured(), "request failed 0s", " failed 0s")
		r.onEach(nil)
		r.refuses(nil)
		r.after(time.Second)
		want(t, "back", measured(), " connected 0s", "reconnection unchanged 0s")
		r.hangs()
		r.ask <- struct{}{}
		r.after(time.Second)
		r.end()
		want(t, "end", measured())
	})
}
