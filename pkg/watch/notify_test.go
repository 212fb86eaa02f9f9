package watch_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
	"github.com/mcpctl/mcpctl/pkg/watch"
)

func announcing() *server {
	s := newServer("a")
	s.covered = true
	return s
}

func want(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func TestFirstReading(t *testing.T) {
	bubble(t, announcing, watch.Options{}, func(r *run) {
		want(t, "events", r.after(0), "0s state connecting", "0s state live")
		want(t, "requests", r.requests(), "0s open", "0s tools", "0s prompts", "0s resources", "0s resourceTemplates", "0s skills")
		want(t, "events at the end", r.end(), "0s state closed")
	})
}

// TestNotificationsAreCoalesced announces 200 times in 100 ms.
func TestNotificationsAreCoalesced(t *testing.T) {
	bubble(t, announcing, watch.Options{}, func(r *run) {
		r.after(time.Second)
		r.requests()
		r.set(snapshot.Tools, "a", "b")
		for range 200 {
			r.announce(snapshot.Tools)
			time.Sleep(500 * time.Microsecond)
		}
		want(t, "events", r.after(time.Minute), "1.2s changed by notification tool-added(tool/b)")
		want(t, "requests", only(r.requests(), "tools"), "1.2s tools")
	})
}

// TestEndlessNotifications announces every 50 ms for 3 seconds: no one waits for silence longer than a
// second.
func TestEndlessNotifications(t *testing.T) {
	bubble(t, announcing, watch.Options{}, func(r *run) {
		r.after(time.Second)
		r.set(snapshot.Tools, "b")
		for range 60 {
			r.announce(snapshot.Tools)
			time.Sleep(50 * time.Millisecond)
		}
		got := r.reported()
		if len(got) == 0 || got[0] != "2s changed by notification tool-removed(tool/a) tool-added(tool/b)" {
			t.Errorf("events %q, want the change at 2s", got)
		}
	})
}

// TestChangeDuringReading changes a list again after it was read and before the reading ended.
func TestChangeDuringReading(t *testing.T) {
	bubble(t, announcing, watch.Options{}, func(r *run) {
		r.after(time.Second)
		r.requests()
		once := true
		r.onEach(func(kind snapshot.Kind, _ *session) {
			if kind == snapshot.Prompts && once {
				once = false
				r.set(snapshot.Tools, "a", "b", "c")
				r.announce(snapshot.Tools)
				time.Sleep(3 * time.Second)
			}
		})
		r.set(snapshot.Tools, "a", "b")
		r.announce(snapshot.Tools, snapshot.Prompts)
		want(t, "events", r.after(time.Minute),
			"4.1s changed by notification tool-added(tool/b)", "4.3s changed by notification tool-added(tool/c)")
		want(t, "requests", only(r.requests(), "tools"), "1.1s tools", "4.3s tools")
	})
}

// TestAnnouncementsAndChanges reports a change without an announcement, an announcement without a
// change, and an announcement that comes after a poll has found its change.
func TestAnnouncementsAndChanges(t *testing.T) {
	var view watch.View
	bubble(t, announcing, watch.Options{View: &view}, func(r *run) {
		r.after(time.Second)
		r.set(snapshot.Tools, "a", "b")
		want(t, "not announced", r.after(10*time.Minute), "5m0s changed by poll tool-added(tool/b)")
		r.announce(snapshot.Prompts)
		want(t, "needless", r.after(time.Second), "10m1.1s unchanged by notification")
		r.set(snapshot.Tools, "b")
		time.Sleep(5 * time.Minute) // the poll is over
		r.announce(snapshot.Tools)
		want(t, "late", r.after(10*time.Minute), "15m1.1s changed by poll tool-removed(tool/a)", "15m2.1s unchanged by notification")
		got := view.Status().Counts
		if diff := cmp.Diff(watch.Counts{Readings: 7, Changes: 2, Connections: 1, Announcements: 2}, got); diff != "" {
			t.Errorf("counts (-want +got):\n%s", diff)
		}
	})
}

// TestServerThatAnnouncesEveryReading is read ever less often, down to the pace of polling, until it changes.
func TestServerThatAnnouncesEveryReading(t *testing.T) {
	bubble(t, announcing, watch.Options{}, func(r *run) {
		r.onEach(func(kind snapshot.Kind, c *session) { c.hear(snapshot.News{Changed: []snapshot.Kind{snapshot.Tools}}) })
		r.after(time.Hour)
		if n := len(only(r.requests(), "tools")); n < 100 || n > 150 {
			t.Errorf("%d readings in an hour, want one in 30 seconds", n)
		}
		r.onEach(nil)
		r.set(snapshot.Tools, "b")
		r.announce(snapshot.Tools)
		if got := r.after(time.Minute); len(got) == 0 {
			t.Error("a change of a slowed server was lost")
		}
		r.set(snapshot.Tools, "c")
		r.announce(snapshot.Tools)
		if got := r.after(time.Second); len(got) != 1 {
			t.Errorf("events %q, want the next change at once", got)
		}
	})
}

// TestResumedNotifications read everything, and no one takes that for an announcement.
func TestResumedNotifications(t *testing.T) {
	bubble(t, announcing, watch.Options{}, func(r *run) {
		r.after(time.Second)
		r.requests()
		r.session().hear(snapshot.News{Resumed: true})
		want(t, "events", r.after(time.Second))
		want(t, "requests", r.requests(), "1.1s tools", "1.1s prompts", "1.1s resources", "1.1s resourceTemplates", "1.1s skills")
		r.set(snapshot.Tools, "a", "b")
		r.session().hear(snapshot.News{Resumed: true})
		want(t, "events", r.after(time.Second), "2.1s changed by resumption tool-added(tool/b)")
	})
}

// TestOneListFails while another one changes: the change is reported, what failed stays as it was.
func TestOneListFails(t *testing.T) {
	bubble(t, announcing, watch.Options{}, func(r *run) {
		r.after(time.Second)
		r.breaks(snapshot.Prompts, errors.New("no prompts today"))
		r.set(snapshot.Tools, "a", "b")
		r.announce(snapshot.Tools, snapshot.Prompts)
		want(t, "events", r.after(10*time.Second), "8.1s state degraded: no prompts today",
			"8.1s changed by notification tool-added(tool/b)")
		r.breaks(snapshot.Prompts, nil)
		r.set(snapshot.Tools, "b")
		r.announce(snapshot.Tools)
		want(t, "events", r.after(time.Second), "11.1s state live", "11.1s changed by notification tool-removed(tool/a)")
	})
}

// TestPollAnswersAnAnnouncement that is not noticed yet: it is not a needless announcement.
func TestPollAnswersAnAnnouncement(t *testing.T) {
	var view watch.View
	bubble(t, announcing, watch.Options{View: &view}, func(r *run) {
		r.after(5*time.Minute - 50*time.Millisecond)
		r.requests()
		r.set(snapshot.Tools, "a", "b")
		r.announce(snapshot.Tools)
		want(t, "events", r.after(time.Minute), "5m0s changed by poll tool-added(tool/b)")
		if asked := r.requests(); len(asked) != len(snapshot.Kinds()) {
			t.Errorf("asked for what was read already: %q", asked)
		}
		if got := view.Status().Counts; got.Announcements != 1 {
			t.Errorf("counts %+v", got)
		}
	})
}

// TestAnnouncedChangeCannotBeRead: nothing was read, so the announcement is neither needless nor used up, and
// the change is not silent when it is found at last.
func TestAnnouncedChangeCannotBeRead(t *testing.T) {
	trouble := "8.1s state degraded: down"
	for name, test := range map[string]struct {
		fix  func(*run)
		want []string
	}{
		"found by the poll": {func(*run) {}, []string{"38.1s state live", "38.1s changed by poll tool-added(tool/b)"}},
		"found with another": {func(r *run) { r.announce(snapshot.Prompts) },
			[]string{"11.1s state live", "11.1s changed by notification tool-added(tool/b)"}},
		"not there any more": {func(r *run) { r.set(snapshot.Tools, "a") }, []string{"38.1s state live"}},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, announcing, watch.Options{}, func(r *run) {
				r.after(time.Second)
				r.breaks(snapshot.Tools, errDown)
				r.set(snapshot.Tools, "a", "b")
				r.announce(snapshot.Tools)
				want(t, "trouble", r.after(10*time.Second), trouble)
				r.breaks(snapshot.Tools, nil)
				test.fix(r)
				want(t, "events", r.after(10*time.Minute), test.want...)
			})
		})
	}
}

