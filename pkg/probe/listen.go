package probe

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"sync"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/internal/transport"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// Listen begins to listen for what the server announces, in the way of its era and transport; Close ends
// that. The channel is closed once it is known whether the server announces anything, as News reports then
// and whenever it changes.
func (s *Session) Listen() (settled <-chan struct{}) {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	s.stopListening = func() {
		cancel()
		<-ended
	}
	go func() {
		defer close(ended)
		defer s.attempt.listener.settle()
		subscribe(ctx, s)
	}()
	return s.attempt.listener.settled
}

// subscribe listens until ctx ends or listening is pointless: with subscriptions/listen since 2026-07-28,
// before that on the GET stream of streamable HTTP. stdio and HTTP+SSE need no request for it.
func subscribe(ctx context.Context, s *Session) {
	announced := s.peer.announces()
	l := s.attempt.listener
	switch {
	case len(announced) == 0:
	// specification 2026-07-28, subscriptions/listen: a result is the server's regular end of it
	case s.peer.stateless:
		l.loop(ctx, s.conn, func(ctx context.Context) error {
			_, err := s.caller.send(ctx, s.caller.request("subscriptions/listen",
				map[string]any{"notifications": s.peer.filter()}))
			return err
		})
	case s.conn.Kind == transport.KindStreamable:
		l.loop(ctx, s.conn, func(ctx context.Context) error {
			return s.conn.Listen(ctx, func() { l.announce(announced, true) })
		})
	default: // what is announced comes unasked
		l.announce(announced, false)
	}
}

// steadyListening is how long listening must last to count as a success.
const steadyListening = 10 * time.Second

// connection is what listening needs of a *transport.Conn.
type connection interface {
	Done() <-chan struct{}
	Lost() error
	GiveUp(why error)
}

// longestListenPause is between attempts to listen again, a quarter more or less.
const longestListenPause = 30 * time.Second

// loop listens again each time that listening has ended, with growing pauses, unless the server has no such
// thing. A refusal of what was open before may be that of something in between, and has the longest pause.
func (l *listener) loop(ctx context.Context, conn connection, listen func(context.Context) error) {
	pause, opened := pace(longestListenPause), false
	for {
		began := time.Now()
		err := listen(ctx)
		opened = l.announce(nil, false) || opened
		if ctx.Err() != nil || endsListening(conn, err, opened) {
			return
		}
		if time.Since(began) >= steadyListening {
			pause.Reset()
		}
		if refusesListening(err) {
			pause = evenPace(longestListenPause)
		}
		select {
		case <-ctx.Done():
			return
		case <-conn.Done():
			return
		case <-time.After(pause.NextBackOff()):
		}
	}
}

// endsListening reports whether listening again is pointless: the server has no such thing, or the session is
// over. One that was open before and is not known any more has ended (2025-11-25, session management).
func endsListening(conn connection, err error, opened bool) bool {
	status, ok := errors.AsType[*transport.HTTPError](err)
	if !ok {
		return conn.Lost() != nil || hasAnswer(err) && !opened
	}
	if status.Status == http.StatusNotFound && opened {
		conn.GiveUp(err)
	}
	gone := status.Status == http.StatusUnauthorized || status.Status == http.StatusNotFound
	return refusesListening(err) && (!opened || gone)
}

// refusesListening reports whether an error is an answer that says no, other than for now.
func refusesListening(err error) bool {
	status, ok := errors.AsType[*transport.HTTPError](err)
	return ok && status.Status < 500 && status.Status != http.StatusRequestTimeout &&
		status.Status != http.StatusTooManyRequests || !ok && hasAnswer(err)
}

// evenPace returns a back-off that does not grow, with the jitter of pace.
func evenPace(pause time.Duration) *backoff.ExponentialBackOff {
	same := pace(pause)
	same.InitialInterval = pause
	return same
}

// pace returns a back-off with a quarter of jitter, from half a second on.
func pace(longest time.Duration) *backoff.ExponentialBackOff {
	return &backoff.ExponentialBackOff{
		InitialInterval: 500 * time.Millisecond, RandomizationFactor: 0.25, Multiplier: 2,
		MaxInterval: longest,
	}
}

// Hello returns what the server said of itself, without its lists.
func (s *Session) Hello() *snapshot.Snapshot {
	hello := s.peer.Snapshot
	return &hello
}

