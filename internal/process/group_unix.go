//go:build unix

package process

import (
	"os"
	"os/exec"
	"slices"
	"strconv"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// firstInherited is the first descriptor that is none of the standard streams.
const firstInherited = 3

// closeInherited marks inherited descriptors to be closed in children; descriptors of Go are never
// inherited.
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
	id  int
	run string // the mark in the environment of the child and its descendants
	box bool   // the child is bubblewrap: SIGTERM ends it, and it ends at once all that is in it

	mu      sync.Mutex
	escaped []descendant
}

// GroupOf returns the group of a child that Start has started with a mark.
func GroupOf(cmd *exec.Cmd, run string) (*Group, error) {
	return &Group{id: cmd.Process.Pid, run: run, box: ProgramName(cmd.Path) == "bwrap"}, nil
}

// Look remembers the descendants that a signal to the group does not reach: those in other groups, and those
// whose parents ended, as far as the system lets us find them.
func (g *Group) Look() {
	found := append(escapedDescendants(g.id), adopted(g.run, g.id)...)
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, d := range found {
		if !slices.Contains(g.escaped, d) {
			g.escaped = append(g.escaped, d)
		}
	}
}

// seen returns the descendants outside of the group that Look has found until now.
func (g *Group) seen() []descendant {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Clone(g.escaped)
}

// Terminate asks the group to end. Bubblewrap is not asked, but those in it, and ends with them.
func (g *Group) Terminate() {
	if g.box && len(g.seen()) > 0 {
		g.signalEscaped(syscall.SIGTERM)
		return
	}
	g.signal(syscall.SIGTERM)
}

// Kill ends the group.
func (g *Group) Kill() { g.signal(syscall.SIGKILL) }

// signal sends a signal to the group, and to each descendant outside of it that is known and still runs.
func (g *Group) signal(s syscall.Signal) {
	_ = syscall.Kill(-g.id, s)
	g.signalEscaped(s)
}

// signalEscaped sends a signal to each descendant outside of the group.
func (g *Group) signalEscaped(s syscall.Signal) {
	g.Look() // what lost its parent by now
	for _, d := range g.seen() {
		if d.lives() {
			_ = syscall.Kill(d.pid, s)
		}
	}
}

// Alive reports whether anything of the group still runs, or what its members started while they ended.
func (g *Group) Alive() bool {
	g.Look()
	return slices.ContainsFunc(g.seen(), descendant.lives) ||
		syscall.Kill(-g.id, 0) == nil && !onlyZombies(g.id)
}

// Release frees what the system holds for the group, once it has ended.
func (g *Group) Release() {
	for _, d := range g.seen() {
		d.reap()
	}
}

// shellOf returns how the system's shell runs a command line.
func shellOf(line string) []string { return []string{"/bin/sh", "-c", line} }

// MaxFiles returns how many descriptors this process may have open at once; 0 = unknown. Go has raised it as
// far as possible.
func MaxFiles() int {
	var limit unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_NOFILE, &limit) != nil || limit.Cur > 1<<30 {
		return 0
	}
	return int(limit.Cur)
}
