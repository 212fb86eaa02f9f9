package files

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/gofrs/flock"
)

// Rights that others must not have to a file of the user's, as bits of its mode.
const (
	NotWritable fs.FileMode = 0o022
	NotReadable fs.FileMode = 0o077 // nor writable
)

// CheckPrivate returns an error if a file or directory does not belong to the user, if others have a denied
// right, and for a link, which others may have created. What does not exist is private; on Windows, so is
// what the user's profile holds.
func CheckPrivate(path string, denied fs.FileMode) error {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case info.Mode()&fs.ModeSymlink != 0:
		return fmt.Errorf("%s is a link that mcpctl did not create: remove it", path)
	case runtime.GOOS == "windows":
		return nil
	}
	if err := CheckOwner(path, info); err != nil {
		return err
	}
	switch {
	case info.Mode()&denied == 0:
		return nil
	case denied == NotWritable:
		return fmt.Errorf("%s can be written by others: chmod go-w it, or remove it", path)
	}
	return fmt.Errorf("%s can be read by others (mode %04o): make it private with chmod go= %s", path,
		info.Mode().Perm(), path)
}

// CheckFolder does the same for a directory, which may be a link, and for the directories above it: their
// owners and writers could replace it. sshd requires the same of the directories of keys.
func CheckFolder(path string, denied fs.FileMode) error {
	if !Exists(path) {
		return nil
	}
	if err := CheckPrivate(RealPath(path), denied); err != nil {
		return err
	}
	return checkAbove(path)
}

// Folder is a directory of the user's with JSON files of mcpctl. It is created when something is stored.
type Folder struct {
	Path   string      // absolute; empty = no home directory
	Denied fs.FileMode // rights that others must not have
	Limit  int64       // bytes of a file
}

// File returns the path of a file.
func (f Folder) File(name string) string { return filepath.Join(f.Path, name) }

// Read parses the content of a file. The error is fs.ErrNotExist if it does not exist; others name the file.
func (f Folder) Read(name string, parse func(data []byte) error) error {
	if err := errors.Join(CheckFolder(f.Path, f.Denied), CheckPrivate(f.File(name), f.Denied)); err != nil {
		return err
	}
	data, err := ReadRegular(f.File(name), f.Limit)
	if errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err == nil {
		err = parse(data)
	}
	if err != nil {
		return fmt.Errorf("reading %s: %w", f.File(name), err)
	}
	return nil
}

// Each calls read with the name of every file, and joins the errors.
func (f Folder) Each(read func(name string) error) error {
	entries, err := os.ReadDir(f.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	all := []error{err}
	for _, entry := range entries {
		if name := entry.Name(); filepath.Ext(name) == ".json" && name[0] != '.' {
			all = append(all, read(name))
		}
	}
	return errors.Join(all...)
}

// Write stores a value in a file that only the user can read, whole or not at all.
func (f Folder) Write(name string, value any) error {
	data, err := json.MarshalIndent(value, "", "  ")
	if err == nil {
		err = f.Make()
	}
	if err == nil {
		err = ReplacePrivate(f.File(name), append(data, '\n'))
	}
	return err
}

// Remove removes a file, if it exists.
func (f Folder) Remove(name string) error {
	if err := os.Remove(f.File(name)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Lock waits for a lock that other runs may hold, and holds it until release is called.
func (f Folder) Lock(ctx context.Context, name string) (release func(), err error) {
	if err := f.Make(); err != nil {
		return nil, err
	}
	lock := flock.New(f.File(name), flock.SetPermissions(0o600))
	if _, err := lock.TryLockContext(ctx, 50*time.Millisecond); err != nil {
		return nil, fmt.Errorf("waiting for another run: %w", err)
	}
	return func() { _ = lock.Unlock() }, nil
}

// Discard removes the temporary files of a file that killed runs left; lock is what every run that writes the
// file holds. It does nothing while one does.
func (f Folder) Discard(name, lock string) {
	left, _ := filepath.Glob(filepath.Join(f.Path, temporaryPrefix+name+"*"))
	if len(left) == 0 || CheckFolder(f.Path, f.Denied) != nil {
		return
	}
	held := flock.New(f.File(lock), flock.SetPermissions(0o600))
	if free, err := held.TryLock(); err != nil || !free {
		return
	}
	defer func() { _ = held.Unlock() }()
	for _, path := range left {
		if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() {
			_ = os.Remove(path)
		}
	}
}

// Make creates the directory for the user alone, unless it exists, and checks it as CheckFolder does.
func (f Folder) Make() error {
	if !filepath.IsAbs(f.Path) {
		return errors.New("no home directory: set HOME, or XDG_STATE_HOME to an absolute path")
	}
	if err := checkAbove(f.Path); err != nil {
		return err
	}
	if err := os.MkdirAll(f.Path, 0o700); err != nil {
		return err
	}
	return CheckFolder(f.Path, f.Denied)
}

// checkAbove returns an error if others can rename files in a directory above a path, links resolved or not.
func checkAbove(path string) error {
	for _, dir := range []string{RealPath(path), path} {
		for dir != filepath.Dir(dir) {
			dir = filepath.Dir(dir)
			if err := checkParent(dir); err != nil {
				return err
			}
		}
	}
	return nil
}

func checkParent(dir string) error {
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && runtime.GOOS == "windows":
		return nil
	case err != nil:
		return err
	}
	if err := CheckOwner(dir, info); err != nil {
		return err
	}
	mode := info.Mode()
	if mode&fs.ModeSticky == 0 && (mode&0o002 != 0 || mode&0o020 != 0 && !ownGroup(info)) {
		return fmt.Errorf("%s can be written by others, who could replace mcpctl's files: chmod go-w it", dir)
	}
	return nil
}
