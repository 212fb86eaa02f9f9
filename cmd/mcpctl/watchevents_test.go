//go:build bench || real

package main

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"testing"
	"time"
)

// watchEvent is an event as a program reads it.
type watchEvent struct {
	Event, State, Cause string
	ElapsedMs           int
	Findings            []struct{ Rule, Item string }
}

// watchIn starts an mcpctl watch --format ndjson in a folder until the test ends. The function that it gives
// waits for an event, or for a state, and gives all events until then.
func watchIn(t *testing.T, dir string, cmd *exec.Cmd) func(word string) []watchEvent {
	t.Helper()
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	late := time.AfterFunc(time.Minute, func() { _ = cmd.Process.Kill() })
	t.Cleanup(func() {
		late.Stop()
		_ = cmd.Process.Signal(os.Interrupt)
		_ = cmd.Wait()
	})
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 4<<20)
	return func(word string) (all []watchEvent) {
		t.Helper()
		for lines.Scan() {
			var e watchEvent
			if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
				t.Fatalf("%v: %s", err, lines.Text())
			}
			t.Logf("%.300s", lines.Text())
			all = append(all, e)
			if e.Event == word || e.Event == "state" && e.State == word {
				return all
			}
		}
		t.Fatalf("it ended before %s", word)
		return nil
	}
}
