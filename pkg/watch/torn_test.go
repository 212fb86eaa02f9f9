package watch_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/pkg/snapshot"
	"github.com/mcpctl/mcpctl/pkg/watch"
)

// paged is a server with lists of two pages, and each of its readings as they are to come, the last one for
// ever.
func paged(covered bool) func() *server {
	return func() *server {
		s := newServer("a", "b")
		s.pages, s.covered = 2, covered
		return s
	}
}

// TestTornReading: pages of a list that changed between them are read again until they come twice the same.
func TestTornReading(t *testing.T) {
	b, all, more := []string{"b"}, []string{"a", "b"}, []string{"a", "b", "c"}
	for name, test := range map[string]struct {
		readings [][]string // of tools, by the second poll; the last one for ever
		want     []string
	}{
		"torn":        {[][]string{b, all}, nil},
		"repeats":     {[][]string{{"a", "a"}, all}, nil},
		"changed":     {[][]string{more}, []string{"30.2s changed by poll tool-added(tool/c)"}},
		"torn change": {[][]string{b, more}, []string{"32.2s changed by poll tool-added(tool/c)"}},
		"one missing": {[][]string{b, b}, []string{"30.2s changed by poll tool-removed(tool/a)"}},
		"duplicate":   {[][]string{{"a", "b", "b"}, {"b", "a", "b"}}, []string{"30.2s changed by poll tool-duplicate-name(tool/b)"}},
	} {
		t.Run(name, func(t *testing.T) {
			var view watch.View
			bubble(t, paged(false), watch.Options{View: &view}, func(r *run) {
				r.after(time.Second)
				r.onEach(func(kind snapshot.Kind, _ *session) {
					if kind == snapshot.Tools && len(test.readings) > 0 {
						r.set(kind, test.readings[0]...)
						test.readings = test.readings[1:]
					}
				})
				want(t, "events", r.after(9*time.Minute), test.want...)
				if got := view.Status(); got.Counts.Failures != 0 {
					t.Errorf("counts %+v", got.Counts)
				}
			})
		})
	}
}

// TestNeverTheSame is a list that is another one with every reading: it is not known, and nothing is reported about
// it.
func TestNeverTheSame(t *testing.T) {
	var view watch.View
	bubble(t, paged(true), watch.Options{View: &view}, func(r *run) {
		r.after(time.Second)
		n := 0
		r.onEach(func(kind snapshot.Kind, c *session) {
			if kind == snapshot.Tools {
				n++
				r.set(kind, fmt.Sprint(n))
				c.hear(snapshot.News{Changed: []snapshot.Kind{kind}})
			}
		})
		r.announce(snapshot.Tools)
		trouble := ": the list of tools changed each time while it was read"
		want(t, "events", r.after(time.Hour), "7.2s state degraded"+trouble, "32s state failed"+trouble, "1m37.2s stale"+trouble)
		if got := names(view.Status().Surface.Tools); len(got) != 2 {
			t.Errorf("the surface is %q", got)
		}
		r.set(snapshot.Tools, "a", "b")
		r.onEach(nil)
		got := r.after(2 * time.Minute)
		if len(got) != 2 || !strings.HasSuffix(got[0], " state live") || !strings.Contains(got[1], " recovered by ") {
			t.Errorf("events %q", got)
		}
	})
}

// TestFirstReadingIsTorn when it is compared with what is saved.
func TestFirstReadingIsTorn(t *testing.T) {
	saved := &snapshot.Snapshot{Protocol: "2025-11-25", Capabilities: (*session)(nil).Hello().Capabilities,
		Tools: listOf(snapshot.Tools, []string{"a", "b"}), Prompts: listOf(snapshot.Prompts, []string{"p"})}
	s := func() *server {
		s := paged(false)()
		s.saved = func() *snapshot.Snapshot { return saved }
		s.names[snapshot.Tools] = []string{"b"}
		return s
	}
	bubble(t, s, watch.Options{}, func(r *run) {
		r.begun()
		time.Sleep(50 * time.Millisecond) // after the first attempt
		r.set(snapshot.Tools, "a", "b")
		want(t, "events", r.after(3*time.Second), "0s state connecting", "2.1s state polling")
	})
}
