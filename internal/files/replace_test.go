package files

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
)

// TestAnAnswerThatFailsHalfway leaves the file as it was, and nothing beside it.
func TestAnAnswerThatFailsHalfway(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "report.json")
	if err := Replace(path, []byte("before")); err != nil {
		t.Fatal(err)
	}
	lost := errors.New("lost")
	err := WriteOutput(t.Context(), dir, path, func(w io.Writer) error {
		_, err := io.WriteString(w, "half of")
		return errors.Join(err, lost)
	})
	data, _ := os.ReadFile(path)
	entries, _ := os.ReadDir(dir)
	if !errors.Is(err, lost) || string(data) != "before" || len(entries) != 1 {
		t.Errorf("%v: %q, %v", err, data, entries)
	}
}

// TestNewFilesSideBySide have the mode that the user's umask gives, each of them: it is read by setting it.
func TestNewFilesSideBySide(t *testing.T) {
	dir := t.TempDir()
	alone, err := os.Create(filepath.Join(dir, "alone"))
	if err != nil {
		t.Fatal(err)
	}
	info, err := alone.Stat()
	if err = errors.Join(err, alone.Close()); err != nil {
		t.Fatal(err)
	}
	modes := make([]fs.FileMode, 400)
	var all sync.WaitGroup
	for i := range modes {
		all.Go(func() {
			path := filepath.Join(dir, fmt.Sprint(i))
			err := Replace(path, nil)
			after, wrong := os.Stat(path)
			if err = errors.Join(err, wrong); err != nil {
				t.Error(err)
				return
			}
			modes[i] = after.Mode()
		})
	}
	all.Wait()
	for i, mode := range modes {
		if mode != info.Mode() {
			t.Fatalf("file %d has mode %v, and the usual one is %v", i, mode, info.Mode())
		}
	}
}

// TestAPipeIsNotWaitedFor refuses a pipe at once, and a directory.
func TestAPipeIsNotWaitedFor(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("named pipes of Windows have no place among files")
	}
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	if err := exec.Command("mkfifo", pipe).Run(); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{pipe, dir} {
		if data, err := ReadRegular(path, 1<<20); !errors.Is(err, ErrNotRegular) {
			t.Errorf("%s: %q, %v", path, data, err)
		}
	}
	if _, err := ReadRegular(filepath.Join(dir, "none"), 1<<20); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("what is not there: %v", err)
	}
}
