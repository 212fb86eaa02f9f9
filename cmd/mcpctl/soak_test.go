//go:build soak

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestSoak watches many servers at once that change at random, with the real program in a process of its own, and holds
// what it reports against what the servers did. One server in five dies, hangs, tears its pages and is behind a network that
// cuts, delays and swallows. MCPCTL_SOAK is "SERVERS DURATION", such as "1000 5m".
func TestSoak(t *testing.T) {
	count, length := soakSize(t)
	field := newSoakField(count)
	site := httptest.NewServer(field)
	defer site.Close()
	defer site.CloseClientConnections()
	receiver := &soakReceiver{}
	hook := httptest.NewServer(receiver)
	defer hook.Close()
	watcher := startSoak(t, field, site.Listener.Addr().String(), hook.URL)
	watcher.await(t, 5*time.Minute, "connected to every server", func() bool { return watcher.judge.connected() == count })
	const calm = time.Minute // holds the pings of every server, the first of which come half a minute after it has connected
	before := watcher.cpu(t)
	<-time.After(calm)
	idle := watcher.cpu(t) - before
	memory := []int{watcher.memory(t, "VmRSS:") >> 20}
	began := time.Now()
	end := field.live(t)
	for n := range 10 {
		<-time.After(time.Until(began.Add(length * time.Duration(n+1) / 10)))
		memory = append(memory, watcher.memory(t, "VmRSS:")>>20)
	}
	end()
	busy, took := watcher.cpu(t)-before-idle, time.Since(began)
	watcher.await(t, 5*time.Minute, "told everything", func() bool { return len(watcher.judge.missing()) == 0 })
	most := watcher.memory(t, "VmHWM:")
	watcher.end(t)
	told, late := watcher.judge.verdict(t)
	receiver.verdict(t, told, watcher.undelivered())
	t.Logf("%d servers, %v: %d changes, told in %d events; of the servers without faults: change to event median %v, p99 %v, most %v; CPU idle %.2f %%, busy %.1f %% of a core; memory %d MiB at most, over time %v",
		count, length, field.changes(), told, late[len(late)/2], late[len(late)*99/100], late[len(late)-1],
		100*idle.Seconds()/calm.Seconds(), 100*busy.Seconds()/took.Seconds(), most>>20, memory)
	t.Logf("faults: %v; posts: %v; as the program counts: %v; it said:\n%s", field.faults(), receiver.counts, watcher.judge.counts, &watcher.said)
	if idle.Seconds() > 0.05*calm.Seconds() { // pings are most of it
		t.Errorf("idle CPU is %v in %v, want at most 5 %%", idle, calm)
	}
	if most > 150_000_000*max(count, 1000)/1000 {
		t.Errorf("memory is %d MB, want at most 150", most/1_000_000)
	}
}

func soakSize(t *testing.T) (count int, length time.Duration) {
	count, length = 100, 20*time.Second
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
	return count, length
}

// soaked is the program under test.
type soaked struct {
	cmd   *exec.Cmd
	done  chan struct{}
	judge *soakJudge
	said  bytes.Buffer // on standard error
}

// realProgram builds what is shipped, which is smaller than this test.
func realProgram(t *testing.T, dir string) string {
	file := filepath.Join(dir, "mcpctl")
	if said, err := exec.Command("go", "build", "-trimpath", "-o", file, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	return file
}

var notPassedOn = regexp.MustCompile(`--webhook: (?:a change of \S+ was|watching has ended, and ([0-9]+) changes were) not delivered`)

// undelivered is how many changes the program said that it did not post.
func (s *soaked) undelivered() (n int) {
	for _, found := range notPassedOn.FindAllStringSubmatch(s.said.String(), -1) {
		left, err := strconv.Atoi(found[1])
		if err != nil {
			left = 1
		}
		n += left
	}
	return n
}

func startSoak(t *testing.T, field *soakField, address, hook string) *soaked {
	dir := t.TempDir()
	var servers []string
	for i := range field.plots {
		servers = append(servers, fmt.Sprintf(`%q: %s`, soakName(i), field.plots[i].configuration(t, address, i)))
	}
	file := filepath.Join(dir, "mcp.json")
	writeText(t, file, `{"mcpServers": {`+strings.Join(servers, ",\n")+"}}")
	s := &soaked{
		cmd:  exec.Command(realProgram(t, dir), "watch", "--config", file, "--format", "ndjson", "--timeout", "10s", "--state", filepath.Join(dir, "state"), "--webhook", hook),
		done: make(chan struct{}), judge: newSoakJudge(field),
	}
	s.cmd.Stderr = &s.said
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
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			s.judge.complain("no event: %s", lines.Text())
			continue
		}
		s.judge.take(e)
	}
}

// await waits until something is so.
func (s *soaked) await(t *testing.T, within time.Duration, what string, is func() bool) {
	for late := time.After(within); !is(); {
		select {
		case <-late:
			t.Errorf("not within %v: %s", within, what)
			return
		case <-s.done:
			t.Fatalf("it ended before it had %s", what)
		case <-time.After(100 * time.Millisecond):
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

// memory is what the program has resident, or had at most, in bytes.
func (s *soaked) memory(t *testing.T, key string) int {
	_, rest, _ := strings.Cut(s.proc(t, "status"), key)
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

func sorted[T ~int64](all []T) []T {
	slices.Sort(all)
	return all
}
