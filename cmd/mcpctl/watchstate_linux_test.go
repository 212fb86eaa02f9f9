package main

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// TestStateOutlivesKills kills a watch again and again while its server changes: each run continues where the
// state directory ends, so no change is lost. One may be reported twice, and no file is torn.
func TestStateOutlivesKills(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	server := `{tools: [{name: a}], capabilities: {tools: {listChanged: true}}, on: {tools/list: [
		{result: '{"tools":[{"name":"t{{count}}-{{env "RUN"}}"}]}'}, {sleep: 5ms},
		{send: '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}'}]}}`
	writeText(t, filepath.Join(dir, "server.yaml"), server)
	reported := map[string]bool{} // digests that a reported change led to
	for n := range 8 {
		run := string(rune('a' + n))
		args := []string{"watch", "--state", "kept", "--format", "ndjson", "--env", "RUN=" + run, "--", "fixture", "stdio", "server.yaml"}
		watch := exec.Command("mcpctl", args...)
		watch.Dir, watch.Stderr = dir, os.Stderr
		out, err := watch.StdoutPipe()
		if err == nil {
			err = watch.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		late := time.AfterFunc(time.Minute, func() { _ = watch.Process.Kill() })
		changes := 0
		for lines := bufio.NewScanner(out); lines.Scan(); {
			var e struct{ Event, From, To string }
			if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
				break // the last line may be cut off
			}
			if e.Event != "changed" {
				continue
			}
			if len(reported) > 0 && !reported[e.From] {
				t.Errorf("run %d: a change begins at %s, which no change before it led to", n, e.From)
			}
			reported[e.From], reported[e.To] = true, true
			if changes++; changes == 2+n%3 {
				_ = watch.Process.Signal(syscall.SIGKILL)
			}
		}
		_ = watch.Wait()
		late.Stop()
		if changes == 0 {
			t.Fatalf("run %d reported no change", n)
		}
		if out, err := exec.Command("mcpctl", "list", filepath.Join(dir, "kept")).CombinedOutput(); err != nil {
			t.Errorf("run %d: the state directory cannot be read: %s", n, out)
		}
	}
}
