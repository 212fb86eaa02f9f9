package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
)

// What others may not do with a file of the user's, as bits of its mode.
const (
	NotWritable fs.FileMode = 0o022
	NotReadable fs.FileMode = 0o077 // nor write
)

// CheckPrivate is an error when others than the owner may do with a file or folder what denied says, and for a link, which
// somebody else may have put there. What does not exist is private; on Windows, so is what the profile holds.
func CheckPrivate(path string, denied fs.FileMode) error {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case info.Mode()&fs.ModeSymlink != 0:
		return fmt.Errorf("%s is a link, not what mcpctl made: remove it", path)
	case runtime.GOOS == "windows" || info.Mode()&denied == 0:
		return nil
	case denied == NotWritable:
		return fmt.Errorf("%s can be written by others, so it proves nothing: chmod go-w it, or remove it", path)
	}
	return fmt.Errorf("%s can be read by others (mode %04o): make it private with chmod go= %s", path, info.Mode().Perm(), path)
}
