//go:build unix

package process

import (
	"os"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// LeaveWait is between the end of a child's stdin and SIGTERM. Most servers are gone by then (Go in 2 ms, Node in 10 to 20).
const LeaveWait = 20 * time.Millisecond

// firstInherited is the first descriptor that is none of the standard streams.
const firstInherited = 3

// closeInherited has descriptors that we inherited closed in what is started from now on; Go's own are never handed on.
func closeInherited() {
	open, _ := os.ReadDir("/dev/fd")
	for _, entry := range open {
		if fd, err := strconv.Atoi(entry.Name()); err == nil && fd >= firstInherited {
			syscall.CloseOnExec(fd)
		}
	}
}

// Group is a child's process group, and those of its descendants that left the group.
type Group struct {
	id int

	mu      sync.Mutex
	escaped []descendant
}

// GroupOf is the group of a child that was started with OwnGroup.
func GroupOf(p *os.Process) (*Group, error) { return &Group{id: p.Pid}, nil }

// Look remembers the descendants that a signal to the group does not reach; later they can no longer be told.
func (g *Group) Look() {
	found := escapedDescendants(g.id)
	g.mu.Lock()
	defer g.mu.Unlock()
	g.escaped = found
}

func (g *Group) seen() []descendant {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.escaped
}

// Terminate asks the group to end.
func (g *Group) Terminate() { g.signal(syscall.SIGTERM) }

// Kill ends the group.
func (g *Group) Kill() { g.signal(syscall.SIGKILL) }

func (g *Group) signal(s syscall.Signal) {
	_ = syscall.Kill(-g.id, s)
	for _, d := range g.seen() {
		if d.lives() {
			_ = syscall.Kill(d.pid, s)
		}
	}
}

// Alive tells whether anything of the group still runs.
func (g *Group) Alive() bool {
	return slices.ContainsFunc(g.seen(), descendant.lives) || syscall.Kill(-g.id, 0) == nil && !onlyZombies(g.id)
}

// Release gives back what the system holds for the group.
func (g *Group) Release() {}

// shellOf is how the system's shell runs a command line.
func shellOf(line string) []string { return []string{"/bin/sh", "-c", line} }

// MaxFiles is how many descriptors this process may have open at once; 0 = nobody says. Go has raised it as far as it may.
func MaxFiles() int {
	var limit unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_NOFILE, &limit) != nil || limit.Cur > 1<<30 {
		return 0
	}
	return int(limit.Cur)
}
