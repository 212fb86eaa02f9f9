//go:build unix

package files

import (
	"os"
	"syscall"
)

// newFileMode is the mode of a file for everybody by the user's umask, which is read by setting it: never laxer meanwhile.
func newFileMode() os.FileMode {
	mask := syscall.Umask(0o077)
	syscall.Umask(mask)
	return 0o666 &^ os.FileMode(mask)
}
