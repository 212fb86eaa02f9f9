//go:build unix

package files

import (
	"os"
	"syscall"
)

// newFileMode is the mode of a file that everybody may read, as the user's umask wants it. It can only be read by setting
// it; what is written meanwhile by somebody else is private.
func newFileMode() os.FileMode {
	mask := syscall.Umask(0o077)
	syscall.Umask(mask)
	return 0o666 &^ os.FileMode(mask)
}
