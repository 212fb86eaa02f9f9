//go:build soak

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// TestSoak watches many servers at once that change at random, with the real program in a process of its own, and holds
// what it tells against what the servers did. MCPCTL_SOAK is "SERVERS DURATION", such as "1000 5m".
func TestSoak(t *testing.T) {
	count, length := 100, 20*time.Second
	if text := os.Getenv("MCPCTL_SOAK"); text != "" {
		var word string
		if _, err := fmt.Sscan(text, &count, &word); err != nil {
			t.Fatal(err)
		}
		var err error
		if length, err = time.ParseDuration(word); err != nil {
			t.Fatal(err)
		}
	}
	field := newSoakField(count)
	site := httptest.NewServer(field)
	defer site.Close()
	defer site.CloseClientConnections()
	watcher := startSoak(t, site.URL, count)
	watcher.await(t, count)
	const calm = 10 * time.Second
	before := watcher.cpu(t)
	<-time.After(calm)
	idle := watcher.cpu(t) - before
	field.change(length)
	<-time.After(2 * time.Second)
	busy, memory := watcher.cpu(t)-before-idle, watcher.memory(t)
	watcher.end(t)
	late := field.judge(t, watcher.told)
	slices.Sort(late)
	if len(late) == 0 {
		t.Fatal("nothing changed")
	}
	p99 := late[len(late)*99/100]
	t.Logf("%d servers, %v: %d changes, %d told; change to event median %v, p99 %v, most %v; CPU idle %.2f %%, busy %.1f %% of a core; memory %d MiB at most",
		count, length, field.changes, len(late), late[len(late)/2], p99, late[len(late)-1],
		100*idle.Seconds()/calm.Seconds(), 100*busy.Seconds()/(length+2*time.Second).Seconds(), memory>>20)
	if p99 > 200*time.Millisecond {
		t.Errorf("p99 from change to event is %v, want at most 200ms", p99)
	}
	if idle.Seconds() > 0.02*calm.Seconds() {
		t.Errorf("idle CPU is %v in %v, want at most 2 %%", idle, calm)
	}
	if memory > 150<<20 {
		t.Errorf("memory is %d MiB, want at most 150", memory>>20)
	}
}

// soakField is many servers of streamable HTTP at one address, each with one tool that is named for its version.
type soakField struct {
	plots   []soakPlot
	changes int
}

type soakPlot struct {
	mu      sync.Mutex
	since   []time.Time // when each version came
	streams map[chan struct{}]bool
}

func newSoakField(count int) *soakField {
	f := &soakField{plots: make([]soakPlot, count)}
	for i := range f.plots {
		f.plots[i].since = []time.Time{time.Now()}
		f.plots[i].streams = map[chan struct{}]bool{}
	}
	return f
}

func (f *soakField) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	i, err := strconv.Atoi(strings.Trim(r.URL.Path, "/"))
	if err != nil || i >= len(f.plots) {
		http.NotFound(w, r)
		return
	}
	switch r.Method {
	case http.MethodGet:
		f.plots[i].stream(w, r.Context())
	case http.MethodPost:
		f.plots[i].answer(w, r.Body)
	default:
		w.WriteHeader(http.StatusMethodNotAllowed)
	}
}

