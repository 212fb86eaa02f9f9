package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
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

// TestServerKilledAtRandom kills a server at random moments, while what it offers changes: the watch ends up with what it
// offers last, and leaves nothing behind.
func TestServerKilledAtRandom(t *testing.T) {
	for seed := range 4 {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			dir, random := t.TempDir(), rand.New(rand.NewPCG(uint64(seed), 50))
			offer(t, dir, "first")
			config := filepath.Join(t.TempDir(), "mcp.json")
			writeText(t, config,
				fmt.Sprintf(`{"mcpServers": {"victim": {"command": "fixture", "args": ["stdio", "server.yaml"], "cwd": %q}}}`, dir))
			w := startWatch(t, filepath.Dir(config), exec.Command("mcpctl", "watch", "--format", "ndjson", "--config", config),
				"tool/first")
			w.until("polling")
			for n := range 5 { // each time it waits twice as long
				offer(t, dir, fmt.Sprint("tool", n), fmt.Sprint("other", n))
				<-time.After(time.Duration(random.IntN(40)) * time.Millisecond)
				kill(t, dir, "")
			}
			w.untilOffers("tool/tool4", "tool/other4")
			_ = w.cmd.Process.Signal(os.Interrupt)
			w.until("summary")
			if left := leftIn(dir); len(left) > 0 {
				t.Errorf("left behind: %q", left)
			}
		})
	}
}

// offer replaces what the server offers from its next start on.
func offer(t *testing.T, dir string, names ...string) {
	text := "tools:\n"
	for _, name := range names {
		text += fmt.Sprintf("  - {name: %s, description: %q}\n", name, strings.Repeat(name+" ", 5))
	}
	fresh := filepath.Join(dir, "fresh")
	writeText(t, fresh, text)
	if err := os.Rename(fresh, filepath.Join(dir, "server.yaml")); err != nil {
		t.Fatal(err)
	}
}

// kill waits until a command that begins so runs in a directory, and kills it.
func kill(t *testing.T, dir, command string) {
	t.Helper()
	for range 20000 {
		for _, process := range processesIn(dir) {
			id, rest, _ := strings.Cut(process, " ")
			pid, err := strconv.Atoi(id)
			if err == nil && strings.TrimSpace(rest) != "" && strings.HasPrefix(rest, command) &&
				syscall.Kill(pid, syscall.SIGKILL) == nil {
				return
			}
		}
		<-time.After(time.Millisecond)
	}
	t.Fatal("the server never ran")
}

