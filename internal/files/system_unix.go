//go:build unix

package files

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// CheckOwner is an error for a file that is neither the user's nor root's, such as the home folder's with
// sudo.
func CheckOwner(path string, info fs.FileInfo) error {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if me := os.Geteuid(); ok && int(stat.Uid) != me && stat.Uid != 0 {
		return fmt.Errorf("%s belongs to another user (uid %d, and this is %d): run mcpctl as that user, "+
			"or set HOME or XDG_STATE_HOME to a folder of your own", path, stat.Uid, me)
	}
	return nil
}

// LockFlags open a lock beside files that others may write, too: not through their link, and without waiting
// at their pipe.
const LockFlags = os.O_CREATE | os.O_RDONLY | syscall.O_NOFOLLOW | syscall.O_NONBLOCK

// withoutWaiting opens what may be a pipe to which nobody writes.
const withoutWaiting = os.O_RDONLY | syscall.O_NONBLOCK

// ownGroup tells whether the group of a file is the one that systems make for its owner alone, with the
// owner's number.
func ownGroup(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && stat.Uid == stat.Gid && stat.Uid != 0
}
