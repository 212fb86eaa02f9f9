package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// TestWatchStatusLine keeps the status line of watch below notes, and whole after the terminal was narrowed.
func TestWatchStatusLine(t *testing.T) {
	t.Parallel()
	p, dir := newPseudo(t), t.TempDir()
	config := filepath.Join(dir, "mcp.json")
	save := func(file, text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	save(filepath.Join(dir, "one.yaml"), "tools: [{name: a}]")
	save(config, `{"mcpServers": {"a": {"command": "fixture", "args": ["stdio", "one.yaml"]},
		"b": {"command": "fixture", "args": ["stdio", "one.yaml"]}}}`)
	resize := func(columns uint16) {
		t.Helper()
		if err := unix.IoctlSetWinsize(int(p.slave.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: columns}); err != nil {
			t.Fatal(err)
		}
	}
	resize(80)
	watch := exec.Command("mcpctl", "watch", "--config", config)
	watch.Dir, watch.Stdin, watch.Stdout, watch.Stderr = dir, p.slave, p.slave, p.slave
	watch.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := watch.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = watch.Process.Kill() })
	const erase, line = "\r\x1b[J", "2 polling  (r + Enter: read again, q + Enter: quit)"
	p.await(t, "watching 2 servers: 2 polling\r\n"+line)
	save(config, "{")
	p.await(t, line+erase+"mcpctl: the configuration cannot be read")
	p.await(t, "bracket and comment\r\n"+line)
	resize(30) // in which the line takes two rows
	p.await(t, "\r\x1b[A\x1b[J2 polling")
	resize(80)
	p.await(t, "\r\x1b[J"+line)
	if _, err := p.WriteString("q\n"); err != nil {
		t.Fatal(err)
	}
	_ = watch.Wait()
	if !strings.HasSuffix(strings.TrimSpace(p.text()), "servers: 2 polling\x1b[0m") {
		t.Errorf("the terminal ends with %q", p.text())
	}
}
