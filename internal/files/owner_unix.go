//go:build unix

package files

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// checkOwner is an error for a file of somebody who is neither the user nor root. With sudo, the home folder is somebody
// else's too.
func checkOwner(path string, info fs.FileInfo) error {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if me := os.Geteuid(); ok && int(stat.Uid) != me && stat.Uid != 0 {
		return fmt.Errorf("%s belongs to another user (uid %d, and this is %d): run mcpctl as that user, or set HOME or XDG_STATE_HOME to a folder of your own", path, stat.Uid, me)
	}
	return nil
}

// ownGroup tells whether the group of a file is the one that systems make for its owner alone, with the owner's number.
func ownGroup(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && stat.Uid == stat.Gid && stat.Uid != 0
}
