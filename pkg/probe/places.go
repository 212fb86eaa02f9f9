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

	"github.com/mcpctl/mcpctl/internal/process"
	"github.com/mcpctl/mcpctl/internal/transport"
)

// How long a server at a URL keeps its place while it is silent: a multiple of what the others take, within bounds.
const (
	patienceFactor = 8
	leastPatience  = 100 * time.Millisecond
	mostPatience   = 3 * time.Second
	firstPatience  = time.Second // before anybody has answered
)

// How many servers at URLs are asked at once at most, as far as the descriptors of this process allow.
const (
	mostAtOnce   = 256
	mostOfHost   = 64
	mostAside    = 1024 // that wait aside, and of one host:
	asideOfHost  = 256
	ofDescriptor = 4 // the share of the descriptors that those aside may take
)

// refusalPause is how long a host is left alone that turned servers away and did not say for how long; it doubles each time.
const refusalPause = 100 * time.Millisecond

// AtOnce is how many servers are asked at once in the beginning, and of those that are started here always: twice as many as there
// are processors, at least 4 and at most 16.
func AtOnce() int { return min(max(2*runtime.NumCPU(), 4), 16) }

// Each calls visit for each server at its turn, in a goroutine of its own, and again when its error says that the host turned it away
// for now. It ends when all calls have. Options.Parallel says how many there are at once.
func Each(ctx context.Context, servers []Server, options Options, visit func(i int) error) {
	eachPlace(ctx, servers, options, func(one *place) {
		for one.again(ctx, visit(one.index)) {
		}
	})
}

// eachPlace gives each server a place. Without a number of all, those that are started here have theirs among themselves, and the
// others as many as answer well.
func eachPlace(ctx context.Context, servers []Server, options Options, visit func(*place)) {
	remote, started := newPlaces(adapting(AtOnce(), mostAtOnce), polite(AtOnce(), mostOfHost)), newPlaces(fixed(AtOnce()), fixed(AtOnce()))
	if n := options.Parallel; n > 0 {
		remote = newPlaces(fixed(n), polite(n, n))
		started = remote
	}
	for i, server := range servers {
		if host := hostOf(server); host == "" {
			started.add(i, host, 0)
		} else {
			remote.add(i, host, cmp.Or(newAttempt(server, options).timeout(), longestWait))
		}
	}
	var all sync.WaitGroup
	for _, p := range slices.Compact([]*places{remote, started}) {
		all.Go(func() { p.run(ctx, visit) })
	}
	all.Wait()
}

// hostOf is where a server is reached; empty for one that is started here, which takes processors while it is silent.
func hostOf(server Server) string {
	if server.HTTP == nil {
		return ""
	}
	address, err := url.Parse(server.HTTP.URL)
	if err != nil {
		return ""
	}
	return strings.ToLower(address.Host)
}

// places bounds how many servers are asked at once, of all and of each host. A server at a URL that takes much longer than the others
// did waits aside, and gives its place to the next one: neither a dead server nor a host that has enough keeps others waiting.
type places struct {
	window window // in places
	ofHost window // that a host begins with
	most   int    // that wait aside
	visit  func(*place)
	left   sync.WaitGroup

	mu      sync.Mutex
	latency latency
	taken   int
	aside   int
	hosts   map[string]*host
	ready   []*host // that have room for those who wait for them, each in its turn
	over    bool    // the run has ended: nobody waits for a host
}

func newPlaces(all, ofHost window) *places {
	p := &places{window: all, ofHost: ofHost, most: mostAside, hosts: map[string]*host{}}
	if files := process.MaxFiles(); files > 0 {
		p.most = min(p.most, files/ofDescriptor)
		p.window.most = max(min(p.window.most, float64(p.most/2)), p.window.least)
	}
	return p
}

// host is where servers are reached; those that are started here are of one.
type host struct {
	window  window
	taken   int
	aside   int
	begun   int       // how often one of its servers was asked
	waiting []*place  // for room
	ready   bool      // to be given room
	since   time.Time // it turns servers away, and answers none; zero = it does not
	until   time.Time // it is left alone
	refused int       // rounds in which it turned servers away since it answered
}

// place is that of a server, whether it has it or waits for it.
type place struct {
	*places
	host  *host
	index int           // of the server
	time  time.Duration // for it, and for waiting until its host takes it

	back  chan struct{} // closed when it has a place once more; nil = the first one
	began time.Time
	begun int         // host.begun then
	alone bool        // on its host then
	left  bool        // it waits aside
	timer *time.Timer // until it does; nil = it stays
}

// add is for before run.
func (p *places) add(index int, name string, time time.Duration) {
	h := p.hosts[name]
	if h == nil {
		h = &host{window: p.ofHost, ready: true}
		p.hosts[name], p.ready = h, append(p.ready, h)
	}
	h.waiting = append(h.waiting, &place{places: p, host: h, index: index, time: time})
	p.left.Add(1)
}

// run calls visit for each place that was added, and waits for all calls.
func (p *places) run(ctx context.Context, visit func(*place)) {
	p.visit = visit
	defer context.AfterFunc(ctx, p.end)()
	p.mu.Lock()
	p.fill()
	p.mu.Unlock()
	p.left.Wait()
}

// end lets nobody wait for a host any longer.
func (p *places) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.over = true
	for _, h := range p.hosts {
		p.wake(h)
	}
	p.fill()
}

