package packages

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// Entry is one thing that the store holds.
type Entry struct {
	Name  string // below the store's folder, with slashes
	Bytes int64
	Used  time.Time // when it was last used
}

// Entries are the packages that the store holds and the caches of package managers, the least recently used first.
func (s Store) Entries() ([]Entry, error) {
	var entries []Entry
	for _, name := range s.names() {
		path := filepath.Join(s.Folder, filepath.FromSlash(name))
		if info, err := os.Lstat(path); err == nil {
			entries = append(entries, Entry{name, size(path), info.ModTime()})
		} else if !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	slices.SortFunc(entries, func(a, b Entry) int { return cmp.Or(a.Used.Compare(b.Used), cmp.Compare(a.Name, b.Name)) })
	return entries, nil
}

// names are what the store can hold, below its folder.
func (s Store) names() []string {
	names := []string{"npm-cache", "pip-cache"}
	for _, registry := range []string{"npm", "pypi"} {
		fetched, _ := os.ReadDir(filepath.Join(s.Folder, registry)) // none, when there is none yet
		for _, entry := range fetched {
			names = append(names, registry+"/"+entry.Name())
		}
	}
	return names
}

// size is the bytes of all files below a path, links not followed.
func size(path string) int64 {
	var sum int64
	_ = filepath.WalkDir(path, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			if info, err := d.Info(); err == nil {
				sum += info.Size()
			}
		}
		return nil // what vanishes meanwhile has no size
	})
	return sum
}

// Prune removes the least recently used entries until at most limit bytes are left, and gives what it removed. Nothing that
// was used after since goes, since a server may run from it.
func (s Store) Prune(limit int64, since time.Time) ([]Entry, error) {
	entries, err := s.Entries()
	if err != nil {
		return nil, err
	}
	var sum int64
	for _, e := range entries {
		sum += e.Bytes
	}
	var gone []Entry
	for _, e := range entries {
		if sum <= limit || e.Used.After(since) {
			continue
		}
		if err := os.RemoveAll(filepath.Join(s.Folder, filepath.FromSlash(e.Name))); err != nil {
			return gone, err
		}
		gone, sum = append(gone, e), sum-e.Bytes
	}
	return gone, nil
}
