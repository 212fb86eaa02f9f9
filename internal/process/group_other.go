//go:build unix && !linux

package process

import "syscall"

// ownGroup puts a child into a process group of its own; if we are killed, its stdin ends. Nothing else is
// inherited.
func ownGroup() *syscall.SysProcAttr {
	closeInherited()
	return &syscall.SysProcAttr{Setpgid: true}
}

// descendant is never made here: only Linux lets us find those that left the group.
type descendant struct{ pid int }

func (descendant) lives() bool { return false }

func (descendant) reap() {}

func adopted(string, int) []descendant { return nil }

// AdoptOrphans does nothing here: only Linux lets us find descendants whose parents ended.
func AdoptOrphans() (end func()) { return func() {} }

func escapedDescendants(int) []descendant { return nil }

func onlyZombies(int) bool { return false }
