//go:build scale

package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
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

	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/fixture"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// TestScale prints what fleets cost, as a table: MCPCTL_SCALE is "SERVERS… / SAVED…", such as
// "100 1000 10000 / 100000". It judges nothing but that each command came to its end: processor time is compared by the one who reads it.
func TestScale(t *testing.T) {
	live, saved, _ := strings.Cut(os.Getenv("MCPCTL_SCALE"), "/")
	dir := t.TempDir()
	program := buildStatic(t, filepath.Join(dir, "mcpctl"))
	fmt.Println("| command | servers | processor time | a server | peak | status |\n|---|---|---|---|---|---|")
	for _, n := range counts(t, live) {
		measureLive(t, program, n)
	}
	for _, n := range counts(t, saved) {
		measureSaved(t, program, n)
	}
}

func counts(t *testing.T, words string) []int {
	var all []int
	for word := range strings.FieldsSeq(words) {
		n, err := strconv.Atoi(word)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, n)
	}
	return all
}

// measureLive measures commands on servers at URLs, of which one in twenty changes after its snapshot was saved.
func measureLive(t *testing.T, program string, n int) {
	dir, hosts := t.TempDir(), startFarm(t)
	for _, version := range []string{"old", "new", "far", "dead"} {
		var entries []string
		for i := range n {
			version := version
			if version == "dead" && i%20 != 3 {
				version = "old"
			}
			entries = append(entries, fmt.Sprintf(`"%s":{"url":"http://%s/%s/%d"}`, serverName(i), hosts[i%len(hosts)], version, i))
		}
		writeText(t, filepath.Join(dir, version+".json"), `{"mcpServers":{`+strings.Join(entries, ",\n")+`}}`)
	}
	saved := filepath.Join(dir, "saved")
	measure(t, program, dir, n, "list", "--config", "old.json")
	measure(t, program, dir, n, "snapshot", "--config", "old.json", "--snapshots", saved)
	measure(t, program, dir, n, "diff", "--config", "new.json", "--snapshots", saved)
	measure(t, program, dir, n, "check", "--config", "new.json", "--snapshots", saved)
	measure(t, program, dir, n, "list", "--config", "far.json")
	began := time.Now()
	measure(t, program, dir, n, "list", "--config", "dead.json", "--timeout", deadTimeout.String())
	if took := time.Since(began); took > 2*deadTimeout {
		t.Errorf("with one server in twenty dead a list took %v, and the timeout is %v", took, deadTimeout)
	}
}

const (
	deadTimeout = 30 * time.Second
	away        = 20 * time.Millisecond // what each request to a server takes longer that is not on this machine
)

