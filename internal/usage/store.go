package usage

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"github.com/mcpctl/mcpctl/internal/files"
)

// Store is the folder of the user's own records. Nobody else may read it.
type Store struct {
	Folder string // absolute; it need not exist
}

// mostBytes bounds a file of records.
const mostBytes = 256 << 20

// Retention is how long calls are kept unless somebody says otherwise.
const Retention = 90 * 24 * time.Hour

func (s Store) path(name string) string { return filepath.Join(s.Folder, name) }

// Load reads the records; there are none before the first import.
func (s Store) Load() (*Records, error) {
	err := errors.Join(files.CheckFolder(s.Folder, files.NotReadable), files.CheckPrivate(s.path("records.json"), files.NotReadable))
	if err != nil {
		return nil, err
	}
	rs, err := Load(s.path("records.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return NewRecords(), nil
	}
	return rs, err
}

// Load reads a file of records.
func Load(path string) (*Records, error) {
	data, err := files.ReadRegular(path, mostBytes)
	if err != nil {
		return nil, err
	}
	rs, err := ReadRecords(data)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", path, err)
	}
	return rs, nil
}

// Update changes what is kept, one run at a time.
func (s Store) Update(ctx context.Context, change func(*Records, *Progress) error) error {
	if err := files.MakeFolder(s.Folder, files.NotReadable); err != nil {
		return err
	}
	lock := flock.New(s.path("lock"), flock.SetPermissions(0o600))
	if _, err := lock.TryLockContext(ctx, 50*time.Millisecond); err != nil {
		return fmt.Errorf("waiting for another run that imports: %w", err)
	}
	defer func() { _ = lock.Unlock() }()
	rs, err := s.Load()
	if err != nil {
		return err
	}
	progress, err := s.progress()
	if err != nil {
		return err
	}
	if err := change(rs, progress); err != nil {
		return err
	}
	read, _ := json.Marshal(progress) // which always has a JSON
	if err := files.ReplacePrivate(s.path("records.json"), rs.JSON()); err != nil {
		return err
	}
	return files.ReplacePrivate(s.path("read.json"), read)
}

// progress is how far earlier imports came.
func (s Store) progress() (*Progress, error) {
	p := &Progress{}
	data, err := files.ReadRegular(s.path("read.json"), mostBytes)
	if err == nil {
		err = json.Unmarshal(data, p)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("reading %s: %w: mcpctl usage forget begins anew", s.path("read.json"), err)
	}
	return p.made(), nil
}

// Clear forgets everything, also how far imports came.
func (s Store) Clear() error { return os.RemoveAll(s.Folder) }

// Expire drops what is older than so long, and how far imports came in it.
func Expire(rs *Records, p *Progress, after time.Duration, now time.Time) {
	first := dayOf(now.Add(-after))
	rs.ForgetBefore(first)
	p.forgetBefore(first)
}
