//go:build bench

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// TestSaveToDiff measures the development loop with the example server, built from a copy of its source: from
// saving a file to the event with the difference, the build left out. docs/performance.md has its figures.
func TestSaveToDiff(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "examples"), os.DirFS("../../examples")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"go.mod", "go.sum"} {
		text, err := os.ReadFile(filepath.Join("../..", name))
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), text, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	watch := startWatch(t, dir, exec.Command("mcpctl", "watch", "--format", "ndjson", "--reload", "examples/**", "--build", "go build -o tickets ./examples/tickets", "--", "./tickets"))
	watch.until("live")
	surface := filepath.Join(dir, "examples", "tickets", "surface-1.json")
	first, err := os.ReadFile(surface)
	if err != nil {
		t.Fatal(err)
	}
	second := bytes.ReplaceAll(first, []byte(`"list_tickets"`), []byte(`"find_tickets"`))
	var took, built []time.Duration
	for n := range 5 {
		saved := time.Now()
		if err := os.WriteFile(surface, [][]byte{second, first}[n%2], 0o600); err != nil {
			t.Fatal(err)
		}
		all := watch.until("changed")
		told, build := time.Now(), time.Duration(0)
		for _, e := range all {
			build += time.Duration(e.ElapsedMs) * time.Millisecond
		}
		<-time.After(time.Second + 200*time.Millisecond) // what is saved sooner may be the build's
		took, built = append(took, told.Sub(saved)-build), append(built, build)
	}
	slices.Sort(took)
	slices.Sort(built)
	t.Logf("from save to diff without the build: median %v, most %v; the build: median %v", took[2], took[4], built[2])
	if took[2] > time.Second {
		t.Errorf("it takes %v beside the build, want less than 1s", took[2])
	}
}
