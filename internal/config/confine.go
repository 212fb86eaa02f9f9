package config

import (
	"fmt"
	"path/filepath"
	"strings"
)

// A repository must not decide about files outside of it: what a found mcpctl.yaml names, and the folder of snapshots that
// nobody named, lie inside the project, links followed.

const confineHint = "keep it inside the project, or name the file with --config if you mean it"

// projectRoot is the folder that a found file may decide about: the repository's root, or the folder that was searched.
func (in Input) projectRoot() string {
	folders := in.folders()
	return folders[len(folders)-1]
}

// outside is where a path leads that is not inside the project; "" when it is.
func (in Input) outside(path string) string {
	real := RealPath(path)
	if below(real, RealPath(in.projectRoot())) {
		return ""
	}
	return real
}

// below is whether a path lies in a folder, or is it.
func below(path, folder string) bool {
	rel, err := filepath.Rel(folder, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// LeadsOut is where a path in the project around dir leads by symbolic links, if that is outside of it; "" otherwise. Whoever
// names a file of the project does not mean one elsewhere that the repository has made it a link to.
func LeadsOut(dir, path string) string {
	in := Input{Dir: dir}
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	if !below(path, in.projectRoot()) {
		return ""
	}
	return in.outside(path)
}

// confineIncludes leaves out files that a found mcpctl.yaml must not include.
func (l *loader) confineIncludes(file origin, line int) bool {
	if file.found == Named || l.in.outside(file.path) == "" {
		return true
	}
	l.problems = append(l.problems, Problem{
		File: l.config.Project.File, Line: line, Hint: confineHint,
		Message: fmt.Sprintf("includes %q, which is outside of the project, and nobody named this file", file.shown),
	})
	return false
}

// confineSnapshots finds a folder of snapshots that leads out of the project though nobody named it.
func (l *loader) confineSnapshots() {
	p := &l.config.Project
	if p.File != "" && p.Found == Named {
		return
	}
	if p.Stray = l.in.outside(p.Snapshots); p.Stray != "" && p.snapshotsLine > 0 {
		l.problems = append(l.problems, Problem{
			File: p.File, Line: p.snapshotsLine, Hint: confineHint,
			Message: fmt.Sprintf("keeps snapshots in %q, which is outside of the project, and nobody named this file", p.Stray),
		})
	}
}

// RealPath is a path without symbolic links, as far as it exists.
func RealPath(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	if parent := filepath.Dir(path); parent != path {
		return filepath.Join(RealPath(parent), filepath.Base(path))
	}
	return path
}
