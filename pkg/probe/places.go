package probe

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/mcpctl/mcpctl/internal/process"
	"github.com/mcpctl/mcpctl/internal/transport"
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

// refusalPause is the first pause before a server is asked again that gave no Retry-After; it doubles each
// time.
const refusalPause = 100 * time.Millisecond

// AtOnce returns how many servers are started here at once: twice the processors, at least 4 and at most 16.
func AtOnce() int { return min(max(2*runtime.NumCPU(), 4), 16) }

// Each calls visit for each server, in a goroutine of its own, and again while its error is a refusal for
// now (HTTP 429 or 503). It returns when all calls have. Options.Parallel limits the calls at once.
func Each(ctx context.Context, servers []Server, options Options, visit func(i int) error) {
	eachSlot(ctx, servers, options, func(i int, again func(error) bool) {
		for again(visit(i)) {
		}
	})
}

// eachSlot calls visit for each server when it has a slot of its host and one of all. Servers of one host
// have their turn in order. visit passes its error to again, which pauses and reports whether to try once
// more.
func eachSlot(ctx context.Context, servers []Server, options Options,
	visit func(i int, again func(error) bool)) {
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
		total, own, pool := remote, newSlots(cmp.Or(options.Parallel, maxPerHost)), silent
		if name == "" {
			total, own, pool = local, local, nil
		}
		h := &host{alone: len(indexes) == 1, retry: newSlots(1)}
		all.Go(func() {
			for _, i := range indexes {
				release := acquire(ctx, own, total)
				all.Go(func() {
					defer release()
					defer leaveWhenSilent(ctx, pool, release)()
					limit := newAttempt(servers[i], options).timeout()
					r := refusals{host: h, limit: limit, pause: refusalPause}
					defer r.done()
					visit(i, func(err error) bool { return r.again(ctx, err) })
				})
			}
		})
	}
	all.Wait()
}

func newSlots(n int) *semaphore.Weighted { return semaphore.NewWeighted(int64(n)) }

// acquire takes a slot of both; when ctx has ended it takes none and does not wait.
func acquire(ctx context.Context, own, total *semaphore.Weighted) (release func()) {
	if own.Acquire(ctx, 1) != nil {
		return func() {}
	}
	if total == own {
		return sync.OnceFunc(func() { own.Release(1) })
	}
	if total.Acquire(ctx, 1) != nil {
		own.Release(1)
		return func() {}
	}
	return sync.OnceFunc(func() { total.Release(1); own.Release(1) })
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

// host is where servers are reached that may be refused for now.
type host struct {
	alone bool                // it has one server in this run
	retry *semaphore.Weighted // servers that were refused are asked again one at a time

	mu      sync.Mutex
	refuses time.Time // since when, without an answer in between; zero = it does not
}

func (h *host) answered() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.refuses = time.Time{}
}

// refusing notes a refusal, and returns for how long the host has given no answer but those.
func (h *host) refusing() time.Duration {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.refuses.IsZero() {
		h.refuses = time.Now()
	}
	return time.Since(h.refuses)
}

// refusals are those of one server.
type refusals struct {
	host    *host
	limit   time.Duration // how long the host may refuse; 0 = longestWait
	pause   time.Duration // before the next attempt
	retries bool          // it holds host.retry
}

// again waits for another attempt and reports true if err asks to try later. It does not when the server is
// alone at its host and gives no Retry-After, since then --retries decides, or when the host has refused
// for too long.
func (r *refusals) again(ctx context.Context, err error) bool {
	r.done()
	asked, later := refusal(err)
	switch {
	case err == nil:
		r.host.answered()
		return false
	case !later || r.host.alone && asked <= 0:
		return false
	}
	wait := max(asked, r.pause)
	r.pause *= 2
	if r.host.refusing()+wait > cmp.Or(r.limit, longestWait) {
		return false
	}
	select {
	case <-ctx.Done():
		return false
	case <-time.After(wait):
	}
	r.retries = r.host.retry.Acquire(ctx, 1) == nil
	return r.retries
}

// done lets the next refused server of the host try again.
func (r *refusals) done() {
	if r.retries {
		r.retries = false
		r.host.retry.Release(1)
	}
}

// refusal reports whether a server asks to be tried later, and after how long if it says so.
func refusal(err error) (wait time.Duration, later bool) {
	for _, failure := range Failures(err) {
		status, ok := errors.AsType[*transport.HTTPError](originalOf(failure))
		if ok && slices.Contains([]int{http.StatusTooManyRequests, http.StatusServiceUnavailable},
			status.Status) {
			wait, later = max(wait, failure.AskedWait()), true
		}
	}
	return wait, later
}
