package host

import (
	"os"

	"golang.org/x/sys/unix"
)

// discardInput drops what was typed and not read yet, as tcflush(fd, TCIFLUSH) of POSIX does.
func discardInput(in *os.File) {
	const fread = 1 // FREAD of sys/fcntl.h: the input queue
	// a terminal that cannot is asked all the same
	_ = unix.IoctlSetPointerInt(int(in.Fd()), unix.TIOCFLUSH, fread)
}
