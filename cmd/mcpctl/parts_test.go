package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpctl/mcpctl/internal/fixture"
	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/kit"
)

// full makes seeded properties run in full: make test-full sets it, make test runs a part of them.
var full = os.Getenv("MCPCTL_FULL") != ""

var fleets = flag.Int("fleets", map[bool]int{true: 20, false: 2}[full], "how many random fleets are divided and merged")

// TestPartsMakeTheWhole divides runs over random fleets into random numbers of parts and merges their reports: that is the report
// of one run over all servers, finding for finding, and its exit status. Servers fail, answer in part, are disabled or cannot be
// started; there are budgets, levels of the project's own and waivers of every kind.
func TestPartsMakeTheWhole(t *testing.T) {
	for seed := range *fleets {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			f := newRandomFleet(t, rand.New(rand.NewPCG(uint64(seed), 17)))
			f.mcpctl("snapshot")
			f.write()
			for _, command := range []string{"check", "diff", "list"} {
				f.divide(command)
			}
			saved := filepath.Join(f.dir, "mcp-snapshots")
			if _, err := os.Stat(saved); err == nil {
				f.divide("diff --base " + saved)
			}
			f.mcpctl("snapshot")
			f.divide("snapshot")
		})
	}
}

// randomFleet is a folder with the configuration of some servers.
type randomFleet struct {
	t       *testing.T
	r       *rand.Rand
	dir     string
	servers int
}

func newRandomFleet(t *testing.T, r *rand.Rand) *randomFleet {
	f := &randomFleet{t: t, r: r, dir: t.TempDir(), servers: 1 + r.IntN(9)}
	f.write()
	return f
}

// tools are few, so that servers share them.
var toolNames = []string{"create_ticket", "createTicket", "delete_ticket", "list_files", "list_flles", "search"}

// write writes the configuration anew, with servers that offer something else than before.
func (f *randomFleet) write() {
	var entries []string
	for i := range f.servers {
		entries = append(entries, fmt.Sprintf("%q: %s", fmt.Sprint("s", f.r.IntN(2)*100+i), f.entry()))
	}
	writeText(f.t, filepath.Join(f.dir, ".mcp.json"), `{"mcpServers": {`+strings.Join(entries, ",\n")+`}}`)
	writeText(f.t, filepath.Join(f.dir, "mcpctl.yaml"), f.decisions())
}

// entry is one server, most of the time one that answers.
func (f *randomFleet) entry() string {
	switch f.r.IntN(12) {
	case 0:
		return `{"command": "no-such-program"}`
	case 1:
		return `{"command": "x", "url": "http://127.0.0.1:1/"}`
	case 2:
		return `{"url": "http://127.0.0.1:1/", "disabled": true}`
	case 3:
		return `{"url": "http://127.0.0.1:1/mcp"}`
	}
	script, err := fixture.Parse([]byte(f.script()))
	if err != nil {
		f.t.Fatal(err)
	}
	server := fixture.Listen(script)
	f.t.Cleanup(server.Close)
	return fmt.Sprintf(`{"url": %q}`, server.Address())
}

func (f *randomFleet) script() string {
	var tools []string
	for _, name := range toolNames {
		if f.r.IntN(2) == 0 {
			tools = append(tools,
				fmt.Sprintf(`{name: %s, description: "use %s first, number %d", inputSchema: {type: object, properties: {q: {type: %s}}}}`,
					name, toolNames[f.r.IntN(len(toolNames))], f.r.IntN(3), []string{"string", "integer"}[f.r.IntN(2)]))
		}
	}
	text := "tools: [" + strings.Join(tools, ", ") + "]\nprompts: []\n"
	if f.r.IntN(6) == 0 {
		text += "on: {prompts/list: [{error: {code: -32603, message: no}}]}\n"
	}
	return text
}

// decisions is an mcpctl.yaml, parts of which are of use to no one.
func (f *randomFleet) decisions() string {
	all := []string{
		"budgets: {tokens: 200, tools: 3, server-tools: 2}",
		"rules: {tool-description-changed: breaking, tool-name-shared: warning, tool-name-confusable: off}",
		"fail-on: warning",
		"overrides: {s1: {fail-on: breaking}, s102: {rules: {tool-added: warning}}}",
		"tolerate: [{server: s0, reason: it is away}, {server: s100, reason: it is away}]",
	}
	waivers := []string{
		"{rule: tool-removed, reason: known}", "{rule: tool-name-*, server: s2, reason: known}", "{rule: budget-tools, reason: known}",
		"{rule: prompt-removed, reason: of no use}", "{rule: prompt-*, reason: not asked}",
		"{rule: input-*, item: tool/search, expires: 2020-01-01, reason: old}",
		"{rule: text-names-other-server, server: s10*, reason: known}",
	}
	all = append(f.some(all), "waivers: ["+strings.Join(f.some(waivers), ", ")+"]")
	return strings.Join(all, "\n") + "\n"
}

// some returns half of the texts.
func (f *randomFleet) some(texts []string) []string {
	return kit.Filter(texts, func(string) bool { return f.r.IntN(2) == 0 })
}

// mcpctl is one run in the folder, its answer and its exit status.
func (f *randomFleet) mcpctl(line string, more ...string) ([]byte, int) {
	var out, said bytes.Buffer
	p := host.Process{In: strings.NewReader(""), Out: &out, Err: &said, Dir: f.dir, Home: filepath.Join(f.dir, "home"), GOOS: "linux",
		Now: time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)}
	args := append(strings.Fields(line), "--yes", "--format", "json", "--config", filepath.Join(f.dir, "mcpctl.yaml"), "--config",
		filepath.Join(f.dir, ".mcp.json"))
	if strings.HasPrefix(line, "merge") {
		args = append(strings.Fields(line), args[len(args)-6:]...)
	}
	status := run(f.t.Context(), append(args, more...), p)
	if !json.Valid(out.Bytes()) {
		f.t.Fatalf("mcpctl %v: %s%s", args, out.Bytes(), said.Bytes())
	}
	return out.Bytes(), status
}

// divide holds the merged reports of the parts of a run to the report of the whole.
func (f *randomFleet) divide(command string) {
	whole, want := f.mcpctl(command)
	n := 1 + f.r.IntN(5)
	folder := f.t.TempDir()
	for i := n; i > 0; i-- {
		part, _ := f.mcpctl(command, "--shard", fmt.Sprintf("%d/%d", i, n))
		writeText(f.t, filepath.Join(folder, fmt.Sprint(i, ".json")), string(part))
	}
	merged, got := f.mcpctl("merge " + folder)
	if difference := cmp.Diff(withoutTimes(f.t, whole), withoutTimes(f.t, merged)); difference != "" || got != want {
		f.t.Errorf("%s in %d parts: status %d, want %d: -whole +merged %s", command, n, got, want, difference)
	}
}

// withoutTimes is a report without what the clock measured.
func withoutTimes(t *testing.T, data []byte) map[string]any {
	var r map[string]any
	if err := json.Unmarshal(data, &r); err != nil {
		t.Fatal(err)
	}
	for _, s := range r["servers"].([]any) {
		delete(s.(map[string]any), "elapsedMs")
	}
	return r
}
