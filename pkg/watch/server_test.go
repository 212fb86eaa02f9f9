package watch_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/mcpctl/mcpctl/pkg/snapshot"
	"github.com/mcpctl/mcpctl/pkg/watch"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// server is a server that a test changes and breaks while it is watched.
type server struct {
	mu      sync.Mutex
	names   map[snapshot.Kind][]string
	pages   int                           // that each list comes in
	covered bool                          // announces changes
	partly  bool                          // of some lists at least
	refuse  error                         // of the next attempts to connect
	fail    map[snapshot.Kind]error       // of a list
	onList  func(snapshot.Kind, *session) // runs before a list is answered, unlocked
	hang    bool                          // nothing is ever answered
	pongs   bool                          // but pings
	gone    error                         // of pings
	pings   int                           // that came
	calls   []string                      // "1s tools" for each list, "0s open" for each connection
	saved   func() *snapshot.Snapshot
	current *session
	opened  int
	began   time.Time
	last    *snapshot.Snapshot   // what was known before
	unsure  []*snapshot.Snapshot // see watch.Source
}

func newServer(tools ...string) *server {
	return &server{
		names: map[snapshot.Kind][]string{snapshot.Tools: tools, snapshot.Prompts: {"p"}},
		fail:  map[snapshot.Kind]error{}, began: time.Now(),
	}
}

func (s *server) note(what string) {
	s.calls = append(s.calls, fmt.Sprint(time.Since(s.began).Round(time.Millisecond), " ", what))
}

// requests returns what was requested since the last call.
func (s *server) requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	calls := s.calls
	s.calls = nil
	return calls
}

func (s *server) open(context.Context) (watch.Session, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.note("open")
	s.opened++
	if s.refuse != nil {
		return nil, s.refuse
	}
	s.current = &session{server: s, signal: make(chan struct{}, 1), done: make(chan struct{})}
	return s.current, nil
}

// change makes a change to the server while it is watched.
func (s *server) change(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f()
}

// set changes what the server offers without a word.
func (s *server) set(kind snapshot.Kind, names ...string) {
	s.change(func() { s.names[kind] = append([]string{}, names...) })
}

// covers makes the server announce changes, or not.
func (s *server) covers(covered bool) { s.change(func() { s.covered = covered }) }

// breaks makes a list fail, or work again.
func (s *server) breaks(kind snapshot.Kind, err error) { s.change(func() { s.fail[kind] = err }) }

// hangs leaves every list without an answer from now on, and every ping but when pongs is set; or answers
// again.
func (s *server) hangs(yes ...bool) { s.change(func() { s.hang = len(yes) == 0 || yes[0] }) }

// failPings makes pings fail as where no server is, or not.
func (s *server) failPings(gone error) { s.change(func() { s.gone = gone }) }

// onEach runs f before each list is answered; nil = nothing.
func (s *server) onEach(f func(snapshot.Kind, *session)) { s.change(func() { s.onList = f }) }

// refuses makes attempts to connect fail, or work again.
func (s *server) refuses(err error) { s.change(func() { s.refuse = err }) }

// announce says that lists changed.
func (s *server) announce(kinds ...snapshot.Kind) { s.session().hear(snapshot.News{Changed: kinds}) }

// drop loses the connection.
func (s *server) drop(why string) {
	if c := s.session(); c != nil {
		c.lose(errors.New(why))
	}
}

func (s *server) session() *session {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.current
}

func (s *server) list(kind snapshot.Kind) (snapshot.List, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.note(string(kind))
	if err := s.fail[kind]; err != nil {
		arrived := listOf(kind, s.names[kind]).Items()
		if !errors.Is(err, errCut) {
			arrived = nil
		}
		var raws []json.RawMessage
		for _, item := range arrived {
			raws = append(raws, item.Raw)
		}
		return snapshot.NewPart(kind, raws, err.Error()), err
	}
	if s.names[kind] == nil {
		return snapshot.List{Kind: kind}, nil
	}
	list := listOf(kind, s.names[kind])
	list.Pages = s.pages
	return list, nil
}

func listOf(kind snapshot.Kind, names []string) snapshot.List {
	raws := []json.RawMessage{}
	for _, name := range names {
		raws = append(raws, json.RawMessage(fmt.Sprintf(`{%q:%q,"description":%q}`, kind.KeyField(), name,
			strings.Repeat(name+name+" ", 9))))
	}
	return snapshot.NewList(kind, raws)
}

// session is one connection to a server of a test.
type session struct {
	server *server
	signal chan struct{}
	done   chan struct{}

	mu     sync.Mutex
	news   snapshot.News
	lost   error
	closed bool
}

func (c *session) Hello() *snapshot.Snapshot {
	return &snapshot.Snapshot{Protocol: "2025-11-25", Capabilities: json.RawMessage(`{"tools":{},"prompts":{}}`)}
}

