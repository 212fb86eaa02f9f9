//go:build real && linux

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
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

func realWatch(args ...string) *exec.Cmd {
	return exec.Command(os.Getenv("MCPCTL_REAL_BIN"), append([]string{"watch", "--format", "ndjson"}, args...)...)
}

// TestRealWatchAnnounces has the server make a resource – a tool of its does – in the midst of being watched: it announces
// that, and the change is reported.
func TestRealWatchAnnounces(t *testing.T) {
	dir, bin := t.TempDir(), everything(t)
	script := "#!/bin/sh\n(cat <&3 & until [ -e more ]; do sleep 0.05; done; cat more; wait) 3<&0 | exec node \"$1\"\n"
	if err := os.WriteFile(filepath.Join(dir, "server.sh"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	until := watchIn(t, dir, realWatch("--", "./server.sh", bin))
	until("live")
	call := `{"jsonrpc":"2.0","id":"theirs","method":"tools/call","params":{"name":"gzip-file-as-resource","arguments":{"name":"made.gz","data":"data:text/plain,hello"}}}` + "\n"
	writeText(t, filepath.Join(dir, "more.new"), call)
	if err := os.Rename(filepath.Join(dir, "more.new"), filepath.Join(dir, "more")); err != nil {
		t.Fatal(err)
	}
	wantAdded(t, until("changed"), "notification", "made.gz")
}

// TestRealWatchKill kills the server while a file is added to what it offers as resources: it is started again, and the
// change of the outage is reported.
func TestRealWatchKill(t *testing.T) {
	dir, bin := t.TempDir(), everything(t)
	until := watchIn(t, dir, realWatch("--", "node", bin))
	until("live")
	added := filepath.Join(filepath.Dir(bin), "docs", "zz-added.md")
	writeText(t, added, "# Added\n")
	defer os.Remove(added)
	killNode(t, dir)
	wantAdded(t, until("changed"), "reconnection", "zz-added.md")
	killNode(t, dir)
	for _, e := range until("live") {
		if e.Event == "changed" {
			t.Errorf("a change was told where nothing changed: %+v", e)
		}
	}
}

// TestRealWatchHTTP ends the server at a URL and starts another one there: the session is begun anew.
func TestRealWatchHTTP(t *testing.T) {
	bin, port := everything(t), freePort(t)
	begin := func() *exec.Cmd {
		cmd := exec.Command("node", bin, "streamableHttp")
		serve(t, port, cmd, []string{"PORT=" + port})
		return cmd
	}
	first := begin()
	until := watchIn(t, t.TempDir(), realWatch("--interval", "1s", "http://127.0.0.1:"+port+"/mcp"))
	until("live")
	if err := syscall.Kill(-first.Process.Pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	until("polling") // its stream is gone
	begin()
	until("live")
}

func wantAdded(t *testing.T, all []watchEvent, cause, name string) {
	t.Helper()
	last := all[len(all)-1]
	if len(last.Findings) != 1 || last.Cause != cause || last.Findings[0].Rule != "resource-added" || !strings.HasSuffix(last.Findings[0].Item, name) {
		t.Errorf("told %+v, want one resource-added of %s by %s", last, name, cause)
	}
}

// killNode kills the server that runs in a folder.
func killNode(t *testing.T, dir string) {
	t.Helper()
	for _, process := range processesIn(dir) {
		id, rest, _ := strings.Cut(process, " ")
		if pid, err := strconv.Atoi(id); err == nil && strings.HasPrefix(rest, "node ") {
			if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
			return
		}
	}
	t.Fatal("the server does not run")
}
