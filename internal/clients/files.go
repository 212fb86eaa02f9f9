// Package clients knows where applications keep their MCP servers: a table of files by application, scope and
// operating system (applications.json), every row with the source that it was taken from.
//
// It reads nothing but the names of files. The operating system, the home folder, the environment and the
// project's folders are handed in, so that every system can be asked about on any other.
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

	"github.com/mcpctl/mcpctl/internal/files"
	"github.com/mcpctl/mcpctl/internal/kit"
)

// Host is the machine and project that files are looked for on.
type Host struct {
	OS       string   // as runtime.GOOS names it
	Home     string   // the user's home folder; "" = unknown, so that nothing below it is looked for
	Lookup   Lookup   // the environment; nil = empty
	Projects []string // folders of the project, the nearest first
	Root     string   // stands before the absolute paths of the table; "" = they are as they are
}

// File is one path to look at.
type File struct {
	App  App
	Row  Row
	Path string // absolute, with the separators of the system that this program runs on
}

// Files are all paths of an application to look at, in the order of the table. Of a row in a project the
// nearest folder that has the file decides; where none has it, the nearest one is named. Patterns give the
// files that exist. A path in the project that the application knows as the user's is left out: ~/.cursor is
// no project's, also when the current folder is the home folder.
func (h Host) Files(app App) []File {
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
	return kit.Flat(app.Settings, func(paths Paths) []string { return h.resolveAll(paths, false) })
}

func (h Host) paths(row Row) []string { return h.resolveAll(row.Paths, row.Above) }

// resolveAll are the files that the paths stand for; in a project those of the nearest folder that has some,
// or of all.
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

// clientFolders are folders of applications inside a project; the project is the folder that holds them.
var clientFolders = []string{
	".vscode", ".cursor", ".gemini", ".roo", ".windsurf", ".codeium", ".kiro", ".amazonq", ".claude",
	".continue",
	".codex", ".zed", ".junie", ".opencode", ".warp", ".agents", ".devcontainer",
}

// nestedFolders are folders inside those.
var nestedFolders = []string{"settings", "windsurf", "mcp", "mcpServers", "cli-agents"}

// ProjectFolder is the folder that relative paths and ${workspaceFolder} of a file refer to.
func ProjectFolder(path string) string {
	folder := filepath.Dir(path)
	client := folder
	if slices.Contains(nestedFolders, filepath.Base(client)) {
		client = filepath.Dir(client)
	}
	if slices.Contains(clientFolders, filepath.Base(client)) {
		return filepath.Dir(client)
	}
	return folder
}

// resolve is the path of a template without "{project}", with slashes; ok is false when it depends on what is
// not known.
func (h Host) resolve(template string) (path string, ok bool) {
	path, foreign, ok := h.expand(template)
	switch {
	case !ok || path == "":
		return "", false
	// as applications do, seen from the current folder
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

// expand replaces "~" and variables; foreign is whether the beginning comes from the environment or the home
// folder.
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

// Closing is the offset behind the brace that closes the one in a template's second byte, or its length.
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

// look reads a variable; on Windows case does not matter, which the few spellings in use stand for.
func (h Host) look(name string) (string, bool) {
	value, ok := h.Lookup.Value(name)
	if !ok && h.OS == "windows" {
		value, ok = h.Lookup.Value(strings.ToUpper(name))
	}
	return value, ok
}

// slashes is a folder with slashes and without one at its end.
func (h Host) slashes(folder string) string {
	if h.OS == "windows" {
		folder = strings.ReplaceAll(folder, `\`, "/")
	}
	return strings.TrimRight(folder, "/")
}

var drive = kit.Pattern(`^[A-Za-z]:/`)

// maxMatches bounds the files that one pattern stands for, whatever somebody put into the folder.
const maxMatches = 200

// matches are the files that exist for a path with patterns, sorted; a path without patterns stands for
// itself. Only what begins with the first "*" is a pattern: the name of a home folder may hold brackets.
func matches(slashed string) []string {
	fixed, _, pattern := strings.Cut(slashed, "*")
	if !pattern {
		return []string{filepath.FromSlash(slashed)}
	}
	folder := fixed[:strings.LastIndexByte(fixed, '/')+1]
	// what cannot be read cannot be looked at
	names, _ := fs.Glob(os.DirFS(filepath.FromSlash(folder)), slashed[len(folder):])
	found := kit.Map(names[:min(len(names), maxMatches)],
		func(name string) string { return filepath.FromSlash(folder + name) })
	return kit.Filter(found, files.Exists)
}

// App is one application and its files. Of two servers of one name the one in the earlier row holds.
type App struct {
	ID   string // in names and reports: "claude-code"
	Name string // as people call it: "Claude Code"
	Rows []Row
	Each bool // a row's servers stand beside those of the other rows, also where names are the same

	Settings []Paths // files that say which servers are on, the strongest first
}

// Row is one place where an application keeps servers.
type Row struct {
	Scope   Scope
	Paths   Paths
	Key     string // where in the file, as a path of keys; what stands for any key is written *
	Dialect Dialect
	Source  string // where this row was taken from
	// every folder of the project that has the file counts, the nearest first; otherwise the nearest alone
	Above  bool
	Sole   bool // when the file exists, the application reads none of the rows below
	Beside bool // as App.Each, for this row alone
}

// Scope is who a row holds for.
type Scope string

// The scopes, from the strongest word to the weakest.
const (
	Managed   Scope = "managed"   // set by whoever administers the machine
	Local     Scope = "local"     // one user in one project
	Project   Scope = "project"   // everyone in a project
	Container Scope = "container" // everyone in a project's development container
	Custom    Scope = "custom"    // a file that an environment variable names
	User      Scope = "user"      // one user everywhere
	Plugin    Scope = "plugin"    // brought along by something that was installed
	System    Scope = "system"    // everyone on the machine, unless they say otherwise
)

// Paths are the templates of a row's path. "~" is the home folder, "{project}" one of the project's folders,
// "${NAME:-default}" an environment variable; "*" matches inside one element. Slashes stand on every system.
type Paths struct {
	All                 string // on every system that has no own one
	Linux, Mac, Windows string
}

// On is the template for an operating system as runtime.GOOS names it; "" = the application keeps nothing
// there.
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

// UnmarshalJSON reads a template that holds on every system, or one for each system.
func (p *Paths) UnmarshalJSON(text []byte) error {
	if text[0] == '"' {
		return json.Unmarshal(text, &p.All)
	}
	type bySystem Paths
	return json.Unmarshal(text, (*bySystem)(p))
}

//go:embed applications.json
var applicationsJSON []byte

// Table is all applications, in the order in which reports show them. What a row leaves out of key, dialect
// and source is that of its application.
func Table() []App {
	var file struct {
		Applications []struct {
			App
			Key     string
			Dialect Dialect
			Source  string
		}
	}
	if err := json.Unmarshal(applicationsJSON, &file); err != nil {
		panic(fmt.Sprintf("clients: applications.json: %v", err)) // a test reads it first
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
