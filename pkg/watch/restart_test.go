package watch_test

import (
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/pkg/snapshot"
	"github.com/mcpctl/mcpctl/pkg/watch"
)

// TestRestart opens a new session without a wait and reports what changed, or that nothing did.
func TestRestart(t *testing.T) {
	bubble(t, announcing, watch.Options{}, func(r *run) {
		r.after(time.Second)
		old := r.session()
		r.set(snapshot.Tools, "a", "b")
		r.restart <- struct{}{}
		want(t, "events", r.after(time.Second), "1s state reconnecting", "1s state live", "1s changed by reload tool-added(tool/b)")
		if !old.closed {
			t.Error("the session before was not closed")
		}
		r.restart <- struct{}{}
		want(t, "without a change", r.after(time.Second), "2s state reconnecting", "2s state live", "2s unchanged by reload")
		r.drop("the server ended")
		want(t, "a loss is not a restart", r.after(time.Second), "3s state reconnecting: the server ended", "3.5s state live",
			"3.5s unchanged by reconnection")
	})
}

// TestRestartFails keeps the surface, and reports what changed since once it works again.
func TestRestartFails(t *testing.T) {
	bubble(t, announcing, watch.Options{MaxFailures: 1}, func(r *run) {
		r.after(time.Second)
		r.refuses(errDown)
		r.restart <- struct{}{}
		want(t, "events", r.after(time.Second), "1s state reconnecting", "1s state failed: down")
		r.restart <- struct{}{}
		want(t, "events again", r.after(time.Second), "2s state reconnecting", "2s state failed: down")
		r.refuses(nil)
		r.set(snapshot.Tools)
		r.restart <- struct{}{}
		want(t, "works", r.after(time.Second), "3s state reconnecting", "3s state live", "3s changed by reload tool-removed(tool/a)")
	})
}

// TestRestartCancels whatever is under way: a reading that is never answered, and a wait for the next
// attempt.
func TestRestartCancels(t *testing.T) {
	bubble(t, silent, watch.Options{}, func(r *run) {
		r.after(time.Second)
		r.hangs()
		r.ask <- struct{}{}
		r.after(time.Second)
		r.hangs(false)
		r.restart <- struct{}{}
		want(t, "events", r.after(0), "2s state reconnecting", "2s state polling", "2s unchanged by reload")
		r.refuses(errDown)
		r.drop("the server ended")
		r.after(10 * time.Minute)
		r.refuses(nil)
		r.restart <- struct{}{}
		want(t, "events", r.after(0), "10m2s state reconnecting", "10m2s state polling", "10m2s recovered by reload")
	})
}

// TestRestartBeforeTheFirstReading is still the start, and no request is lost when the connection is.
func TestRestartBeforeTheFirstReading(t *testing.T) {
	bubble(t, silent, watch.Options{}, func(r *run) {
		r.refuses(errDown)
		want(t, "events", r.after(0), "0s state connecting", "0s state reconnecting: down")
		r.refuses(nil)
		r.restart <- struct{}{}
		want(t, "events", r.after(0), "0s state polling")
		r.drop("the server ended")
		r.restart <- struct{}{}
		r.set(snapshot.Tools, "b")
		got := r.after(time.Second)
		want(t, "events", got[len(got)-1:], "0s changed by reload tool-removed(tool/a) tool-added(tool/b)")
	})
}

// TestLastSurface reports what changed while no one watched, once, and nothing when nothing did.
func TestLastSurface(t *testing.T) {
	known := func(tools ...string) func() *server {
		return func() *server {
			s := announcing()
			s.last = (&session{}).Hello()
			s.last.SetList(listOf(snapshot.Tools, tools))
			s.last.SetList(listOf(snapshot.Prompts, []string{"p"}))
			return s
		}
	}
	bubble(t, known("a", "b"), watch.Options{}, func(r *run) {
		want(t, "events", r.after(time.Minute), "0s state connecting", "0s state live", "0s changed by start tool-removed(tool/b)")
		r.set(snapshot.Tools, "a", "c")
		r.announce(snapshot.Tools)
		want(t, "events then", r.after(time.Minute), "1m0.1s changed by notification tool-added(tool/c)")
	})
	bubble(t, known("a"), watch.Options{}, func(r *run) {
		want(t, "nothing new", r.after(time.Minute), "0s state connecting", "0s state live")
	})
}

// TestUnsureSurface: what was perhaps reported before the run, and is not so any more, is reported with the first complete
// reading, which is handed on even if it is the surface that was known.
func TestUnsureSurface(t *testing.T) {
	offers := func(tools ...string) *snapshot.Snapshot {
		s := (&session{}).Hello()
		s.SetList(listOf(snapshot.Tools, tools))
		s.SetList(listOf(snapshot.Prompts, []string{"p"}))
		return s
	}
	perhaps := func(last *snapshot.Snapshot, unsure ...*snapshot.Snapshot) func() *server {
		return func() *server {
			s := announcing()
			s.last, s.unsure = last, unsure
			return s
		}
	}
	for name, c := range map[string]struct {
		server func() *server
		want   string
	}{
		"undone":   {perhaps(offers("a"), offers("a", "b")), "changed by start tool-removed(tool/b)"},
		"still so": {perhaps(offers(), offers("a")), "changed by start tool-added(tool/a)"},
		"went on": {perhaps(offers("c"), offers("b", "c")),
			"changed by start tool-added(tool/a) tool-removed(tool/b) tool-removed(tool/c)"},
		"nothing of note": {perhaps(offers("a"), offers("a")), ""},
	} {
		t.Run(name, func(t *testing.T) {
			kept := 0
			bubble(t, c.server, watch.Options{Keep: func(*snapshot.Snapshot) { kept++ }}, func(r *run) {
				events := []string{"0s state connecting", "0s state live"}
				if c.want != "" {
					events = append(events, "0s "+c.want)
				}
				want(t, "events", r.after(time.Minute), events...)
				r.ask <- struct{}{}
				want(t, "events then", r.after(time.Minute))
			})
			if kept != 1 {
				t.Errorf("kept %d times", kept)
			}
		})
	}
	bubble(t, perhaps(offers("a"), offers("a", "b")), watch.Options{}, func(r *run) {
		r.breaks(snapshot.Prompts, errDown)
		r.after(time.Minute)
		r.breaks(snapshot.Prompts, nil)
		r.ask <- struct{}{}
		want(t, "once complete", r.after(time.Second), "1m0s state live", "1m0s changed by request tool-removed(tool/b)")
	})
}

// TestInterruptionDuringReading is a reading after it, though nothing more is announced.
func TestInterruptionDuringReading(t *testing.T) {
	bubble(t, announcing, watch.Options{}, func(r *run) {
		r.after(time.Second)
		r.onEach(func(kind snapshot.Kind, _ *session) {
			if kind == snapshot.Prompts { // the tools were read
				r.covers(false)
				r.set(snapshot.Tools, "a", "b")
			}
		})
		r.ask <- struct{}{}
		want(t, "events", r.after(time.Second), "1s state polling", "1.1s changed by interruption tool-added(tool/b)")
	})
}
