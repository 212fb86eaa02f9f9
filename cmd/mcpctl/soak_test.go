//go:build soak

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// TestSoak watches many servers at once that change at random, with the real program in a process of its own, and compares
// what it reports with what the servers did. One server in five dies, hangs, breaks off, is slow and tears its pages.
// MCPCTL_SOAK is "SERVERS DURATION", such as "1000 5m".
func TestSoak(t *testing.T) {
	count, length := 100, 20*time.Second
	if text := os.Getenv("MCPCTL_SOAK"); text != "" {
		first, second, _ := strings.Cut(text, " ")
		n, err := strconv.Atoi(first)
		d, errLength := time.ParseDuration(second)
		if count, length = n, d; err != nil || errLength != nil {
			t.Fatal(err, errLength)
		}
	}
	servers := newSoakServers(count)
	site := httptest.NewServer(servers)
	defer site.Close()
	defer site.CloseClientConnections()
	receiver := &soakReceiver{last: map[string]time.Time{}}
	hook := httptest.NewServer(receiver)
	defer hook.Close()
	s := startSoak(t, servers, site.URL, hook.URL)
	s.await("connected to every server", func() bool { return s.connected() == count })
	const calm = time.Minute // holds the pings of every server, the first of which come half a minute after it has connected
	before := s.cpu()
	<-time.After(calm)
	idle := s.cpu() - before
	memory := []int{s.memory("VmRSS:") >> 20}
	began := time.Now()
	end := servers.live(t)
	for n := range 10 {
		<-time.After(time.Until(began.Add(length * time.Duration(n+1) / 10)))
		memory = append(memory, s.memory("VmRSS:")>>20)
	}
	end()
	busy, took := s.cpu()-before-idle, time.Since(began)
	s.await("reported everything", func() bool { return len(s.missing()) == 0 })
	most := s.memory("VmHWM:")
	s.end()
	late := s.verdict()
	receiver.verdict(t, s.reported, s.undelivered())
	t.Logf("%d servers, %v: %d changes, reported in %d events; of the servers without faults: change to event median %v, p99 %v, most %v; CPU idle %.2f %%, busy %.1f %% of a core; memory %d MiB at most, over time %v; it wrote:\n%s",
		count, length, servers.changes(), s.reported, late[len(late)/2], late[len(late)*99/100], late[len(late)-1],
		100*idle.Seconds()/calm.Seconds(), 100*busy.Seconds()/took.Seconds(), most>>20, memory, &s.stderr)
	if idle.Seconds() > 0.05*calm.Seconds() { // pings are most of it
		t.Errorf("idle CPU is %v in %v, want at most 5 %%", idle, calm)
	}
	if most > 150_000_000*max(count, 1000)/1000 {
		t.Errorf("memory is %d MB, want at most 150", most/1_000_000)
	}
}

// soakEvent is what matters of an event.
type soakEvent struct {
	Event, Server, State string
	Time                 time.Time
	Findings             []struct{ Rule, Item string }
}

// soak is the program under test, and what its events are judged by.
type soak struct {
	*testing.T
	servers soakServers
	cmd     *exec.Cmd
	done    chan struct{}
	stderr  bytes.Buffer

	mu       sync.Mutex
	reached  map[string]bool
	last     []int // the version of each server that was reported last
	reported int
	late     []time.Duration // from change to event, of servers without faults
	wrong    []string
}

func startSoak(t *testing.T, servers soakServers, site, hook string) *soak {
	dir := t.TempDir()
	program := buildStatic(t, filepath.Join(dir, "mcpctl")) // is smaller than this test
	var entries []string
	for i := range servers {
		entries = append(entries, fmt.Sprintf(`"plot-%d": {"url": "%s/%[1]d", "type": "streamable-http"}`, i, site))
	}
	config := filepath.Join(dir, "mcp.json")
	writeText(t, config, `{"mcpServers": {`+strings.Join(entries, ",\n")+"}}")
	s := &soak{
		T: t, servers: servers, done: make(chan struct{}), reached: map[string]bool{}, last: make([]int, len(servers)),
		cmd: exec.Command(program, "watch", "--config", config, "--format", "ndjson", "--timeout", "10s", "--state", filepath.Join(dir, "state"), "--webhook", hook),
	}
	s.cmd.Stderr = &s.stderr
	out, err := s.cmd.StdoutPipe()
	if err == nil {
		err = s.cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.cmd.Process.Kill() })
	go func() {
		defer close(s.done)
		lines := bufio.NewScanner(out)
		lines.Buffer(nil, 16<<20)
		for lines.Scan() {
			var e soakEvent
			if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
				t.Errorf("%v: %s", err, lines.Text())
			}
			s.take(e)
		}
	}()
	return s
}

