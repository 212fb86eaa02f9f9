package main

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/files"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// maxSnapshot bounds a snapshot that is read, in bytes.
const maxSnapshot = 256 << 20

// readSaved is the surfaces saved at a file, in a folder, at a git ref, or on standard input.
func (inv *invocation) readSaved(t target, folder string) ([]surface, error) {
	switch {
	case t.kind == byStdin:
		s, err := readSurface("-", "stdin", inv.In)
		return []surface{s}, err
	case t.kind == byGit:
		return inv.readGit(t.word, folder)
	case files.IsDir(t.word):
		return readFolder(t.word)
	}
	s, err := readFile(t.word)
	return []surface{s}, err
}

func readFolder(folder string) ([]surface, error) {
	files, err := filepath.Glob(filepath.Join(globEscape(folder), "*.json"))
	if err != nil || len(files) == 0 {
		return nil, exit.Usagef("there is no snapshot (*.json) in %s: save some with mcpctl snapshot", folder)
	}
	var found []surface
	for _, file := range files {
		s, err := readFile(file)
		if err != nil {
			return nil, err
		}
		found = append(found, s)
	}
	return found, nil
}

// globEscape makes a folder's name stand for itself in a pattern.
func globEscape(folder string) string {
	if filepath.Separator == '\\' {
		return folder
	}
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(folder)
}

func readFile(path string) (surface, error) {
	f, err := os.Open(path)
	if err != nil {
		return surface{}, exit.Misuse(err)
	}
	defer f.Close()
	return readSurface(path, savedName(path), f)
}

// savedName is the server whose snapshot a file holds, by the file's name.
func savedName(path string) string {
	base := filepath.Base(filepath.ToSlash(path))
	if name, ok := config.ServerName(base); ok {
		return name
	}
	return strings.TrimSuffix(base, ".json")
}

// readSurface parses one snapshot; source names it in errors and reports.
func readSurface(source, name string, r io.Reader) (surface, error) {
	data, err := files.ReadLimited(r, maxSnapshot)
	if err != nil {
		return surface{}, exit.Usagef("reading %s: %w", source, err)
	}
	parsed, err := snapshot.Parse(data)
	if err != nil {
		return surface{}, exit.Usagef("reading %s: %w", source, err)
	}
	s := surface{snapshot: parsed, Server: report.Server{Name: name, State: report.OK, Source: source}}
	s.describe()
	return s, nil
}

// spoil makes a failure of s from what is wrong with its file: other servers are told of all the same.
func (s *surface) spoil(stage string, err error) {
	hint := "restore the file from version control, or delete it and run mcpctl snapshot"
	var where *fs.PathError
	if errors.As(err, &where) {
		hint = "the snapshots folder must be one that can be read and written: name another with --snapshots"
	}
	s.State, s.Error = report.Failed, &report.Failure{Stage: stage, Message: err.Error(), Hint: hint}
}
