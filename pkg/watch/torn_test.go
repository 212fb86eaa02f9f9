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

// gives makes the list of tools come as these are, one after the other, and announces a change while each but
// the last is read if it should.
func gives(r *run, announce bool, readings ...[]string) {
	r.onEach(func(kind snapshot.Kind, c *session) {
		if kind != snapshot.Tools || len(readings) == 0 {
			return
		}
		r.set(kind, readings[0]...)
		if readings = readings[1:]; announce && len(readings) > 0 {
			c.hear(watch.News{Changed: []snapshot.Kind{kind}})
		}
	})
}

// TestTornReading is never reported: pages of a list that changed between them.
func TestTornReading(t *testing.T) {
	b, all, more := []string{"b"}, []string{"a", "b"}, []string{"a", "b", "c"}
	for name, test := range map[string]struct {
		announce bool // the change between the pages
		covered  bool // a server that announces its changes
		readings [][]string
		want     []string
	}{
		"announced":      {true, true, [][]string{b, more}, []string{"5m0.1s changed by poll tool-added(tool/c)"}},
		"announced more": {true, true, [][]string{more, {"a", "b", "c", "d"}}, []string{"5m0.1s changed by poll tool-added(tool/c) tool-added(tool/d)"}},
		"repeats":        {false, true, [][]string{{"a", "a"}, all}, nil},
		"seems broken":   {false, false, [][]string{b, all}, nil},
		"is broken":      {false, false, [][]string{b, b}, []string{"30.1s changed by poll tool-removed(tool/a)"}},
		"other break":    {false, false, [][]string{{"b"}, {"a"}, {"a"}}, []string{"32.1s changed by poll tool-removed(tool/b)"}},
		"always repeats": {false, false, [][]string{{"a", "b", "b"}, {"b", "a", "b"}}, []string{"30.1s changed by poll tool-duplicate-name(tool/b)"}},
		"only more":      {false, false, [][]string{more}, []string{"30s changed by poll tool-added(tool/c)"}},
	} {
		t.Run(name, func(t *testing.T) {
			var view watch.View
			bubble(t, paged(test.covered), watch.Options{View: &view}, func(r *run) {
				r.after(time.Second)
				gives(r, test.announce, test.readings...)
				want(t, "told", r.after(9*time.Minute), test.want...)
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
				c.hear(watch.News{Changed: []snapshot.Kind{kind}})
			}
		})
		r.announce(snapshot.Tools)
		trouble := ": the list of tools changed each time while it was read"
		want(t, "told", r.after(time.Hour), "7.2s state degraded"+trouble, "7.2s stale"+trouble, "32.9s state failed"+trouble)
		if got := names(view.Status().Surface.Tools); len(got) != 2 {
			t.Errorf("the surface is %q", got)
		}
		r.set(snapshot.Tools, "a", "b")
		r.onEach(nil)
		got := r.after(2 * time.Minute)
		if len(got) != 2 || !strings.HasSuffix(got[0], " state live") || !strings.Contains(got[1], " recovered by ") {
			t.Errorf("told %q", got)
		}
	})
}

// TestFirstReadingIsTorn in the distance from what is saved.
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
		time.Sleep(50 * time.Millisecond) // the first reading is done, and in doubt
		r.set(snapshot.Tools, "a", "b")
		want(t, "told", r.after(time.Second), "0s state connecting", "100ms state polling")
	})
}

// TestOnlyWhatIsInDoubtIsReadAgain: a list that came as it is known is not, whatever is wrong with another
// one.
func TestOnlyWhatIsInDoubtIsReadAgain(t *testing.T) {
	bubble(t, paged(false), watch.Options{}, func(r *run) {
		r.after(time.Second)
		r.heard()
		r.set(snapshot.Tools, "b")
		r.after(30 * time.Second)
		want(t, "asked", r.heard(), "30s tools", "30s prompts", "30s resources", "30s resourceTemplates", "30s skills", "30.1s tools")
	})
}
