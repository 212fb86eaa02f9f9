package watch_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpctl/mcpctl/pkg/diff"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
	"github.com/mcpctl/mcpctl/pkg/watch"
)

var (
	errDown = errors.New("down")
	errCut  = errors.New("page 2: down") // what the server offers arrives, and there may be more
)

func silent() *server { return newServer("a") }

// only are the calls that contain a word.
func only(calls []string, word string) []string {
	return slices.DeleteFunc(calls, func(call string) bool { return !strings.Contains(call, word) })
}

// TestListFailsThreeTimes and works then: no one hears of it.
func TestListFailsThreeTimes(t *testing.T) {
	bubble(t, silent, watch.Options{}, func(r *run) {
		r.after(29 * time.Second)
		r.requests()
		r.breaks(snapshot.Tools, errDown)
		want(t, "events", r.after(7500*time.Millisecond)) // 30, 31, 33 s
		r.breaks(snapshot.Tools, nil)
		r.set(snapshot.Tools, "b")
		want(t, "events", r.after(time.Second), "37s changed by poll tool-removed(tool/a) tool-added(tool/b)")
		want(t, "requests", only(r.requests(), "tools"), "30s tools", "31s tools", "33s tools", "37s tools")
	})
}

// TestListNeverWorks is stale once, tried again with every poll, and recovered once with all that changed
// meanwhile.
func TestListNeverWorks(t *testing.T) {
	bubble(t, silent, watch.Options{}, func(r *run) {
		r.after(29 * time.Second)
		r.breaks(snapshot.Tools, errDown)
		want(t, "events", r.after(50*time.Second), "37s state degraded: down")
		r.set(snapshot.Tools, "a", "b")
		want(t, "after three intervals", r.after(30*time.Second), "1m30s stale: down")
		r.breaks(snapshot.Tools, nil)
		want(t, "events", r.after(time.Minute), "1m51s state polling", "1m51s recovered by poll",
			"1m51s changed by poll tool-added(tool/b)")
	})
}

// TestTooLargeToCompare: what cannot be compared is not a news and no fault of the server's announcements; the
// last good surface stays.
func TestTooLargeToCompare(t *testing.T) {
	bubble(t, silent, watch.Options{}, func(r *run) {
		r.after(29 * time.Second)
		r.set(snapshot.Tools, strings.Repeat("b", diff.MostBytes/16)) // which it says several times
		why := "comparing: 9.5 MiB changed on both sides; at most 8 MiB are compared"
		want(t, "events", r.after(20*time.Second), "30s state degraded: "+why)
		r.set(snapshot.Tools, "c")
		want(t, "events", r.after(time.Minute), "1m0s state polling", "1m0s changed by poll tool-removed(tool/a) tool-added(tool/c)")
	})
}

// TestTruncatedListReplacesNothing keeps the last good surface, and reports nothing as gone that may be on a lost
// page.
func TestTruncatedListReplacesNothing(t *testing.T) {
	var view watch.View
	bubble(t, func() *server { return newServer("a", "b") }, watch.Options{View: &view}, func(r *run) {
		r.after(29 * time.Second)
		r.set(snapshot.Tools, "a")
		r.breaks(snapshot.Tools, errCut)
		want(t, "events", r.after(time.Minute), "37s state degraded: page 2: down")
		if tools := view.Status().Surface.Tools; tools.State != snapshot.Complete || len(tools.Items()) != 2 {
			t.Errorf("the surface holds %d tools, %s", len(tools.Items()), tools.State)
		}
		r.breaks(snapshot.Tools, nil)
		want(t, "events", r.after(time.Minute), "1m30s stale: page 2: down", "1m44s state polling", "1m44s recovered by poll",
			"1m44s changed by poll tool-removed(tool/b)")
	})
}

// TestTruncatedListIsShown: what arrived of a list that never was whole is there, and nothing is reported about
// it.
func TestTruncatedListIsShown(t *testing.T) {
	var view watch.View
	cut := func() *server {
		s := newServer("a")
		s.fail[snapshot.Tools] = errCut
		return s
	}
	bubble(t, cut, watch.Options{View: &view}, func(r *run) {
		r.after(10 * time.Second)
		if tools := view.Status().Surface.Tools; tools.State != snapshot.Truncated || len(tools.Items()) != 1 {
			t.Errorf("the surface holds %d tools, %s", len(tools.Items()), tools.State)
		}
		r.set(snapshot.Tools, "a", "b")
		want(t, "events", r.after(2*time.Minute), "1m37s stale: page 2: down")
		r.breaks(snapshot.Tools, nil)
		for _, line := range r.after(2 * time.Minute) {
			if strings.Contains(line, "tool-added") {
				t.Errorf("a tool that was never missing is told as new: %s", line)
			}
		}
		if tools := view.Status().Surface.Tools; tools.State != snapshot.Complete || len(tools.Items()) != 2 {
			t.Errorf("the surface holds %d tools, %s", len(tools.Items()), tools.State)
		}
	})
}

