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
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/fixture"
)

const (
	deadTimeout = 30 * time.Second
	away        = 20 * time.Millisecond // what each request to a server takes longer that is not on this machine
)

// TestScale prints what fleets cost, as a table: MCPCTL_SCALE is "SERVERS… / SAVED…", such as "100 1000 10000 / 100000".
// It judges nothing but that each command came to its end: processor time is compared by the one who reads it.
func TestScale(t *testing.T) {
	live, saved, _ := strings.Cut(os.Getenv("MCPCTL_SCALE"), "/")
	program := buildStatic(t, filepath.Join(t.TempDir(), "mcpctl"))
	fmt.Println("| command | servers | processor time | a server | peak | status |\n|---|---|---|---|---|---|")
	for count := range strings.FieldsSeq(live) {
		measureLive(newFleetRun(t, program, count))
	}
	for count := range strings.FieldsSeq(saved) {
		measureSaved(newFleetRun(t, program, count))
	}
}

// fleetRun measures commands on a number of servers.
type fleetRun struct {
	*testing.T
	program, dir string
	servers      int
}

func newFleetRun(t *testing.T, program, count string) fleetRun {
	n, err := strconv.Atoi(count)
	if err != nil {
		t.Fatal(err)
	}
	return fleetRun{t, program, t.TempDir(), n}
}

// measureLive measures commands on servers at URLs, of which one in twenty changes after its snapshot was saved.
func measureLive(f fleetRun) {
	hosts := startFarm(f.T)
	for _, version := range []string{"old", "new", "far", "dead"} {
		var entries []string
		for i := range f.servers {
			version := version
			if version == "dead" && (i+i/len(hosts))%20 != 3 { // on every host some
				version = "old"
			}
			entries = append(entries, fmt.Sprintf(`"server-%06d":{"url":"http://%s/%s/%[1]d"}`, i, hosts[i%len(hosts)], version))
		}
		writeText(f.T, filepath.Join(f.dir, version+".json"), `{"mcpServers":{`+strings.Join(entries, ",\n")+`}}`)
	}
	f.measure("list", "list", "--config", "old.json")
	f.measure("snapshot", "snapshot", "--config", "old.json", "--snapshots", "saved")
	f.measure("diff", "diff", "--config", "new.json", "--snapshots", "saved")
	f.measure("check", "check", "--config", "new.json", "--snapshots", "saved")
	f.measure(fmt.Sprintf("list, %v away", away), "list", "--config", "far.json")
	took := f.measure("list, one in twenty dead", "list", "--config", "dead.json", "--timeout", deadTimeout.String())
	// each of 64 at once waits five seconds for a silent server until the next one has its turn
	if most := deadTimeout + time.Duration(f.servers/20/64+2)*5*time.Second; took > most {
		f.Errorf("with one server in twenty dead a list took %v, want at most %v", took, most)
	}
}

// measureSaved measures commands on lists that were saved.
func measureSaved(f fleetRun) {
	for _, version := range []string{"old", "new"} {
		if err := os.Mkdir(filepath.Join(f.dir, version), 0o700); err != nil {
			f.Fatal(err)
		}
		for i := range f.servers {
			var tools []string
			for _, tool := range toolsOf(i, version == "new") {
				tools = append(tools, string(tool))
			}
			file := filepath.Join(f.dir, version, config.FileName(fmt.Sprintf("server-%06d", i)))
			writeText(f.T, file, `{"tools":[`+strings.Join(tools, ",")+`]}`)
		}
	}
	f.measure("check, saved", "check", "new")
	f.measure("diff, saved", "diff", "old", "new")
}

// measure runs a command, prints its row and returns how long it took.
func (f fleetRun) measure(title string, args ...string) time.Duration {
	var stderr strings.Builder
	cmd := exec.Command(f.program, append(args, "--format", "json", "--report", "json=report.json")...)
	cmd.Dir, cmd.Stderr, cmd.Env = f.dir, &stderr, append(os.Environ(), "HOME="+f.dir)
	began := time.Now()
	_ = cmd.Run() // its status is judged
	took, state := time.Since(began), cmd.ProcessState
	spent, peak := state.UserTime()+state.SystemTime(), state.SysUsage().(*syscall.Rusage).Maxrss
	if status := state.ExitCode(); status != 0 && status != 1 && (status != 3 || !strings.HasSuffix(title, "dead")) {
		f.Errorf("%v: %v: %.2000s", args, state, &stderr)
	}
	fmt.Printf("| `%s` | %d | %.2f s | %.2f ms | %d MiB | %d |\n", title, f.servers, spent.Seconds(),
		1000*spent.Seconds()/float64(f.servers), peak>>10, state.ExitCode())
	f.Logf("%s: %v elapsed", title, took)
	return took
}

// toolsOf are ten tools of about 700 bytes: five that a hundred servers in ten thousand share word for word, and five of its
// own. Once changed, one server in twenty wants another argument in one of them, as all its neighbours do.
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
		tools = append(tools, fixture.Raw(fmt.Sprintf(
			`{"name":"%s","title":"Search %[1]s",`+
				`"description":"Searches the records of %[1]s and gives those that match. Use it when the user asks for records by their `+
				`content; for one record that is known by its number there is a quicker way.",`+
				`"inputSchema":{"type":"object","properties":{"query":{"type":"string",`+
				`"description":"What to look for, as words that are all in the record","minLength":1},`+
				`"limit":{"type":"integer","minimum":1,"maximum":%d,"default":20,"description":"How many records to give at most"},`+
				`"order":{"type":"string","enum":["newest","oldest","relevance"],"description":"Which of them come first"},`+
				`"fields":{"type":"array","items":{"type":"string"},`+
				`"description":"The members of a record to give; all when it is left out"}},"required":[%s]},`+
				`"annotations":{"readOnlyHint":true}}`,
			owner, 50+(i+k)%50, required)))
	}
	return tools
}

// hosts is how many addresses of the loopback interface the servers of a farm are divided among.
const hosts = 100

// startFarm starts the servers in a process of their own, so that its memory is not taken for that of what is measured; they
// are at /old/NUMBER, /new/NUMBER, /dead/NUMBER and, with a delay, /far/NUMBER of each host.
func startFarm(t *testing.T) []string {
	cmd := exec.Command("farm")
	in, errIn := cmd.StdinPipe()
	out, errOut := cmd.StdoutPipe()
	if err := cmd.Start(); err != nil || errIn != nil || errOut != nil {
		t.Fatal(err, errIn, errOut)
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
		_, path, _ := strings.Cut(r.URL.Path, "/")
		version, number, _ := strings.Cut(path, "/")
		switch version {
		case "dead": // it has accepted the connection, and never answers
			_, _ = io.Copy(io.Discard, r.Body)
			<-r.Context().Done()
			return
		case "far":
			time.Sleep(away)
		}
		i, err := strconv.Atoi(number)
		if err != nil {
			http.NotFound(w, r)
			return
		}
		site, known := sites.Load(path)
		if !known {
			info := fixture.Raw(fmt.Sprintf(`{"name":"server-%06d","version":"1"}`, i))
			script := &fixture.Script{ServerInfo: info, Tools: toolsOf(i, version == "new"), HTTP: fixture.Web{Path: r.URL.Path}}
			site, _ = sites.LoadOrStore(path, fixture.HTTP(script))
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
