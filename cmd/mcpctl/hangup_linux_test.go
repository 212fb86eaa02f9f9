package main

import (
	"bufio"
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
	writeText(t, filepath.Join(dir, "server.yaml"), "tools: 1\n")
	terminal := newPseudo(t)
	cmd := exec.Command("mcpctl", "watch", "--", "fixture", "stdio", "server.yaml")
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = dir, terminal.slave, terminal.slave, terminal.slave
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	terminal.await(t, "polling")
	_ = terminal.Close()
	_, _ = terminal.slave.WriteString("x") // ends the read that keeps it open
	_ = terminal.slave.Close()
	select {
	case <-ended:
	case <-time.After(5 * time.Minute):
		_ = cmd.Process.Kill()
		t.Error("it goes on although its terminal is gone")
	}
	if left := leftIn(dir); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

// TestClosedPipe reads the first line of a watch and leaves, as head does: nothing stays behind, not even what left the
// server's process group, and the status is that of a broken pipe.
func TestClosedPipe(t *testing.T) {
	dir := t.TempDir()
	script := `capabilities: {tools: {listChanged: true}}
tools: 1
on:
  tools/list#1: [answer, {await: closed}, {send: '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}'}]
  tools/list#2: [{result: {tools: []}}]
`
	writeText(t, filepath.Join(dir, "server.yaml"), script)
	cmd := exec.Command("mcpctl", "watch", "--format", "ndjson", "--", "sh", "-c", "setsid sleep 1000 & exec fixture stdio server.yaml")
	cmd.Dir = dir
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := bufio.NewReaderSize(out, 16).ReadByte(); err != nil {
		t.Fatal(err)
	}
	_ = out.Close()
	if err := os.WriteFile(filepath.Join(dir, "closed"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case <-ended:
	case <-time.After(time.Minute):
		_ = cmd.Process.Kill()
		t.Error("it goes on although nobody reads")
	}
	if code := cmd.ProcessState.ExitCode(); code != 141 {
		t.Errorf("status %v, want 141", cmd.ProcessState)
	}
	if left := leftIn(dir); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}
