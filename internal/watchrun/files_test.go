package watchrun

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// running is a watcher under test.
type running struct {
	t       *testing.T
	dir     string
	changes chan fileChange
}

// begin watches files until the test ends. Polls take no time, since it is called in a bubble.
func begin(t *testing.T, dir string, globs ...string) *running {
	t.Helper()
	w, err := newFileWatcher(t.Context(), dir, globs)
	if err != nil {
		t.Fatal(err)
	}
	r := &running{t: t, dir: dir, changes: make(chan fileChange)}
	go w.run(t.Context(), r.changes)
	return r
}

// reports waits until all these files were reported, in one change or several, and no other.
func (r *running) reports(want ...string) {
	r.t.Helper()
	left := map[string]bool{}
	for _, file := range want {
		left[file] = true
	}
	for len(left) > 0 {
		select {
		case c := <-r.changes:
			if c.Err != nil {
				r.t.Fatal(c.Err)
			}
			for _, file := range c.Files {
				if file = filepath.ToSlash(file); !left[file] && !contains(want, file) {
					r.t.Errorf("%s was reported", file)
				}
				delete(left, file)
			}
		case <-time.After(time.Minute):
			r.t.Fatalf("not reported: %v", left)
		}
	}
}

func contains(all []string, one string) bool {
	return strings.Contains(" "+strings.Join(all, " ")+" ", " "+one+" ")
}

func (r *running) do(err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
}

func (r *running) at(name string) string { return filepath.Join(r.dir, filepath.FromSlash(name)) }

// TestSaves of every kind are reported; what is written as it was is not.
func TestSaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := plant(t, "src/a.ts=1", "src/b.ts=1", "src/c.txt=1")
		r := begin(t, dir, "src/**/*.ts")
		write(t, dir, "src/a.ts=2")
		r.reports("src/a.ts")
		write(t, dir, "src/b.ts=1")  // as it was
		write(t, dir, "src/c.txt=2") // not named
		write(t, dir, "src/.a.ts.tmp=3")
		r.do(os.Rename(r.at("src/.a.ts.tmp"), r.at("src/a.ts"))) // as most editors save
		r.reports("src/a.ts")
		for n := range 3 { // at the same time and of the same size
			write(t, dir, fmt.Sprintf("src/a.ts=%d", n+4))
			r.reports("src/a.ts")
		}
		r.do(os.Remove(r.at("src/a.ts")))
		r.reports("src/a.ts")
		r.do(os.Rename(r.at("src/b.ts"), r.at("src/b.ts~"))) // as vim does: it may be gone before it is there again
		write(t, dir, "src/b.ts=2")
		r.reports("src/b.ts")
	})
}

// TestFolders that come, move, go and come back are watched.
func TestFolders(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := plant(t, "src/a.ts=1")
		r := begin(t, dir, "src/**/*.ts", "later/on/*.ts")
		write(t, dir, "src/new/er/b.ts=1")
		r.reports("src/new/er/b.ts")
		write(t, dir, "src/new/er/b.ts=2")
		r.reports("src/new/er/b.ts")
		r.do(os.Rename(r.at("src/new"), r.at("src/old")))
		r.reports("src/new/er/b.ts", "src/old/er/b.ts")
		write(t, dir, "src/old/er/b.ts=3")
		r.reports("src/old/er/b.ts")
		r.do(os.RemoveAll(r.at("src/old")))
		r.reports("src/old/er/b.ts")
		for n := range 3 {
			r.do(os.RemoveAll(r.at("src")))
			write(t, dir, fmt.Sprintf("src/a.ts=%d", n+2))
			r.reports("src/a.ts")
			write(t, dir, fmt.Sprintf("src/a.ts=again %d", n))
			r.reports("src/a.ts")
		}
		write(t, dir, "later/on/c.ts=1")
		r.reports("later/on/c.ts")
		write(t, dir, "later/on/c.ts=2")
		r.reports("later/on/c.ts")
	})
}

// TestRulesChange: files that .gitignore leaves out from now on are gone, and those that it left out are
// there.
func TestRulesChange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := plant(t, ".git/", ".gitignore=a.ts\n", "a.ts", "b.ts")
		r := begin(t, dir, "**/*.ts")
		write(t, dir, "a.ts=2")
		write(t, dir, ".gitignore=b.ts\n")
		r.reports("a.ts", "b.ts")
		write(t, dir, "b.ts=2")
		write(t, dir, "a.ts=3")
		r.reports("a.ts")
	})
}

