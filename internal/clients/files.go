// Package clients knows where applications configure their MCP servers: a table of files by application,
// scope and operating system (applications.json), with a source for each row, and the dialects of those
// files.
//
// It reads only the names of files. The operating system, the home directory, the environment and the project
// are parameters, so that each system can be tested on any other.
package clients

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/mcpctl/mcpctl/internal/files"
	"github.com/mcpctl/mcpctl/internal/kit"
)

// Host is the machine and project on which files are looked for.
type Host struct {
	OS       string   // as runtime.GOOS names it
	Home     string   // the home directory; "" = unknown: no file below it is looked for
	Lookup   Lookup   // the environment; nil = empty
	Projects []string // directories of the project, the nearest first
	Root     string   // prefix of the absolute paths in the table, for tests
}

// File is one path to look for.
type File struct {
	App  App
	Row  Row
	Path string // absolute, with the separators of the system that this program runs on
}

// Files returns the paths to look for, in the order of the table. For a row in a project it is that of the
// nearest directory that has the file, else of the nearest one; for a pattern those of existing files. A path
// that belongs to the user is not also one of the project, for example ~/.cursor in the home directory.
func (h Host) Files(app App) []File {
	var files []File
	for _, row := range app.Rows {
		for _, path := range h.paths(row) {
			ofUser := row.Scope == Project && slices.ContainsFunc(app.Rows, func(other Row) bool {
				return other.Scope == User && slices.Contains(h.paths(other), path)
			})
			if !ofUser {
				files = append(files, File{app, row, path})
			}
		}
	}
	return files
}

// Settings returns the files that enable servers of an application, the strongest first.
func (h Host) Settings(app App) []string {
	return kit.Flat(app.Settings, func(paths Paths) []string { return h.resolveAll(paths, false) })
}

func (h Host) paths(row Row) []string { return h.resolveAll(row.Paths, row.Above) }

// resolveAll returns the files of a path; in a project those of the nearest directory that has some, or of
// all directories above it too.
func (h Host) resolveAll(paths Paths, above bool) []string {
	template, inProject := strings.CutPrefix(paths.On(h.OS), "{project}/")
	if !inProject {
		path, ok := h.resolve(template)
		if !ok {
			return nil
		}
		return matches(path)
	}
	var all []string
	for _, folder := range h.Projects {
		if found := matches(filepath.ToSlash(folder) + "/" + template); len(found) > 0 &&
			files.Exists(found[0]) {
			all = append(all, found...)
		}
		if len(all) > 0 && !above {
			return all
		}
	}
	if len(all) > 0 || len(h.Projects) == 0 || strings.Contains(template, "*") {
		return all
	}
	return []string{filepath.Join(h.Projects[0], filepath.FromSlash(template))}
}

// projectFolders returns the directories of applications in the directory of a project, and the directories
// in those: of every path in a project that the table has. Windsurf has its user's file in a directory of
// that kind.
var projectFolders = sync.OnceValue(func() (folders struct{ outer, nested []string }) {
	folders.outer, folders.nested = []string{".windsurf", ".codeium"}, []string{"windsurf"}
	for _, app := range Table() {
		paths := slices.Clone(app.Settings)
		for _, row := range app.Rows {
			paths = append(paths, row.Paths)
		}
		for _, p := range paths {
			for _, path := range []string{p.All, p.Linux, p.Mac, p.Windows} {
				inside, ok := strings.CutPrefix(path, "{project}/")
				if outer, rest, nested := strings.Cut(inside, "/"); ok && nested {
					folders.outer = append(folders.outer, outer)
					parts := strings.Split(rest, "/")
					folders.nested = append(folders.nested, parts[:len(parts)-1]...)
				}
			}
		}
	}
	return folders
})

// ProjectFolder returns the directory to which relative paths and ${workspaceFolder} in a file refer.
func ProjectFolder(path string) string {
	folder := filepath.Dir(path)
	client := folder
	if slices.Contains(projectFolders().nested, filepath.Base(client)) {
		client = filepath.Dir(client)
	}
	if slices.Contains(projectFolders().outer, filepath.Base(client)) {
		return filepath.Dir(client)
	}
	return folder
}

// resolve returns the path of a template without "{project}", with slashes; ok is false if a part of it is
// unknown.
func (h Host) resolve(template string) (path string, ok bool) {
	path, foreign, ok := h.expand(template)
	switch {
	case !ok || path == "":
		return "", false
	// relative to the working directory, as in the applications
	case foreign && !strings.HasPrefix(path, "/") && !drive().MatchString(path):
		if len(h.Projects) == 0 {
			return "", false
		}
		return h.slashes(h.Projects[0]) + "/" + path, true
	case !foreign:
		return h.Root + path, true
	}
	return path, true
}

