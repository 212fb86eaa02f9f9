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

// What others may not do with a file of the user's, as bits of its mode.
const (
	NotWritable fs.FileMode = 0o022
	NotReadable fs.FileMode = 0o077 // nor write
)

// CheckPrivate is an error when a file or folder is not the user's, when others may do with it what denied
// says, and for a link, which somebody else may have put there. What does not exist is private; on Windows,
// so is what the profile holds.
func CheckPrivate(path string, denied fs.FileMode) error {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case info.Mode()&fs.ModeSymlink != 0:
		return fmt.Errorf("%s is a link, not what mcpctl made: remove it", path)
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
		return fmt.Errorf(
			"%s can be written by others, so it proves nothing: chmod go-w it, or remove it", path)
	}
	return fmt.Errorf("%s can be read by others (mode %04o): make it private with chmod go= %s", path,
		info.Mode().Perm(), path)
}

// CheckFolder is CheckPrivate for a folder of the user's, which may be a link, and for the folders above it:
// who owns or can write one of those can put another folder in its place. sshd asks the same of the folders
// of keys.
func CheckFolder(path string, denied fs.FileMode) error {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err := CheckPrivate(RealPath(path), denied); err != nil {
		return err
	}
	return checkAbove(path)
}

// Folder is a folder of the user's with files of ours in JSON. It need not exist, and is made when something
// is to be kept.
type Folder struct {
	Path   string      // absolute; empty = there is no home folder
	Denied fs.FileMode // what others may not do
	Limit  int64       // bytes of a file
}

// File returns the path of a file of the folder.
func (f Folder) File(name string) string { return filepath.Join(f.Path, name) }

// Read hands the content of a file to parse. The error of one that is not there is fs.ErrNotExist; others
// name the file.
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
	wrong := []error{err}
	for _, entry := range entries {
		if name := entry.Name(); filepath.Ext(name) == ".json" && name[0] != '.' {
			wrong = append(wrong, read(name))
		}
	}
	return errors.Join(wrong...)
}

// Write keeps a value in a file, whole or not at all, where only the user can read it.
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

// Remove removes a file, if it is there.
func (f Folder) Remove(name string) error {
	if err := os.Remove(f.File(name)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Lock waits until no other run holds the lock of a name, and holds it until release.
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

// Make makes the folder for the user alone, unless it is there, as CheckFolder has it; nothing below somebody
// else's.
func (f Folder) Make() error {
	if !filepath.IsAbs(f.Path) {
		return errors.New("there is no home folder: set HOME, or XDG_STATE_HOME to an absolute path")
	}
	if err := checkAbove(f.Path); err != nil {
		return err
	}
	if err := os.MkdirAll(f.Path, 0o700); err != nil {
		return err
	}
	return CheckFolder(f.Path, f.Denied)
}

// checkAbove is an error for a path below a folder in which others can rename what is in it, links followed
// or not.
func checkAbove(path string) error {
	for _, folder := range []string{RealPath(path), path} {
		for folder != filepath.Dir(folder) {
			folder = filepath.Dir(folder)
			if err := checkParent(folder); err != nil {
				return err
			}
		}
	}
	return nil
}

func checkParent(folder string) error {
	info, err := os.Stat(folder)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case runtime.GOOS == "windows":
		return nil
	}
	if err := CheckOwner(folder, info); err != nil {
		return err
	}
	mode := info.Mode()
	if mode&fs.ModeSticky == 0 && (mode&0o002 != 0 || mode&0o020 != 0 && !ownGroup(info)) {
		return fmt.Errorf(
			"%s can be written by others, and with it what mcpctl keeps below: chmod go-w it", folder)
	}
	return nil
}
