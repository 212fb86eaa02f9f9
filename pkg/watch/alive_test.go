package watch_test

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpctl/mcpctl/pkg/snapshot"
	"github.com/mcpctl/mcpctl/pkg/watch"
)

// detailed is bubble with lines that say which kind of trouble it is.
func detailed(t *testing.T, s func() *server, o watch.Options, test func(*run)) {
	t.Helper()
	bubble(t, s, o, func(r *run) {
		r.detailed = true
		test(r)
	})
}

// TestInterruption of what the server announces is a reading at once, and nothing is lost.
func TestInterruption(t *testing.T) {
	detailed(t, announcing, watch.Options{}, func(r *run) {
		r.after(time.Second)
		r.heard()
		r.covers(false)
		r.set(snapshot.Tools, "a", "b")
		r.session().hear(watch.News{})
		want(t, "told", r.after(time.Second), "1.1s state polling", "1.1s changed by interruption tool-added(tool/b)")
		want(t, "asked", r.heard(), "1.1s tools", "1.1s prompts", "1.1s resources", "1.1s resourceTemplates", "1.1s skills")
	})
}

// TestGone is a server at a URL that was killed: its stream breaks off, and no one takes connections any
// more.
func TestGone(t *testing.T) {
	refused := errors.New("connection refused")
	var view watch.View
	detailed(t, announcing, watch.Options{View: &view}, func(r *run) {
		r.after(time.Second)
		r.told()
		for _, kind := range snapshot.Kinds() {
			r.breaks(kind, refused)
		}
		r.is(refused)
		r.refuses(refused)
		r.covers(false)
		r.session().hear(watch.News{})
		time.Sleep(time.Second)
		synctest.Wait()
		for _, e := range r.events {
			if !e.VerifiedAt.Equal(r.began) {
				t.Errorf("%s says that the surface arrived %s after the start, and it did then", r.line(e), e.VerifiedAt.Sub(r.began))
			}
		}
		want(t, "told", r.told(), "1.1s state polling", "1.1s state reconnecting [gone]: connection refused")
		if now := view.Status(); now.Connected || now.Listening || now.Current() || now.Trouble != watch.Gone || !now.VerifiedAt.Equal(r.began) {
			t.Errorf("connected %v, listening %v, current %v, trouble %q, verified %v", now.Connected, now.Listening, now.Current(), now.Trouble, now.VerifiedAt.Sub(r.began))
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
		"after an announcement": {true, 5 * time.Second, []string{"11.1s state reconnecting [hung]: no answer within 5s", "11.6s state live",
			"11.6s changed by reconnection tool-added(tool/b)"}},
		"in silence": {false, 5 * time.Second, []string{"35s state reconnecting [hung]: no answer within 5s", "35.5s state live",
			"35.5s changed by reconnection tool-added(tool/b)"}},
		"without a limit": {false, 0, []string{"1m0s state reconnecting [hung]: no answer within 30s", "1m0.5s state live",
			"1m0.5s changed by reconnection tool-added(tool/b)"}},
	} {
		t.Run(name, func(t *testing.T) {
			detailed(t, announcing, watch.Options{Timeout: test.limit}, func(r *run) {
				r.after(time.Second)
				r.told()
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
				want(t, "told", append(got, r.after(time.Second)...), test.want...)
			})
		})
	}
}

// TestSilenceIsPinged unless a reading is due.
func TestSilenceIsPinged(t *testing.T) {
	bubble(t, announcing, watch.Options{}, func(r *run) {
		want(t, "told", r.after(10*time.Minute+time.Second), "0s state connecting", "0s state live")
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

// TestTooOld is a surface that was not verified for too long, whatever the connection seems to be.
func TestTooOld(t *testing.T) {
	for name, test := range map[string]struct {
		covered bool
		options watch.Options
		want    string
	}{
		"polled":     {false, watch.Options{}, "1m30s stale [unverified]: the surface was not verified for 1m30s"},
		"announcing": {true, watch.Options{}, "15m0s stale [unverified]: the surface was not verified for 15m0s"},
		"interval":   {true, watch.Options{Interval: 5 * time.Second}, "15s stale [unverified]: the surface was not verified for 15s"},
	} {
		t.Run(name, func(t *testing.T) {
			s := func() *server {
				s := newServer("a")
				s.covered, s.pongs = test.covered, true
				return s
			}
			var view watch.View
			test.options.View = &view
			detailed(t, s, test.options, func(r *run) {
				r.after(time.Second)
				r.told()
				r.hangs() // and there is no limit for an answer
				want(t, "told", r.after(16*time.Minute), test.want)
				if now := view.Status(); !now.Connected || now.Current() || !now.State.Reached() {
					t.Errorf("connected %v, current %v, state %s", now.Connected, now.Current(), now.State)
				}
			})
		})
	}
}

// TestOldSurfaceIsReadAgain by the next reading, which reports what changed.
func TestOldSurfaceIsReadAgain(t *testing.T) {
	detailed(t, announcing, watch.Options{Interval: 5 * time.Second, Timeout: 20 * time.Second}, func(r *run) {
		r.after(time.Second)
		r.told()
		r.server.mu.Lock()
		r.hang, r.pongs = true, true
		r.server.mu.Unlock()
		r.set(snapshot.Tools, "a", "b")
		time.Sleep(17 * time.Second) // of a network that swallows everything
		r.hangs(false)
		want(t, "told", r.after(time.Minute), "15s stale [unverified]: the surface was not verified for 15s",
			"26s recovered by poll tool-added(tool/b)")
	})
}

// TestIntervalBoundsAnnouncers as it does others.
func TestIntervalBoundsAnnouncers(t *testing.T) {
	for want, options := range map[string]watch.Options{
		"5s tools": {Interval: 5 * time.Second}, "5m0s tools": {},
	} {
		bubble(t, announcing, options, func(r *run) {
			r.after(time.Second)
			r.heard()
			r.after(6 * time.Minute)
			if got := only(r.heard(), "tools"); len(got) == 0 || got[0] != want {
				t.Errorf("polled at %q, want %q", got, want)
			}
		})
	}
}

// TestTroubleIsNamed reports the kinds of trouble apart.
func TestTroubleIsNamed(t *testing.T) {
	detailed(t, announcing, watch.Options{}, func(r *run) {
		r.after(time.Second)
		r.told()
		r.breaks(snapshot.Tools, errDown)
		r.announce(snapshot.Tools)
		want(t, "announced", r.after(9*time.Second), "8.1s state degraded [unreadable]: down", "8.1s stale [unreadable]: down")
		r.breaks(snapshot.Tools, nil)
		r.after(time.Minute)
		r.set(snapshot.Tools, "a", "b")
		want(t, "not announced", r.after(10*time.Minute), "5m38.1s changed by poll tool-added(tool/b)")
		r.breaks(snapshot.Tools, errDown)
		want(t, "not announced", r.after(6*time.Minute), "15m45.1s state degraded [unreadable]: down", "15m45.1s stale [unreadable]: down")
		r.breaks(snapshot.Tools, nil)
		r.after(time.Minute)
		r.drop("the server ended")
		want(t, "gone", r.after(0), "18m10s state reconnecting [gone]: the server ended")
	})
}

// TestProof is what a change was proven from: each begins at the surface where the one before ended.
func TestProof(t *testing.T) {
	bubble(t, paged(true), watch.Options{}, func(r *run) {
		r.after(time.Second)
		first := r.events
		for _, tools := range [][]string{{"a", "b", "c"}, {"c"}} {
			r.set(snapshot.Tools, tools...)
			r.announce(snapshot.Tools)
			time.Sleep(time.Second)
		}
		r.set(snapshot.Tools, "c", "d")
		time.Sleep(6 * time.Minute)
		r.mu.Lock()
		defer r.mu.Unlock()
		told := r.events[len(first):]
		if len(told) != 3 {
			t.Fatalf("%d events, want three changes", len(told))
		}
		for i, want := range []struct{ announced, confirmed bool }{{true, false}, {true, true}, {false, false}} {
			e := told[i]
			if e.Announced != want.announced || e.Confirmed != want.confirmed || e.VerifiedAt.After(e.Time) || e.Time.Sub(e.VerifiedAt) > time.Second {
				t.Errorf("change %d: announced %v, confirmed %v, verified %s before it was told", i, e.Announced, e.Confirmed, e.Time.Sub(e.VerifiedAt))
			}
			if e.From == e.To || e.To == "" || i > 0 && e.From != told[i-1].To {
				t.Errorf("change %d leads from %q to %q", i, e.From, e.To)
			}
		}
	})
}
