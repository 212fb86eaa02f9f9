package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/pkg/probe"
)

// TestKilledFiftyTimes kills a server at random moments, while its surface changes each time.
func TestKilledFiftyTimes(t *testing.T) {
	dir := t.TempDir()
	random := rand.New(rand.NewPCG(4, 50))
	offer(t, dir, "first")
	l := lookOut(t, probe.Server{Name: "victim", Stdio: &probe.Stdio{Command: "fixture", Args: []string{"stdio", "server.yaml"}, Dir: dir}})
	l.until("first")
	var names []string
	for n := range 50 {
		names = []string{fmt.Sprint("tool", n), fmt.Sprint("tool", random.IntN(50)+100)}
		offer(t, dir, names...)
		kill(t, dir)
		<-time.After(time.Duration(random.IntN(40)) * time.Millisecond)
	}
	l.until(names...)
	if n := l.view.Status().Counts.Connections; n < 2 {
		t.Errorf("connected %d times only", n)
	}
	l.stop()
	<-l.ended
	if left := processesIn(dir); len(left) > 0 {
		t.Errorf("left behind: %q", left)
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

// kill waits for the server of a folder to run, and kills it.
func kill(t *testing.T, dir string) {
	for range 20000 {
		for _, process := range processesIn(dir) {
			id, rest, _ := strings.Cut(process, " ")
			pid, err := strconv.Atoi(id)
			if err == nil && strings.TrimSpace(rest) != "" && syscall.Kill(pid, syscall.SIGKILL) == nil {
				return
			}
		}
		<-time.After(time.Millisecond)
	}
	t.Fatal("the server never ran")
}
