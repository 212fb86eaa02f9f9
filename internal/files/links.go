package files

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// ProjectFolders returns dir and the directories above it up to the root of the repository; outside of one,
// dir alone.
func ProjectFolders(dir string) []string {
	var folders []string
	for folder := dir; ; folder = filepath.Dir(folder) {
		folders = append(folders, folder)
		if _, err := os.Lstat(filepath.Join(folder, ".git")); err == nil {
			return folders
		}
		if folder == filepath.Dir(folder) {
			return folders[:1]
		}
	}
}

// ProjectRoot returns the root of the repository around dir; outside of one, dir.
func ProjectRoot(dir string) string {
	folders := ProjectFolders(dir)
	return folders[len(folders)-1]
}

// From returns a path relative to dir, or an absolute one as it is.
func From(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// LeadsOut returns the real path of a path that is not in the project around dir, links resolved; "" for one
// that is.
func LeadsOut(dir, path string) string {
	if real := RealPath(path); !Below(real, RealPath(ProjectRoot(dir))) {
		return real
	}
	return ""
}

// CheckInside returns an error for a path in the project around dir that is a link out of it.
func CheckInside(dir, path string) error {
	if path = From(dir, path); !Below(path, ProjectRoot(dir)) {
		return nil
	}
	real := LeadsOut(dir, path)
	if real == "" {
		return nil
	}
	if quoted := strconv.QuoteToGraphic(real); quoted != `"`+real+`"` { // it has invisible characters
		real = quoted
	}
	return fmt.Errorf("it is a link out of the project, to %s: name that file if you mean it", real)
}

// Below reports whether a path is in a directory, or is it.
func Below(path, folder string) bool {
	rel, err := filepath.Rel(folder, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// RealPath returns a path without symbolic links, as far as it exists.
func RealPath(path string) string {
	rest := ""
	for dir := path; ; dir = filepath.Dir(dir) {
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			return filepath.Join(real, rest)
		}
		if dir == filepath.Dir(dir) {
			return path
		}
		rest = filepath.Join(filepath.Base(dir), rest)
	}
}
