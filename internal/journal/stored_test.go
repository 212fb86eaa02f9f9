package journal

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/store"
)

// away is a store that cannot be written for a while.
type away struct {
	host.Store
	left atomic.Int32 // writes that fail
}

func (a *away) Create(ctx context.Context, at string, data []byte) error {
	if a.left.Add(-1) >= 0 {
		return errors.New("busy")
	}
	return a.Store.Create(ctx, at, data)
}

// storedIn is the journal in a folder of a store.
func storedIn(t *testing.T, at string) (*Journal, *away, map[string][]byte) {
	t.Helper()
	a := &away{Store: store.New(host.Process{})}
	j, surfaces, err := OpenStored(t.Context(), a, at, t.Logf)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = j.End() })
	return j, a, surfaces
}

func location(t *testing.T) string {
	return "file:///" + strings.TrimPrefix(filepath.ToSlash(t.TempDir()), "/") + "/journal"
}

// TestStored goes on after restarts, with all that is known written into one object now and then, and the rest of it removed.
func TestStored(t *testing.T) {
	at := location(t)
	var want []string
	for run := range 6 {
		j, a, surfaces := storedIn(t, at)
		if run > 0 && string(surfaces["a"]) != fmt.Sprintf(`{"tools":[%d]}`, run-1) {
			t.Errorf("run %d: the surface is %s", run, surfaces["a"])
		}
		if n, known := j.Passed("--webhook"); known != (run > 0) || n != 2*run {
			t.Errorf("run %d: the webhook is at %d", run, n)
		}
		j.disk.stored.due = j.disk.stored.last + 3
		for range 2 {
			addWith(j, "a", "text", true, fmt.Sprintf(`{"tools":[%d]}`, run))
			j.Settle(t.Context())
			n, _ := j.Last()
			want = append(want, fmt.Sprintf("%d a %d %d", n, n, n))
		}
		n, _ := j.Last()
		j.Pass("--webhook", n)
		if err := j.End(); err != nil {
			t.Fatal(err)
		}
		if names, err := a.List(t.Context(), at); err != nil || len(names) > 12 {
			t.Errorf("run %d: %d objects are left, %v", run, len(names), err)
		}
	}
	j, _, _ := storedIn(t, at)
	got := places(j.After(0).Entries)
	if len(got) < 2 || len(got) > len(want) {
		t.Fatalf("%v", got)
	}
	if diff := cmp.Diff(want[len(want)-len(got):], got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestStoredWhileAway: what cannot be written at once is written later, and readers see it then.
func TestStoredWhileAway(t *testing.T) {
	at := location(t)
	j, a, _ := storedIn(t, at)
	j.disk.stored.pause = giveUpEvery
	a.left.Store(2)
	add(j, "a", "text", true)
	if len(j.After(0).Entries) > 0 {
		t.Error("readers see what is not kept yet")
	}
	j.Settle(t.Context())
	if err := j.End(); err != nil {
		t.Error(err)
	}
	next, a, _ := storedIn(t, at)
	if got := places(next.After(0).Entries); len(got) != 1 {
		t.Errorf("%v", got)
	}
	a.left.Store(1000)
	add(next, "a", "text", true)
	if err := next.End(); err == nil || !strings.Contains(err.Error(), "events are missing in --journal "+at+": busy") {
		t.Errorf("%v", err)
	}
}

// TestStoredTwice: who comes later has the journal. The other one is told, and overwrites nothing.
func TestStoredTwice(t *testing.T) {
	at := location(t)
	one, _, _ := storedIn(t, at)
	add(one, "a", "one", true)
	one.Settle(t.Context())
	two, _, _ := storedIn(t, at)
	add(two, "a", "two", true)
	two.Settle(t.Context())
	add(one, "a", "three", true)
	one.Settle(t.Context())
	if err := one.End(); err == nil || !strings.Contains(err.Error(), "another mcpctl writes it") {
		t.Errorf("%v", err)
	}
	if err := two.End(); err != nil {
		t.Error(err)
	}
	next, _, _ := storedIn(t, at)
	if diff := cmp.Diff([]string{"1 a 1 1", "2 a 2 2"}, places(next.After(0).Entries)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
