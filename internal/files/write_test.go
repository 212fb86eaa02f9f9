package files

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestSweeps removes temporary files of killed runs, and no others.
func TestSweeps(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, age time.Duration) {
		t.Helper()
		path, then := filepath.Join(dir, name), time.Now().Add(-age)
		if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, then, then); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{".tmp-a.json123", ".tmp-b.json4", ".tmp-v1.txt5", ".tmp-v12", ".tmp-a.json", ".tmp-a.jsonx1", "a.json1",
		".tmp-1", "tmp-a.json1"} {
		write(name, time.Hour)
	}
	write(".tmp-a.json9", time.Second)
	if err := os.Mkdir(filepath.Join(dir, ".tmp-a.json7"), 0o700); err != nil {
		t.Fatal(err)
	}
	left := func() (names []string) {
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			names = append(names, e.Name())
		}
		return names
	}
	before := left()
	without := func(gone ...string) []string {
		return slices.DeleteFunc(slices.Clone(before), func(name string) bool { return slices.Contains(gone, name) })
	}
	if err := ReplacePrivate(filepath.Join(dir, "a.json"), []byte("new")); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(append(without(".tmp-a.json123", ".tmp-b.json4"), "a.json"), left(), sorted); diff != "" {
		t.Error(diff)
	}
}

var sorted = cmp.Transformer("sorted", func(names []string) (sorted []string) {
	sorted = slices.Clone(names)
	slices.Sort(sorted)
	return sorted
})
