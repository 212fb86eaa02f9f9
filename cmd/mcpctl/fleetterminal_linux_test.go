package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestFleetInATerminal compares two directories of sixty saved snapshots in a terminal of 24 lines: a change that
// all servers share is shown once, the first causes follow, the others are counted, and --verbose has all of them.
func TestFleetInATerminal(t *testing.T) {
	dir := t.TempDir()
	for i := range 60 {
		for _, side := range []string{"old", "new"} {
			required, own := `"query"`, fmt.Sprintf(`,"own_%d":{"type":"string"}`, i)
			if side == "new" {
				required, own = `"query","limit"`, ""
			}
			tools := fmt.Sprintf(`{"tools":[{"name":"search","inputSchema":{"type":"object","properties":{`+
				`"query":{"type":"string"},"limit":{"type":"integer"}%s},`+
				`"additionalProperties":false,"required":[%s]}}]}`, own, required)
			file := filepath.Join(dir, side, fmt.Sprintf("server-%02d.json", i))
			if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(tools), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	shown := shownOf(t, dir, "diff", "old", "new")
	for _, want := range []string{"120 breaking", "`limit` is now required in `search` of 60 servers", " more causes: "} {
		if !strings.Contains(shown, want) {
			t.Errorf("the terminal does not show %q", want)
		}
	}
	if high := strings.Count(shown, "\n"); high > 50 {
		t.Errorf("%d lines in a terminal of 24", high)
	}
	all := shownOf(t, dir, "diff", "old", "new", "--verbose")
	if !strings.Contains(all, "server-59") || strings.Count(all, "\n") < 200 {
		t.Errorf("--verbose shows %d lines", strings.Count(all, "\n"))
	}
	if t.Failed() {
		t.Log(shown)
	}
}

// shownOf returns what a terminal of 24 lines shows of a command that finds breaking changes.
func shownOf(t *testing.T, dir string, args ...string) string {
	p := newPseudo(t)
	if err := unix.IoctlSetWinsize(int(p.slave.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 100}); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("mcpctl", args...)
	cmd.Dir, cmd.Env, cmd.Stdout = dir, append(os.Environ(), "HOME="+dir, "NO_COLOR=1"), p.slave
	if err := cmd.Run(); err == nil {
		t.Error("breaking changes passed")
	}
	_, _ = p.slave.WriteString("the end")
	p.await(t, "the end")
	return p.text()
}