// measureSaved measures commands on snapshots that were saved.
func measureSaved(t *testing.T, program string, n int) {
	dir := t.TempDir()
	for _, version := range []string{"old", "new"} {
		if err := os.Mkdir(filepath.Join(dir, version), 0o700); err != nil {
			t.Fatal(err)
		}
		for i := range n {
			s := snapshot.Snapshot{Protocol: "2025-11-25", Server: fmt.Appendf(nil, `{"name":%q,"version":"1"}`, serverName(i)), Capabilities: []byte(`{"tools":{}}`)}
			var raw []string
			for _, tool := range toolsOf(i, version == "new") {
				raw = append(raw, string(tool))
			}
			list, err := snapshot.Parse([]byte(`{"tools":[` + strings.Join(raw, ",") + `]}`))
			if err != nil {
				t.Fatal(err)
			}
			s.Tools = list.Tools
			data, err := s.Encode()
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, version, config.FileName(serverName(i))), data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	measure(t, program, dir, n, "check", "new")
	measure(t, program, dir, n, "diff", "old", "new")
}

// measure runs a command and prints its row.
func measure(t *testing.T, program, dir string, n int, args ...string) {
	cmd := exec.Command(program, append(args, "--format", "json", "--output", "report.json")...)
	if args[0] == "snapshot" {
		cmd = exec.Command(program, append(args, "--format", "json", "--report", "json=report.json")...)
	}
	said := &strings.Builder{}
	cmd.Dir, cmd.Stderr, cmd.Env = dir, said, append(os.Environ(), "HOME="+dir)
	began := time.Now()
	_ = cmd.Run() // its status is judged
	state := cmd.ProcessState
	spent, rusage, dead := state.UserTime()+state.SystemTime(), state.SysUsage().(*syscall.Rusage), slices.Contains(args, "dead.json")
	if status := state.ExitCode(); status != 0 && status != 1 && (status != 3 || !dead) {
		t.Errorf("%v: %v: %.2000s", args, state, said)
	}
	what := args[0]
	if slices.Contains(args, "far.json") {
		what += fmt.Sprintf(", %v away", away)
	}
	if dead {
		what += ", one in twenty dead"
	}
	if !strings.HasPrefix(args[1], "-") {
		what += ", saved"
	}
	fmt.Printf("| `%s` | %d | %.2f s | %.2f ms | %d MiB | %d |\n", what, n, spent.Seconds(), float64(spent.Microseconds())/1000/float64(n), rusage.Maxrss>>10, state.ExitCode())
	t.Logf("%s: %v elapsed", what, time.Since(began))
	if info, err := os.Stat(filepath.Join(dir, "report.json")); err == nil {
		t.Logf("report of %d KiB", info.Size()>>10)
	}
}

func serverName(i int) string { return fmt.Sprintf("server-%06d", i) }

// toolsOf are ten tools of about 700 bytes: five that a hundred servers in ten thousand share word for word, and five of its own. Once
// changed, one server in twenty wants another argument in one of them, as all its neighbours do.
func toolsOf(i int, changed bool) fixture.Items {
	var tools fixture.Items
	for k := range 10 {
		owner := fmt.Sprintf("common_%d_%d", i%100, k)
		if k >= 5 {
			owner = fmt.Sprintf("own_%d_%d", i, k)
		}
		required := `"query"`
		if changed && i%20 == 7 && k == 5 {
			required += `,"limit"`
		}
		tools = append(tools, fixture.Raw(fmt.Sprintf(`{"name":"%s","title":"Search %[1]s","description":"Searches the records of %[1]s and gives those that match. Use it when the user asks for records by their content; for one record that is known by its number there is a quicker way.",`+
			`"inputSchema":{"type":"object","properties":{"query":{"type":"string","description":"What to look for, as words that are all in the record","minLength":1},`+
			`"limit":{"type":"integer","minimum":1,"maximum":%d,"default":20,"description":"How many records to give at most"},`+
			`"order":{"type":"string","enum":["newest","oldest","relevance"],"description":"Which of them come first"},`+
			`"fields":{"type":"array","items":{"type":"string"},"description":"The members of a record to give; all when it is left out"}},"required":[%s]},"annotations":{"readOnlyHint":true}}`,
			owner, 50+(i+k)%50, required)))
	}
	return tools
}

// hosts is how many addresses of the loopback interface the servers of a farm are divided among.
const hosts = 100

// startFarm starts the servers in a process of their own, so that its memory is not taken for that of what is measured; they are at
// /old/NUMBER, /new/NUMBER and, with a delay, /far/NUMBER of each host.
func startFarm(t *testing.T) []string {
	cmd := exec.Command("farm")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close(); _ = cmd.Wait() })
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.Fields(line)
}

func init() { programs["farm"] = farmMain }

// farmMain serves until the standard input ends.
func farmMain() {
	var sites sync.Map
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/dead/") { // it has accepted the connection, and never answers
			_, _ = io.Copy(io.Discard, r.Body)
			<-r.Context().Done()
			return
		}
		if strings.HasPrefix(r.URL.Path, "/far/") {
			time.Sleep(away)
		}
		site, known := sites.Load(r.URL.Path)
		if !known {
			var version string
			var i int
			if _, err := fmt.Sscanf(strings.ReplaceAll(r.URL.Path, "/", " "), "%s %d", &version, &i); err != nil {
				http.NotFound(w, r)
				return
			}
			script := &fixture.Script{ServerInfo: fixture.Raw(fmt.Sprintf(`{"name":%q,"version":"1"}`, serverName(i))), Tools: toolsOf(i, version == "new"), HTTP: fixture.Web{Path: r.URL.Path}}
			site, _ = sites.LoadOrStore(r.URL.Path, fixture.HTTP(script))
		}
		site.(http.Handler).ServeHTTP(w, r)
	})
	var addresses []string
	for i := range hosts {
		listener, err := net.Listen("tcp", fmt.Sprintf("127.0.1.%d:0", i+1))
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		addresses = append(addresses, listener.Addr().String())
		go func() { _ = http.Serve(listener, handler) }()
	}
	fmt.Println(strings.Join(addresses, " "))
	_, _ = io.Copy(io.Discard, os.Stdin)
}
