package main

import (
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/internal/host/terminaltest"
)

// TestHangUp closes the terminal in which servers are watched: nothing stays behind.
func TestHangUp(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeText(t, filepath.Join(dir, "server.yaml"), "tools: 1\n")
	master, slave := terminaltest.Open(t)
	cmd := exec.Command("mcpctl", "watch", "--", "fixture", "stdio", "server.yaml")
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = dir, slave, slave, slave
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer time.AfterFunc(2*time.Minute, func() { _ = cmd.Process.Kill() }).Stop()
	shown := ""
	for chunk := make([]byte, 1024); !strings.Contains(shown, "polling"); {
		n, err := master.Read(chunk)
		if err != nil {
			t.Fatalf("%v after %q", err, shown)
		}
		shown += string(chunk[:n])
	}
	_ = slave.Close()
	_ = master.Close()
	_ = cmd.Wait()
	if state := cmd.ProcessState.Sys().(syscall.WaitStatus); state.Signal() == syscall.SIGKILL {
		t.Error("it goes on although its terminal is gone")
	}
	if left := leftIn(dir); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}