// expand replaces "~" and variables; foreign reports whether the path begins with the home directory or a
// variable.
func (h Host) expand(template string) (path string, foreign, ok bool) {
	switch {
	case template == "":
		return "", false, false
	case template[0] == '~':
		return h.slashes(h.Home) + template[1:], true, h.Home != ""
	case !strings.HasPrefix(template, "${"):
		return template, false, true
	}
	end := Closing(template)
	name, fallback, _ := strings.Cut(template[2:end-1], ":-")
	if value, _ := h.look(name); value != "" {
		return h.slashes(value) + template[end:], true, true
	}
	path, foreign, ok = h.expand(fallback)
	return path + template[end:], foreign, ok
}

// Closing returns the offset after the brace that closes the one in the second byte of a text, or its length.
func Closing(template string) int {
	depth := 0
	for i, c := range template {
		switch c {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return len(template)
}

// look returns a variable; on Windows also one in capitals.
func (h Host) look(name string) (string, bool) {
	value, ok := h.Lookup.Value(name)
	if !ok && h.OS == "windows" {
		value, ok = h.Lookup.Value(strings.ToUpper(name))
	}
	return value, ok
}

// slashes returns a directory with slashes, without one at its end.
func (h Host) slashes(folder string) string {
	if h.OS == "windows" {
		folder = strings.ReplaceAll(folder, `\`, "/")
	}
	return strings.TrimRight(folder, "/")
}

var drive = kit.Pattern(`^[A-Za-z]:/`)

// maxMatches bounds the files of one pattern.
const maxMatches = 200

// matches returns the existing files of a pattern, sorted; a path without "*" as it is. The pattern begins at
// the directory of the first "*", since the name of a home directory may have brackets.
func matches(slashed string) []string {
	fixed, _, pattern := strings.Cut(slashed, "*")
	if !pattern {
		return []string{filepath.FromSlash(slashed)}
	}
	folder := fixed[:strings.LastIndexByte(fixed, '/')+1]
	// an unreadable directory has no files
	names, _ := fs.Glob(os.DirFS(filepath.FromSlash(folder)), slashed[len(folder):])
	found := kit.Map(names[:min(len(names), maxMatches)],
		func(name string) string { return filepath.FromSlash(folder + name) })
	return kit.Filter(found, files.Exists)
}

// App is one application and its files. Of two servers of one name the one in the earlier row is used.
type App struct {
	ID   string // such as "claude-code"
	Name string // such as "Claude Code"
	Rows []Row
	Each bool // servers of one name in several rows are all used

	Settings []Paths // files that enable servers, the strongest first

	Dialect Dialect  // of rows without one
	Tools   ToolKeys // by which it switches tools off
	Named   []string // ends of its files that are read where the user names them
}

// Row is one file in which an application has servers.
type Row struct {
	Scope   Scope
	Paths   Paths
	Key     string // path of keys in the file; * is any key
	Dialect Dialect
	Source  string // URL that documents the row
	Above   bool   // files in all directories of the project are used, not only the nearest
	Sole    bool   // if the file exists, the application ignores the rows below
	Beside  bool   // as App.Each, for this row
}

// Scope is for whom a row is used.
type Scope string

// The scopes, the strongest first.
const (
	Managed   Scope = "managed"   // set by the administrator
	Local     Scope = "local"     // one user in one project
	Project   Scope = "project"   // everyone in a project
	Container Scope = "container" // everyone in the project's development container
	Custom    Scope = "custom"    // a file that an environment variable names
	User      Scope = "user"      // one user everywhere
	Plugin    Scope = "plugin"    // part of an installed plugin
	System    Scope = "system"    // everyone on the machine, by default
)

// Paths are the templates of a row's path. "~" is the home directory, "{project}" a directory of the project,
// "${NAME:-default}" an environment variable; "*" matches in one element. All systems use slashes.
type Paths struct {
	All                 string // on systems without a template of their own
	Linux, Mac, Windows string
}

// On returns the template for an operating system, as in runtime.GOOS; "" = none.
func (p Paths) On(os string) string {
	own := map[string]string{"darwin": p.Mac, "windows": p.Windows}
	path, known := own[os]
	if !known {
		path = p.Linux
	}
	if path == "" {
		return p.All
	}
	return path
}

// UnmarshalJSON reads a template for all systems, or an object with one for each.
func (p *Paths) UnmarshalJSON(text []byte) error {
	if text[0] == '"' {
		return json.Unmarshal(text, &p.All)
	}
	type bySystem Paths
	return json.Unmarshal(text, (*bySystem)(p))
}

//go:embed applications.json
var applicationsJSON []byte

// Table returns all applications, in the order of reports. A row inherits key, dialect and source of its
// application.
func Table() []App {
	var file struct {
		Applications []struct {
			App
			Key    string
			Source string
		}
	}
	if err := json.Unmarshal(applicationsJSON, &file); err != nil {
		panic(fmt.Sprintf("clients: applications.json: %v", err)) // excluded by a test
	}
	table := make([]App, len(file.Applications))
	for i, a := range file.Applications {
		for j := range a.Rows {
			row := &a.Rows[j]
			row.Key, row.Dialect, row.Source = cmp.Or(row.Key, a.Key), cmp.Or(row.Dialect, a.Dialect),
				cmp.Or(row.Source, a.Source)
		}
		table[i] = a.App
	}
	return table
}
