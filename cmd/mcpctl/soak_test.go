//go:build soak

package main

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math"
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

// TestSoak watches many servers at once that change at random, with the real program in a process of its own, and compares
// what it reports with what the servers did. One server in five dies, hangs, breaks off, is slow and tears its pages.
// MCPCTL_SOAK is "SERVERS DURATION", such as "1000 5m".
func TestSoak(t *testing.T) {
	count, length := soakSize(t)
	servers := newSoakServers(count)
	site := httptest.NewServer(servers)
	defer site.Close()
	defer site.CloseClientConnections()
	receiver := &soakFollower{versions: make([]int, count)}
	hook := httptest.NewServer(receiver.fails(1, 200))
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
	s.await("posted everything", func() bool { return len(receiver.missing(servers)) == 0 })
	most := s.memory("VmHWM:")
	s.end()
	late := s.verdict()
	receiver.verdict(t, "webhook", servers)
	t.Logf("%d servers, %v: %d changes, reported in %d events; of the servers without faults: change to event median %v, p99 %v, most "+
		"%v; CPU idle %.2f %%, busy %.1f %% of a core; memory %d MiB at most, over time %v; it wrote:\n%s",
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
	config := soakConfig(t, dir, site, len(servers))
	s := &soak{
		T: t, servers: servers, done: make(chan struct{}), reached: map[string]bool{}, last: make([]int, len(servers)),
		cmd: exec.Command(program, "watch", "--config", config, "--format", "ndjson", "--timeout", "10s", "--state",
			filepath.Join(dir, "state"), "--webhook", hook),
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

// soakFollower follows an output that gets events at least once and in order: each begins at or before the version that the
// follower knows, and does not lead back.
type soakFollower struct {
	mu       sync.Mutex
	versions []int
	events   int
	repeated int // of them, those that stand for several
	wrong    []string
}

func (f *soakFollower) take(line []byte) {
	var e struct {
		soakEvent
		Repeated bool
	}
	if err := json.Unmarshal(line, &e); err != nil || e.Event != "changed" { // the last line of a program that was killed may be torn
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	i, _ := strconv.Atoi(strings.TrimPrefix(e.Server, "plot-"))
	from, to := math.MaxInt, -1
	for _, finding := range e.Findings {
		if n, _ := strconv.Atoi(strings.TrimPrefix(finding.Item, "tool/v")); finding.Rule == "tool-added" {
			to = max(to, n)
		} else {
			from = min(from, n)
		}
	}
	if known := f.versions[i]; from > known || to < known {
		f.wrong = append(f.wrong, fmt.Sprintf("%s: an event leads from version %d to %d, and %d was known: %s", e.Server, from, to, known,
			line))
	}
	f.versions[i] = max(f.versions[i], to)
	if f.events++; e.Repeated {
		f.repeated++
	}
}

// fails returns a webhook that fails so often; half of these times it has taken the event. Now and then it is slow.
func (f *soakFollower) fails(times, outOf int) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		body, err := io.ReadAll(request.Body)
		failure := rand.IntN(outOf) < times
		if err == nil && (!failure || rand.IntN(2) == 0) {
			f.take(body)
		}
		if rand.IntN(200) == 0 {
			<-time.After(time.Second)
		}
		if failure {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	})
}

// missing returns the servers whose newest version has not arrived.
func (f *soakFollower) missing(servers soakServers) (all []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i, known := range f.versions {
		if n := servers[i].version(); n != known {
			all = append(all, fmt.Sprintf("plot-%d: version %d is in effect, and %d arrived last", i, n, known))
		}
	}
	return all
}

func (f *soakFollower) verdict(t *testing.T, output string, servers soakServers) {
	for _, wrong := range append(f.missing(servers), f.wrong...) {
		t.Errorf("%s: %s", output, wrong)
	}
	t.Logf("%s: %d events, %d of them for several changes", output, f.events, f.repeated)
}

// soakSize returns the servers and the time that MCPCTL_SOAK sets.
func soakSize(t *testing.T) (count int, length time.Duration) {
	size := cmp.Or(os.Getenv("MCPCTL_SOAK"), "100 20s")
	first, second, _ := strings.Cut(size, " ")
	count, err := strconv.Atoi(first)
	length, errLength := time.ParseDuration(second)
	if err != nil || errLength != nil {
		t.Fatal(err, errLength)
	}
	return count, length
}

// TestSoakOutputs kills a watch of servers that change at random every 20 seconds and starts it again with the same state. What
// still differs arrives at each output at least once, in order: at a webhook that fails a third of the time, at a command that
// takes 0.6 s, and on standard output. The command cannot keep up with more than 30 servers.
func TestSoakOutputs(t *testing.T) {
	const restart = 20 * time.Second
	count, length := soakSize(t)
	count = min(count, 300) // the command needs three minutes for them
	servers := newSoakServers(count)
	site := httptest.NewServer(servers)
	defer site.Close()
	defer site.CloseClientConnections()
	posted, printed := &soakFollower{versions: make([]int, count)}, &soakFollower{versions: make([]int, count)}
	hook := httptest.NewServer(posted.fails(1, 3))
	defer hook.Close()
	dir := t.TempDir()
	program := buildStatic(t, filepath.Join(dir, "mcpctl"))
	config := soakConfig(t, dir, site.URL, count)
	run := func(limit time.Duration, enough func() bool) {
		cmd := exec.Command(program, "watch", "--config", config, "--format", "ndjson", "--timeout", "10s",
			"--state", filepath.Join(dir, "state"), "--webhook", hook.URL, "--exec", "sleep 0.6; cat >> executed")
		cmd.Dir = dir
		out, err := cmd.StdoutPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			lines := bufio.NewScanner(out)
			for lines.Buffer(nil, 16<<20); lines.Scan(); {
				printed.take(lines.Bytes())
			}
		}()
		for late := time.Now().Add(limit); time.Now().Before(late) && !enough(); {
			select {
			case <-ended:
				t.Fatal("it ended by itself")
			case <-time.After(200 * time.Millisecond):
			}
		}
		_ = cmd.Process.Kill()
		<-ended
		_ = cmd.Wait()
	}
	executed := func() *soakFollower {
		f := &soakFollower{versions: make([]int, count)}
		text, _ := os.ReadFile(filepath.Join(dir, "executed")) // it may not be there yet
		for line := range bytes.Lines(text) {
			f.take(line)
		}
		return f
	}
	run(5*time.Minute, func() bool {
		kept, _ := filepath.Glob(filepath.Join(dir, "state", "*.json"))
		return len(kept) == count
	})
	kills, began, end := 0, time.Now(), servers.live(t)
	for ; time.Since(began) < length; kills++ {
		run(restart, func() bool { return false })
	}
	end()
	calm := time.Now()
	run(15*time.Minute, func() bool {
		return len(printed.missing(servers)) == 0 && len(posted.missing(servers)) == 0 && len(executed().missing(servers)) == 0
	})
	t.Logf("%d servers, %v: %d changes, killed %d times; everything had arrived %v after the last change",
		count, length, servers.changes(), kills, time.Since(calm).Round(time.Second))
	printed.verdict(t, "standard output", servers)
	posted.verdict(t, "webhook", servers)
	executed().verdict(t, "exec", servers)
}

// soakConfig writes a configuration of servers below one address, and returns its path.
func soakConfig(t *testing.T, dir, site string, count int) string {
	var entries []string
	for i := range count {
		entries = append(entries, fmt.Sprintf(`"plot-%d": {"url": "%s/%[1]d", "type": "streamable-http"}`, i, site))
	}
	config := filepath.Join(dir, "mcp.json")
	writeText(t, config, `{"mcpServers": {`+strings.Join(entries, ",\n")+"}}")
	return config
}
