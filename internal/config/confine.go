package config

import (
	"fmt"

	"github.com/mcpctl/mcpctl/internal/files"
)

// A repository must not decide about files outside of it: what a found mcpctl.yaml names, and the folder of snapshots that
// nobody named, lie inside the project, links followed.

const confineHint = "keep it inside the project, or name the file with --config if you mean it"

// outside is where a path leads that is not inside the project; "" when it is.
func (in Input) outside(path string) string { return files.LeadsOut(in.Dir, path) }

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
