package trust

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// List is every agreement, by file and server. The error joins those of files that cannot be read as agreements; the
// others are given all the same.
func (s Store) List() ([]Agreement, error) {
	files, err := os.ReadDir(s.Folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var all []Agreement
	var wrong []error
	for _, file := range files {
		if filepath.Ext(file.Name()) != extension || file.Name()[0] == '.' {
			continue
		}
		a, err := s.read(file.Name())
		if err == nil && fileName(a.File, a.Server) != file.Name() {
			continue // a copy under another name, which holds for nothing
		}
		if err != nil {
			wrong = append(wrong, err)
			continue
		}
		all = append(all, a)
	}
	slices.SortFunc(all, func(a, b Agreement) int { return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Server, b.Server)) })
	return all, errors.Join(wrong...)
}

// Clear forgets everything.
func (s Store) Clear() error { return os.RemoveAll(s.Folder) }

// Revoke forgets what was agreed to about a server of a file, be it readable or not.
func (s Store) Revoke(file, server string) error {
	err := os.Remove(filepath.Join(s.Folder, fileName(file, server)))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
