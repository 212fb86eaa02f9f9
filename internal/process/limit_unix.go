//go:build unix

package process

import "golang.org/x/sys/unix"

// MaxFiles is how many descriptors this process may have open at once; 0 = nobody says. Go has raised it as far as it may.
func MaxFiles() int {
	var limit unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_NOFILE, &limit) != nil || limit.Cur > 1<<30 {
		return 0
	}
	return int(limit.Cur)
}