func (p *soakPlot) answer(w http.ResponseWriter, body io.Reader) {
	var request struct {
		ID     json.RawMessage
		Method string
	}
	if json.NewDecoder(body).Decode(&request) != nil || request.ID == nil {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	member := `"error":{"code":-32601,"message":"Method not found"}`
	switch request.Method {
	case "initialize":
		member = `"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"plot","version":"1"}}`
	case "tools/list":
		p.mu.Lock()
		n := len(p.since) - 1
		p.mu.Unlock()
		member = fmt.Sprintf(`"result":{"tools":[{"name":"v%d","description":"This is version %d of the only tool.","inputSchema":{"type":"object"}}]}`, n, n)
	}
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,%s}`, request.ID, member)
}

func (p *soakPlot) stream(w http.ResponseWriter, ctx context.Context) {
	wake := make(chan struct{}, 16)
	p.mu.Lock()
	p.streams[wake] = true
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
			fmt.Fprint(w, "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}\n\n")
		}
	}
}

// change lets each server change every ten seconds or so.
func (f *soakField) change(length time.Duration) {
	random := rand.New(rand.NewPCG(1, 1))
	for end := time.Now().Add(length); time.Now().Before(end); f.changes++ {
		p := &f.plots[random.IntN(len(f.plots))]
		p.mu.Lock()
		p.since = append(p.since, time.Now())
		for wake := range p.streams {
			select {
			case wake <- struct{}{}:
			default:
			}
		}
		p.mu.Unlock()
		<-time.After(time.Duration(random.ExpFloat64() * float64(10*time.Second) / float64(len(f.plots))))
	}
}

// soakEvent is what matters of an event.
type soakEvent struct {
	Event, Server, State string
	Time                 time.Time
	Findings             []struct{ Rule, Item string }
}

// judge holds what was told against what happened, and gives the times from change to event.
func (f *soakField) judge(t *testing.T, told []soakEvent) []time.Duration {
	var late []time.Duration
	last := make([]int, len(f.plots))
	for _, e := range told {
		for _, finding := range e.Findings {
			version, isTool := strings.CutPrefix(finding.Item, "tool/v")
			if !isTool || finding.Rule != "tool-added" {
				continue
			}
			i, _ := strconv.Atoi(strings.TrimPrefix(e.Server, "plot-"))
			n, _ := strconv.Atoi(version)
			if n <= last[i] {
				t.Errorf("%s: version %d was told after version %d", e.Server, n, last[i])
			}
			last[i] = n
			late = append(late, e.Time.Sub(f.plots[i].since[n]))
		}
	}
	for i := range f.plots {
		if n := len(f.plots[i].since) - 1; n != last[i] {
			t.Errorf("plot-%d: version %d is in effect, version %d was told last", i, n, last[i])
		}
	}
	return late
}

// soaked is the program under test.
type soaked struct {
	cmd  *exec.Cmd
	live chan struct{}
	done chan struct{}
	told []soakEvent
}

func startSoak(t *testing.T, url string, count int) *soaked {
	var servers []string
	for i := range count {
		servers = append(servers, fmt.Sprintf(`"plot-%d": {"url": "%s/%d", "type": "streamable-http"}`, i, url, i))
	}
	file := filepath.Join(t.TempDir(), "mcp.json")
	if err := os.WriteFile(file, []byte(`{"mcpServers": {`+strings.Join(servers, ",\n")+"}}"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := &soaked{cmd: exec.Command("mcpctl", "watch", "--config", file, "--format", "ndjson"), live: make(chan struct{}, count*10), done: make(chan struct{})}
	s.cmd.Stderr = os.Stderr
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.cmd.Process.Kill() })
	go s.listen(out)
	return s
}

func (s *soaked) listen(out io.Reader) {
	defer close(s.done)
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var e soakEvent
		if json.Unmarshal(lines.Bytes(), &e) != nil {
			continue
		}
		if s.told = append(s.told, e); e.Event == "state" && e.State == "live" {
			select {
			case s.live <- struct{}{}:
			default:
			}
		}
	}
}

func (s *soaked) await(t *testing.T, count int) {
	late := time.After(2 * time.Minute)
	for n := range count {
		select {
		case <-s.live:
		case <-late:
			t.Fatalf("only %d of %d servers are live", n, count)
		}
	}
}

func (s *soaked) end(t *testing.T) {
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	<-s.done
	_ = s.cmd.Wait()
	if status := s.cmd.ProcessState.ExitCode(); status != 143 {
		t.Errorf("exit status %d, want 143", status)
	}
}

// cpu is the processor time that the program has used.
func (s *soaked) cpu(t *testing.T) time.Duration {
	fields := strings.Fields(s.proc(t, "stat"))
	user, _ := strconv.Atoi(fields[13])
	system, _ := strconv.Atoi(fields[14])
	return time.Duration(user+system) * 10 * time.Millisecond
}

// memory is the most that the program had resident, in bytes.
func (s *soaked) memory(t *testing.T) int {
	_, rest, _ := strings.Cut(s.proc(t, "status"), "VmHWM:")
	kib, err := strconv.Atoi(strings.Fields(rest)[0])
	if err != nil {
		t.Fatal(err)
	}
	return kib << 10
}

func (s *soaked) proc(t *testing.T, name string) string {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", s.cmd.Process.Pid, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
