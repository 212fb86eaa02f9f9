package watchrun

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestPoll reports files that are written, replaced, removed and included again, and no others.
func TestPoll(t *testing.T) {
	away := plant(t, "lib/l.ts=1", "c.ts=1")
	dir := plant(t, "src/a.ts=1", "src/b.ts=1", "src/c.txt=1")
	at := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
	link := func(to, name string) {
		t.Helper()
		_ = os.Remove(at(name))
		if err := os.Symlink(filepath.Join(away, to), at(name)); err != nil {
			t.Skipf("SKIPPED: no symbolic links here: %v", err)
		}
	}
	link("lib", "lib")
	w, err := newFileWatcher(t.Context(), dir, []string{"src/**/*.ts", "lib", "later/on/*.ts"})
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		change func()
		want   string
	}{
		{func() { write(t, dir, "src/a.ts=22") }, "src/a.ts"},
		{func() { write(t, dir, "src/c.txt=22") }, ""},
		{func() { // as most editors save
			write(t, dir, "src/.a.ts.tmp=333")
			_ = os.Rename(at("src/.a.ts.tmp"), at("src/a.ts"))
		}, "src/a.ts"},
		{func() { _ = os.Remove(at("src/b.ts")) }, "src/b.ts"},
		{func() { write(t, dir, "src/new/er/b.ts=1") }, "src/new/er/b.ts"},
		{func() { _ = os.Rename(at("src/new"), at("src/old")) }, "src/new/er/b.ts src/old/er/b.ts"},
		{func() { write(t, dir, "later/on/c.ts=1") }, "later/on/c.ts"},
		{func() { write(t, away, "lib/b.ts=1") }, "lib/b.ts"}, // a base may be a link
		{func() { link("c.ts", "src/d.ts") }, "src/d.ts"},
		{func() { write(t, away, "c.ts=22") }, "src/d.ts"},
		{func() { _ = os.RemoveAll(at("src")) }, "src/a.ts src/d.ts src/old/er/b.ts"},
	} {
		step.change()
		names, err := w.poll(t.Context())
		if got := filepath.ToSlash(strings.Join(union(nil, names), " ")); got != step.want || err != nil {
			t.Errorf("%q, %v, want %q", got, err, step.want)
		}
	}
}

// TestUnmatched returns the globs that match no file.
func TestUnmatched(t *testing.T) {
	w, err := newFileWatcher(t.Context(), plant(t, "a.ts"), []string{"*.go", "*.ts"})
	if err != nil {
		t.Fatal(err)
	}
	if got := w.unmatched; len(got) != 1 || got[0] != "*.go" {
		t.Errorf("got %q", got)
	}
}

// TestSearchEnds with its context.
func TestSearchEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := newFileWatcher(ctx, t.TempDir(), []string{"**"}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
