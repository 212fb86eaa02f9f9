package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// runtimes are what the programs of testdata/ends run with.
var runtimes = map[string]string{"python3": "server.py", "node": "server.js"}

// ending is a folder with the configuration of one server of testdata/ends, and what that server left there.
type ending struct {
	testing.TB
	dir, mark, interpreter, program string
}

// eachEnding tests with a server in each of the runtimes that are here.
func eachEnding(t *testing.T, test func(*testing.T, ending)) {
	t.Helper()
	for interpreter, file := range runtimes {
		t.Run(interpreter, func(t *testing.T) {
			t.Parallel()
			path, err := exec.LookPath(interpreter)
			if err != nil {
				t.Skipf("NOT TESTED: there is no %s", interpreter)
			}
			if real, err := exec.Command(path, "-c", "import sys; print(sys.executable)").Output(); err == nil && interpreter == "python3" {
				path = strings.TrimSpace(string(real)) // not a launcher of its versions
			}
			program, _ := filepath.Abs(filepath.Join("testdata/ends", file))
			test(t, ending{interpreter: path, program: program})
		})
	}
}

// in returns the server in a folder of its own, with a configuration that names it "ends" in a mode.
func (e ending) in(t *testing.T, mode string) ending {
	t.Helper()
	e.TB, e.dir = t, t.TempDir()
	e.mark = filepath.Join(e.dir, "mark")
	entry := map[string]any{"command": e.interpreter, "args": []string{e.program, mode}, "env": map[string]string{"MARK": e.mark}}
	text, _ := json.Marshal(map[string]any{"mcpServers": map[string]any{"ends": entry}})
	if err := os.WriteFile(filepath.Join(e.dir, "mcp.json"), text, 0o600); err != nil {
		t.Fatal(err)
	}
	return e
}

// mcpctl returns a command line in the folder.
func (e ending) mcpctl(args ...string) *exec.Cmd {
	cmd := exec.Command("mcpctl", args...)
	cmd.Dir, cmd.Env = e.dir, append(os.Environ(), "HOME="+e.dir, "CI=true")
	return cmd
}

// run runs a command line to its end and returns its status. No process is left then.
func (e ending) run(args ...string) int {
	e.Helper()
	out, err := e.mcpctl(args...).CombinedOutput()
	if exit, ok := errors.AsType[*exec.ExitError](err); err != nil && !ok {
		e.Fatalf("%v: %v", args, exit)
	}
	e.noneLeft(string(out))
	status := 0
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		status = exit.ExitCode()
	}
	e.Logf("mcpctl %s: status %d\n%s", strings.Join(args, " "), status, out)
	return status
}

// noneLeft wants that no process of the folder runs any more.
func (e ending) noneLeft(said string) {
	e.Helper()
	if left := processesIn(e.dir); len(left) > 0 {
		e.Errorf("left behind: %q; it wrote %s", left, said)
	}
}

// marks returns what the servers wrote as they ended, and forgets it.
func (e ending) marks() []string {
	text, _ := os.ReadFile(e.mark)
	_ = os.Remove(e.mark)
	return strings.Fields(strings.ReplaceAll(string(text), " ", "-"))
}

// leaves runs a command line until its servers end with the marks that suit.
func (e ending) leaves(suits func(marks []string) bool, args ...string) (status int) {
	e.Helper()
	e.endSo(suits, strings.Join(args, " "), func() { status = e.run(args...) })
	return status
}

// endSo runs something until its servers end with the marks that suit, a few times at most: the 500 ms are those of the
// clock on the wall, in which a busy machine may not let a server run. One that gets less time never ends so.
func (e ending) endSo(suits func(marks []string) bool, what string, run func()) {
	e.Helper()
	for range 4 {
		run()
		got := e.marks()
		if suits(got) {
			return
		}
		e.Logf("%s: it left with %q", what, got)
	}
	e.Errorf("%s: the servers did not end as they should in any of 4 runs", what)
}

// allLeft reports whether servers ended by themselves.
func allLeft(marks []string) bool {
	return len(marks) > 0 && !slices.ContainsFunc(marks, func(mark string) bool { return mark != "left" })
}

// TestServersMayEnd gives real servers the time to end: 500 ms by themselves, and what they have started too, 2 s after
// SIGTERM.
func TestServersMayEnd(t *testing.T) {
	t.Parallel()
	eachEnding(t, func(t *testing.T, e ending) {
		for mode, want := range map[string][]string{
			"tidy": {"left"}, "deaf": {"cleaned-up"}, "stubborn": nil, "launcher": {"left"}, "helped": {"left"},
		} {
			e := e.in(t, mode)
			suits := func(marks []string) bool { return slices.Equal(marks, want) }
			if status := e.leaves(suits, "list", "--config", "mcp.json"); status != 0 {
				t.Errorf("%s: status %d, want 0", mode, status)
			}
		}
	})
}