func (c *session) List(ctx context.Context, kinds ...snapshot.Kind) ([]snapshot.List, error) {
	var lists []snapshot.List
	var failures []error
	for _, kind := range kinds {
		c.server.mu.Lock()
		hang, onList := c.server.hang, c.server.onList
		c.server.mu.Unlock()
		if onList != nil {
			onList(kind, c)
		}
		if hang {
			select {
			case <-ctx.Done():
			case <-c.done:
			}
		}
		if ctx.Err() != nil || c.Lost() != nil {
			return nil, cmp.Or(c.Lost(), context.Cause(ctx))
		}
		list, err := c.server.list(kind)
		lists = append(lists, list)
		failures = append(failures, err)
	}
	return lists, errors.Join(failures...)
}

func (c *session) Signal() <-chan struct{} { return c.signal }

func (c *session) News() snapshot.News {
	c.mu.Lock()
	defer c.mu.Unlock()
	news := c.news
	c.news = snapshot.News{}
	c.server.mu.Lock()
	news.Covered, news.Hears = c.server.covered, c.server.covered || c.server.partly
	c.server.mu.Unlock()
	return news
}

func (c *session) hear(n snapshot.News) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.news.Changed = slices.Compact(slices.Sorted(slices.Values(append(c.news.Changed, n.Changed...))))
	c.news.Resumed = c.news.Resumed || n.Resumed
	c.news.Count += len(n.Changed)
	select {
	case c.signal <- struct{}{}:
	default:
	}
}

func (c *session) lose(why error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.lost == nil {
		c.lost = why
		close(c.done)
	}
}

func (c *session) Ping(ctx context.Context) (time.Duration, error) {
	c.server.mu.Lock()
	hang, gone := c.server.hang, c.server.gone
	c.server.pings++
	c.server.mu.Unlock()
	if hang && !c.server.pongs {
		select {
		case <-ctx.Done():
		case <-c.done:
		}
		return 0, cmp.Or(c.Lost(), context.Cause(ctx))
	}
	return 0, gone
}

func (c *session) Done() <-chan struct{} { return c.done }

func (c *session) Lost() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.lost
}

func (c *session) Close() error {
	c.lose(errors.New("closed"))
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	return nil
}

// run is a watcher under test, in a bubble of its own time.
type run struct {
	*server
	t       *testing.T
	stop    context.CancelFunc
	begun   func() // lets the watcher begin
	ended   chan struct{}
	ask     chan struct{} // asks the watcher to read at once
	restart chan struct{} // asks it for a new session

	mu     sync.Mutex
	events []watch.Event
	over   bool
}

// bubble runs a test in a bubble of time without random spread. The watcher begins with the first wait of the
// test, and ends with it.
func bubble(t *testing.T, s func() *server, o watch.Options, test func(*run)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		r := begin(t, s(), o)
		test(r)
		r.end()
	})
}

func begin(t *testing.T, s *server, o watch.Options) *run {
	ctx, stop := context.WithCancel(t.Context())
	r := &run{server: s, t: t, stop: stop, ended: make(chan struct{}), ask: make(chan struct{}, 1), restart: make(chan struct{}, 1)}
	ready := make(chan struct{})
	r.begun = sync.OnceFunc(func() { close(ready) })
	o.Refresh, o.Restart = r.ask, r.restart
	if o.Random == nil {
		o.Random = func() float64 { return 0.5 }
	}
	go func() {
		defer close(r.ended)
		<-ready
		if err := watch.Run(ctx, watch.Source{Name: "s", Open: s.open, Saved: s.saved, Last: s.last, Unsure: s.unsure}, o,
			r.take); err != nil {
			t.Error(err)
		}
	}()
	return r
}

func (r *run) take(e watch.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.over {
		r.t.Errorf("an event after the end: %s", r.line(e))
	}
	for _, f := range e.Findings {
		if f.Server != e.Server || e.Server != "s" {
			r.t.Errorf("a finding of %q in an event of %q", f.Server, e.Server)
		}
	}
	r.events = append(r.events, e)
}

// after lets time go by, and gives what was reported meanwhile.
func (r *run) after(d time.Duration) []string {
	r.begun()
	time.Sleep(d)
	synctest.Wait()
	return r.reported()
}

// reported returns what was reported since the last call, a line for each event.
func (r *run) reported() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var lines []string
	for _, e := range r.events {
		lines = append(lines, r.line(e))
	}
	r.events = nil
	return lines
}

func (r *run) line(e watch.Event) string {
	line := fmt.Sprint(e.Time.Sub(r.began).Round(time.Millisecond), " ", e.Kind)
	if e.Kind == watch.StateChanged {
		line += fmt.Sprintf(" %s", e.State)
	}
	if e.Cause != "" {
		line += fmt.Sprintf(" by %s", e.Cause)
	}
	for _, f := range e.Findings {
		line += fmt.Sprintf(" %s(%s)", f.Rule, f.Item)
	}
	if e.Err != nil {
		line += ": " + e.Err.Error()
	}
	return line
}

// end stops the watcher, which must not take longer than it may.
func (r *run) end() []string {
	began := time.Now()
	r.begun()
	r.stop()
	<-r.ended
	if took := time.Since(began); took > 2*time.Second {
		r.t.Errorf("ending took %v", took)
	}
	lines := r.reported()
	r.mu.Lock()
	r.over = true
	r.mu.Unlock()
	if c := r.session(); c != nil && r.refuse == nil && !c.closed {
		r.t.Error("the session was not closed")
	}
	time.Sleep(time.Hour)
	return lines
}
