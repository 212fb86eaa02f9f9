package probe

import (
	"strings"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/internal/transport"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// News is what a session has to tell since it was asked last.
type News struct {
	Changed []snapshot.Kind // lists that the server said to have changed, in the order of snapshot.Kinds
	Resumed bool            // listening began: what was announced before is lost, so every list is to be read again
	Covered bool            // the server announces changes of every list it offers, as things stand
	Count   int             // announcements that made Changed
}

// Signal is signalled after something happened that News tells. Several happenings may give one signal.
func (s *Session) Signal() <-chan struct{} { return s.changes.wake }

// News is what happened since the last call.
func (s *Session) News() News {
	c := &s.changes
	c.mu.Lock()
	defer c.mu.Unlock()
	news := News{Resumed: c.resumed, Covered: s.hello.covered(c.announced), Count: c.count}
	for _, kind := range snapshot.Kinds() {
		if c.stale[kind] {
			news.Changed = append(news.Changed, kind)
		}
	}
	c.stale, c.resumed, c.count = nil, false, 0
	return news
}

// Floor is how long the server takes its lists to stay current, by the shortest ttlMs of them as last read
// (specification 2026-07-28, caching): asking earlier is in vain. 0 = it does not say.
func (s *Session) Floor() time.Duration { return s.attempt.record.shortest() }

// changes remembers what a server announces, and which lists it said to have changed.
type changes struct {
	wake chan struct{} // holds at most one signal

	mu        sync.Mutex
	stale     map[snapshot.Kind]bool
	count     int                    // announcements that made stale
	announced map[snapshot.Kind]bool // kinds whose changes are announced now
	resumed   bool
	known     func() // called when announcements begin; nil = nobody waits for that
}

// hear takes notice of notifications.
func (s *Session) hear() {
	s.changes.wake = make(chan struct{}, 1)
	s.line.OnNotification(s.notice)
}

// take runs on the goroutine that reads from the server, so it must not wait for anything.
func (c *changes) take(n transport.Notification) {
	if n.Method == mcp.MethodNotificationSubscriptionsAcknowledged {
		c.resume(grantedKinds(rawjson.ObjectOf(rawjson.ObjectOf(n.Params)["notifications"])))
		return
	}
	if list, ok := strings.CutSuffix(n.Method, "/list_changed"); ok {
		if kinds := announcedAs(strings.TrimPrefix(list, "notifications/")); len(kinds) > 0 {
			c.add(kinds)
		}
	}
}

// add remembers that lists have changed.
func (c *changes) add(kinds []snapshot.Kind) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stale == nil {
		c.stale = map[snapshot.Kind]bool{}
	}
	for _, kind := range kinds {
		c.stale[kind] = true
	}
	c.count++
	c.signal()
}

// begin says that changes of these kinds are announced from the start.
func (c *changes) begin(announced map[snapshot.Kind]bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.announced = announced
	c.signal()
}

// resume says that changes of these kinds are announced from now on.
func (c *changes) resume(announced map[snapshot.Kind]bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.announced, c.resumed = announced, true
	if c.known != nil {
		c.known()
	}
	c.signal()
}

// cease says that nothing is announced any more, and tells whether something was.
func (c *changes) cease() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	was := c.announced != nil
	c.announced = nil
	c.signal()
	return was
}

// settle has f called whenever announcements begin; it must not wait.
func (c *changes) settle(f func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.known = f
}

func (c *changes) signal() {
	select {
	case c.wake <- struct{}{}:
	default: // a signal is waiting already
	}
}
