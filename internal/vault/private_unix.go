//go:build unix

package vault

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// private is an error when others than the owner can get at what is at path. What is not there is private.
func private(path string) error {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case info.Mode()&fs.ModeSymlink != 0:
		return fmt.Errorf("%s is a link: logins are kept where they are, in files of the user", path)
	case info.Mode().Perm()&0o077 != 0:
		return fmt.Errorf("%s can be read by others (mode %04o): make it private with chmod go= %s", path, info.Mode().Perm(), path)
	}
	return nil
}