// TestTooManyFailures stops asking often, also when the server asks for it; a person may still ask.
func TestTooManyFailures(t *testing.T) {
	bubble(t, silent, watch.Options{MaxFailures: 2}, func(r *run) {
		r.after(29 * time.Second)
		r.breaks(snapshot.Tools, errDown)
		want(t, "events", r.after(time.Minute), "37s state degraded: down", "1m14s state failed: down")
		r.requests()
		r.announce(snapshot.Tools)
		r.after(30 * time.Second)
		want(t, "requests while failed", r.requests())
		r.after(20 * time.Minute)
		if n := len(only(r.requests(), "tools")); n < 4*16 || n > 4*21 {
			t.Errorf("%d attempts in 20 minutes, want four for each minute or so", n)
		}
		r.breaks(snapshot.Tools, nil)
		r.ask <- struct{}{}
		got := r.after(0)
		if len(got) != 2 || !strings.HasSuffix(got[0], "state polling") || !strings.HasSuffix(got[1], "recovered by request") {
			t.Errorf("events on request: %q", got)
		}
	})
}

// TestFailedServerIsTriedSeldom: at the longest interval, however soon its surface is too old.
func TestFailedServerIsTriedSeldom(t *testing.T) {
	bubble(t, announcing, watch.Options{MaxFailures: 1, Interval: 3 * time.Second}, func(r *run) {
		r.after(time.Second)
		r.breaks(snapshot.Tools, errDown)
		r.after(time.Minute)
		r.requests()
		r.after(10 * time.Minute)
		if asked := r.requests(); len(asked) > 200 {
			t.Errorf("asked %d times in ten minutes", len(asked))
		}
	})
}

// TestFirstConnectionFails: it is reported at once, and again only when it works.
func TestFirstConnectionFails(t *testing.T) {
	bubble(t, silent, watch.Options{}, func(r *run) {
		r.refuses(errDown)
		want(t, "events", r.after(30*time.Second), "0s state connecting", "0s state reconnecting: down", "7.5s state failed: down")
		want(t, "requests", r.requests(), "0s open", "500ms open", "1.5s open", "3.5s open", "7.5s open")
		r.refuses(nil)
		want(t, "events", r.after(time.Minute), "1m7.5s state polling")
	})
}

// TestConnectionLost is reported once; the waits double up to a minute; what changed meanwhile is found.
func TestConnectionLost(t *testing.T) {
	bubble(t, silent, watch.Options{MaxFailures: 100}, func(r *run) {
		r.after(15 * time.Second)
		r.requests()
		r.refuses(errDown)
		r.drop("the server ended")
		want(t, "events", r.after(5*time.Minute), "15s state reconnecting: the server ended", "1m30s stale: down")
		want(t, "requests", r.requests(), "15.5s open", "16.5s open", "18.5s open", "22.5s open", "30.5s open", "46.5s open",
			"1m18.5s open", "2m18.5s open", "3m18.5s open", "4m18.5s open")
		r.refuses(nil)
		r.set(snapshot.Prompts)
		want(t, "events", r.after(time.Minute), "5m18.5s state polling", "5m18.5s recovered by reconnection",
			"5m18.5s changed by reconnection prompt-removed(prompt/p)")
	})
}

// TestPollTimes: waits are spread by a quarter to either side; the interval bounds announcing servers too.
func TestPollTimes(t *testing.T) {
	spread := func(random float64) watch.Options {
		return watch.Options{Random: func() float64 { return random }}
	}
	for _, test := range []struct {
		server  func() *server
		options watch.Options
		want    string
	}{
		{silent, spread(0), "22.5s tools"},
		{silent, spread(0.5), "30s tools"},
		{silent, spread(0.9999999), "37.5s tools"},
		{announcing, watch.Options{Interval: 5 * time.Second}, "5s tools"},
		{announcing, watch.Options{}, "5m0s tools"},
	} {
		bubble(t, test.server, test.options, func(r *run) {
			r.after(time.Second)
			r.requests()
			r.after(6 * time.Minute)
			if got := only(r.requests(), "tools"); len(got) == 0 || got[0] != test.want {
				t.Errorf("interval %v: polled at %q, want %q", test.options.Interval, got, test.want)
			}
		})
	}
}

