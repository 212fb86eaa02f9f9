//go:build soak

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// Kinds of servers.
const (
	soakCalm   = iota // streamable HTTP, one page
	soakFaulty        // the same with pages, behind a network with faults
)

// Mean times.
const (
	changesEvery = 20 * time.Second // a server
	faultsEvery  = time.Minute      // one with faults
)

func soakName(i int) string { return "plot-" + strconv.Itoa(i) }

// soakField is many servers at one address, each with a tool that is named for its version.
type soakField struct{ plots []soakPlot }

func newSoakField(count int) *soakField {
	f := &soakField{plots: make([]soakPlot, count)}
	for i := range f.plots {
		p := &f.plots[i]
		p.since, p.streams, p.faults = []time.Time{time.Now()}, map[chan struct{}]func(){}, map[string]int{}
		if i%5 == 0 {
			p.kind = soakFaulty
		}
	}
	return f
}

// ServeHTTP answers requests for /INDEX.
func (f *soakField) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	i, err := strconv.Atoi(strings.Trim(r.URL.Path, "/"))
	if err != nil || i >= len(f.plots) {
		http.NotFound(w, r)
		return
	}
	switch r.Method {
	case http.MethodGet:
		f.plots[i].stream(w, r)
	case http.MethodPost:
		f.plots[i].answer(w, r)
	default:
		w.WriteHeader(http.StatusMethodNotAllowed)
	}
}

// live lets all servers change, and those with faults have them, until the function that it gives is called. It waits until
// every fault is over.
func (f *soakField) live(t *testing.T) (end func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var living sync.WaitGroup
	for i := range f.plots {
		p := &f.plots[i]
		p.mu.Lock()
		p.tears = true
		p.mu.Unlock()
		living.Go(func() { at(ctx, changesEvery, p.change) })
		if p.kind == soakFaulty {
			living.Go(func() { at(ctx, faultsEvery, func() { p.fail(ctx) }) })
		}
	}
	t.Cleanup(cancel)
	return func() {
		cancel()
		living.Wait()
		for i := range f.plots {
			f.plots[i].mu.Lock()
			f.plots[i].tears = false
			f.plots[i].mu.Unlock()
		}
	}
}

// at does something at random times, so far apart on average.
func at(ctx context.Context, mean time.Duration, do func()) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(time.Duration(rand.ExpFloat64() * float64(mean))):
			do()
		}
	}
}

func (f *soakField) changes() (n int) {
	for i := range f.plots {
		n += f.plots[i].version()
	}
	return n
}

func (f *soakField) faults() map[string]int {
	all := map[string]int{}
	for i := range f.plots {
		for name, n := range f.plots[i].faults {
			all[name] += n
		}
	}
	return all
}

// soakPlot is one server.
type soakPlot struct {
	kind    int
	network *soakNetwork // nil = there is nothing between

	mu      sync.Mutex
	since   []time.Time // when each version came
	streams map[chan struct{}]func()
	session int           // what the server knows of sessions began with this one
	tears   bool          // versions may come between pages
	hung    chan struct{} // closed once it answers again; nil = it does
	faults  map[string]int
}

func (p *soakPlot) version() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.since) - 1
}

// came is when a version did; zero = never.
func (p *soakPlot) came(n int) time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n < 0 || n >= len(p.since) {
		return time.Time{}
	}
	return p.since[n]
}

// change makes a new version and announces it.
func (p *soakPlot) change() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.since = append(p.since, time.Now())
	for wake := range p.streams {
		select {
		case wake <- struct{}{}:
		default:
		}
	}
}

// fail has one fault, and returns once it is over.
func (p *soakPlot) fail(ctx context.Context) {
	pause := func(most time.Duration) {
		select {
		case <-time.After(time.Duration(rand.Float64() * float64(most))):
		case <-ctx.Done():
		}
	}
	names := []string{"cut", "delayed", "swallowed", "refused", "died", "hung"}
	name := names[rand.IntN(len(names))]
	switch p.count(name); name {
	case "cut":
		p.network.cut()
	case "delayed":
		p.network.become(soakWeather{delay: time.Duration(rand.IntN(2000)) * time.Millisecond})
		pause(30 * time.Second)
	case "swallowed":
		p.network.become(soakWeather{hole: true})
		pause(time.Minute)
		p.network.cut() // no one knows the connections any more
	case "refused":
		p.network.become(soakWeather{refuses: true})
		p.network.cut()
		pause(20 * time.Second)
	case "died":
		p.die()
	case "hung":
		over := make(chan struct{})
		p.hang(over)
		pause(time.Minute)
		p.hang(nil)
		close(over)
	}
	p.network.become(soakWeather{})
}

func (p *soakPlot) count(fault string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.faults[fault]++
}

// die forgets all sessions and breaks off all streams.
func (p *soakPlot) die() {
	p.mu.Lock()
	p.session++
	var ends []func()
	for _, end := range p.streams {
		ends = append(ends, end)
	}
	p.mu.Unlock()
	for _, end := range ends {
		end()
	}
}

func (p *soakPlot) hang(until chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.hung = until
}

// answers waits until the server answers; false = no one waits any more.
func (p *soakPlot) answers(ctx context.Context) bool {
	p.mu.Lock()
	hung := p.hung
	p.mu.Unlock()
	if hung == nil {
		return true
	}
	select {
	case <-hung:
		return true
	case <-ctx.Done():
		return false
	}
}

