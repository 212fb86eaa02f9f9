//go:build unix

package transport

import (
	"os"
	"sync"
	"syscall"
	"time"
)

// leaveWait is what a child gets between the end of its stdin and SIGTERM. Most servers are gone by then (Go in 2 ms, Node
// in 10 to 20 ms). One that keeps a timer running would take the user's time for nothing (server-everything: 350 ms).
const leaveWait = 20 * time.Millisecond

// tree is a child's process group, and those of its descendants that left the group.
type tree struct {
	group int

	mu     sync.Mutex
	strays []descendant
}

func newTree(p *os.Process) (*tree, error) { return &tree{group: p.Pid}, nil }

// look remembers the descendants that a signal to the group does not reach; later they can no longer be told.
func (t *tree) look() {
	found := strays(t.group)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.strays = found
}

func (t *tree) seen() []descendant {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.strays
}

func (t *tree) terminate() { t.signal(syscall.SIGTERM) }

func (t *tree) kill() { t.signal(syscall.SIGKILL) }

func (t *tree) signal(s syscall.Signal) {
	_ = syscall.Kill(-t.group, s)
	for _, d := range t.seen() {
		if d.lives() {
			_ = syscall.Kill(d.pid, s)
		}
	}
}

// alive tells whether anything of the tree still runs.
func (t *tree) alive() bool {
	for _, d := range t.seen() {
		if d.lives() {
			return true
		}
	}
	return syscall.Kill(-t.group, 0) == nil && !onlyZombies(t.group)
}

func (t *tree) release() {}