// take judges one event: a change is from the version that was reported last to one that came after it, and nothing else.
func (s *soak) take(e soakEvent) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e.State == "live" {
		s.reached[e.Server] = true
	}
	if len(e.Findings) == 0 {
		return
	}
	i, _ := strconv.Atoi(strings.TrimPrefix(e.Server, "plot-"))
	from, to := -1, -1
	for _, f := range e.Findings {
		n, err := strconv.Atoi(strings.TrimPrefix(f.Item, "tool/v"))
		switch {
		case err == nil && f.Rule == "tool-added" && to < 0:
			to = n
		case err == nil && f.Rule == "tool-removed" && from < 0:
			from = n
		default:
			s.wrong = append(s.wrong, fmt.Sprintf("%s: invented: %s %s", e.Server, f.Rule, f.Item))
		}
	}
	came := s.servers[i].came(to)
	if from != s.last[i] || to <= from || came.IsZero() || e.Time.Before(came.Truncate(time.Millisecond)) {
		s.wrong = append(s.wrong, fmt.Sprintf("%s: reported version %d after %d; the last was %d", e.Server, to, from, s.last[i]))
	}
	s.last[i] = max(to, s.last[i])
	if s.reported++; !s.servers[i].faulty {
		s.late = append(s.late, e.Time.Sub(came))
	}
}

func (s *soak) connected() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.reached)
}

// missing returns the servers whose newest version was not reported yet.
func (s *soak) missing() (all []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.servers {
		if n := s.servers[i].version(); n != s.last[i] {
			all = append(all, fmt.Sprintf("plot-%d: version %d is in effect, version %d was reported last", i, n, s.last[i]))
		}
	}
	return all
}

// verdict reports what was wrong, and returns how late changes were reported.
func (s *soak) verdict() []time.Duration {
	for _, wrong := range append(s.missing(), s.wrong...) {
		s.Error(wrong)
	}
	if len(s.late) == 0 {
		s.Fatal("nothing changed")
	}
	slices.Sort(s.late)
	return s.late
}

// await waits until something is so.
func (s *soak) await(what string, is func() bool) {
	for late := time.After(5 * time.Minute); !is(); {
		select {
		case <-late:
			s.Errorf("not in time: %s", what)
			return
		case <-s.done:
			s.Fatalf("it ended before it had %s", what)
		case <-time.After(100 * time.Millisecond):
		}
	}
}

func (s *soak) end() {
	_ = s.cmd.Process.Signal(syscall.SIGTERM)
	<-s.done
	_ = s.cmd.Wait()
	if status := s.cmd.ProcessState.ExitCode(); status != 143 {
		s.Errorf("exit status %d, want 143", status)
	}
}

var notDelivered = regexp.MustCompile(`--webhook: (?:a change of \S+ was|watching has ended, and ([0-9]+) changes were) not delivered`)

// undelivered returns how many changes the program reported that it did not post.
func (s *soak) undelivered() (n int) {
	for _, found := range notDelivered.FindAllStringSubmatch(s.stderr.String(), -1) {
		left, err := strconv.Atoi(found[1])
		if err != nil {
			left = 1
		}
		n += left
	}
	return n
}

// cpu returns the processor time that the program has used.
func (s *soak) cpu() time.Duration {
	fields := strings.Fields(readText(s.T, fmt.Sprintf("/proc/%d/stat", s.cmd.Process.Pid)))
	user, _ := strconv.Atoi(fields[13])
	system, _ := strconv.Atoi(fields[14])
	return time.Duration(user+system) * 10 * time.Millisecond
}

// memory returns what the program has resident, or had at most, in bytes.
func (s *soak) memory(key string) int {
	_, rest, _ := strings.Cut(readText(s.T, fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid)), key)
	kib, err := strconv.Atoi(strings.Fields(rest)[0])
	if err != nil {
		s.Fatal(err)
	}
	return kib << 10
}

// soakReceiver takes posts, refuses some of them, and is slow now and then.
type soakReceiver struct {
	mu    sync.Mutex
	last  map[string]time.Time // of the last change of each server
	taken int
	wrong []string
}

// ServeHTTP takes a change, which comes after the one before.
func (r *soakReceiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	body, _ := io.ReadAll(request.Body)
	switch rand.IntN(200) {
	case 0:
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	case 1:
		<-time.After(time.Second)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	var e soakEvent
	err := json.Unmarshal(body, &e)
	before := r.last[e.Server]
	if err != nil || e.Time.Before(before) {
		r.wrong = append(r.wrong, fmt.Sprintf("%s: the change of %v was posted after that of %v (%v)", e.Server, e.Time, before, err))
	}
	if !e.Time.Equal(before) { // else the answer to the one before came too late
		r.taken++
	}
	r.last[e.Server] = e.Time
}

// verdict wants every change that was reported to be posted, but for those that the program said it could not post.
func (r *soakReceiver) verdict(t *testing.T, reported, undelivered int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, wrong := range r.wrong {
		t.Error(wrong)
	}
	if r.taken > reported || r.taken+undelivered < reported {
		t.Errorf("%d changes were reported, %d posted, %d said to be missing", reported, r.taken, undelivered)
	}
}