const sessionHeader = "Mcp-Session-Id"

// known reports whether a request is of a session that the server knows.
func (p *soakPlot) known(r *http.Request) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return r.Header.Get(sessionHeader) == strconv.Itoa(p.session)
}

func (p *soakPlot) answer(w http.ResponseWriter, r *http.Request) {
	var request struct {
		ID     json.RawMessage
		Method string
		Params struct{ Cursor string }
	}
	body, _ := io.ReadAll(r.Body)
	if !p.answers(r.Context()) {
		return
	}
	if json.Unmarshal(body, &request) != nil || request.ID == nil {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	member := `"error":{"code":-32601,"message":"Method not found"}`
	switch {
	case request.Method == "initialize":
		p.mu.Lock()
		w.Header().Set(sessionHeader, strconv.Itoa(p.session))
		p.mu.Unlock()
		member = `"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"plot","version":"1"}}`
	case request.Method == "server/discover":
	case !p.known(r):
		http.Error(w, "no such session", http.StatusNotFound)
		return
	case request.Method == "ping":
		member = `"result":{}`
	case request.Method == "tools/list":
		member = `"result":` + p.page(request.Params.Cursor)
	}
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,%s}`, request.ID, member)
}

// page is one page of the tools. With faults there are two pages, of which the order is another one in each version, and a
// version may come between them.
func (p *soakPlot) page(cursor string) string {
	p.mu.Lock()
	tears := p.tears
	p.mu.Unlock()
	if tears && cursor != "" && rand.IntN(10) == 0 {
		p.count("torn")
		p.change()
	}
	n := p.version()
	names, next := []string{fmt.Sprint("v", n)}, ""
	if p.kind != soakCalm {
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
		tools = append(tools, fmt.Sprintf(`{"name":%q,"description":"This is %s, one of the tools.","inputSchema":{"type":"object"}}`, name, name))
	}
	return `{"tools":[` + strings.Join(tools, ",") + "]" + next + "}"
}

func (p *soakPlot) stream(w http.ResponseWriter, r *http.Request) {
	ctx, end := context.WithCancel(r.Context())
	defer end()
	if !p.answers(ctx) || !p.known(r) {
		http.Error(w, "no such session", http.StatusNotFound)
		return
	}
	wake := make(chan struct{}, 16)
	p.mu.Lock()
	p.streams[wake] = end
	p.mu.Unlock()
	defer func() {
		p.mu.Lock()
		delete(p.streams, wake)
		p.mu.Unlock()
	}()
	w.Header().Set("Content-Type", "text/event-stream")
	w.WriteHeader(http.StatusOK)
	for {
		_ = http.NewResponseController(w).Flush()
		select {
		case <-ctx.Done():
			return
		case <-wake:
			if !p.answers(ctx) {
				return
			}
			fmt.Fprint(w, "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}\n\n")
		}
	}
}

// configuration is how the server is reached.
func (p *soakPlot) configuration(t *testing.T, address string, i int) string {
	if p.kind == soakFaulty {
		p.network = &soakNetwork{to: address, conns: map[net.Conn]bool{}}
		address = p.network.listen(t)
	}
	return fmt.Sprintf(`{"url": "http://%s/%d", "type": "streamable-http"}`, address, i)
}

// soakNetwork is what is between a client and a server.
type soakNetwork struct {
	to string

	mu    sync.Mutex
	conns map[net.Conn]bool
	now   soakWeather
}

// soakWeather is how a network behaves.
type soakWeather struct {
	delay   time.Duration // of all that is sent
	hole    bool          // it swallows all that is sent
	refuses bool          // no connection gets through
}

func (n *soakNetwork) listen(t *testing.T) string {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			go n.carry(client)
		}
	}()
	return listener.Addr().String()
}

func (n *soakNetwork) carry(client net.Conn) {
	defer client.Close()
	server, err := net.Dial("tcp", n.to)
	if err != nil || n.weather().refuses {
		return
	}
	defer server.Close()
	n.mu.Lock()
	n.conns[client], n.conns[server] = true, true
	n.mu.Unlock()
	defer func() {
		n.mu.Lock()
		delete(n.conns, client)
		delete(n.conns, server)
		n.mu.Unlock()
	}()
	ended := make(chan struct{}, 2)
	pass := func(to, from net.Conn) {
		n.pass(to, from)
		ended <- struct{}{}
	}
	go pass(server, client)
	go pass(client, server)
	<-ended
}

// pass hands on what comes.
func (n *soakNetwork) pass(to, from net.Conn) {
	for buffer := make([]byte, 4<<10); ; {
		read, err := from.Read(buffer)
		if err != nil {
			return
		}
		now := n.weather()
		<-time.After(now.delay)
		if now.hole {
			continue
		}
		if _, err := to.Write(buffer[:read]); err != nil {
			return
		}
	}
}

func (n *soakNetwork) weather() soakWeather {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.now
}

func (n *soakNetwork) become(now soakWeather) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.now = now
}

// cut breaks off all connections.
func (n *soakNetwork) cut() {
	n.mu.Lock()
	defer n.mu.Unlock()
	for conn := range maps.Clone(n.conns) {
		_ = conn.Close()
	}
}