// TestServerThatEndsAtOnce over and over is not started in a hot loop, whether it ends before its lists or
// after them.
func TestServerThatEndsAtOnce(t *testing.T) {
	for name, at := range map[string]snapshot.Kind{"before the lists": snapshot.Tools, "after them": ""} {
		t.Run(name, func(t *testing.T) {
			bubble(t, silent, watch.Options{}, func(r *run) {
				r.onEach(func(kind snapshot.Kind, c *session) {
					if kind == at || at == "" && kind == snapshot.Templates {
						time.AfterFunc(time.Millisecond, func() { c.lose(errDown) })
						if at != "" {
							time.Sleep(2 * time.Millisecond)
						}
					}
				})
				r.after(time.Hour)
				if n := len(only(r.requests(), "open")); n < 50 || n > 75 {
					t.Errorf("started %d times in an hour, want one a minute or so", n)
				}
			})
		})
	}
}

// TestStableConnection makes the waits begin anew once it has stood twenty times as long as the first of them.
func TestStableConnection(t *testing.T) {
	for stood, again := range map[time.Duration]string{
		10*time.Second - time.Millisecond: "17.499s open", 10 * time.Second: "14s open",
	} {
		bubble(t, silent, watch.Options{}, func(r *run) {
			r.refuses(errDown)
			r.after(3 * time.Second)
			r.refuses(nil)
			r.after(500*time.Millisecond + stood) // connected at 3.5 s
			r.requests()
			r.drop("flapping")
			r.after(10 * time.Second)
			want(t, "requests", only(r.requests(), "open"), again)
		})
	}
}

// TestEndWhileReading does not wait for a server that never answers.
func TestEndWhileReading(t *testing.T) {
	for _, wait := range []time.Duration{0, 10 * time.Second, 31 * time.Second, 40 * time.Second} {
		t.Run(fmt.Sprint(wait), func(t *testing.T) {
			bubble(t, silent, watch.Options{Timeout: 5 * time.Second}, func(r *run) {
				r.hangs()
				r.after(wait)
				r.end()
			})
		})
	}
}

// TestSilentList is given up after its time, four times.
func TestSilentList(t *testing.T) {
	bubble(t, silent, watch.Options{Timeout: 5 * time.Second}, func(r *run) {
		r.after(time.Second)
		r.change(func() { r.hang, r.pongs = true, true })
		want(t, "events", r.after(2*time.Minute), "57s state degraded: no answer within 5s", "1m30s stale: no answer within 5s")
	})
}

// TestLossDuringTheFirstReading is a failed attempt to connect, not a server whose lists are bad.
func TestLossDuringTheFirstReading(t *testing.T) {
	bubble(t, silent, watch.Options{}, func(r *run) {
		r.onEach(func(_ snapshot.Kind, c *session) { c.lose(errDown) })
		want(t, "events", r.after(time.Second), "0s state connecting", "0s state reconnecting: down")
	})
}

// TestEachOutageIsCountedByItself: attempts that failed before a connection that worked say nothing of those
// after it.
func TestEachOutageIsCountedByItself(t *testing.T) {
	var view watch.View
	bubble(t, silent, watch.Options{View: &view}, func(r *run) {
		for range 2 {
			r.after(30 * time.Second)
			r.refuses(errDown)
			r.drop("the server ended")
			events := r.after(4 * time.Second) // three attempts
			r.refuses(nil)
			if stale := only(append(events, r.after(30*time.Second)...), "stale"); len(stale) > 0 {
				t.Errorf("events %q after three attempts", stale)
			}
		}
		if got := view.Status().Counts; got.Failures != 6 || got.Connections != 3 {
			t.Errorf("counts %+v, want six failures and three connections", got)
		}
	})
}

// TestFailedReadingsAreCounted, each once with all of its attempts, and one that ends with a server that
// answers nothing.
func TestFailedReadingsAreCounted(t *testing.T) {
	var view watch.View
	bubble(t, silent, watch.Options{View: &view, Timeout: time.Second}, func(r *run) {
		r.after(time.Second)
		r.breaks(snapshot.Tools, errDown)
		r.after(time.Minute)
		if got := view.Status().Counts.Failures; got != 1 {
			t.Errorf("%d failures of a list, want 1", got)
		}
		r.breaks(snapshot.Tools, nil)
		r.after(time.Minute)
		r.hangs()
		for len(r.after(100*time.Millisecond)) == 0 { // until it is reported that there is no connection
		}
		r.hangs(false)
		r.after(time.Minute)
		if got := view.Status().Counts.Failures; got != 2 {
			t.Errorf("%d failures with a server that hung once, want 2", got)
		}
	})
}

