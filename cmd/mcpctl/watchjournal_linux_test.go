package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// TestJournalOutlivesKills kills a watch in the middle of its writing and posting, again and again: the receiver gets every change,
// in order, and can drop the repeats by their ids; the journal has no hole and no broken line.
func TestJournalOutlivesKills(t *testing.T) {
	dir := t.TempDir()
	server := `{tools: [{name: a}], capabilities: {tools: {listChanged: true}}, on: {tools/list: [{result: '{"tools":[{"name":"t{{count}}"}]}'}, {sleep: 5ms}, {send: '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}'}]}}`
	if err := os.WriteFile(filepath.Join(dir, "server.yaml"), []byte(server), 0o600); err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	ids, last := map[int]string{}, 0
	posted := make(chan struct{}, 1000)
	hook := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		id := r.Header.Get("X-Mcpctl-Delivery")
		n, _ := strconv.Atoi(r.Header.Get("X-Mcpctl-Sequence"))
		switch known := ids[n]; {
		case known == "" && n == last+1:
			ids[n], last = id, n
		case known != id:
			t.Errorf("change %d as %s came after change %d", n, id, last)
		}
		posted <- struct{}{}
	}))
	defer hook.Close()
	for n := range 6 {
		watch := exec.Command("mcpctl", "watch", "--debounce", "1ms", "--journal", "j", "--webhook", hook.URL, "--", "fixture", "stdio", "server.yaml")
		watch.Dir, watch.Stderr = dir, os.Stderr
		if err := watch.Start(); err != nil {
			t.Fatal(err)
		}
		for range 5 + n {
			select {
			case <-posted:
			case <-time.After(time.Minute):
				t.Fatal("nothing is posted")
			}
		}
		_ = watch.Process.Signal(map[bool]os.Signal{false: syscall.SIGKILL, true: syscall.SIGTERM}[n == 5])
		_ = watch.Wait()
	}
	text, err := os.ReadFile(filepath.Join(dir, "j"))
	if err != nil {
		t.Fatal(err)
	}
	sequence, changes := 0, 0
	for line := range strings.Lines(string(text)) {
		var e struct {
			Event, Server    string
			Sequence, Change int
		}
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		if e.Event == "surface" || e.Sequence == 0 {
			continue
		}
		if sequence++; e.Sequence != sequence {
			t.Fatalf("event %d stands at %d", e.Sequence, sequence)
		}
		changes = max(changes, e.Change)
	}
	if len(ids) < changes-1 { // the last one may have been broken off
		t.Errorf("%d changes were told, %d posted", changes, len(ids))
	}
}