// TestOutputsOutliveKills ends a watch again and again while its server changes, mostly with kill -9. Whoever follows the events
// of the webhook or of the command knows in the end what the server offers: no change was lost or came too early, though some come
// twice. The webhook fails a third of the time and is slow to say that it has an event; the command is slow before it has one. The
// same holds for standard output. No file is torn, and none is left of outputs that have caught up.
func TestOutputsOutliveKills(t *testing.T) {
	t.Parallel()
	dir, random := t.TempDir(), rand.New(rand.NewPCG(46, 0))
	var mu sync.Mutex
	var posted, printed []byte
	hook := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		mu.Lock()
		fails, late := random.IntN(3) == 0, random.IntN(2) == 0
		if err == nil && (!fails || late) { // it has the event, and does not always say so
			posted = append(posted, body...)
		}
		mu.Unlock()
		<-time.After(50 * time.Millisecond)
		if fails {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	defer hook.Close()
	begin := func(words ...string) *exec.Cmd {
		cmd := exec.Command("mcpctl", slices.Concat([]string{"watch", "--state", "kept", "--format", "ndjson", "--webhook", hook.URL,
			"--exec", "sleep 0.06; cat >> executed"}, words, []string{"--", "fixture", "stdio", "server.yaml"})...)
		cmd.Dir = dir
		return cmd
	}
	run := func(cmd *exec.Cmd, end func(output io.Reader)) {
		out, err := cmd.StdoutPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		defer time.AfterFunc(2*time.Minute, func() { _ = cmd.Process.Kill() }).Stop()
		var text bytes.Buffer
		end(io.TeeReader(out, &text))
		_ = cmd.Wait()
		printed = append(printed, text.Bytes()...)
		printed = append(printed, '\n') // the last line of a process that was killed may be torn
	}
	all := func(output io.Reader) { _, _ = io.Copy(io.Discard, output) }
	writeText(t, filepath.Join(dir, "server.yaml"), "tools: [{name: first}]")
	run(begin("--for", "1s"), all)
	writeText(t, filepath.Join(dir, "server.yaml"), `{tools: [{name: a}], capabilities: {tools: {listChanged: true}}, on: {tools/list: [
		{result: '{"tools":[{"name":"t{{count}}-{{env "RUN"}}",`+
		`"description":"{{env "RUN"}}{{count}} {{env "RUN"}}{{count}} {{count}}"}]}'}, {sleep: 5ms},
		{send: '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}'}]}}`)
	for n := range 10 {
		cmd := begin("--env", "RUN="+string(rune('a'+n)))
		run(cmd, func(output io.Reader) {
			for lines := bufio.NewScanner(output); lines.Scan(); {
				if bytes.Contains(lines.Bytes(), []byte(`"changed"`)) {
					break
				}
			}
			<-time.After(time.Duration(random.IntN(600)) * time.Millisecond)
			_ = cmd.Process.Signal([]os.Signal{syscall.SIGKILL, syscall.SIGKILL, syscall.SIGTERM}[n%3])
			all(output)
		})
		if out, err := exec.Command("mcpctl", "list", filepath.Join(dir, "kept")).CombinedOutput(); err != nil {
			t.Errorf("run %d: the state directory cannot be read: %s", n, out)
		}
	}
	writeText(t, filepath.Join(dir, "server.yaml"), "tools: [{name: last}]")
	run(begin("--for", "1s"), all) // and then up to 3 s for the outputs
	run(begin("--for", "1s"), all)
	mu.Lock()
	defer mu.Unlock()
	for output, events := range map[string]string{"standard output": string(printed), "webhook": string(posted),
		"exec": readText(t, filepath.Join(dir, "executed"))} {
		known, n := followed(events)
		if !slices.Equal(known, []string{"tool/last"}) || n < 10 {
			t.Errorf("%s: after %d changes it leads to %q", output, n, known)
		} else {
			t.Logf("%s: %d changes", output, n)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "kept", "[^.]*")); len(left) != 1 {
		t.Errorf("the state directory holds %q", left)
	}
}

// TestPrintedAndUndone kills a watch as soon as it has printed a change, which the server undoes before the next run: that is
// reported as well, whether or not the state directory had the change.
func TestPrintedAndUndone(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeText(t, filepath.Join(dir, "server.yaml"), `{tools: [{name: base}], capabilities: {tools: {listChanged: true}}, on: {
		tools/list#1: [answer, {send: '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}'}],
		tools/list: [{result: '{"tools":[{"name":"base"},{"name":"{{env "RUN"}}"}]}'}]}}`)
	var printed bytes.Buffer
	run := func(name string, ends func(line []byte) bool, words ...string) {
		cmd := exec.Command("mcpctl", slices.Concat([]string{"watch", "--state", "kept", "--format", "ndjson", "--env", "RUN=" + name},
			words, []string{"--", "fixture", "stdio", "server.yaml"})...)
		cmd.Dir = dir
		out, err := cmd.StdoutPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		defer time.AfterFunc(2*time.Minute, func() { _ = cmd.Process.Kill() }).Stop()
		for lines := bufio.NewScanner(out); lines.Scan(); {
			printed.Write(append(lines.Bytes(), '\n'))
			if ends(lines.Bytes()) {
				_ = cmd.Process.Kill()
			}
		}
		_ = cmd.Wait()
	}
	for n := range 12 {
		name := fmt.Sprint("t", n)
		run(name, func(line []byte) bool { return bytes.Contains(line, []byte("tool/"+name)) })
	}
	writeText(t, filepath.Join(dir, "server.yaml"), "tools: [{name: base}]")
	run("", func([]byte) bool { return false }, "--for", "1s")
	if known, n := followed(printed.String()); len(known) > 0 || n < 12 {
		t.Errorf("after %d changes it leads to %q:\n%s", n, known, printed.String())
	}
}

// followed returns the items that someone knows of who hears of events in this order, and the number of changes.
func followed(lines string) (items []string, changes int) {
	known := map[string]bool{}
	for line := range strings.Lines(lines) {
		var e watchEvent
		if json.Unmarshal([]byte(line), &e) != nil || e.Event != "changed" {
			continue
		}
		changes++
		for _, f := range e.Findings {
			if f.Rule == "tool-added" {
				known[f.Item] = true
			} else if f.Rule == "tool-removed" {
				delete(known, f.Item)
			}
		}
	}
	return slices.Sorted(maps.Keys(known)), changes
}
