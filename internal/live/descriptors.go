package live

import (
	"fmt"
	"sync"

	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/match"
)

// Descriptors that something has open at most.
const (
	ofProgram = 4  // a server that is started: three pipes and the process
	ofURL     = 3  // a server at a URL: its stream, a request, and one that is being closed
	ofOurs    = 48 // files, the journal, commands, names that are looked up
	ofStart   = 4  // one that is being connected to, beside what it has then
	clientsOf = 4  // the listener gets one of so many

	mostClients = 256 // of the listener
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
	need := 0
	for _, w := range servers {
		need += w.descriptors()
	}
	return &descriptors{limit: limit, left: lackDescriptors(p, limit, need, len(servers), atOnce, listening)}
}

// lackDescriptors is how many there are for servers, and says by how much the limit is too low for what they need.
func lackDescriptors(p host.Process, limit, need, servers, atOnce int, listening bool) (left int) {
	ours, enough := ofOurs+ofStart*atOnce, need+ofOurs+ofStart*atOnce
	if listening {
		ours += connections(limit)
		enough += min((enough+clientsOf-2)/(clientsOf-1), mostClients) // who listens takes its part of a higher limit, too
	}
	if need > limit-ours {
		p.Note("this process may have %d files open at once, and %s may need up to %d beside %d of ours: some will not be connected to; raise the limit with ulimit -n %d", limit, match.Counted(servers, "server"), need, ours, enough)
	}
	return limit - ours
}

// connections is how many HTTP clients there may be at once; 0 = the usual number.
func connections(limit int) int { return min(limit/clientsOf, mostClients) }

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
