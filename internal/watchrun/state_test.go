package watchrun

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

func offering(tools ...string) *snapshot.Snapshot {
	var raws []json.RawMessage
	for _, name := range tools {
		raws = append(raws, json.RawMessage(`{"name": "`+name+`"}`))
	}
	return &snapshot.Snapshot{Tools: snapshot.NewList(snapshot.Tools, raws)}
}

// TestStateFollowsTheEvent: at every moment at which a run may be killed, an event that was not printed leads
// to a change at the next start: the file is replaced after the event was written, and not at all if it could
// not be.
func TestStateFollowsTheEvent(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "s.json")
	out := &recorder{onWrite: func() string {
		data, _ := os.ReadFile(file)
		return string(data)
	}}
	p := host.Process{Out: out, Err: &bytes.Buffer{}}
	state, err := openState(p, dir)
	if err != nil {
		t.Fatal(err)
	}
	defer state.close()
	w := newPrinter(p, nil, []string{"s"}, false)
	go w.run()
	for _, tool := range []string{"a", "b", "c"} {
		e := WatchEvent{Event: "changed", Server: "s"}
		w.add(printed{event: e, line: e.JSON()})
		w.add(printed{then: func() { state.save("s", offering(tool)) }})
	}
	if err := w.finish(); err != nil {
		t.Fatal(err)
	}
	for i, before := range []string{"", `"a"`, `"b"`} {
		if got := out.seen[i]; before == "" && got != "" || !strings.Contains(got, before) {
			t.Errorf("event %d was printed when the file held %q", i, got)
		}
	}
	if data, _ := os.ReadFile(file); !strings.Contains(string(data), `"c"`) {
		t.Errorf("the file holds %q at the end", data)
	}

	out.fail = os.ErrClosed
	w = newPrinter(p, nil, []string{"s"}, false)
	go w.run()
	w.add(printed{line: []byte("{}\n")})
	w.add(printed{then: func() { state.save("s", offering("d")) }})
	if err := w.finish(); err == nil {
		t.Error("no error of standard output")
	}
	if data, _ := os.ReadFile(file); strings.Contains(string(data), `"d"`) {
		t.Error("the file was replaced without the event")
	}
}

// recorder is a standard output that looks at the world at each write.
type recorder struct {
	onWrite func() string
	seen    []string
	fail    error
}

func (r *recorder) Write(p []byte) (int, error) {
	r.seen = append(r.seen, r.onWrite())
	return len(p), r.fail
}

// TestStateHasOneWriter, and keeps nothing that is incomplete.
func TestStateHasOneWriter(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "state")
	var notes bytes.Buffer
	p := host.Process{Err: &notes}
	first, err := openState(p, dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := openState(p, dir); err == nil || !strings.Contains(err.Error(), "another mcpctl uses") {
		t.Errorf("a second run: %v", err)
	}
	first.save("s", offering("a"))
	partial := offering("b")
	partial.SetList(snapshot.NewPart(snapshot.Prompts, nil, "no answer"))
	first.save("s", partial)
	if got := first.last(t.Context(), "s"); got == nil || got.Digest() != offering("a").Digest() {
		t.Errorf("kept %+v", got)
	}
	if !strings.Contains(notes.String(), "saving s: ") {
		t.Errorf("noted %q", notes.String())
	}
	first.close()
	again, err := openState(p, dir)
	if err != nil {
		t.Fatalf("after the end of the first run: %v", err)
	}
	again.close()
}

// TestStateSweeps what killed runs left half-written, of snapshots and of what outputs have not heard of.
func TestStateSweeps(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{".tmp-s.json123", ".tmp-s" + outputSuffix("--exec", "x") + "123", ".tmp-s.txt123"} {
		path, then := filepath.Join(dir, name), time.Now().Add(-time.Hour)
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, then, then); err != nil {
			t.Fatal(err)
		}
	}
	state, err := openState(host.Process{Err: &bytes.Buffer{}}, dir)
	if err != nil {
		t.Fatal(err)
	}
	state.close()
	if left, _ := filepath.Glob(filepath.Join(dir, ".tmp-*")); len(left) != 1 || filepath.Base(left[0]) != ".tmp-s.txt123" {
		t.Errorf("left: %q", left)
	}
}
