package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// What others may not do with a file of the user's, as bits of its mode.
const (
	NotWritable fs.FileMode = 0o022
	NotReadable fs.FileMode = 0o077 // nor write
)

// CheckPrivate is an error when a file or folder is not the user's, when others may do with it what denied says, and for a
// link, which somebody else may have put there. What does not exist is private; on Windows, so is what the profile holds.
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
	if err := checkOwner(path, info); err != nil {
		return err
	}
	switch {
	case info.Mode()&denied == 0:
		return nil
	case denied == NotWritable:
		return fmt.Errorf("%s can be written by others, so it proves nothing: chmod go-w it, or remove it", path)
	}
	return fmt.Errorf("%s can be read by others (mode %04o): make it private with chmod go= %s", path, info.Mode().Perm(), path)
}

// CheckFolder is CheckPrivate for a folder of the user's, which may be a link, and for the folders above it: who owns or can
// write one of those can put another folder in its place. sshd asks the same of the folders of keys.
func CheckFolder(path string, denied fs.FileMode) error {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err := CheckPrivate(RealPath(path), denied); err != nil {
		return err
	}
	return checkAbove(path)
}

// MakeFolder makes a folder for the user alone, unless it is there, as CheckFolder has it; nothing below somebody else's.
func MakeFolder(path string, denied fs.FileMode) error {
	if err := checkAbove(path); err != nil {
		return err
	}
	if err := os.MkdirAll(path, 0o700); err != nil {
		return err
	}
	return CheckFolder(path, denied)
}

// checkAbove is an error for a path below a folder in which others can rename what is in it, links followed or not.
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
	if err := checkOwner(folder, info); err != nil {
		return err
	}
	mode := info.Mode()
	if mode&fs.ModeSticky == 0 && (mode&0o002 != 0 || mode&0o020 != 0 && !ownGroup(info)) {
		return fmt.Errorf("%s can be written by others, and with it what mcpctl keeps below: chmod go-w it", folder)
	}
	return nil
}
