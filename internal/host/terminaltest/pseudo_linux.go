// Package terminaltest opens pseudo terminals for tests.
package terminaltest

import (
	"fmt"
	"os"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// Open returns a pseudo terminal of New. Both files are closed at the end of the test, which is skipped where there are none.
func Open(t *testing.T) (master, slave *os.File) {
	t.Helper()
	master, slave, err := New()
	if err != nil {
		t.Skipf("pseudo terminals are not available: %v", err)
	}
	t.Cleanup(func() {
		_ = master.Close()
		_ = slave.Close()
	})
	return master, slave
}

// New returns a pseudo terminal of 80 columns: what is written to master was typed, what is read from it is shown; slave
// is the terminal.
func New() (master, slave *os.File, err error) {
	if master, err = os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0); err != nil {
		return nil, nil, err
	}
	number, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		err = unix.IoctlSetWinsize(int(master.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 80})
	}
	if err == nil {
		slave, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	}
	return master, slave, err
}
