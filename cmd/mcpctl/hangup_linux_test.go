package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// TestHangUp closes the terminal in which servers are watched: nothing stays behind. The signal of that is the one that
// asks for the configuration to be read again.
func TestHangUp(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "server.yaml"), []byte("tools: 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	terminal := newPseudo(t)
	cmd := exec.Command("mcpctl", "watch", "--", "fixture", "stdio", "server.yaml")
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = dir, terminal.slave, terminal.slave, terminal.slave
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	terminal.await(t, "watching: 1 polling")
	_ = terminal.Close()
	_, _ = terminal.slave.WriteString("x") // ends the read that keeps it open
	_ = terminal.slave.Close()
	select {
	case <-ended:
	case <-time.After(10 * time.Second):
		_ = cmd.Process.Kill()
		t.Error("it goes on although its terminal is gone")
	}
	if left := leftIn(dir); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}
