//go:build real

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestRealPairs compares two published versions of five servers, in one line each as a newcomer would: what breaks is what
// pkg/diff/testdata/real/README.md and the releases themselves report, and nothing is left where it was done.
func TestRealPairs(t *testing.T) {
	if os.Getenv("MCPCTL_REAL_NODE") == "" {
		t.Skip("SKIPPED LOUDLY: the packages need Node, which this machine lacks")
	}
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Chdir(t.TempDir())
	for _, pair := range []struct {
		name, old, new string
		breaking       int
		args           []string
	}{
		{"@playwright/mcp", "0.0.70", "0.0.83", 20, nil},
		{"@modelcontextprotocol/server-filesystem", "2025.8.21", "2026.7.10", 17, []string{"--", "."}},
		{"@modelcontextprotocol/server-memory", "2025.9.25", "2026.8.31", 0, nil},
		{"@modelcontextprotocol/server-sequential-thinking", "2025.12.18", "2026.8.31", 0, nil},
		{"chrome-devtools-mcp", "1.1.1", "1.11.0", 61, nil},
	} {
		name := "npm:" + pair.name + "@"
		line := append([]string{"diff", "--quiet", name + pair.old, name + pair.new, "--format", "json"}, pair.args...)
		var out, said bytes.Buffer
		cmd := exec.Command(os.Getenv("MCPCTL_REAL_BIN"), line...)
		cmd.Stdout, cmd.Stderr = &out, &said
		var ended *exec.ExitError
		if err := cmd.Run(); err != nil && !errors.As(err, &ended) {
			t.Fatal(err)
		}
		var r struct {
			Summary struct{ Breaking, Warning, Info int }
			Servers []struct{ Cause string }
		}
		if err := json.Unmarshal(out.Bytes(), &r); err != nil || len(r.Servers) != 1 {
			t.Errorf("mcpctl %s: %v\n%s%s", strings.Join(line, " "), err, out.Bytes(), said.Bytes())
			continue
		}
		told := fmt.Sprintf("%s: %d breaking, %d warnings, %d info, status %d", r.Servers[0].Cause, r.Summary.Breaking, r.Summary.Warning, r.Summary.Info, cmd.ProcessState.ExitCode())
		t.Log(told)
		if want := min(1, pair.breaking); r.Summary.Breaking != pair.breaking || cmd.ProcessState.ExitCode() != want || r.Servers[0].Cause != pair.name+" "+pair.old+" → "+pair.new {
			t.Errorf("%s, want %d breaking and status %d", told, pair.breaking, want)
		}
	}
	if left, err := os.ReadDir("."); err != nil || len(left) != 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