// TestEndWhileComparing says nothing about a comparison that was broken off.
func TestEndWhileComparing(t *testing.T) {
	var end func()
	s := func() *server {
		s := silent()
		s.saved = func() *snapshot.Snapshot {
			end()
			return &snapshot.Snapshot{Tools: listOf(snapshot.Tools, []string{"b"})}
		}
		return s
	}
	synctest.Test(t, func(t *testing.T) {
		r := begin(t, s(), watch.Options{})
		end = r.stop
		want(t, "events", r.after(time.Second), "0s state connecting", "0s state closed")
		r.end()
	})
}

// busyError is a server that asks not to be asked again for a time.
type busyError time.Duration

func (e busyError) Error() string { return "busy" }

func (e busyError) AskedWait() time.Duration { return time.Duration(e) }

// TestServerAsksToWait: it is not asked before, neither for a list nor for a sign of life, which its answer
// was; within a minute.
func TestServerAsksToWait(t *testing.T) {
	bubble(t, silent, watch.Options{}, func(r *run) {
		r.after(29 * time.Second)
		r.requests()
		r.breaks(snapshot.Tools, busyError(10*time.Second))
		r.breaks(snapshot.Prompts, errDown)
		want(t, "events", r.after(20*time.Second))
		r.breaks(snapshot.Tools, busyError(time.Hour))
		r.breaks(snapshot.Prompts, busyError(time.Hour))
		r.after(time.Second)
		r.breaks(snapshot.Tools, nil)
		r.breaks(snapshot.Prompts, nil)
		want(t, "events", r.after(time.Minute+10*time.Second), "1m30s stale: the surface was not verified for 1m30s",
			"1m50s recovered by poll")
		want(t, "requests", only(r.requests(), "tools"), "30s tools", "40s tools", "50s tools", "1m50s tools")
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.pings > 0 {
			t.Errorf("%d pings", r.pings)
		}
	})
}

// TestServerAsksToWaitWhenConnecting: who is not let in comes back when it was reported to.
func TestServerAsksToWaitWhenConnecting(t *testing.T) {
	down := func() *server { s := newServer("a"); s.refuses(busyError(20 * time.Second)); return s }
	bubble(t, down, watch.Options{}, func(r *run) {
		r.after(30 * time.Second)
		want(t, "requests", only(r.requests(), "open"), "0s open", "20s open")
	})
}

// TestSince is when the state began, however often the server was read in it.
func TestSince(t *testing.T) {
	var view watch.View
	bubble(t, silent, watch.Options{View: &view}, func(r *run) {
		r.after(10 * time.Minute)
		if got := view.Status(); !got.Since.Equal(r.began) {
			t.Errorf("%s since %v, want the beginning", got.State, got.Since.Sub(r.began))
		}
	})
}

// TestRequestWhileNotConnected is an attempt at once, also at a server that failed too often.
func TestRequestWhileNotConnected(t *testing.T) {
	bubble(t, silent, watch.Options{}, func(r *run) {
		r.refuses(errDown)
		r.after(20 * time.Second)
		r.refuses(nil)
		r.ask <- struct{}{}
		want(t, "events", r.after(0), "20s state polling")
	})
}

// TestConnectionEndsTheCount of failures: the next failure is the first one in a row again.
func TestConnectionEndsTheCount(t *testing.T) {
	bubble(t, silent, watch.Options{MaxFailures: 2}, func(r *run) {
		r.refuses(errDown)
		r.after(0)
		r.refuses(nil)
		want(t, "connected", r.after(time.Second), "500ms state polling")
		r.breaks(snapshot.Tools, errDown)
		want(t, "events", r.after(40*time.Second), "37.5s state degraded: down")
	})
}

// TestFirstReadingFails: a list that becomes known is no change, and its announcement had none.
func TestFirstReadingFails(t *testing.T) {
	bubble(t, announcing, watch.Options{}, func(r *run) {
		r.breaks(snapshot.Prompts, errDown)
		want(t, "events", r.after(10*time.Second), "0s state connecting", "7s state degraded: down")
		r.breaks(snapshot.Prompts, nil)
		r.announce(snapshot.Prompts)
		want(t, "events then", r.after(time.Second), "10.1s state live", "10.1s unchanged by notification")
	})
}
