package probe

import (
	"cmp"
	"context"
	"net/url"
	"runtime"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/mcpctl/mcpctl/internal/process"
)

// Limits on the servers that are asked at once when Options.Parallel is 0. AtOnce is the limit of those
// started here.
const (
	maxRemote  = 64
	maxPerHost = 8
)

// A server at a URL that is silent for this long gives its slot to the next one, and waits in a pool of its
// own.
const (
	maxSilence = 5 * time.Second
	maxSilent  = 512 // servers in the pool; a quarter of the file descriptors if that is less
)

// Bounds of the lists of a server, in bytes of its replies. One that is not small needs the one large place
// of a run, until its result is taken, so that the memory of a run does not grow with the fleet.
const (
	smallServer = 4 << 20
	mostBytes   = 64 << 20
)

// largePlace is the place of one server.
type largePlace struct {
	slots *semaphore.Weighted // of the run

	mu   sync.Mutex
	held bool // by this server
	over bool // its result was taken
}

// take waits for the place, until ctx ends. The clock of the server stands meanwhile.
func (p *largePlace) take(ctx context.Context, pause func() (resume func())) {
	if p.taken() {
		return
	}
	defer pause()()
	if p.slots.Acquire(ctx, 1) != nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.held || p.over {
		p.slots.Release(1)
	}
	p.held = p.held || !p.over
}

// taken reports whether the server has the place.
func (p *largePlace) taken() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.held
}

// leave gives the place to the next server.
func (p *largePlace) leave() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over = true; p.held {
		p.held = false
		p.slots.Release(1)
	}
}

// AtOnce returns how many servers are started here at once: twice the processors, at least 4 and at most 16.
func AtOnce() int { return min(max(2*runtime.NumCPU(), 4), 16) }

// Each calls visit for each server, in a goroutine of its own, and again while its error asks to come back
// later (Retry-After). It returns when all calls have. Options.Parallel limits the calls at once.
func Each(ctx context.Context, servers []Server, options Options, visit func(i int) error) {
	eachSlot(ctx, servers, options, func(i int) {
		retry(ctx, 0, newAttempt(servers[i], options).options.Timeout, func() error { return visit(i) })
	})
}

// eachSlot calls visit for each server when it has a slot of its host and one of all. Servers of one host
// have their turn in order.
func eachSlot(ctx context.Context, servers []Server, options Options, visit func(i int)) {
	local := newSlots(cmp.Or(options.Parallel, AtOnce()))
	remote := local
	if options.Parallel == 0 {
		remote = newSlots(maxRemote)
	}
	silent := newSlots(maxSilent)
	if files := process.MaxFiles(); files > 0 {
		silent = newSlots(min(maxSilent, max(files/4, 1)))
	}
	hosts := map[string][]int{}
	for i, server := range servers {
		hosts[hostOf(server)] = append(hosts[hostOf(server)], i)
	}
	var all sync.WaitGroup
	for name, indexes := range hosts {
		slots, pool := []*semaphore.Weighted{newSlots(cmp.Or(options.Parallel, maxPerHost)), remote}, silent
		if name == "" {
			slots, pool = []*semaphore.Weighted{local}, nil
		}
		all.Go(func() {
			for _, i := range indexes {
				release := acquire(ctx, slots)
				all.Go(func() {
					defer release()
					defer leaveWhenSilent(ctx, pool, release)()
					visit(i)
				})
			}
		})
	}
	all.Wait()
}

func newSlots(n int) *semaphore.Weighted { return semaphore.NewWeighted(int64(n)) }

// acquire takes one of each kind of slots, until ctx ends.
func acquire(ctx context.Context, slots []*semaphore.Weighted) (release func()) {
	taken := 0
	for taken < len(slots) && slots[taken].Acquire(ctx, 1) == nil {
		taken++
	}
	return sync.OnceFunc(func() {
		for _, kind := range slots[:taken] {
			kind.Release(1)
		}
	})
}

// leaveWhenSilent calls release after maxSilence, as soon as the pool has room, unless stop was called
// before. Servers started here (pool nil) use processors while they are silent, and keep their slots.
func leaveWhenSilent(ctx context.Context, pool *semaphore.Weighted, release func()) (stop func()) {
	if pool == nil {
		return func() {}
	}
	busy, done := context.WithCancel(ctx)
	timer := time.AfterFunc(maxSilence, func() {
		if pool.Acquire(busy, 1) == nil {
			release()
			<-busy.Done()
			pool.Release(1)
		}
	})
	return func() { timer.Stop(); done() }
}

// hostOf returns the host of a server at a URL, or "" for one that is started here.
func hostOf(server Server) string {
	if server.HTTP == nil {
		return ""
	}
	address, err := url.Parse(server.HTTP.URL)
	if err != nil || address.Host == "" {
		return server.HTTP.URL
	}
	return strings.ToLower(address.Host)
}
