package clients

import (
	"path/filepath"
	"slices"
	"strings"
)

// Host is the machine and project that files are looked for on.
type Host struct {
	OS       string                      // as runtime.GOOS names it
	Home     string                      // the user's home folder; "" = unknown, so that nothing below it is looked for
	Lookup   func(string) (string, bool) // the environment; nil = empty
	Projects []string                    // folders of the project, the nearest first
	Root     string                      // stands before the absolute paths of the table; "" = they are as they are
}

// File is one path to look at.
type File struct {
	App  App
	Row  Row
	Path string // absolute, with the separators of the system that this program runs on
}

// Files are all paths to look at, in the order of the table. Of a row in a project the nearest folder that has the file
// decides; where none has it, the nearest one is named. Patterns give the files that exist.
func (h Host) Files() []File {
	var files []File
	for _, app := range Table() {
		files = append(files, h.filesOf(app)...)
	}
	return files
}

// filesOf leaves out a path in the project that the application knows as the user's: ~/.cursor is no project's, also
// when the current folder is the home folder.
func (h Host) filesOf(app App) []File {
	var files []File
	for _, row := range app.Rows {
		for _, path := range h.paths(row) {
			usersToo := row.Scope == Project && slices.ContainsFunc(app.Rows, func(other Row) bool {
				return other.Scope == User && slices.Contains(h.paths(other), path)
			})
			if !usersToo {
				files = append(files, File{app, row, path})
			}
		}
	}
	return files
}

// Settings are the files that say which servers of an application are on, the strongest first.
func (h Host) Settings(app App) []string {
	var files []string
	for _, paths := range app.Settings {
		files = append(files, h.resolveAll(paths, false)...)
	}
	return files
}

func (h Host) paths(row Row) []string { return h.resolveAll(row.Paths, row.Above) }

// resolveAll are the files that the paths stand for; in a project those of the nearest folder that has some, or of all.
func (h Host) resolveAll(paths Paths, above bool) []string {
	template, inProject := strings.CutPrefix(paths.On(h.OS), "{project}/")
	if !inProject {
		path, ok := h.resolve(template)
		if !ok {
			return nil
		}
		return matches(path)
	}
	var files []string
	for _, folder := range h.Projects {
		if found := matches(filepath.ToSlash(folder) + "/" + template); len(found) > 0 && exists(found[0]) {
			files = append(files, found...)
		}
		if len(files) > 0 && !above {
			return files
		}
	}
	if len(files) > 0 || len(h.Projects) == 0 || strings.Contains(template, "*") {
		return files
	}
	return []string{filepath.Join(h.Projects[0], filepath.FromSlash(template))}
}
