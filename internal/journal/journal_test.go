package journal

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// add adds an event whose line says what it is and where it stands.
func add(j *Journal, server, note string, change bool) { addWith(j, server, note, change, "") }

// addWith is add with the surface that the server has from then on; empty = the one before.
func addWith(j *Journal, server, note string, change bool, surface string) {
	kind := "state"
	if change {
		kind = "changed"
	}
	var file []byte
	if surface != "" {
		file = []byte(surface)
	}
	j.Add(server, kind, change, file, func(at Place) []byte {
		return fmt.Appendf(nil, `{"mcpctl":1,"id":%q,"event":%q,"server":%q,"sequence":%d,"change":%d,"note":%q}`, at.ID, kind, server, at.Sequence, at.Change, note)
	})
}

// places are the servers, sequences and changes of events.
func places(entries []Entry) []string {
	var all []string
	for _, e := range entries {
		all = append(all, fmt.Sprintf("%d %s %d %d", e.Number, e.Server, e.Sequence, e.Change))
	}
	return all
}

// TestPlaces counts the events of each server, and its changes, apart from those of others.
func TestPlaces(t *testing.T) {
	j := New()
	add(j, "a", "", false)
	add(j, "b", "", true)
	add(j, "a", "", true)
	j.Add("", "summary", false, nil, func(Place) []byte { return nil })
	if diff := cmp.Diff([]string{"1 a 1 0", "2 b 1 1", "3 a 2 1", "4  0 0"}, places(j.After(0).Entries)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	number, id := j.Last()
	if got, known := j.NumberOf(id); number != 4 || got != 4 || !known {
		t.Errorf("%s is %d (%v), want %d", id, got, known, number)
	}
	if err := j.End(); err != nil || !j.After(4).Ended {
		t.Errorf("%v, ended %v", err, j.After(4).Ended)
	}
	if add(j, "a", "", false); len(j.After(4).Entries) != 0 {
		t.Error("something was added after the end")
	}
}

// TestBounds keeps few events when they are big, and the newest whatever its size.
func TestBounds(t *testing.T) {
	j := Bounded(100, 1000)
	for range 50 {
		add(j, "s", "x", false)
	}
	if n := len(j.kept); n < 5 || n > 14 || j.size > 1000 {
		t.Errorf("%d events of %d bytes are kept", n, j.size)
	}
	for _, note := range []string{strings.Repeat("x", 5000), "x"} {
		if add(j, "s", note, false); len(j.kept) != 1 {
			t.Errorf("%d events are kept, want the newest alone", len(j.kept))
		}
	}
	if p := j.After(10); p.Missed != 41 || len(p.Entries) != 1 {
		t.Errorf("%d missed, %d there", p.Missed, len(p.Entries))
	}
}

// TestGaps tells how many events of which server a reader missed.
func TestGaps(t *testing.T) {
	j := Bounded(3, KeptBytes)
	add(j, "a", "", true)
	number, _ := j.Last()
	all, changes := j.Gaps(number, false), j.Gaps(number, true)
	for _, s := range []string{"a", "b", "a", "b", "a"} {
		add(j, s, "", true)
		add(j, s, "", false)
	}
	got := map[string]int{}
	for _, e := range j.After(number).Entries { // the last change and two other events
		got["all "+e.Server] += all.Before(e)
		got["changes "+e.Server] += changes.Before(e)
	}
	if diff := cmp.Diff(map[string]int{"all a": 4, "all b": 3, "changes a": 2, "changes b": 0}, got); diff != "" {
		t.Errorf("missing (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]int{"b": 2}, changes.Unseen()); diff != "" {
		t.Errorf("unseen changes (-want +got):\n%s", diff)
	}
}
