package files

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestRealPath: links are followed as far as a path exists, and what is missing behind them stays as it is written.
func TestRealPath(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "real", "inner"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, target := range map[string]string{"link": "real", "dangling": "nowhere"} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Skipf("SKIPPED: no links here: %v", err)
		}
	}
	deep := filepath.Join(strings.Split(strings.Repeat("d,", 1000), ",")...)
	for path, want := range map[string]string{
		"link/inner":         "real/inner",
		"link/missing":       "real/missing",
		"link/missing/../x":  "real/x",
		"link/" + deep:       "real/" + deep,
		"dangling":           "dangling",
		"dangling/" + deep:   "dangling/" + deep,
		"missing/link/inner": "missing/link/inner",
	} {
		if got := RealPath(dir + "/" + path); got != filepath.Join(dir, want) {
			t.Errorf("%.40s: %.200s", path, got)
		}
	}
	t.Chdir(dir)
	for path, want := range map[string]string{"link/missing": "real/missing", "missing/x": "missing/x", ".": "."} {
		if got := RealPath(path); got != filepath.FromSlash(want) {
			t.Errorf("%s: %s", path, got)
		}
	}
}
