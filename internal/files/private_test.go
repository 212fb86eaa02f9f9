//go:build unix

package files

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCheckFolder refuses what others could write or have made, at every level.
func TestCheckFolder(t *testing.T) {
	top := t.TempDir()
	folder := filepath.Join(top, "state", "mcpctl")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	check := func(what, want string, denied fs.FileMode) {
		t.Helper()
		err := CheckFolder(folder, denied)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", what, err, want)
		}
	}
	mode := func(path string, mode fs.FileMode) {
		t.Helper()
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
	}
	check("private", "", NotReadable)
	for _, bit := range []fs.FileMode{0o020, 0o002} {
		mode(folder, 0o700|bit)
		check("writable", "can be written by others", NotWritable)
	}
	mode(folder, 0o700)
	mode(filepath.Dir(folder), 0o777)
	check("below a folder of everybody", "chmod go-w", NotWritable)
	mode(filepath.Dir(folder), 0o777|fs.ModeSticky)
	check("below a sticky one", "", NotWritable)
	mode(filepath.Dir(folder), 0o755)
	linked := filepath.Join(top, "link")
	if err := os.Symlink(folder, linked); err != nil {
		t.Fatal(err)
	}
	if err := CheckFolder(linked, NotWritable); err != nil {
		t.Errorf("a folder that the user linked: %v", err)
	}
	if err := CheckPrivate(linked, NotWritable); err == nil {
		t.Error("a file that is a link is private")
	}
	if os.Geteuid() != 0 {
		t.Skip("SKIPPED: only root can give files away")
	}
	for _, path := range []string{folder, filepath.Dir(folder)} {
		if err := os.Chown(path, 4711, 4711); err != nil {
			t.Fatal(err)
		}
		check("another's", "belongs to another user (uid 4711", NotWritable)
		if err := os.Chown(path, 0, 0); err != nil {
			t.Fatal(err)
		}
	}
}