// TestAnnouncementWhileFailed is answered by the next attempt, and its change not called silent.
func TestAnnouncementWhileFailed(t *testing.T) {
	bubble(t, announcing, watch.Options{MaxFailures: 1}, func(r *run) {
		r.after(time.Second)
		r.breaks(snapshot.Tools, errDown)
		r.announce(snapshot.Tools)
		want(t, "trouble", r.after(10*time.Second), "8.1s state failed: down")
		r.breaks(snapshot.Tools, nil)
		r.set(snapshot.Tools, "a", "b")
		r.announce(snapshot.Tools)
		want(t, "events", r.after(5*time.Minute), "1m8.1s state live", "1m8.1s changed by poll tool-added(tool/b)")
	})
}

// TestIgnoredChange: a change that the policy leaves out is not an announcement without a change.
func TestIgnoredChange(t *testing.T) {
	judge := func(found []finding.Finding) []finding.Finding {
		return slices.DeleteFunc(found, func(f finding.Finding) bool { return f.Rule == "tool-added" })
	}
	bubble(t, announcing, watch.Options{Judge: judge}, func(r *run) {
		r.after(time.Second)
		for _, tools := range [][]string{{"a", "b"}, {"a", "b", "c"}} {
			r.set(snapshot.Tools, tools...)
			r.announce(snapshot.Tools)
			want(t, "events", r.after(time.Minute))
		}
		r.set(snapshot.Tools, "b")
		r.announce(snapshot.Tools)
		want(t, "events", r.after(time.Minute),
			"2m1.1s changed by notification tool-removed(tool/a) tool-removed(tool/c)")
	})
}

// TestFindingsAreSorted in each event, whatever order the policy returns them in.
func TestFindingsAreSorted(t *testing.T) {
	judge := func(found []finding.Finding) []finding.Finding {
		slices.Reverse(found)
		return found
	}
	bubble(t, announcing, watch.Options{Judge: judge}, func(r *run) {
		r.after(time.Second)
		r.set(snapshot.Tools, "b")
		r.announce(snapshot.Tools)
		want(t, "events", r.after(time.Second), "1.1s changed by notification tool-removed(tool/a) tool-added(tool/b)")
	})
}
