package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestServerKilledAtRandom kills a server at random moments, while what it offers changes: the watch ends up with what it
// offers last, and leaves nothing behind.
func TestServerKilledAtRandom(t *testing.T) {
	for seed := range 4 {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			dir, random := t.TempDir(), rand.New(rand.NewPCG(uint64(seed), 50))
			offer(t, dir, "first")
			config := filepath.Join(t.TempDir(), "mcp.json")
			writeText(t, config, fmt.Sprintf(`{"mcpServers": {"victim": {"command": "fixture", "args": ["stdio", "server.yaml"], "cwd": %q}}}`, dir))
			w := startWatch(t, filepath.Dir(config), exec.Command("mcpctl", "watch", "--format", "ndjson", "--config", config), "tool/first")
			w.until("polling")
			for n := range 5 { // each time it waits twice as long
				offer(t, dir, fmt.Sprint("tool", n), fmt.Sprint("other", n))
				<-time.After(time.Duration(random.IntN(40)) * time.Millisecond)
				kill(t, dir, "")
			}
			w.untilOffers("tool/tool4", "tool/other4")
			_ = w.cmd.Process.Signal(os.Interrupt)
			w.until("summary")
			if left := leftIn(dir); len(left) > 0 {
				t.Errorf("left behind: %q", left)
			}
		})
	}
}

// offer replaces what the server offers from its next start on.
func offer(t *testing.T, dir string, names ...string) {
	text := "tools:\n"
	for _, name := range names {
		text += fmt.Sprintf("  - {name: %s, description: %q}\n", name, strings.Repeat(name+" ", 5))
	}
	fresh := filepath.Join(dir, "fresh")
	writeText(t, fresh, text)
	if err := os.Rename(fresh, filepath.Join(dir, "server.yaml")); err != nil {
		t.Fatal(err)
	}
}

// kill waits until a command that begins so runs in a directory, and kills it.
func kill(t *testing.T, dir, command string) {
	t.Helper()
	for range 20000 {
		for _, process := range processesIn(dir) {
			id, rest, _ := strings.Cut(process, " ")
			pid, err := strconv.Atoi(id)
			if err == nil && strings.TrimSpace(rest) != "" && strings.HasPrefix(rest, command) && syscall.Kill(pid, syscall.SIGKILL) == nil {
				return
			}
		}
		<-time.After(time.Millisecond)
	}
	t.Fatal("the server never ran")
}

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
	for n := range 6 {
		w := startWatch(t, dir, exec.Command("mcpctl", "watch", "--state", "kept", "--format", "ndjson",
			"--env", "RUN="+string(rune('a'+n)), "--", "fixture", "stdio", "server.yaml"))
		changes := 0
		for e, ok := w.next(); ok; e, ok = w.next() {
			if e.Event != "changed" {
				continue
			}
			if len(reported) > 0 && !reported[e.From] {
				t.Errorf("run %d: a change begins at %s, which no change before it led to", n, e.From)
			}
			reported[e.From], reported[e.To] = true, true
			if changes++; changes == 2+n%3 {
				_ = w.cmd.Process.Signal(syscall.SIGKILL)
			}
		}
		_ = w.cmd.Wait()
		if changes == 0 {
			t.Fatalf("run %d reported no change", n)
		}
		if out, err := exec.Command("mcpctl", "list", filepath.Join(dir, "kept")).CombinedOutput(); err != nil {
			t.Errorf("run %d: the state directory cannot be read: %s", n, out)
		}
	}
}
