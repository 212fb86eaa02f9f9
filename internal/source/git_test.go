package source

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// committed returns a repository with these files in one commit.
func committed(t *testing.T, files map[string][]byte) Repo {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("SKIPPED: git is not installed")
	}
	dir := t.TempDir()
	for name, data := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	environ := append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull,
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com")
	for _, args := range [][]string{{"init", "-q"}, {"add", "."}, {"commit", "-q", "-m", "files"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir, cmd.Env = dir, environ
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	return Repo{dir: dir, environ: environ}
}

// TestRead reads files of a commit byte for byte, and knows sizes before it reads: what is too large costs nothing.
func TestRead(t *testing.T) {
	zeros := make([]byte, 3<<20)
	odd := []byte("no newline at the end \x00 \xff blob 7")
	r := committed(t, map[string][]byte{
		"saved/a.json": []byte("{}\n"), "saved/odd.json": odd, "saved/empty.json": {}, "saved/notes.txt": []byte("x"),
		"saved/deep/b.json": []byte("{}"), "big/zeros.json": zeros,
		"many/1.json": zeros[:900<<10], "many/2.json": zeros[:900<<10], "many/3.json": zeros[:900<<10],
		"many/4.json": zeros[:900<<10], "many/5.json": zeros[:900<<10],
	})
	files, err := r.Read(t.Context(), "HEAD", "saved", ".json", 1<<20)
	if err != nil || len(files) != 3 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, f := range files {
		if want := map[string][]byte{"saved/a.json": []byte("{}\n"), "saved/odd.json": odd,
			"saved/empty.json": {}}[f.Path]; !bytes.Equal(f.Data, want) {
			t.Errorf("%s: %q, want %q", f.Path, f.Data, want)
		}
	}
	for path, want := range map[string]string{
		"big": "big/zeros.json is larger than 1 MiB", "big/zeros.json": "larger than 1 MiB",
		"many": "the files of many are larger than 4 MiB together",
	} {
		if files, err := r.Read(t.Context(), "HEAD", path, ".json", 1<<20); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %d files, %v, want %q", path, len(files), err, want)
		}
	}
	if files, err := r.Read(t.Context(), "HEAD", "nowhere", ".json", 1<<20); len(files) != 0 || err != nil {
		t.Errorf("%d files, %v", len(files), err)
	}
}
