package watch_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpctl/mcpctl/pkg/snapshot"
	"github.com/mcpctl/mcpctl/pkg/watch"
)

// TestKeepFollowsTheEvents checks that a surface is handed on once, after the events about it, and never
// while a list of it failed.
func TestKeepFollowsTheEvents(t *testing.T) {
	var r *run
	var kept []string
	keep := func(s *snapshot.Snapshot) {
		r.mu.Lock()
		defer r.mu.Unlock()
		last := r.events[len(r.events)-1]
		kept = append(kept, strings.Join(names(s.Tools), " ")+" after "+string(last.Kind))
	}
	synctest.Test(t, func(t *testing.T) {
		r = begin(t, announcing(), watch.Options{Keep: keep})
		r.after(time.Second)
		r.ask <- struct{}{} // the same again
		time.Sleep(time.Second)
		r.set(snapshot.Tools, "a", "b")
		r.breaks(snapshot.Prompts, errDown)
		r.announce(snapshot.Tools, snapshot.Prompts)
		time.Sleep(10 * time.Second) // the change of tools is reported, and the prompts are missing
		r.breaks(snapshot.Prompts, nil)
		r.ask <- struct{}{}
		time.Sleep(time.Second)
		r.end()
		want(t, "kept", kept, "a after state", "a b after state")
	})
}