// TestEveryCommandLetsServersEnd holds that for every way in which a server is started and ended.
func TestEveryCommandLetsServersEnd(t *testing.T) {
	t.Parallel()
	eachEnding(t, func(t *testing.T, e ending) {
		e = e.in(t, "tidy")
		calls := `{"server": "ends", "tool": "look", "arguments": {}, "result": {"content": [{"type": "text", "text": "seen"}]}}`
		if err := os.WriteFile(filepath.Join(e.dir, "calls.jsonl"), []byte(calls+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, line := range []string{
			"snapshot", "list --retries 2", "show ends", "grep look", "check --format sarif", "diff", "ping", "call ends look",
			"call --dry-run ends look", "replay --calls calls.jsonl", "watch --for 1s", "accept --all",
		} {
			words := strings.Fields(line)
			e.leaves(allLeft, slices.Concat(words[:1], []string{"--config", "mcp.json"}, words[1:])...)
		}
		t.Run("failure", func(t *testing.T) { // it never answers
			e := e.in(t, "mute")
			for _, line := range []string{"list --timeout 1s", "ping --timeout 1s", "call --timeout 1s ends look",
				"list --timeout 1s --retries 1"} {
				words := strings.Fields(line)
				if status := e.leaves(allLeft, slices.Concat(words[:1], []string{"--config", "mcp.json"}, words[1:])...); status == 0 {
					t.Errorf("%s: status 0 of a server that does not answer", line)
				}
			}
		})
	})
}

// TestInterruptedServersEnd holds it for Ctrl-C, at a server that does not answer and at one that is watched.
func TestInterruptedServersEnd(t *testing.T) {
	t.Parallel()
	eachEnding(t, func(t *testing.T, e ending) {
		for mode, words := range map[string][]string{"mute": {"list", "--timeout", "60s"}, "tidy": {"watch", "--format", "ndjson"}} {
			e := e.in(t, mode)
			e.endSo(allLeft, mode, func() {
				cmd := e.mcpctl(slices.Concat(words, []string{"--config", "mcp.json"})...)
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				for len(processesIn(e.dir)) < 2 { // with that of mcpctl
					time.Sleep(10 * time.Millisecond)
				}
				time.Sleep(500 * time.Millisecond) // for the program to be read: before that a server ends by itself, without a word
				_ = cmd.Process.Signal(os.Interrupt)
				_ = cmd.Wait()
				e.noneLeft(mode)
				if status := cmd.ProcessState.ExitCode(); status != 130 {
					t.Errorf("%s: status %d, want 130", mode, status)
				}
			})
		}
	})
}

// TestReportComesFirst has a server that ends only once the whole report was read.
func TestReportComesFirst(t *testing.T) {
	t.Parallel()
	eachEnding(t, func(t *testing.T, e ending) {
		for _, line := range []string{"list --format json", "ping --format json", "check --format json", "watch --for 1s --format ndjson"} {
			e := e.in(t, "waits")
			readFirst := func(marks []string) bool { return slices.Equal(marks, []string{"read-first"}) }
			e.endSo(readFirst, line, func() { e.readFirst(strings.Fields(line)...) })
		}
	})
}

// readFirst runs a command line to its end, and tells its server as soon as the whole report was read.
func (e ending) readFirst(words ...string) {
	e.Helper()
	_ = os.Remove(e.mark + ".read")
	cmd := e.mcpctl(slices.Concat(words, []string{"--config", "mcp.json"})...)
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		e.Fatal(err)
	}
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if text := lines.Text(); text == "}" || strings.Contains(text, `"event":"summary"`) ||
			strings.Contains(text, `"event": "summary"`) {
			break
		}
	}
	if err := os.WriteFile(e.mark+".read", nil, 0o600); err != nil {
		e.Fatal(err)
	}
	_, _ = bytes.NewBuffer(nil).ReadFrom(out)
	_ = cmd.Wait()
	e.noneLeft(strings.Join(words, " "))
}

// TestStubbornServersEndTogether ends many in the time of one: 2.5 s each would be a minute.
func TestStubbornServersEndTogether(t *testing.T) {
	t.Parallel()
	dir, servers := t.TempDir(), map[string]any{}
	for i := range 24 {
		servers[fmt.Sprintf("s%02d", i)] = map[string]any{"command": "fixture", "args": []string{"stdio", "stubborn.yaml"}}
	}
	text, _ := json.Marshal(map[string]any{"mcpServers": servers})
	for name, content := range map[string]string{"mcp.json": string(text),
		"stubborn.yaml": "tools: 1\non: {start: [{ignore: TERM}], eof: [hang]}\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	e := ending{TB: t, dir: dir}
	began := time.Now()
	if status := e.run("list", "--config", "mcp.json"); status != 0 {
		t.Errorf("status %d, want 0", status)
	}
	if took := time.Since(began); took > 30*time.Second {
		t.Errorf("it took %v", took)
	}
	for _, end := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} { // and when they are watched
		cmd := e.mcpctl("watch", "--config", "mcp.json", "--format", "ndjson")
		out, err := cmd.StdoutPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		seen := 0
		for lines := bufio.NewScanner(out); lines.Scan(); {
			if strings.Contains(lines.Text(), `"polling"`) {
				seen++
			}
			if seen == len(servers) {
				began = time.Now()
				_ = cmd.Process.Signal(end)
				seen++
			}
		}
		_ = cmd.Wait()
		e.noneLeft(end.String())
		if took := time.Since(began); took > 30*time.Second {
			t.Errorf("%v: it took %v", end, took)
		}
	}
}
