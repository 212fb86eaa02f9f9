package host

import (
	"os"

	"golang.org/x/sys/unix"
)

// discardInput drops what was typed and not read yet, as tcflush(fd, TCIFLUSH) of POSIX does.
func discardInput(in *os.File) {
	// a terminal that cannot is asked all the same
	_ = unix.IoctlSetInt(int(in.Fd()), unix.TCFLSH, unix.TCIFLUSH)
}
