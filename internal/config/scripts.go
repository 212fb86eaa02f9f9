package config

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/files"
	"github.com/mcpctl/mcpctl/internal/manifest"
)

// Limits on what is read of the project to know what a command starts.
const (
	maxScripts = 50
	maxScript  = 64 << 20 // bytes of each
	maxLooked  = 20_000   // paths that are looked for
)

// projectFiles are files that a program reads from its folder, or one above it, to know what to run or where to fetch it.
var projectFiles = map[string][]string{
	"npx": {".npmrc"}, "pnpx": {".npmrc"}, "bunx": {".npmrc", "bunfig.toml"},
	"npm": {".npmrc", "package.json"}, "pnpm": {".npmrc", "package.json", "pnpm-workspace.yaml", ".pnpmfile.cjs"}, "yarn": {".yarnrc", ".yarnrc.yml", "package.json"},
	"bun": {".npmrc", "bunfig.toml", "package.json"}, "deno": {"deno.json", "deno.jsonc"},
	"make": {"GNUmakefile", "makefile", "Makefile"}, "just": {"justfile", "Justfile", ".justfile"}, "task": {"Taskfile.yml", "Taskfile.yaml"},
	"uv": {"pyproject.toml", "uv.toml"}, "uvx": {"pyproject.toml", "uv.toml"}, "poetry": {"pyproject.toml", "poetry.toml"},
	"cargo": {"Cargo.toml", ".cargo/config.toml", ".cargo/config"}, "go": {"go.mod", "go.work"},
	"compose": {"compose.yaml", "compose.yml", "docker-compose.yaml", "docker-compose.yml"},
}

// scripts are the files of the project that the commands name, or that their programs obey, with their content.
func (e Entry) scripts() []manifest.File {
	var found []manifest.File
	dir, words := e.commandWords()
	looked := 0
	for i, word := range words {
		for _, part := range append(strings.FieldsFunc(word, func(r rune) bool { return strings.ContainsRune(" \t\n;|&<>()'\"`=,", r) }), word) {
			for _, path := range slices.Concat(startFiles(part), obeyed(dir, part, words[i+1:]), e.inPath(part)) {
				if looked++; looked > maxLooked || len(found) == maxScripts {
					return append(found, manifest.File{Path: manifest.Plain("…"), Unusual: "more files than are looked at"})
				}
				if f, ok := e.script(dir, path); ok && !slices.Contains(found, f) {
					found = append(found, f)
				}
			}
		}
	}
	return found
}

// commandWords are the words of all command lines of the entry, variables that say what runs among them, and their folder.
func (e Entry) commandWords() (dir string, words []string) {
	dir = e.scope.folder
	if s := e.Server.Stdio; s != nil {
		dir, words = s.Dir, slices.Concat([]string{s.Command}, s.Args)
		for _, name := range names(s.Env) {
			if manifest.Steers(name) {
				words = append(words, s.Env[name].Reveal())
			}
		}
	}
	if h := e.Server.HTTP; h != nil && h.Helper != nil {
		words = append(words, h.Helper.Command)
	}
	return dir, words
}

// inPath are the files that a program's name may stand for by a PATH that the entry sets.
func (e Entry) inPath(name string) (paths []string) {
	if e.Server.Stdio == nil || strings.Contains(name, "/") {
		return nil
	}
	for _, folder := range filepath.SplitList(e.Server.Stdio.Env["PATH"].Reveal()) {
		paths = append(paths, filepath.Join(folder, name))
	}
	return paths
}

// startFiles are what may run when a program is told to run a name: that file, or what Node and Python take for it.
func startFiles(name string) []string {
	module := strings.ReplaceAll(name, ".", "/")
	return []string{name, name + ".js", name + "/index.js", name + "/package.json", name + "/__main__.py", module + ".py", module + "/__main__.py"}
}

// obeyed are the files that a program reads in a folder and those above it before it does what the words behind it say.
func obeyed(dir, program string, words []string) (paths []string) {
	known := projectFiles[base(program)]
	if known == nil {
		return nil
	}
	for _, folder := range files.ProjectFolders(dir) {
		for _, name := range known {
			paths = append(paths, filepath.Join(folder, name))
		}
		if slices.Contains(known, ".npmrc") {
			paths = append(paths, preferred(folder, words)...)
		}
	}
	return paths
}

// preferred are the files of a folder that npx and its like run instead of the package that a word names.
func preferred(folder string, words []string) []string {
	paths := ownPrograms(filepath.Join(folder, "package.json"))
	for _, word := range words {
		name := word
		if at := strings.LastIndexByte(word, '@'); at > 0 {
			name = word[:at]
		}
		if !strings.HasPrefix(word, "-") {
			modules := filepath.Join(folder, "node_modules")
			paths = append(paths, filepath.Join(modules, ".bin", word), filepath.Join(modules, ".bin", name))
			paths = append(paths, ownPrograms(filepath.Join(modules, name, "package.json"))...)
		}
	}
	return paths
}

// ownPrograms are a package.json that names programs, and those; nil when it names none.
func ownPrograms(file string) []string {
	text, err := files.ReadRegular(file, maxScript)
	if err != nil {
		return nil
	}
	var about struct{ Bin any }
	_ = json.Unmarshal(text, &about) // what cannot be read names nothing that npm would find
	var named []string
	switch bin := about.Bin.(type) {
	case string:
		named = []string{bin}
	case map[string]any:
		for _, path := range bin {
			named = append(named, fmt.Sprint(path))
		}
	case nil:
		return nil
	}
	slices.Sort(named)
	paths := []string{file}
	for _, path := range named {
		paths = append(paths, filepath.Join(filepath.Dir(file), path))
	}
	return paths
}

// script is a file of the project by a word that may be its path.
func (e Entry) script(dir, word string) (manifest.File, bool) {
	if word == "" || e.scope.root == "" || strings.Contains(word, "\x00") {
		return manifest.File{}, false
	}
	path := word
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	if _, err := os.Lstat(path); err != nil {
		return manifest.File{}, false
	}
	root := files.RealPath(e.scope.root)
	real := files.RealPath(path)
	info, err := os.Stat(real)
	if err != nil || !info.Mode().IsRegular() || !files.Below(real, root) {
		return manifest.File{}, false
	}
	shown, _ := filepath.Rel(root, real)
	f := manifest.File{Path: discreetly(filepath.ToSlash(shown))}
	content, err := files.ReadRegular(real, maxScript)
	if err != nil {
		f.Unusual = "its content is not known: " + plainCause(err).Error()
		return f, true
	}
	sum := sha256.Sum256(content)
	f.Digest = hex.EncodeToString(sum[:])
	return f, true
}
