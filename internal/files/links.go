package files

import (
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
)

// ProjectFolders are dir and those above it up to the root of the repository; outside of one, dir alone.
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

// ProjectRoot is the folder that a file found from dir may decide about: the root of the repository, or dir.
func ProjectRoot(dir string) string {
	folders := ProjectFolders(dir)
	return folders[len(folders)-1]
}

// From is a path as seen from a folder; an absolute one is the same from everywhere.
func From(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// LeadsOut is where a path leads, links followed, when that is not inside the project around dir; "" when it
// is.
func LeadsOut(dir, path string) string {
	if real := RealPath(path); !Below(real, RealPath(ProjectRoot(dir))) {
		return real
	}
	return ""
}

// CheckInside is the error for a file of the project around dir that is a link to somewhere else.
func CheckInside(dir, path string) error {
	if path = From(dir, path); !Below(path, ProjectRoot(dir)) {
		return nil
	}
	if real := LeadsOut(dir, path); real != "" {
		return fmt.Errorf("it is a link out of the project, to %s: name that file if you mean it",
			plain(real))
	}
	return nil
}

// plain is a path as it is, quoted when it holds what cannot be seen.
func plain(path string) string {
	if quoted := strconv.QuoteToGraphic(path); quoted != `"`+path+`"` {
		return quoted
	}
	return path
}

// Below is whether a path lies in a folder, or is it.
func Below(path, folder string) bool {
	rel, err := filepath.Rel(folder, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// RealPath is a path without symbolic links, as far as it exists.
func RealPath(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	ways := []string{path} // up to what has nothing above it
	for last := path; filepath.Dir(last) != last; last = ways[len(ways)-1] {
		ways = append(ways, filepath.Dir(last))
	}
	// below what is missing all is: of thousand levels ten are looked at
	there := sort.Search(len(ways), func(i int) bool {
		_, err := filepath.EvalSymlinks(ways[i])
		return err == nil
	})
	if there == len(ways) {
		return path
	}
	real, errReal := filepath.EvalSymlinks(ways[there])
	rest, errRest := filepath.Rel(ways[there], path)
	if errReal != nil || errRest != nil {
		return path
	}
	return filepath.Join(real, rest)
}