// TestLinkedBase is a glob that begins behind a link, and one that names nothing but a link.
func TestLinkedBase(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		away := plant(t, "src/a.ts=1", "b.ts=1")
		dir := plant(t, "x.txt")
		for name, to := range map[string]string{"lib": "src", "b.ts": "b.ts"} {
			if err := os.Symlink(filepath.Join(away, to), filepath.Join(dir, name)); err != nil {
				t.Skipf("SKIPPED: no symbolic links here: %v", err)
			}
		}
		r := begin(t, dir, "lib", "b.ts")
		write(t, away, "src/a.ts=2")
		r.reports("lib/a.ts")
		write(t, away, "b.ts=2")
		r.reports("b.ts")
	})
}

// TestLinkedBaseMoves: releases that take turns behind a link, at which a glob begins or over which it leads
// to its beginning.
func TestLinkedBaseMoves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, glob := range []string{"now/src", "now/**"} {
			dir := plant(t, "one/src/a.ts=1", "two/src/a.ts=2")
			r := &running{t: t, dir: dir}
			lead := func(to string) {
				t.Helper()
				if err := os.Symlink(to, r.at("new")); err != nil {
					t.Skipf("SKIPPED: no symbolic links here: %v", err)
				}
				r.do(os.Rename(r.at("new"), r.at("now")))
			}
			lead("one")
			r = begin(t, dir, glob)
			write(t, dir, "one/src/a.ts=other")
			r.reports("now/src/a.ts")
			lead("two")
			r.reports("now/src/a.ts")
			write(t, dir, "two/src/a.ts=another")
			r.reports("now/src/a.ts")
			lead("one")
			r.reports("now/src/a.ts")
			r.do(os.Remove(r.at("now")))
			r.reports("now/src/a.ts")
			lead("two")
			r.reports("now/src/a.ts")
			lead("three")
			r.reports("now/src/a.ts")
			r.do(os.Rename(r.at("one"), r.at("three")))
			r.reports("now/src/a.ts")
		}
	})
}

// TestManyChanges while no one listens are reported together.
func TestManyChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := plant(t, "src/")
		r := begin(t, dir, "src/**/*.ts")
		var want []string
		for n := range 300 {
			name := fmt.Sprintf("src/d%d/f%d.ts", n%30, n)
			write(t, dir, name)
			want = append(want, name)
		}
		r.reports(want...)
	})
}

// TestUnmatched returns the globs that match no file.
func TestUnmatched(t *testing.T) {
	w, err := newFileWatcher(t.Context(), plant(t, "a.ts"), []string{"*.go", "*.ts"})
	if err != nil {
		t.Fatal(err)
	}
	if got := w.unmatched(); len(got) != 1 || got[0] != "*.go" {
		t.Errorf("got %q", got)
	}
}

// TestSettled reports changes once they end, and after a second if they do not.
func TestSettled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := begin(t, plant(t, "a.ts=0"), "*.ts")
		began := time.Now()
		write(t, r.dir, "a.ts=1")
		time.Sleep(150 * time.Millisecond) // a poll has noticed it
		write(t, r.dir, "a.ts=2")
		c := <-r.changes
		took := time.Since(began)
		if c.Noticed.Sub(began) != pollPause || took != 3*pollPause {
			t.Errorf("noticed %v, reported after %v", c.Noticed, took)
		}
		began = time.Now()
		go func() {
			time.Sleep(pollPause / 4) // between polls, which would read half a file
			for n := range 40 {
				write(t, r.dir, fmt.Sprint("a.ts=", n+3))
				time.Sleep(50 * time.Millisecond)
			}
		}()
		<-r.changes
		if took := time.Since(began); took != longestChange+pollPause {
			t.Errorf("without a pause after %v", took)
		}
		<-r.changes // the rest
		time.Sleep(time.Minute)
		select {
		case c := <-r.changes:
			t.Errorf("reported twice: %v", c)
		default:
		}
	})
}

// TestSearchEnds with its context.
func TestSearchEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := newFileWatcher(ctx, t.TempDir(), []string{"**"}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