// fill gives free places away.
func (p *places) fill() {
	for p.taken < int(p.window.size) {
		one := p.next()
		if one == nil {
			return
		}
		p.give(one)
		p.wake(one.host)
	}
}

// next is who gets the next place: the first one of the host whose turn it is.
func (p *places) next() *place {
	for len(p.ready) > 0 {
		h := p.ready[0]
		p.ready, h.ready = p.ready[1:], false
		if p.room(h) {
			one := h.waiting[0]
			h.waiting = h.waiting[1:]
			return one
		}
	}
	return nil
}

func (p *places) room(h *host) bool {
	return p.over || h.taken < int(h.window.size) && h.aside < min(asideOfHost, p.most) && !time.Now().Before(h.until)
}

// wake lines a host up that has room for one who waits for it.
func (p *places) wake(h *host) {
	if !h.ready && len(h.waiting) > 0 && p.room(h) {
		p.ready, h.ready = append(p.ready, h), true
	}
}

func (p *places) give(one *place) {
	h := one.host
	p.taken, h.taken, h.begun = p.taken+1, h.taken+1, h.begun+1
	one.began, one.begun, one.alone = time.Now(), h.begun, h.taken+h.aside == 1
	if h != p.hosts[""] {
		var timer *time.Timer
		timer = time.AfterFunc(p.patience(), func() { one.leave(&timer) })
		one.timer = timer
	}
	if one.back != nil {
		close(one.back)
		return
	}
	go func() {
		defer p.left.Done()
		p.visit(one)
		p.mu.Lock()
		defer p.mu.Unlock()
		p.free(one)
	}()
}

// patience is how long the next server keeps its place while it is silent.
func (p *places) patience() time.Duration {
	if p.latency.usual == 0 {
		return firstPatience
	}
	return min(max(patienceFactor*p.latency.usual, leastPatience), mostPatience)
}

// leave has a server wait aside that is silent, unless too many do.
func (one *place) leave(timer **time.Timer) {
	p := one.places
	p.mu.Lock()
	defer p.mu.Unlock()
	if one.timer != *timer || p.aside >= p.most {
		return
	}
	p.taken, one.host.taken = p.taken-1, one.host.taken-1
	p.aside, one.host.aside, one.left = p.aside+1, one.host.aside+1, true
	p.wake(one.host)
	p.fill()
}

// stay has a server wait aside no more.
func (one *place) stay() {
	if one.timer != nil {
		one.timer.Stop()
		one.timer = nil
	}
}

// free gives up the place of a server, among the others or aside.
func (p *places) free(one *place) {
	h := one.host
	one.stay()
	if one.left {
		p.aside, h.aside, one.left = p.aside-1, h.aside-1, false
	} else {
		p.taken, h.taken = p.taken-1, h.taken-1
	}
	p.wake(h)
	p.fill()
}

// again is told how it went. When the host turned the server away for now it waits for another place, and is true once that is there;
// else the server keeps its place until visit ends.
func (one *place) again(ctx context.Context, err error) bool {
	p := one.places
	p.mu.Lock()
	if err == nil {
		one.answered(time.Now())
	}
	wait, refused := refusal(err)
	if !refused || !one.turnedAway(wait, time.Now()) {
		p.mu.Unlock()
		return false
	}
	one.back = make(chan struct{})
	one.host.waiting = append(one.host.waiting, one)
	p.free(one)
	p.mu.Unlock()
	<-one.back
	return ctx.Err() == nil
}

// answered widens the windows, unless servers have begun to take longer because so many are asked.
func (one *place) answered(now time.Time) {
	p, h := one.places, one.host
	one.stay()
	h.window.widen()
	h.since, h.refused = time.Time{}, 0
	p.wake(h)
	switch {
	case one.began.Before(p.window.cut):
	case p.latency.hear(now.Sub(one.began)):
		p.window.halve(one.began, now.Add(p.latency.usual)) // until then too many are still asked
	default:
		p.window.widen()
	}
	p.fill()
}

// turnedAway tells whether it is worth while to ask again: others of the host were asked at the same time, or the server said when;
// and since it began to turn servers away, without an answer, no more time has passed than a server has.
func (one *place) turnedAway(wait time.Duration, now time.Time) bool {
	p, h := one.places, one.host
	if h.since.IsZero() {
		h.since = now
	}
	crowded := !one.alone || h.begun != one.begun
	pause := max(wait, refusalPause<<min(h.refused, 10))
	if h.window.halve(one.began, now) {
		h.refused++
	}
	until := now.Add(pause)
	if wait <= 0 && !crowded || until.After(h.since.Add(one.time)) || p.over {
		return false
	}
	if until.After(h.until) {
		h.until = until
		time.AfterFunc(pause, func() {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.wake(h)
			p.fill()
		})
	}
	return true
}

// refusal tells that a server wants to be asked later, and when it says so after which time.
func refusal(err error) (wait time.Duration, later bool) {
	for _, failure := range Failures(err) {
		status, ok := errors.AsType[*transport.HTTPError](originalOf(failure))
		if ok && (status.Status == http.StatusTooManyRequests || status.Status == http.StatusServiceUnavailable) {
			wait, later = max(wait, failure.AskedWait()), true
		}
	}
	return wait, later
}
