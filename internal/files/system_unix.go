//go:build unix

package files

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// CheckOwner returns an error for a file that belongs neither to the user nor to root, such as one in the
// home directory with sudo.
func CheckOwner(path string, info fs.FileInfo) error {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if me := os.Geteuid(); ok && int(stat.Uid) != me && stat.Uid != 0 {
		return fmt.Errorf("%s belongs to another user (uid %d, and this is %d): run mcpctl as that user, "+
			"or set HOME or XDG_STATE_HOME to a directory of your own", path, stat.Uid, me)
	}
	return nil
}

// LockFlags open a lock in a directory that others can write: not a link, and without waiting for a pipe.
const LockFlags = os.O_CREATE | os.O_RDONLY | syscall.O_NOFOLLOW | syscall.O_NONBLOCK

// openNonblocking opens a path that may be a pipe.
const openNonblocking = os.O_RDONLY | syscall.O_NONBLOCK

// ownGroup reports whether the group of a file has its owner alone: systems create one with the owner's
// number.
func ownGroup(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && stat.Uid == stat.Gid && stat.Uid != 0
}
