package watch_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpctl/mcpctl/pkg/snapshot"
	"github.com/mcpctl/mcpctl/pkg/watch"
)

// TestRandomLife kills a server 50 times while it changes, fails and announces at random. The changes that
// were reported, one after the other, must lead from the first surface to the last: none lost, none reported twice.
func TestRandomLife(t *testing.T) {
	for seed := range uint64(40) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			random, spread := rand.New(rand.NewPCG(seed, 1)), rand.New(rand.NewPCG(seed, 2))
			var view watch.View
			bubble(t, announcing, watch.Options{Random: spread.Float64, View: &view}, func(r *run) {
				r.after(time.Second)
				known := map[string]bool{"a": true}
				for range 50 {
					live(r, random)
					r.replay(known)
				}
				r.breaks(snapshot.Tools, nil)
				r.refuses(nil)
				time.Sleep(10 * time.Minute)
				synctest.Wait()
				r.replay(known)
				final := names(view.Status().Surface.Tools)
				if diff := cmp.Diff(r.tools(), final); diff != "" {
					t.Errorf("the surface is not the server's (-want +got):\n%s", diff)
				}
				reported := slices.AppendSeq([]string{}, maps.Keys(known))
				slices.Sort(reported)
				if diff := cmp.Diff(final, reported); diff != "" {
					t.Errorf("the changes lead elsewhere (-want +got):\n%s", diff)
				}
			})
		})
	}
}

// live is a part of a server's life that ends with its death.
func live(r *run, random *rand.Rand) {
	for range random.IntN(8) {
		switch random.IntN(5) {
		case 0, 1:
			r.set(snapshot.Tools, some(random)...)
			if random.IntN(3) > 0 {
				r.session().hear(snapshot.News{Changed: []snapshot.Kind{snapshot.Tools}})
			}
		case 2:
			r.breaks(snapshot.Tools, errDown)
		case 3:
			r.breaks(snapshot.Tools, nil)
		}
		time.Sleep(time.Duration(random.ExpFloat64() * float64(2*time.Second)))
	}
	if random.IntN(2) == 0 {
		r.refuses(errDown)
	} else {
		r.refuses(nil)
	}
	r.set(snapshot.Tools, some(random)...)
	r.drop("killed")
	time.Sleep(time.Duration(random.ExpFloat64() * float64(20*time.Second)))
	r.refuses(nil)
}

func some(random *rand.Rand) []string {
	var names []string
	for _, name := range []string{"a", "b", "c", "d"} {
		if random.IntN(2) == 0 {
			names = append(names, name)
		}
	}
	return names
}

// replay applies what was reported to what is known.
func (r *run) replay(known map[string]bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, e := range r.events {
		for _, f := range e.Findings {
			name := strings.TrimPrefix(f.Item, "tool/")
			switch added := f.Rule == "tool-added"; {
			case !added && f.Rule != "tool-removed":
			case known[name] == added:
				r.t.Errorf("told twice: %s %s", f.Rule, name)
			case added:
				known[name] = true
			default:
				delete(known, name)
			}
		}
	}
	r.events = nil
}

// tools are the names that the server offers, sorted.
func (r *run) tools() []string {
	r.server.mu.Lock()
	defer r.server.mu.Unlock()
	names := append([]string{}, r.names[snapshot.Tools]...)
	slices.Sort(names)
	return names
}

func names(list snapshot.List) []string {
	names := []string{}
	for _, item := range list.Items() {
		names = append(names, item.Key)
	}
	return names
}

// TestDifferenceFromSaved is reported when it becomes another one, whichever side moved.
func TestDifferenceFromSaved(t *testing.T) {
	saved := &snapshot.Snapshot{Protocol: "2025-11-25", Capabilities: (*session)(nil).Hello().Capabilities,
		Tools: listOf(snapshot.Tools, []string{"a", "b"}), Prompts: listOf(snapshot.Prompts, []string{"p"})}
	far := func() *server {
		s := announcing()
		s.saved = func() *snapshot.Snapshot { return saved }
		return s
	}
	bubble(t, far, watch.Options{}, func(r *run) {
		want(t, "at first", r.after(time.Second), "0s state connecting", "0s state live", "0s changed by start tool-removed(tool/b)")
		r.announce(snapshot.Tools)
		want(t, "the same difference", r.after(time.Second), "1.1s unchanged by notification")
		r.set(snapshot.Tools, "a", "b")
		r.announce(snapshot.Tools)
		want(t, "none", r.after(time.Second), "2.2s changed by notification")
		saved = &snapshot.Snapshot{Protocol: saved.Protocol, Capabilities: saved.Capabilities,
			Tools: listOf(snapshot.Tools, []string{"a"}), Prompts: saved.Prompts}
		r.ask <- struct{}{}
		want(t, "the other side moved", r.after(time.Second), "3s changed by request tool-added(tool/b)")
		r.breaks(snapshot.Tools, errDown)
		r.ask <- struct{}{}
		want(t, "trouble", r.after(10*time.Second), "11s state degraded: down")
		r.breaks(snapshot.Tools, nil)
		r.ask <- struct{}{}
		want(t, "recovered with the same difference", r.after(time.Second), "14s state live")
		r.breaks(snapshot.Tools, errDown)
		r.ask <- struct{}{}
		want(t, "trouble again", r.after(10*time.Second), "22s state degraded: down")
		r.breaks(snapshot.Tools, nil)
		r.set(snapshot.Tools, "a")
		r.ask <- struct{}{}
		want(t, "recovered elsewhere", r.after(time.Second), "25s state live", "25s changed by request")
		r.set(snapshot.Tools, "a", "c")
		r.ask <- struct{}{}
		want(t, "away again", r.after(time.Second), "26s changed by request tool-added(tool/c)")
		before := saved
		saved = nil
		r.ask <- struct{}{}
		want(t, "nothing is saved any more: the difference is not known, and not none", r.after(time.Second))
		saved = before
		r.ask <- struct{}{}
		want(t, "saved as before", r.after(time.Second))
		r.set(snapshot.Tools, "a")
		r.ask <- struct{}{}
		want(t, "none at last", r.after(time.Second), "29s changed by request")
	})
}