// Lost returns why the connection was lost, an *Error; nil while it lasts.
func (s *Session) Lost() error {
	if err := s.conn.Lost(); err != nil {
		return s.attempt.explain(context.Background(), Watching, err, s.conn)
	}
	return nil
}

// Signal returns a channel that is signaled when News has something; several changes may give one signal.
func (s *Session) Signal() <-chan struct{} { return s.attempt.listener.wake }

// News returns what happened since the last call, and forgets it.
func (s *Session) News() snapshot.News { return s.attempt.listener.news(s.peer) }

// listener remembers what a server announces, and which lists it said to have changed.
type listener struct {
	wake    chan struct{} // holds at most one signal
	settled chan struct{} // closed once it is known whether the server announces anything
	settle  func()        // closes settled

	mu        sync.Mutex
	changed   map[snapshot.Kind]bool
	count     int                    // announcements that made changed
	announced map[snapshot.Kind]bool // kinds whose changes are announced now
	resumed   bool                   // announcements may have been missed
}

func newListener() *listener {
	l := &listener{wake: make(chan struct{}, 1), settled: make(chan struct{})}
	l.settle = sync.OnceFunc(func() { close(l.settled) })
	return l
}

// take takes notice of a notification. It runs on the goroutine that reads from the server, so it must not
// wait for anything.
func (l *listener) take(n transport.Incoming) {
	if n.Method == mcp.MethodNotificationSubscriptionsAcknowledged {
		granted := rawjson.ObjectOf(rawjson.ObjectOf(n.Params)["notifications"])
		l.announce(kindsNamed(func(name string) bool {
			yes, _ := granted.Bool(name + "ListChanged")
			return yes
		}), true)
		return
	}
	changed := kindsNamed(func(name string) bool { return n.Method == "notifications/"+name+"/list_changed" })
	if len(changed) > 0 {
		l.add(changed)
	}
}

// add remembers that lists have changed.
func (l *listener) add(kinds map[snapshot.Kind]bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.changed == nil {
		l.changed = map[snapshot.Kind]bool{}
	}
	maps.Copy(l.changed, kinds)
	l.count++
	l.signal()
}

// announce notes that changes of these kinds are announced from now on, nil = none any more, and reports
// whether some were before; resumed reports that earlier ones may be lost.
func (l *listener) announce(kinds map[snapshot.Kind]bool, resumed bool) (before bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	before = l.announced != nil
	l.announced, l.resumed = kinds, l.resumed || resumed
	l.settle()
	l.signal()
	return before
}

// news returns what was announced since the last call and forgets it. Which lists are covered stays.
func (l *listener) news(p peer) snapshot.News {
	l.mu.Lock()
	defer l.mu.Unlock()
	news := snapshot.News{Resumed: l.resumed, Covered: p.covered(l.announced), Hears: len(l.announced) > 0,
		Count: l.count}
	for _, kind := range snapshot.Kinds() {
		if l.changed[kind] {
			news.Changed = append(news.Changed, kind)
		}
	}
	l.changed, l.resumed, l.count = nil, false, 0
	return news
}

func (l *listener) signal() {
	select {
	case l.wake <- struct{}{}:
	default: // a signal is waiting already
	}
}

// kindsNamed returns the kinds that are announced under the names for which yes holds.
func kindsNamed(yes func(name string) bool) map[snapshot.Kind]bool {
	announced := map[snapshot.Kind]bool{}
	for _, method := range listMethods {
		if yes(method.announced) {
			announced[method.kind] = true
		}
	}
	return announced
}

// announces returns the kinds whose changes the server declares to announce (listChanged).
func (p peer) announces() map[snapshot.Kind]bool {
	capabilities := rawjson.ObjectOf(p.Capabilities)
	return kindsNamed(func(name string) bool {
		yes, _ := rawjson.ObjectOf(capabilities[name]).Bool("listChanged")
		return yes
	})
}

// filter asks for notifications of all that is announced (specification 2026-07-28, subscriptions/listen);
// empty = nothing.
func (p peer) filter() map[string]any {
	announced, filter := p.announces(), map[string]any{}
	for _, method := range listMethods {
		if announced[method.kind] {
			filter[method.announced+"ListChanged"] = true
		}
	}
	return filter
}

// covered reports whether changes of all that is offered are announced.
func (p peer) covered(announced map[snapshot.Kind]bool) bool {
	offered := false
	for _, method := range listMethods {
		if method.state(p) == declared {
			if !announced[method.kind] {
				return false
			}
			offered = true
		}
	}
	return offered
}
