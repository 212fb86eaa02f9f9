package files

import (
	"errors"
	"io"
	"os"
	"path/filepath"
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
