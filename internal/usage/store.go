package usage

import (
	"cmp"
	"context"
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
	if _, named := errors.AsType[*fs.PathError](err); named {
		return nil, err
	}
	var rs *Records
	if err == nil {
		rs, err = ReadRecords(data)
	}
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", path, err)
	}
	return rs, nil
}

// Update changes what is kept, one run at a time. What is kept and how far imports came are one file, so that no call is lost or counted
// twice when a run ends in between.
func (s Store) Update(ctx context.Context, change func(*Records, *Progress) error) error {
	return s.locked(ctx, func() error {
		rs, err := s.Load()
		if err != nil {
			return fmt.Errorf("%w (mcpctl usage forget begins anew)", err)
		}
		rs.read = cmp.Or(rs.read, &Progress{}).made()
		if err := change(rs, rs.read); err != nil {
			return err
		}
		return files.ReplacePrivate(s.path("records.json"), rs.JSON())
	})
}

// locked does something while no other run changes what is kept.
func (s Store) locked(ctx context.Context, do func() error) error {
	if err := files.MakeFolder(s.Folder, files.NotReadable); err != nil {
		return err
	}
	lock := flock.New(s.path("lock"), flock.SetPermissions(0o600))
	if _, err := lock.TryLockContext(ctx, 50*time.Millisecond); err != nil {
		return fmt.Errorf("waiting for another run that imports: %w", err)
	}
	defer func() { _ = lock.Unlock() }()
	return do()
}

// Clear forgets everything, also how far imports came.
func (s Store) Clear(ctx context.Context) error {
	return s.locked(ctx, func() error {
		err := os.Remove(s.path("records.json"))
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	})
}

// Expire drops what is older than a day, and how far imports came before it.
func Expire(rs *Records, p *Progress, day string) {
	rs.ForgetBefore(day)
	p.forgetBefore(day)
}
