package live

import (
	"fmt"
	"sync"

	"github.com/mcpctl/mcpctl/internal/host"
)

// Descriptors that something has open at most.
const (
	ofProgram = 4  // a server that is started: three pipes and the process
	ofURL     = 3  // a server at a URL: its stream, a request, and one that is being closed
	ofOurs    = 48 // files, the journal, commands, names that are looked up
	ofStart   = 4  // one that is being connected to, beside what it has then
	clientsOf = 4  // the listener gets one of so many
)

// descriptors are shared out among servers, so that files, commands and /healthz always have some. A nil one has no end.
type descriptors struct {
	limit int // of the process

	mu   sync.Mutex
	left int
}

// shareDescriptors says at the start when there are too few for all servers.
func shareDescriptors(p host.Process, limit int, servers []*watchedServer, atOnce int, listening bool) *descriptors {
	if limit == 0 {
		return nil
	}
	d := &descriptors{limit: limit, left: limit - ofOurs - ofStart*atOnce}
	if listening {
		d.left -= connections(limit)
	}
	need := 0
	for _, w := range servers {
		need += w.descriptors()
	}
	if need > d.left {
		p.Note("this process may have %d files open at once, and %d servers need up to %d beside %d of ours: some will not be connected to; raise the limit with ulimit -n %d", limit, len(servers), need, limit-d.left, need+limit-d.left)
	}
	return d
}

// connections is how many HTTP clients there may be at once; 0 = the usual number.
func connections(limit int) int { return min(limit/clientsOf, 256) }

func (w *watchedServer) descriptors() int {
	switch {
	case !w.target.Live():
		return 0
	case w.target.Starts():
		return ofProgram
	}
	return ofURL
}

// take takes what a server needs. The function that it gives puts that back.
func (d *descriptors) take(n int) (back func(), err error) {
	if d == nil {
		return func() {}, nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.left < n {
		return nil, fmt.Errorf("this process may have %d files open at once, and other servers need them", d.limit)
	}
	d.left -= n
	return sync.OnceFunc(func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.left += n
	}), nil
}
