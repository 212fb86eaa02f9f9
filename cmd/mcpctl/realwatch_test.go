//go:build real && linux

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// everything is the program of npm's server-everything, on the official TypeScript SDK.
func everything(t *testing.T) string {
	t.Helper()
	bin, err := exec.LookPath("mcp-server-everything")
	if err != nil && os.Getenv("MCPCTL_REAL_NODE") == "" {
		t.Skip("SKIPPED LOUDLY: server-everything needs Node, which this machine lacks")
	}
	if err == nil {
		bin, err = filepath.EvalSymlinks(bin)
	}
	if err != nil {
		t.Fatal(err)
	}
	return bin
}

func realWatch(t *testing.T, dir string, args ...string) *watching {
	return startWatch(t, dir, exec.Command(os.Getenv("MCPCTL_REAL_BIN"), append([]string{"watch", "--format", "ndjson"}, args...)...))
}

// TestRealWatchAnnounces has the server make a resource – a tool of its does – in the midst of being watched: it announces
// that, and the change is reported.
func TestRealWatchAnnounces(t *testing.T) {
	dir, bin := t.TempDir(), everything(t)
	script := "#!/bin/sh\n(cat <&3 & until [ -e more ]; do sleep 0.05; done; cat more; wait) 3<&0 | exec node \"$1\"\n"
	if err := os.WriteFile(filepath.Join(dir, "server.sh"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	w := realWatch(t, dir, "--", "./server.sh", bin)
	w.until("live")
	call := `{"jsonrpc":"2.0","id":"theirs","method":"tools/call","params":{"name":"gzip-file-as-resource","arguments":{"name":"made.gz","data":"data:text/plain,hello"}}}` + "\n"
	writeText(t, filepath.Join(dir, "more.new"), call)
	if err := os.Rename(filepath.Join(dir, "more.new"), filepath.Join(dir, "more")); err != nil {
		t.Fatal(err)
	}
	w.wantAdded("notification", "made.gz")
}

// TestRealWatchKill kills the server while a file is added to what it offers as resources: it is started again, and the
// change of the outage is reported.
func TestRealWatchKill(t *testing.T) {
	dir, bin := t.TempDir(), everything(t)
	w := realWatch(t, dir, "--", "node", bin)
	w.until("live")
	added := filepath.Join(filepath.Dir(bin), "docs", "zz-added.md")
	writeText(t, added, "# Added\n")
	defer os.Remove(added)
	kill(t, dir, "node ")
	w.wantAdded("reconnection", "zz-added.md")
	kill(t, dir, "node ")
	for _, e := range w.until("live") {
		if e.Event == "changed" {
			t.Errorf("a change was reported where nothing changed: %+v", e)
		}
	}
}

// TestRealWatchHTTP ends the server at a URL and starts another one there: the session is begun anew.
func TestRealWatchHTTP(t *testing.T) {
	bin, port := everything(t), freePort()
	begin := func() *exec.Cmd {
		cmd := exec.Command("node", bin, "streamableHttp")
		serve(t, port, cmd, []string{"PORT=" + port})
		return cmd
	}
	first := begin()
	w := realWatch(t, t.TempDir(), "--interval", "1s", "http://127.0.0.1:"+port+"/mcp")
	w.until("live")
	if err := syscall.Kill(-first.Process.Pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	w.until("polling") // its stream is gone
	begin()
	w.until("live")
}

func (w *watching) wantAdded(cause, name string) {
	w.Helper()
	all := w.until("changed")
	last := all[len(all)-1]
	if len(last.Findings) != 1 || last.Cause != cause || last.Findings[0].Rule != "resource-added" || !strings.HasSuffix(last.Findings[0].Item, name) {
		w.Errorf("got %+v, want one resource-added of %s by %s", last, name, cause)
	}
}
