package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// noChild wants that no process of this script is left. A process belongs to the script when its working folder does,
// which every child inherits.
func noChild(ts *testscript.TestScript, args []string) {
	if left := leftIn(ts.Getenv("WORK")); len(left) > 0 {
		ts.Fatalf("left behind: %s", strings.Join(left, "; "))
	}
}

// leftIn are the processes of a folder that do not go.
func leftIn(dir string) (left []string) {
	// a killed process takes a moment to go
	for late := time.Now().Add(time.Minute); time.Now().Before(late); time.Sleep(10 * time.Millisecond) {
		if left = processesIn(dir); len(left) == 0 {
			break
		}
	}
	return left
}

// processesIn are the command lines of the processes whose working folder is dir or below it.
func processesIn(dir string) []string {
	entries, err := os.ReadDir("/proc") // a glob of /proc/*/cwd lists each process's files, and took a sixth of all scripts' time
	if err != nil {
		return nil
	}
	var found []string
	for _, entry := range entries {
		if name := entry.Name(); name[0] < '0' || name[0] > '9' {
			continue
		}
		folder, err := os.Readlink(filepath.Join("/proc", entry.Name(), "cwd"))
		if err != nil || folder != dir && !strings.HasPrefix(folder, dir+"/") {
			continue
		}
		line, _ := os.ReadFile(filepath.Join("/proc", entry.Name(), "cmdline"))
		found = append(found, entry.Name()+" "+strings.ReplaceAll(string(line), "\x00", " "))
	}
	return found
}

// TestNoChildSees is the proof that nochild can fail.
func TestNoChildSees(t *testing.T) {
	dir := t.TempDir()
	cmd := exec.Command("fixture", "sleep", "60s")
	cmd.Dir = dir
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if found := processesIn(dir); len(found) != 1 || !strings.Contains(found[0], "fixture sleep 60s") {
		t.Errorf("a process of its own was not seen: %q", found)
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	if found := processesIn(dir); len(found) != 0 {
		t.Errorf("a process that is gone was seen: %q", found)
	}
}
