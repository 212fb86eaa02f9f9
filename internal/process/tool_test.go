package process

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestTool: of the programs that mcpctl makes use of itself none is taken from the current folder, whichever way PATH leads there.
func TestTool(t *testing.T) {
	repository, installed := t.TempDir(), t.TempDir()
	name := "git"
	if runtime.GOOS == "windows" {
		name = "git.exe"
	}
	for _, folder := range []string{repository, installed} {
		if err := os.WriteFile(filepath.Join(folder, name), nil, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(repository)
	path := func(folders ...string) []string {
		return []string{"PATH=" + strings.Join(folders, string(filepath.ListSeparator))}
	}
	for _, relative := range []string{".", "./", filepath.Join("..", filepath.Base(repository))} {
		file, err := Tool(name, path(relative, installed))
		if !errors.Is(err, exec.ErrDot) || file != "" || Missing(err, "not installed") != err {
			t.Errorf("%s: %s, %v", relative, file, err)
		}
	}
	for _, folders := range [][]string{{installed, "."}, {"", installed}, {"no-such-folder", installed + "/"}} {
		if file, err := Tool(name, path(folders...)); err != nil || filepath.Dir(file) != installed {
			t.Errorf("%s: %s, %v", folders, file, err)
		}
	}
	if _, err := Tool("no-such-program", path(installed)); Missing(err, "not installed").Error() != "not installed" {
		t.Errorf("%v", err)
	}
}
