//go:build soak

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// Mean times.
const (
	changesEvery = 20 * time.Second // of a server
	faultsEvery  = time.Minute      // of one with faults
)

// soakServers are many servers below one address, /INDEX, each with a tool that is named for its version.
type soakServers []soakServer

func newSoakServers(count int) soakServers {
	all := make(soakServers, count)
	for i := range all {
		all[i].since, all[i].streams = []time.Time{time.Now()}, map[chan struct{}]context.CancelFunc{}
		all[i].faulty = i%5 == 0
	}
	return all
}

// ServeHTTP answers requests for /INDEX.
func (all soakServers) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	i, err := strconv.Atoi(strings.Trim(r.URL.Path, "/"))
	switch {
	case err != nil || i >= len(all):
		http.NotFound(w, r)
	case !all[i].answers(r.Context()):
		panic(http.ErrAbortHandler) // the connection breaks off
	case r.Method == http.MethodGet:
		all[i].stream(w, r)
	case r.Method == http.MethodPost:
		all[i].answer(w, r)
	default:
		w.WriteHeader(http.StatusMethodNotAllowed)
	}
}

// live lets all servers change, and those with faults have them, until the function that it returns is called, which waits
// until every fault is over.
func (all soakServers) live(t *testing.T) (end func()) {
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	var living sync.WaitGroup
	for i := range all {
		s := &all[i]
		s.set(func() { s.tears = s.faulty })
		living.Go(func() { atRandom(ctx, changesEvery, s.change) })
		if s.faulty {
			living.Go(func() { atRandom(ctx, faultsEvery, func() { s.fail(ctx) }) })
		}
	}
	return func() {
		cancel()
		living.Wait()
		for i := range all {
			all[i].set(func() { all[i].tears = false })
		}
	}
}

// atRandom does something at random times, so far apart on average.
func atRandom(ctx context.Context, mean time.Duration, do func()) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(time.Duration(rand.ExpFloat64() * float64(mean))):
			do()
		}
	}
}

func (all soakServers) changes() (n int) {
	for i := range all {
		n += all[i].version()
	}
	return n
}

// soakServer speaks streamable HTTP. A faulty one has two pages of tools, and a version may come between them.
type soakServer struct {
	faulty bool

	mu      sync.Mutex
	since   []time.Time // when each version came
	streams map[chan struct{}]context.CancelFunc
	session int           // what it knows of sessions began with this one
	tears   bool          // versions may come between pages
	hung    chan struct{} // closed once it answers again; nil = it does
	delay   time.Duration // of each answer
	refuses bool          // every connection
}

// set changes the server.
func (s *soakServer) set(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
}

func (s *soakServer) version() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.since) - 1
}

// came returns when a version did; zero = never.
func (s *soakServer) came(n int) time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n < 0 || n >= len(s.since) {
		return time.Time{}
	}
	return s.since[n]
}

// change makes a new version and announces it.
func (s *soakServer) change() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.since = append(s.since, time.Now())
	for wake := range s.streams {
		select {
		case wake <- struct{}{}:
		default:
		}
	}
}

// fail has one fault, and returns once it is over.
func (s *soakServer) fail(ctx context.Context) {
	pause := func(most time.Duration) {
		select {
		case <-time.After(time.Duration(rand.Float64() * float64(most))):
		case <-ctx.Done():
		}
	}
	switch rand.IntN(5) {
	case 0: // its streams are cut
		s.cut()
	case 1: // it dies, and knows no session any more
		s.set(func() { s.session++ })
		s.cut()
	case 2:
		s.set(func() { s.delay = time.Duration(rand.IntN(2000)) * time.Millisecond })
		pause(30 * time.Second)
		s.set(func() { s.delay = 0 })
	case 3:
		s.set(func() { s.refuses = true })
		s.cut()
		pause(20 * time.Second)
		s.set(func() { s.refuses = false })
	case 4:
		over := make(chan struct{})
		s.set(func() { s.hung = over })
		pause(time.Minute)
		s.set(func() { s.hung = nil })
		close(over)
	}
}

// cut breaks off all streams.
func (s *soakServer) cut() {
	s.set(func() {
		for _, end := range s.streams {
			end()
		}
	})
}

// answers waits until the server answers, and reports whether it does.
func (s *soakServer) answers(ctx context.Context) bool {
	s.mu.Lock()
	hung, delay, refuses := s.hung, s.delay, s.refuses
	s.mu.Unlock()
	if hung != nil {
		select {
		case <-hung:
		case <-ctx.Done():
		}
	}
	<-time.After(delay)
	return !refuses && ctx.Err() == nil
}

const sessionHeader = "Mcp-Session-Id"

// sessionOf returns the session that the server knows.
func (s *soakServer) sessionOf() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strconv.Itoa(s.session)
}

func (s *soakServer) answer(w http.ResponseWriter, r *http.Request) {
	var request struct {
		ID     json.RawMessage
		Method string
		Params struct{ Cursor string }
	}
	body, _ := io.ReadAll(r.Body)
	if json.Unmarshal(body, &request) != nil || request.ID == nil {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	member := `"error":{"code":-32601,"message":"Method not found"}`
	switch {
	case request.Method == "initialize":
		w.Header().Set(sessionHeader, s.sessionOf())
		member = `"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"plot",` +
			`"version":"1"}}`
	case request.Method == "server/discover":
	case r.Header.Get(sessionHeader) != s.sessionOf():
		http.Error(w, "no such session", http.StatusNotFound)
		return
	case request.Method == "ping":
		member = `"result":{}`
	case request.Method == "tools/list":
		member = `"result":` + s.page(request.Params.Cursor)
	}
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,%s}`, request.ID, member)
}

// page returns a page of the tools. A faulty server has two, in another order in each version.
func (s *soakServer) page(cursor string) string {
	s.mu.Lock()
	tears := s.tears
	s.mu.Unlock()
	if tears && cursor != "" && rand.IntN(10) == 0 {
		s.change()
	}
	n := s.version()
	names, next := []string{fmt.Sprint("v", n)}, ""
	if s.faulty {
		names = []string{"a", "b", "c", "d", names[0]}
		names = append(names[n%5:], names[:n%5]...)
		if cursor == "" {
			names, next = names[:2], `,"nextCursor":"2"`
		} else {
			names = names[2:]
		}
	}
	var tools []string
	for _, name := range names {
		tools = append(tools, fmt.Sprintf(`{"name":%q,"description":"This is %[1]s, one of the tools.","inputSchema":{"type":"object"}}`,
			name))
	}
	return `{"tools":[` + strings.Join(tools, ",") + "]" + next + "}"
}

// stream announces changes until it is cut.
func (s *soakServer) stream(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get(sessionHeader) != s.sessionOf() {
		http.Error(w, "no such session", http.StatusNotFound)
		return
	}
	ctx, end := context.WithCancel(r.Context())
	defer end()
	wake := make(chan struct{}, 16)
	s.set(func() { s.streams[wake] = end })
	defer s.set(func() { delete(s.streams, wake) })
	w.Header().Set("Content-Type", "text/event-stream")
	w.WriteHeader(http.StatusOK)
	for {
		_ = http.NewResponseController(w).Flush()
		select {
		case <-ctx.Done():
			return
		case <-wake:
			if !s.answers(ctx) {
				return
			}
			fmt.Fprint(w, "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}\n\n")
		}
	}
}
