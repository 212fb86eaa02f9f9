package config

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/files"
)

// projectFile is the project's own file.
const projectFile = "mcpctl.yaml"

// serverFiles are what clients keep in a project, in the order in which they are looked for.
var serverFiles = []string{".mcp.json", "mcp.json", filepath.Join(".vscode", "mcp.json"), filepath.Join(".cursor", "mcp.json")}

// origin is a file to read.
type origin struct {
	path  string // absolute
	shown string // as the user knows it
	from  string // what names it, for hints
	found Found  // how it came to be read
}

// origin resolves a path that was written by the user.
func (in Input) origin(path string) origin {
	if filepath.IsAbs(path) {
		return origin{path: filepath.Clean(path), shown: path, from: "--config or MCPCTL_CONFIG"}
	}
	return origin{path: filepath.Join(in.Dir, path), shown: path, from: "--config or MCPCTL_CONFIG"}
}

// named are the files that --config or MCPCTL_CONFIG name, each once. MCPCTL_CONFIG is a list as PATH is.
func (in Input) named() []origin {
	names := in.Files
	if value, ok := in.look("MCPCTL_CONFIG"); len(names) == 0 && ok {
		names = slices.DeleteFunc(filepath.SplitList(value), func(s string) bool { return s == "" })
	}
	var files []origin
	for _, name := range names {
		files = addOrigin(files, in.origin(name))
	}
	return files
}

func addOrigin(files []origin, file origin) []origin {
	if slices.ContainsFunc(files, func(o origin) bool { return o.path == file.path }) {
		return files
	}
	return append(files, file)
}

func (in Input) look(name string) (string, bool) {
	if in.Lookup == nil {
		return "", false
	}
	return in.Lookup(name)
}

// search is the first of names that exists in the nearest folder that has one.
func (in Input) search(names []string) (origin, bool) {
	for _, folder := range files.ProjectFolders(in.Dir) {
		for _, name := range names {
			path := filepath.Join(folder, name)
			if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
				return origin{path: path, shown: in.show(path), found: Searched}, true
			}
		}
	}
	return origin{}, false
}

// show is a path as seen from the current folder, with forward slashes.
func (in Input) show(path string) string {
	rel, err := filepath.Rel(in.Dir, path)
	if err != nil {
		rel = path
	}
	return strings.ReplaceAll(rel, `\`, "/")
}
