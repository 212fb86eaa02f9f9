package watch_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpctl/mcpctl/pkg/snapshot"
	"github.com/mcpctl/mcpctl/pkg/watch"
)

// TestInterruption of what the server announces is a reading at once, and nothing is lost.
func TestInterruption(t *testing.T) {
	bubble(t, announcing, watch.Options{}, func(r *run) {
		r.after(time.Second)
		r.requests()
		r.covers(false)
		r.set(snapshot.Tools, "a", "b")
		r.session().hear(snapshot.News{})
		want(t, "events", r.after(time.Second), "1.1s state polling", "1.1s changed by interruption tool-added(tool/b)")
		want(t, "requests", r.requests(), "1.1s tools", "1.1s prompts", "1.1s resources", "1.1s resourceTemplates", "1.1s skills")
	})
}

// TestGone is a server at a URL that was killed: its stream breaks off, and no one takes connections any
// more.
func TestGone(t *testing.T) {
	refused := errors.New("connection refused")
	var view watch.View
	bubble(t, announcing, watch.Options{View: &view}, func(r *run) {
		r.after(time.Second)
		r.reported()
		for _, kind := range snapshot.Kinds() {
			r.breaks(kind, refused)
		}
		r.failPings(refused)
		r.refuses(refused)
		r.covers(false)
		r.session().hear(snapshot.News{})
		time.Sleep(time.Second)
		synctest.Wait()
		want(t, "events", r.reported(), "1.1s state polling", "1.1s state reconnecting: connection refused")
		if now := view.Status(); now.Current() || !now.VerifiedAt.Equal(r.began) {
			t.Errorf("current %v, verified %v", now.Current(), now.VerifiedAt.Sub(r.began))
		}
		r.breaks(snapshot.Tools, nil)
	})
}

// TestHung is a server that announces a change and then says nothing any more, and one that says nothing at
// all.
func TestHung(t *testing.T) {
	for name, test := range map[string]struct {
		announce bool
		limit    time.Duration
		want     []string
	}{
		"after an announcement": {true, 5 * time.Second, []string{"11.1s state reconnecting: no answer within 5s", "11.6s state live",
			"11.6s changed by reconnection tool-added(tool/b)"}},
		"in silence": {false, 5 * time.Second, []string{"35s state reconnecting: no answer within 5s", "35.5s state live",
			"35.5s changed by reconnection tool-added(tool/b)"}},
		"without a limit": {false, 0, []string{"1m0s state reconnecting: no answer within 30s", "1m0.5s state live",
			"1m0.5s changed by reconnection tool-added(tool/b)"}},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, announcing, watch.Options{Timeout: test.limit}, func(r *run) {
				r.after(time.Second)
				r.reported()
				r.set(snapshot.Tools, "a", "b")
				r.hangs()
				if test.announce {
					r.announce(snapshot.Tools)
				}
				got := r.after(9 * time.Second)
				for len(got) == 0 {
					got = r.after(100 * time.Millisecond)
				}
				r.hangs(false) // the next process answers
				want(t, "events", append(got, r.after(time.Second)...), test.want...)
			})
		})
	}
}

// TestSilenceIsPinged unless a reading is due.
func TestSilenceIsPinged(t *testing.T) {
	bubble(t, announcing, watch.Options{}, func(r *run) {
		want(t, "events", r.after(10*time.Minute+time.Second), "0s state connecting", "0s state live")
		if r.pings != 18 {
			t.Errorf("%d pings in 10 minutes, want one for each half that has no reading", r.pings)
		}
	})
	bubble(t, silent, watch.Options{}, func(r *run) {
		if r.after(10 * time.Minute); r.pings != 0 {
			t.Errorf("%d pings beside polls", r.pings)
		}
	})
}

// TestStale is a surface that was not verified for too long, whatever the connection seems to be.
func TestStale(t *testing.T) {
	for name, test := range map[string]struct {
		covered bool
		options watch.Options
		want    string
	}{
		"polled":     {false, watch.Options{}, "1m30s stale: the surface was not verified for 1m30s"},
		"announcing": {true, watch.Options{}, "15m0s stale: the surface was not verified for 15m0s"},
		"interval":   {true, watch.Options{Interval: 5 * time.Second}, "15s stale: the surface was not verified for 15s"},
	} {
		t.Run(name, func(t *testing.T) {
			s := func() *server {
				s := newServer("a")
				s.covered, s.pongs = test.covered, true
				return s
			}
			var view watch.View
			test.options.View = &view
			bubble(t, s, test.options, func(r *run) {
				r.after(time.Second)
				r.reported()
				r.hangs() // and there is no limit for an answer
				want(t, "events", r.after(16*time.Minute), test.want)
				if now := view.Status(); now.Current() || !now.State.Reached() {
					t.Errorf("current %v, state %s", now.Current(), now.State)
				}
			})
		})
	}
}

// TestWatcherThatSlept, such as a laptop or a paused machine, asks before it says that what it knows is stale.
func TestWatcherThatSlept(t *testing.T) {
	for _, asleep := range []time.Duration{89 * time.Second, 90 * time.Second, time.Hour} {
		for range 10 { // several timers have ended, and select takes any of them
			var meanwhile func()
			nap := func() float64 {
				if meanwhile != nil {
					time.Sleep(asleep)
					meanwhile()
					meanwhile = nil
				}
				return 0.5
			}
			bubble(t, silent, watch.Options{Random: nap}, func(r *run) {
				r.after(10 * time.Second)
				r.reported()
				meanwhile = func() {}
				r.ask <- struct{}{}
				if events := r.after(2 * time.Hour); len(events) > 0 {
					t.Errorf("slept for %v: events %q", asleep, events)
				}
				meanwhile = func() { r.breaks(snapshot.Tools, errDown) }
				r.ask <- struct{}{}
				events := r.after(2 * time.Hour)
				if len(only(slices.Clone(events), "stale: down")) != 1 || !strings.HasSuffix(events[0], " degraded: down") {
					t.Errorf("slept for %v while the server broke: events %q", asleep, events)
				}
			})
		}
	}
}
