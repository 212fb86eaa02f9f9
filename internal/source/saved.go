package source

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/files"
	"github.com/mcpctl/mcpctl/internal/git"
	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// Saved is a snapshot that was read, and where.
type Saved struct {
	*snapshot.Snapshot
	Name   string // of the server
	Origin string // as reports name it: a path, git:REF:PATH, or stdin
	File   string // of a committed one, the file of the current tree that holds what became of it; empty = there is none
}

// maxSize bounds what is read as a snapshot or a report, in bytes.
const maxSize = 256 << 20

const extension = ".json"

// Read reads the snapshots of a SOURCE that is not live. folder is where snapshots are kept, which a Git one means that
// names no path.
func (s Source) Read(ctx context.Context, p host.Process, folder string) ([]Saved, error) {
	switch {
	case s.Kind == Stdin:
		saved, err := parse("-", "stdin", p.In)
		return []Saved{saved}, err
	case s.Kind == Git:
		return readGit(ctx, p, s.Word, folder)
	case files.IsDir(s.Word):
		return readFolder(s.Word)
	}
	saved, err := ReadFile(s.Word)
	return []Saved{saved}, err
}

func readFolder(folder string) ([]Saved, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, exit.Misuse(err)
	}
	var found []Saved
	for _, entry := range entries {
		if !strings.HasSuffix(entry.Name(), extension) {
			continue
		}
		saved, err := ReadFile(filepath.Join(folder, entry.Name()))
		if err != nil {
			return nil, err
		}
		found = append(found, saved)
	}
	if len(found) == 0 {
		return nil, exit.Usagef("there is no snapshot (*.json) in %s: save some with mcpctl snapshot", folder)
	}
	return found, nil
}

// ReadFile reads one file. The error of one that is not there wraps fs.ErrNotExist.
func ReadFile(path string) (Saved, error) {
	f, err := os.Open(path)
	if err != nil {
		return Saved{}, exit.Misuse(err)
	}
	defer f.Close()
	return parse(path, nameOf(path), f)
}

// nameOf is the server whose snapshot a file holds, by the file's name.
func nameOf(path string) string {
	base := filepath.Base(filepath.ToSlash(path))
	if name, ok := config.ServerName(base); ok {
		return name
	}
	return strings.TrimSuffix(base, extension)
}

// ReadLimited reads what may be a snapshot or a report; origin names it in errors.
func ReadLimited(origin string, r io.Reader) ([]byte, error) {
	data, err := files.ReadLimited(r, maxSize)
	if err != nil {
		return nil, exit.Usagef("reading %s: %w", origin, err)
	}
	return data, nil
}

func parse(origin, name string, r io.Reader) (Saved, error) {
	data, err := ReadLimited(origin, r)
	if err != nil {
		return Saved{}, err
	}
	parsed, err := snapshot.Parse(data)
	if err != nil {
		return Saved{}, exit.Usagef("reading %s: %w", origin, err)
	}
	return Saved{Snapshot: parsed, Name: name, Origin: origin}, nil
}

// readGit reads snapshots as they were committed: spec is REF for the snapshots folder, or REF:PATH; a REF may be
// merge-base.
func readGit(ctx context.Context, p host.Process, spec, folder string) ([]Saved, error) {
	ref, path, named := strings.Cut(spec, ":")
	if !named {
		path = folder
	}
	repo := git.Here(p)
	commit, err := repo.Commit(ctx, ref)
	if err != nil {
		return nil, err
	}
	committed, err := repo.Read(ctx, commit, path, extension)
	if err != nil {
		return nil, exit.Usagef("git:%s: %w", spec, err)
	}
	root, rootless := repo.Root(ctx) // a bare repository has none
	var found []Saved
	for _, file := range committed {
		saved, err := parse("git:"+ref+":"+file.Path, nameOf(file.Path), strings.NewReader(string(file.Data)))
		if err != nil {
			return nil, err
		}
		if rootless == nil {
			saved.File = p.Rel(filepath.Join(root, filepath.FromSlash(file.Path)))
		}
		found = append(found, saved)
	}
	if len(found) == 0 {
		return nil, exit.Usagef("git:%s: no snapshot (*.json) at %s in that commit", spec, path)
	}
	return found, nil
}
